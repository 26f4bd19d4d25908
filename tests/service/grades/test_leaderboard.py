"""leaderboard.py: ranks by speed, which do not reveal anything hidden."""

from datetime import UTC, datetime

import pytest
from hidden_parts import HIDDEN, changed, failing, hiding_course, right
from samples import RACE, SLOW, SPEED, check, failed, performance, result, unchecked
from services import Service

from grader.course.rubric import Kind
from grader.results.metrics import Interval
from grader.results.verdicts import Reason, Verdict
from grader.service.db.tables.submissions import AttemptRow
from grader.service.grades.decisions.overrides import exclude
from grader.service.grades.leaderboard import boards_for_staff, boards_for_students, speed_of
from grader.service.people.pseudonyms import choose_pseudonym
from grader.service.station.grader import ready


def at(speed):
    """Return a speed check of a kernel that is this many times as fast as the model solution."""
    fraction = Interval(median=speed, low=speed, high=speed)
    return SPEED.model_copy(update={"performance": performance(fraction_of_reference=fraction)})


def outcome(service, speed=1.0, device="Test Device"):
    """Return the outcome of a correct kernel as a station stores it."""
    assignment = service.course.load("small")
    whole = right(assignment)
    place = len(whole.checks) - 1
    timed = whole.checks[place].model_copy(update={"performance": at(speed).performance})
    whole = changed(whole, (place, timed))
    there = whole.provenance.device.model_copy(update={"name": device})
    provenance = whole.provenance.model_copy(update={"device": there})
    return ready(whole.model_copy(update={"provenance": provenance}), assignment)


def named(service, person, name):
    choose_pseudonym(service.database, person, name)


def lines(service, boards=boards_for_students):
    """Return the rank, pseudonym and speed of each entry by device."""
    with service.database.reading() as session:
        return {
            board.device: [(each.rank, each.pseudonym, each.speed) for each in board.places]
            for board in boards(session, "small")
        }


def test_a_kernel_has_a_speed_if_it_is_right_and_timed():
    """A correct, timed kernel has a speed, even if it does not earn full points. The speed of a suite is the geometric
    mean of its kernels' speeds.
    """
    assert speed_of(result(check("a"), at(0.5))) == pytest.approx(0.5)
    assert speed_of(result(check("a"), SLOW)) == pytest.approx(1.0)
    assert speed_of(result(at(0.5), at(2.0).of_part("b"))) == pytest.approx(1.0)
    assert speed_of(result(check("a"), unchecked(), at(0.5))) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "checks",
    [
        (check("a"),),
        (failed("a"), at(2.0)),
        (failed("races", reason=Reason.DATA_RACE, kind=Kind.SANITIZER), at(2.0)),
        (check("a"), at(2.0), unchecked("b: speed", Kind.PERFORMANCE)),
        (check("a"), at(2.0).model_copy(update={"verdict": Verdict.FAILED, "reason": Reason.IMPLAUSIBLE})),
        (check("a"), at(float("nan"))),
        (check("a"), at(0.0)),
    ],
)
def test_no_other_kernel_has_one(checks):
    """A kernel that is wrong, has a race, is implausibly fast or was not timed in every part has no speed."""
    assert speed_of(result(*checks)) is None


def test_a_practice_case_that_fails_keeps_nobody_off():
    """A failed practice case does not remove a kernel from the leaderboard, because practice cases never decide
    anything.
    """
    missed = failed("practice: large").model_copy(update={"kind": Kind.PRACTICE})
    assert speed_of(result(check("a"), missed, at(2.0))) == pytest.approx(2.0)


def test_students_stand_by_their_fastest_attempt_on_each_device(service):
    """Students appear under their pseudonyms with their fastest attempt on each device. In a tie, the earlier attempt
    ranks first. Staff do not appear.
    """
    for person, speed, device in (
        (service.ada, 1.0, "one"),
        (service.ben, 2.0, "one"),
        (service.ada, 4.0, "one"),
        (service.ben, 4.0, "one"),
        (service.ben, 0.5, "two"),
        (service.staff, 9.0, "one"),
    ):
        service.graded(service.hand_in(person=person), outcome(service, speed, device))
    assert lines(service) == {}
    named(service, service.ben, "Fox")
    assert lines(service) == {"one": [(1, "Fox", 4.0)], "two": [(1, "Fox", 0.5)]}
    named(service, service.ada, "Owl")
    assert lines(service)["one"] == [(1, "Owl", 4.0), (2, "Fox", 4.0)]
    named(service, service.ada, "")
    assert lines(service)["one"] == [(1, "Fox", 4.0)]
    assert lines(service, boards_for_staff)["one"] == [(1, None, 4.0), (2, "Fox", 4.0)]


@pytest.mark.sampled
@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_students_see_is_the_same_however_hidden_checks_went(tmp_path, hidden):
    """For every outcome of the hidden checks, students see the same leaderboard."""
    boards = []
    for passed in (True, False):
        folder = tmp_path / f"{passed}"
        service = Service(folder, hiding_course(folder / "course", hidden))
        assignment = service.course.load("small")
        whole = right(assignment)
        if not passed:
            whole = failing(whole, HIDDEN[hidden], findings=(RACE,) if hidden == "sanitizer" else ())
        service.graded(service.hand_in(), ready(whole, assignment))
        named(service, service.ada, "Owl")
        boards.append(lines(service))
        service.database.close()
    assert boards[0] == boards[1]


@pytest.mark.whole
def test_instructors_see_who_stands_there_and_whether_students_do(tmp_path):
    """Staff see the name behind each entry and whether students can see the entry. If the speed check is hidden,
    students see no entries. If a case is hidden, they see kernels that pass the other cases.
    """
    for hidden, shown in (("performance", False), ("case", True)):
        service = Service(tmp_path / hidden, hiding_course(tmp_path / hidden / "course", hidden))
        service.graded(service.hand_in(), outcome(service, 2.0))
        named(service, service.ada, "Owl")
        with service.database.reading() as session:
            (board,) = boards_for_staff(session, "small")
            assert bool(boards_for_students(session, "small")) is shown
        (placed,) = board.places
        assert (placed.name, placed.pseudonym, placed.shown) == ("Ada", "Owl", shown)
        service.database.close()


def test_what_does_not_count_stands_nowhere(service):
    """An excluded attempt is not ranked until it counts again. Meanwhile, the student's next best attempt is ranked."""
    service.graded(service.hand_in(person=service.ada), outcome(service, 1.0))
    fastest = service.graded(service.hand_in(person=service.ada), outcome(service, 2.0))
    named(service, service.ada, "Owl")
    for speed in (1.0, 2.0):
        with service.database.writing() as session:
            exclude(session, session.get_one(AttemptRow, fastest), "staff", "copied", datetime.now(UTC))
        assert lines(service) == {"Test Device": [(1, "Owl", speed)]}
