"""A service for each test, on SQLite, and on PostgreSQL once more."""

import pytest
from services import Service

ON_BOTH = frozenset({"test_leases.py", "test_databases.py"})
"""Modules whose tests `make test` runs on PostgreSQL, too, where it is installed; `make test-all` runs all."""


def pytest_generate_tests(metafunc):
    """Each test of a service is run on both databases."""
    if "service" in metafunc.fixturenames and "database_kind" in metafunc.fixturenames:
        marks = () if metafunc.module.__file__.rpartition("/")[2] in ON_BOTH else (pytest.mark.whole,)
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
