"""rewards.py: the points of kernels that avoid an exercise are compared with those of kernels with a slip, and
results that need no computation are not accepted.
"""

import dataclasses

import pytest
from gradings_here import GradingsHere
from samples import BUILD, check, result

from grader.authoring.extent import LEFT_OUT
from grader.authoring.rewards import Earned, Rewards, accepted, rewards
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.course.tolerance import Tolerance
from grader.grading.rules import WatchingRules


def quiet(_):
    """Ignore the progress of a grading."""


@pytest.fixture
def claims(environment, simulator):
    """Return a function that grades the kernels of an assignment. It returns their rewards and a dictionary of the
    claims by their text.
    """
    assert simulator

    def make(assignment):
        watching = dataclasses.replace(environment, watching=WatchingRules(required=True))
        found = rewards(assignment, GradingsHere(watching), quiet)
        return found, {each.claim: each for each in found.claims()}

    return make


@pytest.mark.whole
def test_an_assignment_of_the_course_rewards_its_exercise(claims, transposition):
    """No kernel that avoids the exercise earns half of the points, and each kernel with a slip earns more than any of
    them.
    """
    found, said = claims(transposition)
    assert [each.points for each in found.avoiding] == ["38 of 100 points"] * 3
    assert len(found.slips) == 3
    assert all(each.holds for each in said.values())


def measuring(transposition, *names):
    """Return the assignment with only the named memory checks. Neither these checks nor the speed check require other
    checks.
    """
    checks = tuple(replace(each, requires=()) for each in transposition.memory.checks if each.name in names)
    cpu = transposition.performance.classes["cpu"]
    return replace(
        transposition,
        memory=replace(transposition.memory, checks=checks),
        performance=replace(transposition.performance, classes={"cpu": cpu}, requires=()),
    )


@pytest.mark.whole
@pytest.mark.timed
def test_points_for_what_a_naive_kernel_does_are_broken(claims, transposition):
    """A claim is false if the naive kernel earns too many points. In this test, two memory checks do not distinguish
    that kernel from a solution, and it is fast enough on a CPU.
    """
    names = [each.name for each in transposition.memory.checks]
    _, said = claims(replace(measuring(transposition, *names), slips=()))
    baseline = said["avoiding the exercise earns at most 50 % of the points: the baseline"]
    assert not baseline.holds
    assert baseline.seen == (
        "74 of 100 points; it passes memory: no traffic but the array's, memory: bank conflicts and performance: cpu"
    )


@pytest.mark.whole
@pytest.mark.timed
def test_a_lesson_that_no_check_measures_is_broken(claims, transposition):
    """If no check measures what the exercise teaches, a kernel that avoids the exercise loses no points, but a slip
    costs some. Two claims are then false.
    """
    _, said = claims(measuring(transposition, "no traffic but the array's"))
    assert not said["avoiding the exercise earns at most 50 % of the points: the baseline"].holds
    assert not said[
        "the model solution without the barrier in line 33 earns more than any kernel that avoids the exercise"
    ].holds


def test_a_tolerance_that_accepts_zeros_is_broken(environment, course):
    """If the tolerance accepts an array of zeros, a claim is false and names the case. No kernel needs to be graded for
    this.
    """
    assignment = course.load("optimProgram")
    loose = replace(assignment.correctness, tolerance=replace(assignment.correctness.tolerance, factor=2.0**25))
    asked = replace(assignment, correctness=loose, baseline=assignment.baseline * 2, slips=())
    first, *_ = rewards(asked, GradingsHere(environment), quiet).claims()
    assert first.claim == "the tolerance rejects results that need no computation"
    assert not first.holds
    assert "zeros in the case one element" in first.seen


def earned(name, points, *, is_open):
    """Return a kernel that has earned this many of 100 points. If `is_open`, the 20 points for speed are open, as after
    a quick validation.
    """
    speed = check("performance: cpu (n 1)", kind=Kind.PERFORMANCE, points=0, max_points=20)
    rest = check("correctness: all", points=points, max_points=80)
    return Earned(name=name, result=result(BUILD, rest, LEFT_OUT.mark(speed) if is_open else speed))


@pytest.mark.parametrize(
    ("avoiding", "slip", "claims", "undecided"),
    [
        ((38, False), (49, True), [True, True], ()),
        ((38, True), (70, True), [True], ("avoiding",)),
        ((55, True), (80, True), [False, True], ()),
        ((38, False), (30, True), [True], ("slip",)),
        ((25, True), (40, True), [True], ("slip",)),
        ((38, False), (38, False), [True, False], ()),
    ],
)
def test_open_points_leave_out_only_the_claims_that_they_could_change(transposition, avoiding, slip, claims, undecided):
    """A claim is omitted only if the open points could change whether it is true. The kernels without a claim are
    listed.
    """
    of_avoiding, of_slip = (
        earned("avoiding", avoiding[0], is_open=avoiding[1]),
        earned("slip", slip[0], is_open=slip[1]),
    )
    found = Rewards(assignment=transposition, avoiding=(of_avoiding,), slips=(of_slip,), trivial=())
    assert tuple(each.name for each in found.undecided) == undecided
    assert [each.holds for each in found.claims()][1:] == claims


def test_a_slip_that_earns_too_little_is_compared_with_the_best_kernel(transposition):
    """If a slip earns no more than a kernel that avoids the exercise, the claim names the best such kernel and says
    what to change. Otherwise, it only states the points.
    """
    avoiding = tuple(earned(name, points, is_open=False) for name, points in (("naive", 38), ("serial", 30)))
    slips = tuple(earned(name, points, is_open=False) for name, points in (("little", 35), ("enough", 39)))
    found = Rewards(assignment=transposition, avoiding=avoiding, slips=slips, trivial=())
    little, enough = (each.seen for each in list(found.claims())[3:])
    assert little.startswith("35 of 100 points; naive earns 38 of 100 points. Move points from correctness")
    assert enough == "39 of 100 points"


@pytest.mark.parametrize("name", ["coalsTransp", "loopNest", "vectorAdd"])
def test_no_assignment_of_the_course_accepts_one(course, name):
    """No assignment of the course accepts a trivial result, not even one with a case whose exact result is zero, such
    as the gain of a single day.
    """
    assert list(accepted(course.load(name))) == []


def test_a_tolerance_that_admits_zeros_is_found(course):
    """If the tolerance accepts zeros, each case with random data that accepts them is found. Cases with exact data
    never do.
    """
    assignment = course.load("optimProgram")
    loose = Tolerance(rule="rounding", factor=2.0**25)
    asked = replace(assignment, correctness=replace(assignment.correctness, tolerance=loose))
    found = list(accepted(asked))
    assert {"zeros"} <= {each.what for each in found}
    random = {case.name for case in assignment.correctness.cases if case.data == "random"}
    assert {each.case for each in found if each.what == "zeros"} <= random


def test_nothing_stored_is_never_accepted(course):
    """The initial content of a buffer is never accepted, because it is NaN."""
    assignment = course.load("optimProgram")
    loose = Tolerance(rule="rounding", factor=2.0**60)
    asked = replace(assignment, correctness=replace(assignment.correctness, tolerance=loose))
    assert "nothing" not in {each.what for each in accepted(asked)}
