"""Fixtures that give each test a service on SQLite, and once more on PostgreSQL."""

import pytest
from services import Service

ON_BOTH = frozenset({"test_databases.py"})
"""Modules whose tests `make test` also runs on PostgreSQL, if it is installed; `make test-all` runs all tests there."""

LEASES_ON_BOTH = frozenset(
    {
        "test_stations_that_ask_at_once_get_different_gradings",
        "test_the_queue_is_in_order_and_regradings_come_last",
        "test_a_claim_that_is_renewed_is_nobody_elses",
        "test_a_result_is_stored_once",
    }
)
"""Lease tests that `make test` also runs on PostgreSQL: one for each statement on which the queue relies."""


def pytest_generate_tests(metafunc):
    """Run each test of a service on both databases."""
    if "service" in metafunc.fixturenames and "database_kind" in metafunc.fixturenames:
        module, test = metafunc.module.__file__.rpartition("/")[2], metafunc.function.__name__
        marks = () if module in ON_BOTH or test in LEASES_ON_BOTH else (pytest.mark.whole,)
        metafunc.parametrize("database_kind", ["sqlite", pytest.param("postgresql", marks=marks)], indirect=True)


@pytest.fixture
def database_kind(request):
    """Return the kind of database for the test's service: "sqlite" or "postgresql"."""
    return request.param


@pytest.fixture
def service(tmp_path, database_kind, request):
    url = request.getfixturevalue("postgresql").new() if database_kind == "postgresql" else None
    made = Service(tmp_path, url=url)
    yield made
    made.database.close()
