"""migrate.py and its migration: the created tables match the models, and unknown versions are refused."""

from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import UniqueConstraint, inspect, text

from grader.common.errors import InputError
from grader.service.db.migrate import migrate, require_current
from grader.service.db.migrations import versions
from grader.service.db.session import Database, sqlite_url
from grader.service.db.tables import METADATA


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.whole)])
def database(request, tmp_path):
    """Return an empty database. Tests that use it run for each kind of database."""
    is_server = request.param == "postgresql"
    made = Database(request.getfixturevalue("postgresql").new() if is_server else sqlite_url(tmp_path))
    yield made
    made.close()


@pytest.mark.parametrize("act", [migrate, require_current])
def test_a_database_of_an_unknown_version_is_refused_with_the_next_step(database, act):
    """`grader migrate` and the service refuse a database of an unknown version without changing it. The error gives the
    next step.
    """
    with database.connecting() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('v9')"))
    with pytest.raises(InputError, match=r"newer than this grader; install"):
        act(database)
    with database.connecting() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]


def test_a_released_migration_is_written_out():
    """The first migration creates the tables of the classes only as long as no other migration follows it. A released
    migration must not change with the classes.
    """
    folder = Path(versions.__path__[0])
    modules = sorted(path.stem for path in folder.glob("v*.py"))
    assert modules == ["v1_initial"] or "create_all" not in (folder / "v1_initial.py").read_text()


def test_the_migration_gives_tables_their_indexes_and_constraints_and_numbers_once(database):
    """The migration creates all indexes, constraints and foreign keys of the models. Numbers of tables with
    autoincrement are never reused.
    """
    migrate(database)
    with database.connecting() as connection:
        found = inspect(connection)
        for name, table in METADATA.tables.items():
            indexed = {each["name"] for each in found.get_indexes(name) if not each.get("duplicates_constraint")}
            assert indexed == {each.name for each in table.indexes}, name
            unique = [tuple(each["column_names"]) for each in found.get_unique_constraints(name)]
            wanted = [tuple(each.columns.keys()) for each in table.constraints if isinstance(each, UniqueConstraint)]
            assert sorted(unique) == sorted(wanted), name
            keys = {(*each["constrained_columns"], each["referred_table"]) for each in found.get_foreign_keys(name)}
            assert keys == {(each.parent.name, each.column.table.name) for each in table.foreign_keys}, name
            if database.embedded:
                made = connection.scalar(text("SELECT sql FROM sqlite_master WHERE name = :name"), {"name": name})
                assert ("AUTOINCREMENT" in made) == table.dialect_options["sqlite"]["autoincrement"], name


def test_a_file_that_is_no_database_is_refused_with_the_next_step(tmp_path):
    """A damaged file of the service raises InputError that names the file, the reason and the next step."""
    (tmp_path / "service.sqlite").write_bytes(b"no database\n" * 100)
    with closing(Database(sqlite_url(tmp_path))) as damaged, pytest.raises(InputError) as caught:
        require_current(damaged)
    assert str(caught.value) == (
        f"{tmp_path}/service.sqlite is not a database of grader, or is damaged (file is not a database); give another "
        "folder, or restore a backup."
    )


def test_the_steps_make_the_tables_that_the_code_has(service):
    """The migrations create exactly the tables of the models, and migrating again changes nothing."""
    migrate(service.database)
    with service.database._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
