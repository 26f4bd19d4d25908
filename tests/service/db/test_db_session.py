"""session.py: a transaction is complete or leaves nothing, and neither files nor messages reveal what is stored."""

import hashlib
import io
import threading
import time
import zipfile

import pytest
from services import Service, graded, post
from sqlalchemy import event, select, update
from sqlalchemy.exc import IntegrityError

from grader.common.errors import InputError
from grader.service.db.session import ROWS_PER_TRANSACTION, in_batches, sqlite_url
from grader.service.db.tables.assignments import PoolRow, ReleaseRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.people.auth.sessions import links_digest
from grader.service.serve.notifier import send_notices
from grader.service.submissions.accept import HAND_IN_PRIORITY, new_grading

SMALL, LARGE = 2 * ROWS_PER_TRANSACTION, 6 * ROWS_PER_TRANSACTION
"""Numbers of people and attempts in the two courses."""

STEP = 100
"""Instructions of SQLite's virtual machine between two calls of the counter."""


def test_the_database_is_the_users_alone(tmp_path):
    """Only its owner can read the database file, because it contains submissions and grades."""
    sqlite_url(tmp_path / "data")
    assert [path.stat().st_mode & 0o077 for path in (tmp_path / "data").glob("service.sqlite")] == [0]


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    """If the data folder cannot be created, the error is an input error that mentions the option --data."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--data"):
        sqlite_url(tmp_path / "file" / "data")


def test_a_transaction_that_fails_leaves_nothing(service):
    """A failed transaction does not change any row."""

    def change_and_fail():
        with service.database.writing() as session:
            session.get_one(PersonRow, service.ada).name = "x"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_and_fail()
    assert "Ada" in service.browser("ada").get("/").text


def test_no_message_of_the_database_holds_what_is_stored(service):
    """Database errors do not contain stored values, because an error may be logged."""
    with service.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=service.now))
    with pytest.raises(IntegrityError) as caught, service.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="a secret", at=service.now))
    assert "a secret" not in str(caught.value)


class Holds:
    """Counts SQLite instructions in transactions that have the lock. Unlike time, the count does not depend on the
    machine.
    """

    def __init__(self, database):
        self.most, self._steps, self._writing = 0, 0, False
        event.listen(database._engine, "connect", self._connect)
        event.listen(database._engine, "after_cursor_execute", self._ran)
        for end in ("commit", "rollback"):
            event.listen(database._engine, end, self._end)
        database._engine.dispose()

    def _connect(self, connection, _record):
        connection.set_progress_handler(self._step, STEP)

    def _step(self):
        self._steps += self._writing

    def _ran(self, _connection, _cursor, statement, *_):
        if statement.startswith("BEGIN"):
            self._writing, self._steps = "IMMEDIATE" in statement, 0

    def _end(self, _connection):
        if self._writing:
            self.most, self._writing = max(self.most, self._steps), False


def roster(people, name):
    lines = (f"s{number}@example.org,{name} {number},student\n" for number in range(people))
    return ("roster.csv", ("key,name,role\n" + "".join(lines)).encode())


def graded_once(service):
    """Store one graded attempt for each student."""
    outcome = graded(service.course)
    values = {field: getattr(outcome, field) for field in type(outcome).__dataclass_fields__}
    with service.database.writing() as session:
        for person in session.scalars(select(PersonRow.id).where(PersonRow.role == "student")).all():
            data = b"x"
            common = {"file_name": "k.cl", "data": data, "size": 1, "sha256": hashlib.sha256(data).hexdigest()}
            where = {"person_id": person, "assignment": "small", "number": 1, "form_key": "one", "public": f"p{person}"}
            grading = new_grading("handed in", HAND_IN_PRIORITY, service.now)
            grading.state = State.DONE
            for field, value in values.items():
                setattr(grading, field, value)
            row = AttemptRow(**where, **common, received=service.now, late=False, gradings=[grading])
            session.add(row)
            session.flush()
            row.counted_id = grading.id


def zipped(sources):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(sources):
            archive.writestr(f"{number}.cl", f"int x{number};\n")
    return ("pool.zip", packed.getvalue())


def longest(folder, people):
    """Return the most instructions that a single transaction with the lock needs, for each action of an instructor."""
    service = Service(folder)
    staff, holds, found = service.browser("staff"), Holds(service.database), {}

    def does(name, call):
        holds.most = 0
        assert getattr(call(), "status_code", 303) in {200, 303}, name
        found[name] = holds.most

    pool = "/course/assignments/small/pool"
    does("new roster", lambda: post(staff, "/course/people/roster", file=roster(people, "Student")))
    does("changed roster", lambda: post(staff, "/course/people/roster", file=roster(people, "Pupil")))
    does("links for all", lambda: post(staff, "/course/invitations", cancels=links_digest(())))
    students = "\n".join(f"s{number}@example.org" for number in range(people))
    fields = {"students": students, "assignment": "small", "attempts": "1", "reason": "power cut"}
    does("extensions", lambda: post(staff, "/course/extensions", **fields))
    graded_once(service)
    does("regrade", lambda: post(staff, "/course/regrade", assignment="small", which="all", matching=""))
    does("pool", lambda: post(staff, f"{pool}/upload", kind="earlier", file=zipped(people)))
    does("empty pool", lambda: post(staff, f"{pool}/remove", kind="earlier"))
    with service.database.writing() as session:
        session.execute(update(GradingRow).where(GradingRow.state == State.WAITING).values(state=State.FAULTED))
    does("notices", lambda: send_notices(service.database, service.origin, lambda _: None, service.now))
    service.database.close()
    return found


@pytest.mark.whole
def test_no_transaction_with_the_lock_grows_with_the_course(tmp_path):
    """A course that is three times as large needs more transactions with the lock, but not larger ones."""
    small, large = longest(tmp_path / "small", SMALL), longest(tmp_path / "large", LARGE)
    assert min(small.values()) > 0
    grown = {name: (small[name], most) for name, most in large.items() if most > 1.5 * small[name]}
    assert grown == {}


def test_who_waits_for_the_lock_gets_it_between_batches(service):
    """A hand-in is stored between two batches, although SQLite does not queue its writers."""
    left = []

    def hand_in():
        service.hand_in()
        left.append(50 - len(done))

    done, waiting = [], threading.Thread(target=hand_in)

    def change(_session, some):
        if not done:
            waiting.start()
        time.sleep(0.02)
        done.extend(some)

    in_batches(service.database, range(50), change, 1)
    waiting.join()
    assert left[0] > 25


def test_what_is_in_the_pool_is_all_that_was_sent(service):
    """An uploaded pool contains the files from all of its batches."""
    staff = service.browser("staff")
    pool = "/course/assignments/small/pool"
    assert post(staff, f"{pool}/upload", kind="earlier", file=zipped(50)).status_code == 303
    with service.database.reading() as session:
        assert set(session.scalars(select(PoolRow.name))) == {f"{number}.cl" for number in range(50)}
