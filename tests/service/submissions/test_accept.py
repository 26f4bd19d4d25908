"""accept.py: invalid files are refused before they are stored, and an accepted attempt is stored exactly once."""

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from services import FREE, SOURCE

from grader.course.policies.rules import Policies
from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.course.limits import rules_of
from grader.service.db.session import Database
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow
from grader.service.errors import RefusedError
from grader.service.submissions.accept import MAX_LINES, accept, cancel, file_refusal


def test_an_accepted_attempt_is_stored_as_it_came(service):
    """An accepted attempt is stored with its exact bytes, their SHA-256, its time of arrival and a grading in the
    queue.
    """
    row = service.attempt(service.hand_in())
    with service.database.reading() as session:
        assert session.get_one(AttemptRow, row.id).data == SOURCE
    assert (row.sha256, row.received, row.number) == (hashlib.sha256(SOURCE).hexdigest(), service.now, 1)
    assert service.state(row.id) == State.WAITING


def test_the_same_form_stores_one_attempt_however_often_it_comes(service):
    """If a form arrives several times at once at several processes, one attempt is stored, and all requests get that
    attempt.
    """
    others = [Database(service.database.url) for _ in range(4)]

    def send(database):
        with database.writing() as session:
            return accept(session, service.offer(form_key="the same"), FREE, service.now).id

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(send, others * 4))
    assert len(found) == 1
    with service.database.reading() as session:
        assert session.query(AttemptRow).count() == 1


def test_two_people_may_have_forms_of_the_same_key(service):
    """The key of a form belongs to one person, so guessing a key does not return another student's attempt."""
    assert service.hand_in(form_key="key") != service.hand_in(person=service.ben, form_key="key")


@pytest.mark.parametrize("key", ["", "x" * 101], ids=["none", "long"])
def test_a_form_without_a_key_of_ours_is_refused(service, key):
    """A form whose key is empty or too long is refused, and nothing is stored."""
    offer = service.offer()
    object.__setattr__(offer, "form_key", key)
    with pytest.raises(RefusedError, match="does not belong to this assignment"), service.database.writing() as session:
        accept(session, offer, FREE, service.now)
    assert service.claim() is None


def test_a_newer_attempt_takes_the_place_of_one_that_waits(service):
    """A newer attempt supersedes a waiting one, which is not graded and does not count as used."""
    rules = rules_of(Policies(attempts={"most": 1}))
    first, second = service.hand_in(rules), service.hand_in(rules)
    assert (service.state(first), service.state(second)) == (State.SUPERSEDED, State.WAITING)


def test_a_late_attempt_leaves_one_in_time_in_the_queue(service):
    """A late attempt does not supersede a waiting attempt that is on time, so both are graded."""
    rules = rules_of(Policies(due=service.now))
    first = service.hand_in(rules)
    service.passes(minutes=1)
    second = service.hand_in(rules)
    assert [service.state(first), service.state(second)] == [State.WAITING, State.WAITING]
    assert [service.attempt(each).late for each in (first, second)] == [False, True]


def test_what_is_refused_leaves_everything_as_it_was(service):
    """A refused file changes nothing. In particular, it does not supersede the waiting attempt."""
    first = service.hand_in()
    with pytest.raises(RefusedError):
        service.hand_in(data=b"")
    assert service.state(first) == State.WAITING


def test_used_attempts_are_counted_in_the_transaction_that_stores(service):
    """The transaction that stores an attempt also counts the used ones. Of two forms for the last attempt, only one is
    stored.
    """
    service.graded(service.hand_in())

    def send(number):
        try:
            return service.hand_in(rules_of(Policies(attempts={"most": 2})), form_key=f"race {number}")
        except RefusedError:
            return None

    claimed = service.hand_in(rules_of(Policies(attempts={"most": 2})))
    assert service.claim() is not None  # a running attempt is not superseded
    assert send(1) is None
    assert service.state(claimed) == State.RUNNING


def test_a_waiting_attempt_is_cancelled_at_once_and_a_running_one_by_its_station(service):
    """Cancelling ends a waiting attempt at once. For a running attempt, it asks the station to stop."""
    waiting, other = service.hand_in(), service.hand_in(person=service.ben)
    service.claim()
    for each in (waiting, other):
        with service.database.writing() as session:
            cancel(session, session.get_one(AttemptRow, each), service.now)
    assert service.state(waiting) == State.RUNNING
    assert service.gradings(waiting)[0].stop_asked
    assert service.state(other) == State.CANCELLED


def test_a_regrading_keeps_nobody_from_handing_in(service):
    """Regradings do not prevent a student from handing in, because they do not count as the student's
    waiting attempts.
    """
    for number in range(5):
        service.regrade(service.graded(service.hand_in(data=f"// {number}".encode())))
        service.passes(minutes=10)
    assert service.state(service.hand_in(assignment="other")) == State.WAITING


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x" * (SIZE_LIMIT + 1), "over 1 MiB"),
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"PK\x03\x04rest", "zip"),
        ("kernel".encode("utf-16"), "UTF-16"),
        (b"\x7fELF\x02\x01\x00", "binary"),
        (b"x\n" * (MAX_LINES + 1), "over 5,000 lines"),
        (b"x\r" * (MAX_LINES + 1), "over 5,000 lines"),
        (b"x\n\r" * (MAX_LINES // 2 + 1), "over 5,000 lines"),
        (b"x\r\n" * MAX_LINES, ""),
        (SOURCE, ""),
        (b"// \x1b[1mbold\n" + SOURCE + b"\x1a", ""),
        ("// größer\n".encode("latin-1"), ""),
    ],
)
def test_a_file_that_cannot_be_graded_is_refused_with_the_reason(data, said):
    """A file that cannot be graded is refused with a sentence that gives the reason, and no attempt is used up."""
    assert said in file_refusal(data)
    assert bool(said) == bool(file_refusal(data))


@pytest.mark.parametrize("byte", [b"\n", b"\r", b" ", b"\t", b"x", b"\xff"], ids=ascii)
def test_a_megabyte_of_anything_is_judged_at_the_speed_of_memory(byte):
    """Checking a file of 1 MiB takes less than 0.1 s, because no Python code runs for each line or byte."""
    begun = time.perf_counter()
    file_refusal(byte * SIZE_LIMIT)
    assert time.perf_counter() - begun < 0.1
