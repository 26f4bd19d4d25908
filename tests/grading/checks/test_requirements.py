"""requirements.py: some checks earn points only if other checks pass."""

import pytest
from samples import DEVICE, check, failed, performance

from grader.common.record import replace
from grader.course.criteria import MemoryCheck
from grader.course.rubric import Kind
from grader.grading.checks.requirements import required
from grader.grading.explain.problem import Problem
from grader.results.verdicts import Reason, Verdict

LESSON = check("memory: lesson", kind=Kind.MEMORY, points=20, max_points=20)
DETAIL = check("memory: detail", kind=Kind.MEMORY, points=5, max_points=5, message="the limit is 2.")
SPEED = check(
    "performance: cpu (height 1)",
    kind=Kind.PERFORMANCE,
    points=20,
    max_points=20,
    message="it runs at 105 % of the model solution's speed.",
    performance=performance(),
)
MISSED = failed("memory: lesson", kind=Kind.MEMORY, reason=Reason.EXTRA_TRAFFIC, message="it reads too much.")
CPU, GPU = replace(DEVICE, type="cpu"), replace(DEVICE, type="gpu")


@pytest.fixture
def assignment(transposition):
    """Return an assignment with two memory checks. The second one and the speed check require the first one."""
    checks = (
        MemoryCheck(name="lesson", measure="words read", at_most=1, points=20),
        MemoryCheck(name="detail", measure="bank conflicts", at_most=2, points=5, requires=("lesson",)),
    )
    return replace(
        transposition,
        memory=replace(transposition.memory, checks=checks),
        performance=replace(transposition.performance, requires=("lesson",)),
    )


def test_what_requires_a_check_that_passes_counts(assignment):
    """If the required check passes, all checks are unchanged."""
    assert tuple(required(assignment, CPU, (LESSON, DETAIL, SPEED))) == (LESSON, DETAIL, SPEED)


def test_what_requires_a_check_that_fails_earns_nothing(assignment):
    """A check whose required check fails earns no points. Its message names the required check and keeps the measured
    values. For the speed on a CPU, the message also explains why.
    """
    lesson, detail, speed = required(assignment, CPU, (MISSED, DETAIL, SPEED))
    assert lesson == MISSED
    assert (detail.verdict, detail.points, detail.max_points, detail.reason) == (Verdict.FAILED, 0, 5, Reason.NOT_RUN)
    assert detail.message == 'not counted: these points count when "lesson" passes. The limit is 2.'
    assert (speed.verdict, speed.points, speed.max_points) == (Verdict.FAILED, 0, 20)
    assert speed.message == (
        'not counted: these points count when "lesson" passes. On a CPU, a naive kernel is fast enough, too. '
        "It runs at 105 % of the model solution's speed."
    )
    assert speed.performance == SPEED.performance


def test_a_speed_that_is_open_is_lost_with_the_check_that_it_requires(assignment):
    """An open speed check fails if its required check fails, because it could not earn points even if the compiler were
    blamed. Its message has no measured values.
    """
    left = Problem(reason=Reason.COMPILER_FAILED, message="open: the compiler failed.").skip(SPEED)
    assert tuple(required(assignment, CPU, (LESSON, left))) == (LESSON, left)
    _, speed = required(assignment, CPU, (MISSED, left))
    assert (speed.verdict, speed.reason) == (Verdict.FAILED, Reason.NOT_RUN)
    assert speed.message.endswith("On a CPU, a naive kernel is fast enough, too.")


def test_what_is_required_is_the_same_on_a_gpu(assignment):
    """On a GPU, the speed check has the same requirement, but the message does not mention a CPU."""
    *_, speed = required(assignment, GPU, (MISSED, DETAIL, replace(SPEED, name="performance: gpu (height 1)")))
    assert (speed.points, speed.reason) == (0, Reason.NOT_RUN)
    assert "CPU" not in speed.message


def test_a_check_that_was_not_made_decides_nothing(assignment):
    """A required check that was skipped because there is no simulator has no effect, so the speed counts."""
    absent = replace(LESSON, verdict=Verdict.SKIPPED, points=0, reason=Reason.NO_SIMULATOR)
    assert tuple(required(assignment, CPU, (absent, DETAIL, SPEED))) == (absent, DETAIL, SPEED)


def test_a_check_that_cannot_be_simulated_leaves_others_open(assignment):
    """If the simulator cannot run a required check, the checks that depend on it stay open. Otherwise, a submission
    that stops the simulator would earn their points.
    """
    unknown = replace(LESSON, verdict=Verdict.SKIPPED, points=0, reason=Reason.NOT_SIMULATED)
    _, detail, speed = required(assignment, CPU, (unknown, DETAIL, SPEED))
    for each in (detail, speed):
        assert (each.verdict, each.reason, each.points) == (Verdict.SKIPPED, Reason.NOT_SIMULATED, 0)
    assert speed.message == (
        'open: these points count when "lesson" passes, but the simulator cannot run that check. It runs at 105 % of '
        "the model solution's speed."
    )


def test_a_speed_that_was_not_measured_is_not_measured_again(assignment):
    """A speed that could not be measured fails if its required check fails. It is not measured again, because it could
    not earn points at any speed.
    """
    noisy = replace(SPEED, verdict=Verdict.SKIPPED, points=0, reason=Reason.NOT_MEASURED, message="too noisy.")
    *_, speed = required(assignment, CPU, (MISSED, DETAIL, noisy))
    assert (speed.verdict, speed.reason) == (Verdict.FAILED, Reason.NOT_RUN)
    *_, speed = required(assignment, CPU, (LESSON, DETAIL, noisy))
    assert speed == noisy


def test_a_check_that_failed_by_itself_keeps_its_reason(assignment):
    """A check that has failed itself keeps its reason and its message."""
    slow = failed("performance: cpu (height 1)", kind=Kind.PERFORMANCE, reason=Reason.TOO_SLOW, message="too slow.")
    *_, speed = required(assignment, CPU, (MISSED, DETAIL, slow))
    assert speed == slow


def test_requirements_that_make_no_sense_are_refused(assignment):
    """A required check must exist, must be listed earlier, and may be hidden only if the check that requires it is
    hidden, too.
    """
    lesson, detail = assignment.memory.checks

    def problems(*checks):
        changed = replace(assignment, memory=replace(assignment.memory, checks=checks))
        return [contradiction.words for contradiction in changed._impossible_requirements()]

    assert problems(lesson, detail) == []
    order = "the memory check detail requires lesson, which is not a memory check that is listed before it"
    assert problems(detail, lesson) == [f"{order}; correct the name"]
    hidden = replace(lesson, hidden=True)
    why = "requires lesson, which is hidden, so students would learn its result; hide both or neither"
    assert problems(hidden, detail) == [f"the memory check detail {why}", f"performance {why}"]
