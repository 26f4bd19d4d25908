"""A service for each test, on SQLite, and on PostgreSQL once more."""

import pytest
from services import Service

ON_BOTH = frozenset({"test_databases.py"})
"""Modules whose tests `make test` runs on PostgreSQL, too, where it is installed; `make test-all` runs all."""

LEASES_ON_BOTH = frozenset(
    {
        "test_stations_that_ask_at_once_get_different_gradings",
        "test_the_queue_is_in_order_and_regradings_come_last",
        "test_a_claim_that_is_renewed_is_nobody_elses",
        "test_a_result_is_stored_once",
    }
)
"""And tests of leases: of each statement that the queue rests on, one."""


def pytest_generate_tests(metafunc):
    """Each test of a service is run on both databases."""
    if "service" in metafunc.fixturenames and "database_kind" in metafunc.fixturenames:
        module, test = metafunc.module.__file__.rpartition("/")[2], metafunc.function.__name__
        marks = () if module in ON_BOTH or test in LEASES_ON_BOTH else (pytest.mark.whole,)
        metafunc.parametrize("database_kind", ["sqlite", pytest.param("postgresql", marks=marks)], indirect=True)


@pytest.fixture
def database_kind(request):
    """On which database the service of a test is."""
    return request.param


@pytest.fixture
def service(tmp_path, database_kind, request):
    url = request.getfixturevalue("postgresql").new() if database_kind == "postgresql" else None
    made = Service(tmp_path, url=url)
    yield made
    made.database.close()
