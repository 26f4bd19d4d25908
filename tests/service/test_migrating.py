"""migrating.py and the migrations: what a course has stored is there after an upgrade, from whichever version."""

from datetime import UTC, datetime

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import (
    Boolean,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    UniqueConstraint,
    func,
    inspect,
    select,
    text,
)

from grader.service.database.connecting import Database, sqlite_url
from grader.service.database.migrating import _config, migrate
from grader.service.database.tables import AuditRow, Base, CourseRole
from grader.service.pseudonyms import pseudonym_of
from grader.service.signing_in import person_named

VERSIONS = sorted(each.revision for each in ScriptDirectory.from_config(_config()).walk_revisions())[:-1]
DERIVED = "folded"
"""The column that an upgrade makes of others."""

VALUES = {Boolean: False, DateTime: datetime(2026, 11, 23, 12, tzinfo=UTC), Float: 1.0, Integer: 1, LargeBinary: b"x"}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.whole)])
def database(request, tmp_path):
    """An empty one of each kind."""
    is_server = request.param == "postgresql"
    made = Database(request.getfixturevalue("postgresql").new() if is_server else sqlite_url(tmp_path))
    yield made
    made.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_rows_of_an_earlier_version_are_there_after_an_upgrade(database, version):
    """One in each table that there was, with all that it held; and today's code can read all rows."""
    upgrade(database, version)
    with database.connecting() as connection:
        before = filled(connection)
    assert version in migrate(database)
    with database.connecting() as connection:
        after = reflected(connection).tables
        for name, row in before.items():
            kept = [each for each in row if each in after[name].columns and each != DERIVED]
            found = connection.execute(select(*(after[name].columns[each] for each in kept))).one()
            assert dict(found._mapping) == {each: row[each] for each in kept}, name
    with database.reading() as session:
        for mapper in Base.registry.mappers:
            stored = session.scalar(select(func.count()).select_from(mapper.class_))
            assert len(session.scalars(select(mapper.class_)).all()) == stored == (mapper.local_table.name in before)


def test_keys_that_differ_in_case_alone_survive_an_upgrade(database):
    """Both people stay, and each signs in by the exact key; a third form means neither. Whoever is alone has any. A key
    with KELVIN SIGN, which was folded to another's, is its own.
    """
    upgrade(database, "0014")
    keys = ("Max@x", "max@x", "Zo\u00eb@X", "\u212aate@x", "kate@x")
    with database.connecting() as connection:
        people = reflected(connection).tables["people"]
        for key in keys:
            row = {each.name: value(each) for each in people.columns if needed(each) and each.name != "id"}
            connection.execute(people.insert().values({**row, "key": key, "name": key}))
    migrate(database)
    with database.reading() as session:
        assert [person_named(session, {key}).name for key in keys] == list(keys)
        assert person_named(session, {"MAX@X"}) is None
        assert person_named(session, {"zoe\u0308@x"}).name == "Zo\u00eb@X"
        assert person_named(session, {"KATE@x"}).name == "kate@x"


def test_of_two_pseudonyms_that_look_alike_the_earlier_stays(database):
    """Nobody else's is touched, also where one is folded to what another was."""
    upgrade(database, "0021")
    names = ("lago", "Iago", "Fox")
    with database.connecting() as connection:
        tables = reflected(connection).tables
        for number, name in enumerate(names, 1):
            row = {each.name: value(each) for each in tables["people"].columns if needed(each)}
            connection.execute(tables["people"].insert().values({**row, "id": number, "key": name}))
            chosen = {"id": number, "person_id": number, "name": name, "folded": name.casefold()}
            connection.execute(tables["pseudonyms"].insert().values(chosen))
    migrate(database)
    with database.reading() as session:
        assert [pseudonym_of(session, number) for number in (1, 2, 3)] == ["lago", None, "Fox"]


def test_lines_about_new_points_become_lines_of_stations(database):
    """They were stored as lines of people; those of people stay so."""
    upgrade(database, "0025")
    with database.connecting() as connection:
        audit = reflected(connection).tables["audit"]
        for who in ("a station", "staff"):
            connection.execute(audit.insert().values(at=value(audit.c.at), who=who, about="", what=""))
    migrate(database)
    with database.reading() as session:
        assert {each.who: each.by_station for each in session.query(AuditRow)} == {"a station": True, "staff": False}


def test_an_upgrade_gives_tables_their_indexes_and_constraints_and_numbers_once(database):
    """Also where it makes a table anew: each is as a table of today's code, and no number is given again."""
    migrate(database)
    with database.connecting() as connection:
        found = inspect(connection)
        for name, table in Base.metadata.tables.items():
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


def upgrade(database, version):
    """Make the tables of an earlier version."""
    config = _config()
    with database.connecting() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)


def reflected(connection):
    """The tables as the database has them."""
    metadata = MetaData()
    metadata.reflect(connection)
    return metadata


def filled(connection):
    """Put a row into each table, with what no row can be without; the rows, by table."""
    rows = {}
    for table in reflected(connection).sorted_tables:
        if table.name != "alembic_version":
            connection.execute(
                table.insert().values({each.name: value(each) for each in table.columns if needed(each)})
            )
            rows[table.name] = dict(connection.execute(select(table)).one()._mapping)
    return rows


def needed(column):
    return not column.nullable and column.server_default is None


def value(column):
    """All numbers are 1, so that rows refer to each other; a role is one that today's code knows."""
    if column.name == "role":
        return CourseRole.STUDENT.value
    return next((made for kind, made in VALUES.items() if isinstance(column.type, kind)), "x")
