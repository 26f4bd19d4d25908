"""queue.py: only one station claims a grading, an expired claim becomes free again, and one result counts."""

import dataclasses
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hidden_parts import hiding_course, right
from services import Service, graded, told

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.grading.explain.problem import PENDING
from grader.results.verdicts import Reason
from grader.service.db.session import Database
from grader.service.db.tables.assignments import ReleaseRow
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.grades.decisions.regrading import try_again
from grader.service.station.storage import ready
from grader.service.submissions import queue
from grader.service.submissions.accept import cancel
from grader.service.submissions.claims import LEASE, Renewal
from grader.service.submissions.health import places_of
from grader.service.submissions.progress import ProgressNote, keep_note, notes_after
from grader.service.submissions.queue import MAX_HIDDEN_PAUSE, MAX_TRIES, claim, must_yield


def tell(service, function, *arguments):
    with service.database.writing() as session:
        return function(session, *arguments)


def renew(service, claimed):
    return tell(service, queue.renew, claimed, service.now)


@pytest.mark.both_databases  # tests an SQL statement on which the queue relies
def test_stations_that_ask_at_once_get_different_gradings(service):
    """Stations that ask at the same time get different gradings. Each grading is claimed only once."""
    for number in range(6):
        service.hand_in(person=service.person(f"p{number}", "student"))
    others = [Database(service.database.url) for _ in range(4)]

    def ask(number):
        with others[number % 4].writing() as session:
            return claim(session, f"station {number}", service.now)

    with ThreadPoolExecutor(8) as pool:
        found = [each.grading_id for each in pool.map(ask, range(8)) if each is not None]
    assert len(found) == len(set(found)) == 6


@pytest.mark.both_databases  # tests an SQL statement on which the queue relies
def test_the_queue_is_in_order_and_regradings_come_last(service):
    """Gradings are claimed in the order of the queue, and regradings wait until all new attempts have been claimed."""
    old = service.graded(service.hand_in())
    service.regrade(old)
    new = service.hand_in(person=service.ben)
    with service.database.reading() as session:
        ahead = {number: place.ahead for number, place in places_of(session, {}, service.now).items()}
    assert [ahead[service.gradings(each)[-1].id] for each in (new, old)] == [0, 1]
    assert [service.claim().grading_id for _ in range(2)] == [service.gradings(each)[-1].id for each in (new, old)]


@pytest.mark.whole
def test_many_attempts_of_one_student_delay_nobody_by_more_than_one(service):
    """The queue serves people in rounds, and a newcomer joins the current round, so a person with many attempts cannot
    delay others for long.
    """
    names = {service.ada: "ada", service.ben: "ben"}
    for number in range(3):
        service.hand_in(assignment=f"other {number}", person=service.ada)
    service.hand_in(person=service.ben)
    found = [names[service.attempt(service.claim().grading_id).person_id] for _ in range(2)]
    service.hand_in(person=service.ben, assignment="another")
    with service.database.reading() as session:
        places = sorted((place.ahead, number) for number, place in places_of(session, {}, service.now).items())
    assert [place for place, _ in places] == [2, 3, 4]
    claimed = [service.claim().grading_id for _ in range(3)]
    assert claimed == [number for _, number in places]
    found += [names[service.attempt(number).person_id] for number in claimed]
    assert found == ["ada", "ben", "ada", "ben", "ada"]


def test_who_hands_in_as_soon_as_the_last_is_done_keeps_nobody_waiting(service):
    """Two students who hand in again after each result cannot keep delaying the second attempt of a third student."""
    eve, mal = service.person("eve", "student"), service.person("mal", "student")
    service.hand_in(assignment="one")
    waits = service.gradings(service.hand_in(assignment="two"))[0].id
    for person in (eve, mal):
        service.hand_in(person=person)
    served = []
    while waits not in served:
        claimed = service.claim()
        served.append(claimed.grading_id)
        person = service.attempt(claimed.grading_id).person_id
        service.finish(claimed)
        service.passes(minutes=5)
        if person != service.ada:
            service.hand_in(person=person)
        assert len(served) < 10
    assert len(served) <= 4


@pytest.mark.both_databases  # tests an SQL statement on which the queue relies
def test_a_claim_that_is_renewed_is_nobody_elses(service):
    """A station keeps its claim as long as it renews the claim within the lease."""
    service.hand_in()
    claimed = service.claim()
    for _ in range(4):
        service.passes(seconds=LEASE.total_seconds() - 1)
        assert renew(service, claimed) is Renewal.KEPT
        assert service.claim("two") is None


def test_a_claim_that_ran_out_is_taken_again_and_its_first_holder_stores_nothing(service):
    """Another station can take over an expired claim. The first station can then no longer store anything, and the
    second result counts.
    """
    attempt = service.hand_in()
    first = service.claim()
    service.passes(seconds=LEASE.total_seconds() + 1)
    second = service.claim("two")
    assert second.turn == 2
    assert renew(service, first) is Renewal.LOST
    assert not tell(service, queue.finish, first, graded(service.course, passed=False), service.now)
    for end in (queue.fail, queue.give_up):
        assert not tell(service, end, first, "a fault", service.now)
    assert not tell(service, queue.stop, first, service.now)
    assert not tell(service, queue.release, first, service.now)
    service.finish(second)
    (row,) = service.gradings(attempt)
    assert (row.state, row.points) == (State.DONE, row.max_points)
    assert service.attempt(attempt).counted_id == row.id


@pytest.mark.both_databases  # tests an SQL statement on which the queue relies
def test_a_result_is_stored_once(service):
    """A second result for a finished claim is not stored."""
    service.hand_in()
    claimed = service.claim()
    service.finish(claimed)
    assert not tell(service, queue.finish, claimed, graded(service.course, passed=False), service.now)


def test_a_fault_is_tried_again_after_a_pause_and_then_given_up(service):
    """After a fault, a grading is tried again after a pause. After MAX_TRIES tries, it ends with the fault for an
    instructor and has no result.
    """
    attempt = service.hand_in()
    for turn in range(1, MAX_TRIES + 1):
        claimed = service.claim()
        assert claimed.turn == turn
        assert tell(service, queue.fail, claimed, "no device", service.now)
        assert service.claim() is None
        service.passes(minutes=1)
    assert service.claim() is None
    (row,) = service.gradings(attempt)
    assert (row.state, row.fault, row.points) == (State.FAULTED, "no device", None)
    assert service.attempt(attempt).counted_id is None


def test_a_file_that_ends_its_station_each_time_is_given_up(service):
    """A grading whose station has died MAX_TRIES times is given up, so that it cannot block the queue forever."""
    attempt = service.hand_in()
    for _ in range(MAX_TRIES):
        assert service.claim() is not None
        service.passes(seconds=LEASE.total_seconds() + 1)
    assert service.claim() is None
    assert service.state(attempt) == State.FAULTED


def test_a_station_that_is_told_to_end_gives_back_what_it_had(service):
    """A station that stops releases its claim without using up a try, so restarting the service costs no tries."""
    service.hand_in()
    assert tell(service, queue.release, service.claim(), service.now)
    assert service.claim("two").turn == 1


def test_a_cancelled_grading_ends_by_its_station_or_when_that_is_gone(service):
    """A cancelled grading ends when its station stops it, or after the lease if the station is lost. It is not graded
    again.
    """
    for number, ends in enumerate((True, False)):
        attempt = service.hand_in(person=service.person(f"p{number}", "student"))
        claimed = service.claim()
        tell(service, lambda session, each=attempt: cancel(session, session.get_one(AttemptRow, each), service.now))
        if ends:
            assert renew(service, claimed) is Renewal.STOP
            assert tell(service, queue.stop, claimed, service.now)
        service.passes(seconds=LEASE.total_seconds() + 1)
        assert service.claim("two") is None
        assert service.state(attempt) == State.CANCELLED


@pytest.mark.parametrize("passed", [True, False])
def test_a_new_result_counts_and_the_old_one_stays(service, passed):
    """The result of a regrading counts, and the old result is kept. The audit trail has the points before and after."""
    attempt = service.graded(service.hand_in())
    service.regrade(attempt)
    service.graded(attempt, graded(service.course, passed=passed))
    old, new = service.gradings(attempt)
    assert (old.state, new.state, service.attempt(attempt).counted_id) == (State.DONE, State.DONE, new.id)
    with service.database.reading() as session:
        (line,) = session.query(AuditRow).all()
    assert f"{old.points:g} -> {new.points:g} points" in line.what


@pytest.mark.parametrize(("end", "given"), [(queue.release, ()), (queue.fail, ("a fault",))])
def test_a_cancelled_grading_is_not_begun_again_when_its_station_ends(service, end, given):
    """A cancelled grading stays cancelled if its station stops or reports a fault."""
    attempt = service.hand_in()
    claimed = service.claim()
    with service.database.writing() as session:
        cancel(session, session.get_one(AttemptRow, attempt), service.now)
    assert tell(service, end, claimed, *given, service.now)
    assert service.state(attempt) == State.CANCELLED


def test_what_was_told_of_a_grading_that_is_given_back_is_told_once(service):
    """A released grading loses its progress notes, and the next station starts over as the same try."""
    service.hand_in()
    for _ in range(2):
        claimed = service.claim()
        tell(service, keep_note, claimed, ProgressNote(words="building"), service.now)
        with service.database.reading() as session:
            assert len(notes_after(session, session.get_one(GradingRow, claimed.grading_id), 0)) == 1
        assert tell(service, queue.release, claimed, service.now)


HIDDEN = "correctness: ragged (n 1000)"


@pytest.fixture
def hiding(tmp_path):
    """Return a service whose assignment hides a case."""
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", "case"))
    yield service
    service.database.close()


def pending(service):
    """Return the outcome of a correct submission whose hidden case has not run yet."""
    return with_hidden(service, PENDING.skip)


def with_hidden(service, change):
    """Return the outcome of a correct submission with this change to its hidden case."""
    assignment = service.course.load("small")
    whole = right(assignment)
    checks = tuple(change(each) if each.name == HIDDEN else each for each in whole.checks)
    return ready(replace(whole, checks=checks, points=sum(each.points for each in checks)), assignment)


def fails(check):
    return dataclasses.replace(PENDING, reason=Reason.WRONG_OUTPUT, message="z is wrong.").fail(check)


def shown(service):
    """Return the number of an attempt whose hidden case has not run yet."""
    attempt = service.hand_in()
    claimed = service.claim()
    tell(service, keep_note, claimed, ProgressNote(words="building"), service.now)
    service.finish(claimed, pending(service))
    assert service.state(attempt) == State.SHOWN
    return attempt


def later(service):
    """Return a claim of the pending hidden case, some minutes later."""
    service.passes(seconds=MAX_HIDDEN_PAUSE.total_seconds())
    claimed = service.claim()
    assert Kind.CORRECTNESS in claimed.pending.result
    return claimed


@pytest.mark.parametrize("change", [lambda check: check, fails])
def test_a_student_sees_no_difference_when_the_hidden_cases_have_run(hiding, change):
    """When a hidden case runs, no page, file or API answer for students changes. Staff see its outcome, and the attempt
    counts all the time.
    """
    attempt = shown(hiding)
    before, counted = told(hiding, attempt), hiding.attempt(attempt).counted_id
    ended = hiding.gradings(attempt)[0].ended
    claimed = later(hiding)
    during = told(hiding, attempt)
    hiding.finish(claimed, with_hidden(hiding, change))
    (row,) = hiding.gradings(attempt)
    assert (row.state, row.ended, hiding.attempt(attempt).counted_id) == (State.DONE, ended, counted)
    assert row.points == with_hidden(hiding, change).points
    for one, two, three in zip(before, during, told(hiding, attempt), strict=True):
        assert lasting(one) == lasting(two) == lasting(three)


def lasting(text):
    """Return the text without form keys, times of day and records of sign-ins."""
    text = re.sub(r'name="form_(?:token|key)" value="[^"]*|\d\d:\d\d', "", text)
    return re.sub(r'\{\s*(?:"at": "[^"]*"\s*|[^{}]*"expires"[^{}]*)\},?\s*', "", text)


def test_hidden_cases_run_when_nothing_waits_and_not_at_once(hiding, monkeypatch):
    """Hidden cases run after a random pause, and only when no attempt is waiting. Neither the end of a grading nor a
    wait reveals how long they take.
    """
    monkeypatch.setattr(queue.random, "uniform", lambda _, most: most)
    attempt = shown(hiding)
    assert hiding.claim() is None
    hiding.passes(seconds=MAX_HIDDEN_PAUSE.total_seconds() - 1)
    assert hiding.claim() is None
    hiding.passes(seconds=1)
    other = hiding.hand_in(person=hiding.ben)
    claimed = hiding.claim()
    assert claimed.grading_id == hiding.gradings(other)[0].id
    assert hiding.claim("two") is None
    hiding.finish(claimed, graded(hiding.course))
    assert hiding.claim().grading_id == hiding.gradings(attempt)[0].id
    assert hiding.claim() is None


def test_hidden_cases_end_for_a_grading_that_waits_or_runs(hiding):
    """A student cannot measure how long hidden cases take, because they stop as soon as another grading
    waits or runs.
    """
    shown(hiding)
    claimed = later(hiding)
    assert tell(hiding, must_yield, claimed, hiding.now) is False
    hiding.hand_in(person=hiding.ben)
    assert tell(hiding, must_yield, claimed, hiding.now) is True
    other = dataclasses.replace(claimed, elsewhere=frozenset({"small"}))
    assert tell(hiding, must_yield, other, hiding.now) is False
    hiding.claim("two")
    assert tell(hiding, must_yield, other, hiding.now) is True


@pytest.mark.whole
def test_notes_of_the_student_outlast_a_station_that_ends_during_hidden_cases(hiding):
    """If a station gives hidden cases back, the progress notes of the first grading are kept."""
    attempt = shown(hiding)
    before = told(hiding, attempt)
    assert any("building" in text for text in before)
    assert tell(hiding, queue.release, later(hiding), hiding.now)
    for one, two in zip(before, told(hiding, attempt), strict=True):
        assert lasting(one) == lasting(two)


@pytest.mark.whole
def test_a_result_that_was_scored_again_meanwhile_is_not_overwritten(hiding):
    """If a result was scored again while its hidden cases ran, they run again for the new result."""
    attempt = shown(hiding)
    claimed = later(hiding)
    with hiding.database.writing() as session:
        session.get_one(GradingRow, claimed.grading_id).scored_sha256 = "new"
    assert tell(hiding, queue.finish, claimed, with_hidden(hiding, fails), hiding.now)
    (row,) = hiding.gradings(attempt)
    assert (row.state, row.scored_sha256, row.hidden_tries, row.claimed_by) == (State.SHOWN, "new", 0, None)


def test_hidden_cases_that_are_scored_by_a_newer_version_are_stored(hiding):
    """If a newer version of the assignment scored the hidden cases while they ran, its points are stored, and the cases
    do not run again.
    """
    attempt = shown(hiding)
    newer = dataclasses.replace(with_hidden(hiding, fails), scored_sha256="newer")
    hiding.finish(later(hiding), newer)
    (row,) = hiding.gradings(attempt)
    assert (row.state, row.scored_sha256) == (State.DONE, "newer")


def test_a_released_assignment_does_not_delay_hand_ins(hiding):
    """Waiting gradings come before the hidden cases of released assignments."""
    attempt = shown(hiding)
    with hiding.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=hiding.now))
    other = hiding.hand_in(person=hiding.ben)
    numbers = [hiding.claim(name).grading_id for name in ("one", "two")]
    assert numbers == [hiding.gradings(each)[0].id for each in (other, attempt)]


def test_what_needs_a_new_grading_gets_one(hiding):
    """If the assignment has changed, the instructor's button has the whole attempt graded again."""
    attempt = shown(hiding)
    assert tell(hiding, queue.give_up, later(hiding), queue.CHANGED, hiding.now)
    tell(hiding, try_again, hiding.gradings(attempt)[0].id, "staff", hiding.now)
    assert [row.state for row in hiding.gradings(attempt)] == [State.FAULTED, State.WAITING]


@pytest.mark.whole
def test_hidden_cases_that_were_given_up_are_tried_again_unseen_by_the_student(hiding):
    """After hidden cases were given up, the instructor's button runs them again. The student sees no new grading and
    gets no mail.
    """
    attempt = shown(hiding)
    assert tell(hiding, queue.give_up, later(hiding), "no device", hiding.now)
    before = told(hiding, attempt)
    tell(hiding, try_again, hiding.gradings(attempt)[0].id, "staff", hiding.now)
    (row,) = hiding.gradings(attempt)
    assert (row.state, row.fault) == (State.SHOWN, "")
    for one, two in zip(before, told(hiding, attempt), strict=True):
        assert lasting(one) == lasting(two)
    hiding.finish(hiding.claim(), with_hidden(hiding, fails))
    assert hiding.state(attempt) == State.DONE


def test_after_the_release_hidden_cases_run_at_once(hiding):
    """After the release, hidden cases run at once. Their time no longer reveals anything, and the instructor is waiting
    for the points.
    """
    attempt = shown(hiding)
    with hiding.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=hiding.now))
    assert hiding.claim().grading_id == hiding.gradings(attempt)[0].id


def test_a_claim_of_hidden_cases_is_renewed_lost_and_given_back_like_others(hiding):
    """A claim of hidden cases is renewed, lost and released like any other, while the student sees a
    finished grading.
    """
    attempt = shown(hiding)
    first = later(hiding)
    assert renew(hiding, first) is Renewal.KEPT
    hiding.passes(seconds=LEASE.total_seconds() + 1)
    second = hiding.claim("two")
    assert (second.turn, renew(hiding, first)) == (2, Renewal.LOST)
    assert not tell(hiding, queue.finish, first, with_hidden(hiding, fails), hiding.now)
    assert tell(hiding, queue.release, second, hiding.now)
    assert hiding.gradings(attempt)[0].not_before > hiding.now
    third = later(hiding)
    assert (third.turn, hiding.gradings(attempt)[0].shown_state) == (2, State.DONE)
    hiding.finish(third, with_hidden(hiding, fails))
    assert hiding.state(attempt) == State.DONE


@pytest.mark.parametrize("dies", [True, False])
def test_hidden_cases_that_cannot_be_run_are_given_up_for_the_instructor(hiding, dies):
    """Hidden cases that cannot run are given up with a fault for staff. The student sees the result without a fault."""
    attempt = shown(hiding)
    hiding.passes(seconds=MAX_HIDDEN_PAUSE.total_seconds())
    ended = hiding.gradings(attempt)[0].ended
    for turn in range(1, MAX_TRIES + 1):
        claimed = hiding.claim()
        assert claimed.turn == turn
        assert dies or tell(hiding, queue.fail, claimed, "no device", hiding.now)
        assert hiding.claim() is None
        hiding.passes(minutes=1)
    assert hiding.claim() is None
    (row,) = hiding.gradings(attempt)
    assert (row.state, row.shown_state, row.ended) == (State.FAULTED, State.DONE, ended)
    assert row.fault
    page = hiding.browser("ada").get(hiding.page_of(attempt)).text
    assert "our fault" not in page
    assert row.fault not in page


def test_a_station_whose_answer_was_lost_does_not_undo_the_next_claim(hiding):
    """If a station sends its first result twice, this does not end its later claim of the hidden cases."""
    hiding.hand_in()
    first = hiding.claim()
    hiding.finish(first, pending(hiding))
    second = later(hiding)
    assert (first.station, first.turn) == (second.station, second.turn)
    assert not tell(hiding, queue.finish, first, pending(hiding), hiding.now)
    assert renew(hiding, second) is Renewal.KEPT


def test_a_student_who_cancels_too_late_ends_nothing(hiding):
    """A cancellation that arrives after the last renewal, but before the result, does not stop the later
    hidden cases.
    """
    attempt = hiding.hand_in()
    claimed = hiding.claim()
    with hiding.database.writing() as session:
        cancel(session, session.get_one(AttemptRow, attempt), hiding.now)
    hiding.finish(claimed, pending(hiding))
    assert renew(hiding, later(hiding)) is Renewal.KEPT


def test_what_is_no_secret_is_graded_at_once(hiding):
    """Trial runs of staff and gradings after the release have no secrets, so all their checks run at once."""
    hiding.hand_in(person=hiding.staff)
    assert hiding.claim().hides is False
    hiding.hand_in()
    assert hiding.claim().hides is True
    with hiding.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=hiding.now))
    hiding.hand_in(person=hiding.ben)
    assert hiding.claim().hides is False


def test_staff_read_that_hidden_cases_are_still_to_be_run(hiding):
    """Staff see that hidden cases have not run yet on the course page, the attempt's page, the system page and the
    release page.
    """
    attempt = shown(hiding)
    staff = hiding.browser("staff")
    assert "hidden cases of 1 attempt waiting, not counted yet" in staff.get("/course").text
    page = staff.get(hiding.page_of(attempt)).text
    assert "Hidden cases are waiting." in page
    assert "graded, hidden cases waiting" in page
    assert '<td data-name="hidden cases waiting">1</td>' in staff.get("/course/system").text
    asked = staff.get("/course/assignments/small/release").text
    assert "At once, 1 student sees the outcomes of hidden checks in 1 attempt" in asked
    assert "Hidden cases of 1 attempt are waiting. Their outcomes follow." in asked
    hiding.finish(later(hiding), with_hidden(hiding, fails))
    assert "hidden cases" not in staff.get("/course").text + staff.get(hiding.page_of(attempt)).text
