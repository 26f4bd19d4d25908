"""rubric.py: each section of an assignment agrees with the checks that it requires."""

import pytest

from grader.common.record import replace
from grader.course.criteria import Band, Case, MemoryCheck, SpeedGoal
from grader.course.rubric import Correctness, Kind, Memory, Rubric, Sanitizer, SpeedGoals
from grader.course.tolerance import Tolerance

SIZES = {"n": 7}
CORRECTNESS = Correctness(
    tolerance=Tolerance(rule="exact"),
    points=30,
    cases=(
        Case(name="one", sizes=SIZES),
        Case(name="two", sizes=SIZES, hidden=True),
        Case(name="three", sizes=SIZES),
        Case(name="for practice", sizes=SIZES, practice=True),
    ),
)
SANITIZER = Sanitizer(sizes=SIZES, points=8)
MEMORY = Memory(
    sizes=SIZES,
    checks=(
        MemoryCheck(name="few", measure="words read", at_most=7, points=4, hidden=True),
        MemoryCheck(name="close", measure="coalescing", at_most=1, points=5, requires=("few",), hidden=True),
        MemoryCheck(name="open", measure="branches", at_most=1, points=6),
    ),
)
SPEED = SpeedGoals(
    bytes="4 * n",
    requires=("few",),
    classes={"cpu": SpeedGoal(sizes={"n": 99}, bands=(Band(fraction=0.8, points=20),), constants={"TILE": 8})},
)
RUBRIC = Rubric(correctness=CORRECTNESS, sanitizer=SANITIZER, memory=MEMORY, performance=SPEED)


@pytest.mark.parametrize("section", RUBRIC.sections, ids=lambda section: section.kinds[0])
def test_a_section_agrees_with_its_checks(section):
    """A section has one `hides` flag per check, contains their kinds, and is worth the sum of their points."""
    asked = section.asked("cpu")
    assert len(asked) == len(section.hides)
    assert {check.kind for check in asked} <= set(section.kinds)
    assert sum(check.points for check in asked) == pytest.approx(section.total)


def test_the_points_of_a_rubric_are_those_of_its_sections():
    """An assignment is worth the sum of its sections. A practice case is worth nothing."""
    assert RUBRIC.points == 30 + 8 + 15 + 20
    assert [check.points for check in CORRECTNESS.asked("gpu")] == [10, 10, 10, 0]


def with_points(*points, total=30):
    """Return a section in which the first cases have these points of their own."""
    own = (*points, *(None,) * (len(CORRECTNESS.cases) - len(points)))
    cases = [{**case.model_dump(), "points": each} for case, each in zip(CORRECTNESS.cases, own, strict=True)]
    return Correctness.model_validate({**CORRECTNESS.model_dump(), "points": total, "cases": cases})


def test_cases_without_points_of_their_own_share_the_rest():
    """A case has its own points or an equal share of the rest. A kit without hidden cases keeps both."""
    section = with_points(4)
    assert [check.points for check in section.asked("gpu")] == [4, 13, 13, 0]
    assert [check.points for check in section.without_hidden().asked("gpu")] == [4, 13, 0]
    assert [check.points for check in with_points(4, 20, 6).asked("gpu")] == [4, 20, 6, 0]


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ((31,), "have 31 points together, but the section has 30"),
        ((4, 20, 5), "have 29 points together, but the section has 30"),
        ((4, 5, 6, 7), "for practice is for practice and has points"),
    ],
    ids=["too-many", "too-few", "practice"],
)
def test_points_of_cases_that_do_not_add_up_are_refused(points, words):
    """The points of cases are at most those of the section, and equal if no case shares the rest."""
    with pytest.raises(ValueError, match=words):
        with_points(*points)


@pytest.mark.parametrize("section", [CORRECTNESS, MEMORY], ids=["correctness", "memory"])
def test_hidden_checks_are_left_out_with_their_points(section):
    """Without its hidden checks, a section hides nothing, and the other checks keep their points."""
    shown = section.without_hidden()
    assert not any(shown.hides)
    assert shown.total == pytest.approx(section.total - section.hidden_points)
    left = [check for check, is_hidden in zip(section.asked("cpu"), section.hides, strict=True) if not is_hidden]
    assert list(shown.asked("cpu")) == left


def test_a_hidden_run_is_left_out_as_a_whole():
    """A hidden sanitizer run is removed as a whole, as are memory checks that are all hidden."""
    assert SANITIZER.without_hidden() is SANITIZER
    hidden = replace(SANITIZER, hidden=True)
    assert (hidden.without_hidden(), hidden.hidden_points) == (None, 8)
    assert replace(MEMORY, checks=MEMORY.checks[:2]).without_hidden() is None


def test_hidden_speed_keeps_its_points_but_not_its_figures():
    """A hidden speed check keeps its sizes and points in a kit, but not its bands and requirements."""
    hidden = replace(SPEED, hidden=True)
    shown = hidden.without_hidden()
    assert hidden.hidden_points == 0
    assert (shown.hides, shown.requires, shown.total) == ((False,), (), 20)
    assert [band.fraction for band in shown.classes["cpu"].bands] == [1]
    assert shown.asked("cpu")[0].sizes == SPEED.asked("cpu")[0].sizes == {"TILE": 8, "n": 99}


def test_speed_without_a_goal_for_the_device_asks_for_no_check():
    """Without a goal for a class of devices, speed is not checked on these devices."""
    assert SPEED.asked("gpu") == ()


def test_which_points_need_right_cases():
    """A clean run and speed earn points only for right kernels.

    Memory checks do not depend on the cases, because they have their own run.
    """
    dependent = {kind for kind in Kind if RUBRIC.depends_on_cases(kind)}
    assert dependent == {Kind.SANITIZER, Kind.PERFORMANCE}


def test_a_change_of_sections_can_leave_some_out():
    """A section is removed if the change returns None for it, and the other sections remain."""
    changed = RUBRIC.with_sections(lambda section: None if section.needs_simulator else section)
    assert changed.sections == (CORRECTNESS, SPEED)
    assert not changed.is_watched
    assert RUBRIC.is_watched
