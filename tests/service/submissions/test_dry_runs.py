"""dry_runs.py: students can have a kernel graded without handing it in. Dry runs come after all attempts and never
count.
"""

import pytest
from hidden_parts import SECRET, failing, right
from services import visible
from sqlalchemy import func, select, update

from grader.course.policies.rules import Policies
from grader.service.course.limits import rules_of
from grader.service.db.tables import METADATA
from grader.service.db.tables.assignments import ReleaseRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import DryRunRow, GradingRow
from grader.service.errors import NotFoundError, RefusedError
from grader.service.grades.decisions.regrading import try_again
from grader.service.grades.publication import hold_back
from grader.service.people.members import deactivate, remove
from grader.service.station.storage import ready_dry_run
from grader.service.submissions import queue
from grader.service.submissions.claims import LEASE, Renewal
from grader.service.submissions.dry_runs import TooManyDryRunsError, dry_run_of
from grader.service.submissions.progress import ProgressNote, keep_note
from grader.service.submissions.queue import MAX_TRIES, finish, must_yield, renew

LIMIT = 3


def outcome(service):
    """Return the result of a dry run as a station stores it."""
    assignment = service.course.load("small")
    return ready_dry_run(right(assignment), assignment)


def stored(service, person=None):
    """Return the stored dry run of a person with its grading, or None."""
    with service.database.reading() as session:
        return dry_run_of(session, person or service.ada, "small", service.now)


def rows(service, table):
    with service.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def test_a_station_grades_a_dry_run_and_its_owner_gets_the_result(service):
    """A dry run waits in the queue. A station claims it with its file and stores its result."""
    number = service.dry_run(data=b"tried")
    claimed = service.claim()
    assert (claimed.grading_id, claimed.data, claimed.assignment) == (number, b"tried", "small")
    service.finish(claimed, outcome(service))
    grading = stored(service).grading
    assert (grading.shown_state, grading.shown_points) == (State.DONE, right(service.course.load("small")).points)


@pytest.mark.sampled
@pytest.mark.parametrize("share", [0, 1])
def test_every_hand_in_goes_first_and_then_lots_are_drawn(service, monkeypatch, share):
    """A station claims attempts that were handed in before dry runs and regradings. Between these, it draws lots."""
    monkeypatch.setattr(queue, "DRY_RUNS_SHARE", share)
    old = service.graded(service.hand_in(person=service.ben))
    service.regrade(old)
    tried = service.dry_run()
    attempt = service.hand_in()
    first, regraded = service.gradings(attempt)[-1].id, service.gradings(old)[-1].id
    expected = [first, *((tried, regraded) if share else (regraded, tried))]
    assert [service.claim().grading_id for _ in range(3)] == expected


def test_dry_runs_without_end_do_not_keep_a_regrading_waiting(service):
    """If there is always a dry run in the queue, a regrading gets its turn all the same: after sixty draws, the chance
    that it waits is 1 to 10 ** 18.
    """
    old = service.graded(service.hand_in(person=service.ben))
    service.regrade(old)
    for _ in range(60):
        service.dry_run(per_hour=100)
        if not service.claim().is_dry_run:
            break
    assert service.state(old) == State.RUNNING


def test_released_hidden_cases_take_turns_with_dry_runs(service, monkeypatch):
    """Hidden cases of a released assignment also get their turn while dry runs wait. Other hidden cases do not, because
    the waiting time of a dry run would reveal how long they run.
    """
    monkeypatch.setattr(queue, "DRY_RUNS_SHARE", 0)
    service.hand_in()
    hidden = service.claim().grading_id
    with service.database.writing() as session:
        session.execute(update(GradingRow).values(state=State.SHOWN, early_points=1, lease_until=None))
    tried = service.dry_run()
    assert service.claim().grading_id == tried
    tried = service.dry_run()
    with service.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=service.now))
    assert [service.claim().grading_id for _ in range(2)] == [hidden, tried]


@pytest.mark.whole
@pytest.mark.both_databases
def test_a_new_dry_run_replaces_the_former_also_while_that_runs(service):
    """Only the latest dry run is stored. The station that grades an older one loses its claim and cannot store
    anything. Numbers of deleted gradings are not reused, because a station with several workers could confuse the two
    gradings.
    """
    first = service.dry_run(data=b"first")
    claimed = service.claim()
    with service.database.writing() as session:
        keep_note(session, claimed, ProgressNote(words="building"), service.now)
    second = service.dry_run(data=b"second")
    assert second != first
    with service.database.writing() as session:
        assert renew(session, claimed, service.now) is Renewal.LOST
        assert finish(session, claimed, outcome(service), service.now) is False
    assert service.claim().data == b"second"
    assert [rows(service, table) for table in (DryRunRow, GradingRow)] == [1, 1]


@pytest.mark.both_databases
def test_another_station_takes_over_from_a_dead_one(service):
    """If its station dies, a dry run is claimed again after the lease. After several tries it ends with a fault. Its
    owner can start another one, and no instructor is asked to grade it.
    """
    number = service.dry_run()
    for turn in range(1, MAX_TRIES + 1):
        assert service.claim(f"station {turn}").turn == turn
        service.passes(seconds=LEASE.total_seconds() + 1)
    assert service.claim() is None
    assert stored(service).grading.state == State.FAULTED
    assert "All gradings ended without a fault" in service.browser("staff").get("/course/system").text
    with service.database.writing() as session, pytest.raises(NotFoundError):
        try_again(session, number, "staff", service.now)
    service.tried()


def test_hidden_cases_end_for_a_dry_run(service):
    """Hidden cases of attempts do not start or continue while a dry run waits or runs. Otherwise, its waiting time
    would reveal how long they run.
    """
    service.hand_in()
    claimed = service.claim()
    with service.database.writing() as session:
        session.execute(update(GradingRow).values(state=State.SHOWN, early_points=1, lease_until=None))
    hidden = service.claim()
    assert hidden.pending is not None
    assert hidden.grading_id == claimed.grading_id
    service.dry_run()
    with service.database.writing() as session:
        assert must_yield(session, hidden, service.now)


def test_no_station_stores_a_hidden_outcome_of_a_dry_run(service):
    """The result of a dry run is stored only in the form that its owner sees, so no column contains anything hidden."""
    made = outcome(service)
    assert (made.full_checks, made.full_page, made.is_pending) == (None, None, False)
    assert made.points == made.early_points


def test_a_student_who_floods_the_queue_is_stopped(service):
    """After several dry runs within an hour, for all assignments together, the next one is refused until the hour is
    over. A refusal does not change anything.
    """
    for number in range(LIMIT):
        service.dry_run(per_hour=LIMIT, assignment=f"assignment {number % 2}")
        service.passes(minutes=10)
    with pytest.raises(
        TooManyDryRunsError, match=r"tried 3 kernels within an hour\. Try the next one in 30 minutes\."
    ) as said:
        service.dry_run(per_hour=LIMIT)
    assert said.value.seconds == 30 * 60
    assert rows(service, GradingRow) == 2
    service.dry_run(person=service.ben)
    service.passes(minutes=31)
    service.dry_run()


@pytest.mark.whole
@pytest.mark.both_databases
def test_a_second_dry_run_waits_for_the_first_ones_of_others(service):
    """A student with dry runs for several assignments waits longer for the later ones than others wait for
    their first.
    """
    numbers = [service.dry_run(), service.dry_run(assignment="other"), service.dry_run(person=service.ben)]
    first, second, other = numbers
    assert [service.claim().grading_id for _ in numbers] == [first, other, second]


def test_it_is_allowed_when_nothing_can_be_handed_in(service):
    """A dry run is allowed after the due date and when all attempts are used up."""
    rules = Policies.model_validate(
        {"due": "2026-11-01T12:00Z", "late": "refused", "attempts": {"most": 1}, "timezone": "UTC"}
    )
    with pytest.raises(RefusedError, match="closed"):
        service.hand_in(rules=rules_of(rules))
    service.dry_run(rules=rules_of(rules))


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"x" * (2**20 + 1), "over 1 MiB"), (b"x\n" * 5001, "5,000 lines"), (b"", "empty"), (b"PK\x03\x04", "zip")],
)
def test_a_file_that_could_not_be_handed_in_is_refused(service, data, says):
    """The limits on files apply to dry runs as well. A refused file does not count as one of the student's dry runs."""
    with pytest.raises(RefusedError, match=says):
        service.dry_run(data=data)
    assert rows(service, DryRunRow) == 0


def test_a_course_can_forbid_it_and_it_needs_an_open_assignment(service):
    """Dry runs are refused if the course forbids them, before the assignment opens, and while its results are held
    back.
    """
    soon = rules_of(Policies.model_validate({"opens": "2027-01-01T12:00Z", "timezone": "UTC"}))
    with pytest.raises(RefusedError, match="not open yet"):
        service.dry_run(rules=soon)
    with pytest.raises(RefusedError, match="does not allow"):
        service.dry_run(per_hour=0)
    service.tried()
    with service.database.writing() as session:
        hold_back(session, "small", "staff", service.now)
    assert stored(service) is None
    with pytest.raises(RefusedError, match="held back"):
        service.dry_run()


def test_what_a_person_tried_goes_with_them(service):
    """If a person is deactivated while a station grades their dry run, the dry run is deleted, and the station cannot
    store its result. A person who has only used dry runs can be removed.
    """
    service.dry_run()
    claimed = service.claim()
    service.dry_run(person=service.ben)
    with service.database.writing() as session:
        deactivate(session, session.get_one(PersonRow, service.ada), "staff", service.now)
        remove(session, session.get_one(PersonRow, service.ben), "staff", service.now)
    with service.database.writing() as session:
        assert finish(session, claimed, outcome(service), service.now) is False
    assert service.claim() is None
    assert [rows(service, table) for table in (DryRunRow, GradingRow)] == [0, 0]


def test_it_counts_nowhere(service):
    """A graded dry run does not change any page of students or staff, or any table except those for dry runs and
    gradings.
    """
    service.graded(service.hand_in())
    pages = ("/course", "/course/system", "/course/audit", "/assignments/small/leaderboard", "/course/requests")
    staff, ada = service.browser("staff"), service.browser("ada")
    own = ("/", "/assignments/small")
    with service.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=service.now))

    def seen():
        return [visible(staff.get(each)) for each in pages] + [visible(ada.get(each)) for each in own]

    def counted():
        return {table.name: rows(service, table) for table in METADATA.sorted_tables}

    before, sizes = seen(), counted()
    service.tried()
    assert seen() == before
    assert {name for name, number in counted().items() if number != sizes[name]} == {"dry_runs", "gradings"}


def test_a_failed_shown_check_is_told(service):
    """The result of a dry run includes the first cause of a failed visible check."""
    assignment = service.course.load("small")
    service.tried(failing(right(assignment), 1))
    assert SECRET in stored(service).grading.checks
