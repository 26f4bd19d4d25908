"""Fixtures that run each test of a service on SQLite and again on PostgreSQL."""

import pytest
from services import Service


def pytest_generate_tests(metafunc):
    """Run each test of a service on both databases. `make test` uses PostgreSQL only for tests with the mark
    `both_databases`, and `make test-all` for all of them.
    """
    if "service" in metafunc.fixturenames and "database_kind" in metafunc.fixturenames:
        marks = () if metafunc.definition.get_closest_marker("both_databases") else (pytest.mark.whole,)
        metafunc.parametrize("database_kind", ["sqlite", pytest.param("postgresql", marks=marks)], indirect=True)


@pytest.fixture
def database_kind(request):
    """Return the kind of database that the test's service uses: "sqlite" or "postgresql"."""
    return request.param


@pytest.fixture
def service(tmp_path, database_kind, request):
    url = request.getfixturevalue("postgresql").with_tables() if database_kind == "postgresql" else None
    made = Service(tmp_path, url=url)
    yield made
    made.database.close()
