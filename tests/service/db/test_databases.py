"""session.py, migrate.py and supervisor.py: PostgreSQL behaves like SQLite, also when it refuses or waits."""

import subprocess
import threading
import time

import pytest
from commandline import complaint, grader
from services import FREE, SOURCE, Service, field, parts
from sqlalchemy import text

from grader.common.errors import InputError
from grader.service.db.migrate import migrate, require_current
from grader.service.db.session import Database, time_of
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow
from grader.service.submissions.accept import accept
from grader.service.submissions.queue import claim

pytestmark = pytest.mark.both_databases


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("mysql://root:secret@host/db", 2, "must be PostgreSQL"),
        ("secret nonsense", 2, "must look like postgresql://"),
        ("postgresql://user:secret@/db?host=/nowhere", 3, "does not answer"),
    ],
)
def test_a_database_that_cannot_be_used_is_one_line_without_its_password(tmp_path, url, code, said):
    """If a database cannot be used, the error is a single line that never contains the address, which includes a
    password.
    """
    line = complaint(grader(tmp_path, "migrate", GRADER_DATABASE=url), code)
    assert said in line
    assert "secret" not in line


def test_one_database_is_named(tmp_path):
    """Exactly one database must be given, either a folder or a PostgreSQL address. The error names the missing or extra
    option.
    """
    assert "--data" in complaint(grader(tmp_path, "serve"))
    both = grader(tmp_path, "serve", "--data", "d", "--database", "postgresql://u@h/d")
    assert "--database" in complaint(both)
    assert "GRADER_DATABASE" in complaint(grader(tmp_path, "station"))


def test_tables_of_another_version_are_refused_with_the_next_step(service):
    """A database without tables, or with tables of another version, is refused. The error gives the next step."""
    require_current(service.database)
    for version, said in (("0000", "newer than this grader"), (None, "grader migrate")):
        with service.database.connecting() as connection:
            connection.execute(text("DELETE FROM alembic_version"))
            if version:
                connection.execute(text("INSERT INTO alembic_version VALUES (:v)"), {"v": version})
        with pytest.raises(InputError, match=said):
            require_current(service.database)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_store_every_name_is_refused_with_the_next_step(postgresql, tmp_path, encoding):
    """A database that cannot store every name is refused, and the message contains a command that creates a suitable
    one. PostgreSQL uses SQL_ASCII by default if it has no locale, as in a container.
    """
    url = postgresql.new(f"ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    line = complaint(grader(tmp_path, "migrate", GRADER_DATABASE=url))
    assert f"stores text as {encoding}, not as UTF8" in line
    assert "createdb --encoding=UTF8 --locale=C --template=template0" in line
    unicode = postgresql.new("ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0")
    assert grader(tmp_path, "migrate", GRADER_DATABASE=unicode).returncode == 0


def test_tables_are_brought_up_to_date_once(service):
    """Migrating tables that are up to date changes nothing, and the message says so."""
    assert "up to date" in migrate(service.database)


def test_writers_take_turns_and_nothing_they_read_changes_meanwhile(service):
    """Write transactions run one after the other on both databases. Therefore, two transactions that count rows see
    different counts.
    """
    seen, together = [], threading.Barrier(2)

    def add(number):
        together.wait()
        with service.database.writing() as session:
            there = session.execute(text("SELECT count(*) FROM secrets")).scalar_one()
            time.sleep(0.2)
            session.execute(text("INSERT INTO secrets VALUES (:n, 'x')"), {"n": str(number)})
            seen.append(there)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(seen) == [0, 1]


def test_a_station_never_takes_what_is_being_superseded(service):
    """A station does not claim an attempt while a newer one supersedes it. The student never gets two gradings for one
    attempt.
    """
    service.hand_in()
    other, found = Database(service.database.url), []

    def ask():
        with other.recording() as session:
            found.append(claim(session, "two", service.now))

    with service.database.writing() as session:
        newer = accept(session, service.offer(), FREE, service.now).id
        thread = threading.Thread(target=ask)
        thread.start()
        if not service.database.embedded:
            thread.join(10)
            assert found == [None]
    thread.join(10)
    assert service.state(1) == State.SUPERSEDED
    claimed = found[0] or service.claim()
    assert claimed.grading_id == service.gradings(newer)[0].id


def test_the_time_is_the_databases(service):
    """The time comes from the database, has a time zone and advances within a transaction."""
    with service.database.recording() as session:
        first = time_of(session)
        time.sleep(0.02)
        assert 0.01 < (time_of(session) - first).total_seconds() < 5


@pytest.mark.whole
def test_a_database_that_is_away_is_said_and_the_same_form_is_taken_later(postgresql, tmp_path):
    """If the database is lost, the service answers 503. When the database is back, sending the form again stores its
    attempt exactly once.
    """
    service = Service(tmp_path, url=postgresql.new())
    client = service.browser("ada")
    page = client.get("/assignments/small")
    keys = {name: field(page, name) for name in ("form_token", "form_key")}
    form = parts(**keys, file=("kernels.cl", SOURCE))
    postgresql.kill()
    try:
        said = client.post("/assignments/small/attempts", files=form)
    finally:
        postgresql.start()
    assert said.status_code == 503
    assert "Try again in a moment" in said.text
    found = {client.post("/assignments/small/attempts", files=form).headers["location"] for _ in range(2)}
    assert len(found) == 1
    service.database.close()


def test_text_that_postgresql_cannot_keep_is_refused(postgresql, tmp_path):
    """A NUL character in a form field, which PostgreSQL cannot store, is answered as a bad request instead of a server
    error.
    """
    service = Service(tmp_path, url=postgresql.new())
    client = service.browser("ada")
    keys = {"form_token": field(client.get("/assignments/small"), "form_token"), "form_key": "a\0b"}
    said = client.post("/assignments/small/attempts", files=parts(**keys, file=("kernels.cl", SOURCE)))
    assert said.status_code == 400
    assert service.claim() is None
    service.database.close()


@pytest.mark.whole
def test_a_backup_of_postgresql_is_restored_by_the_commands_of_the_guide(postgresql, tmp_path):
    """A backup of PostgreSQL that is restored with the guide's commands contains all data and has the right version."""
    service, copy = Service(tmp_path, url=postgresql.new()), postgresql.new()
    attempt = service.graded(service.hand_in())
    service.database.close()
    dump = str(tmp_path / "grader.dump")
    for words in (
        ("pg_dump", "--format=custom", f"--file={dump}", service.database.url),
        ("pg_restore", f"--dbname={copy}", "--no-owner", dump),
    ):
        subprocess.run([postgresql.programs / words[0], *words[1:]], check=True)
    restored = Database(copy)
    require_current(restored)
    with restored.reading() as session:
        row = session.get_one(AttemptRow, attempt)
        assert (row.data, row.counted.state) == (SOURCE, State.DONE)
    restored.close()
