"""The secret seed of a service, from which the inputs of every grading are generated."""

from grader.course.submissions.submission import fresh_seed
from grader.service.db.session import Database
from grader.service.db.tables.stations import SecretRow

SEED = "seed"


def service_seed(database: Database) -> int:
    """Return the seed. The first call creates it."""
    with database.writing() as session:
        row = session.get(SecretRow, SEED)
        if row is None:
            row = SecretRow(name=SEED, value=str(fresh_seed()))
            session.add(row)
        return int(row.value)
