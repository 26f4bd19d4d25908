"""seed.py: a service has one seed."""

from grader.service.db.session import Database
from grader.service.station.seed import service_seed


def test_the_seed_is_made_once(service):
    """The first process that asks for the seed creates it. It survives a restart."""
    first = service_seed(service.database)
    assert first == service_seed(Database(service.database.url)) != 0
