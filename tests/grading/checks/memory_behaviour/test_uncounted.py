"""uncounted.py: explains why the memory behaviour of a kernel is not counted, if no other mistake of the kernel is
known.
"""

import dataclasses

import pytest
from kernels import TRANSPOSITION, changed
from project import ROOT
from samples import DEVICE, PROFILE, counted_as, failed, result
from simulator import runs_of, subject_of

from grader.common.record import replace
from grader.course.folders import Kit
from grader.course.rubric import Kind
from grader.grading.checks.memory_behaviour.uncounted import explained
from grader.grading.checks.simulation.counts import memory_run
from grader.grading.checks.simulation.simulated_run import CUT_OFF
from grader.grading.phases.observation import watch
from grader.grading.rules import WatchingRules
from grader.results.verdicts import Reason, Verdict

HOSTILE = ROOT / "tests" / "submissions" / "hostile"
RULES = WatchingRules()


def watched(simulator, course, assignment, source, failed=()):
    """Return a submission's sanitizer check and its memory checks."""
    sanitized, *memory = watch(
        runs_of(subject_of(simulator, course.load(assignment), source)), DEVICE, RULES, failed
    ).checks
    assert {each.kind for each in memory} == {Kind.MEMORY}
    return sanitized, memory


@pytest.mark.parametrize(
    "name",
    [
        "sums-in-ascending-order",
        pytest.param("stores-in-ascending-order", marks=pytest.mark.whole),  # it takes longer than the sums
        "sums-in-any-order",
    ],
)
def test_results_that_need_an_order(simulator, course, name):
    """If the results depend on the order of work-items, the simulator sees no race, but each memory check fails for
    this reason.
    """
    sanitized, memory = watched(simulator, course, "reduction", (HOSTILE / name / "kernels.cl").read_text())
    assert sanitized.verdict is Verdict.PASSED
    assert {(each.reason, each.points) for each in memory} == {(Reason.ORDER_DEPENDENT, 0)}
    assert {each.cause for each in memory} == {"the results depend on the order of work-items."}
    assert "total[0] is wrong: got " in memory[0].detail


@pytest.mark.whole
def test_results_that_are_wrong_in_any_order(simulator, course):
    """If the results are wrong in every order of work-items, the checks do not mention the order."""
    model = (ROOT / "reference" / "reduction" / "kernels.cl").read_text()
    _, memory = watched(simulator, course, "reduction", changed(model, "real sum = 0", "real sum = 1"))
    assert {each.reason for each in memory} == {Reason.NOT_RUN}
    assert memory[0].message == "not counted: the results are wrong in the simulator."
    assert memory[0].detail.startswith("total[0] is wrong")


def test_an_order_explains_wrong_results_on_the_device(simulator, course):
    """If a case fails on the device, but the simulator finds nothing and gets right results in ascending order, the
    memory checks report the order of work-items. This explanation comes before the wrong results.
    """
    source = (HOSTILE / "sums-in-ascending-order" / "kernels.cl").read_text()
    sanitized, memory = watched(simulator, course, "reduction", source, failed=({"n": 1},))
    assert sanitized.reason is Reason.NOT_RUN
    assert {each.reason for each in memory} == {Reason.ORDER_DEPENDENT}
    wrong = failed("n = 1", reason=Reason.WRONG_OUTPUT, kind=Kind.CORRECTNESS)
    assert result(wrong, sanitized, *memory).first_cause in memory


@pytest.mark.whole
def test_an_order_does_not_explain_results_that_are_wrong_in_ascending_order(simulator, course):
    """If the simulator gets wrong results at the failed size, too, the order of work-items is not the mistake there."""
    source = (HOSTILE / "sums-in-ascending-order" / "kernels.cl").read_text()
    wrong_for_one = changed(source, "real x = 0", "real x = n == 1")
    _, memory = watched(simulator, course, "reduction", wrong_for_one, failed=({"n": 1},))
    assert {each.reason for each in memory} == {Reason.NOT_RUN}


# --- more steps than the simulator allows ----------------------------------------------------


@pytest.fixture
def run(simulator, transposition):
    """Return a memory run that has not been simulated."""
    return memory_run(subject_of(simulator, transposition, TRANSPOSITION), transposition.memory)


STOPPED = counted_as(PROFILE, CUT_OFF, 40_000_012)


def test_too_many_steps_are_compared_with_the_model_solution(simulator, run):
    """If the simulator stops a kernel, the message compares its number of steps with the model solution's. It does not
    claim that the kernel never ends.
    """
    told = explained(STOPPED, run, simulator)
    assert (told.reason, told.faults) == (Reason.TOO_MANY_STEPS, ())
    assert told.message.startswith(
        "the simulator stopped the kernel after 40,000,012 steps at height 128, width 192, where the model solution "
        "takes "
    )
    assert "If the kernel ends on the device, take steps out of its innermost loop" in told.message


def test_a_kit_compares_with_nothing(run):
    """A student kit does not contain the model solution, so the message has no comparison, and no worker is started for
    it.
    """
    task = run.subject.task
    kit = dataclasses.replace(task, assignment=replace(task.assignment, kit=Kit(grader="1")))
    told = explained(STOPPED, dataclasses.replace(run, subject=dataclasses.replace(run.subject, task=kit)), None)
    assert (told.reason, told.faults) == (Reason.TOO_MANY_STEPS, ())
    assert "at height 128, width 192. So memory behaviour is not counted." in told.message


def test_a_comparison_that_fails_is_a_fault_of_ours(run):
    """If the comparison with the model solution fails, the reason is unchanged, and the report lists the missing
    comparison as a fault of the grader.
    """
    told = explained(STOPPED, run, None)
    assert told.reason is Reason.TOO_MANY_STEPS
    assert [each.lost for each in told.faults] == ["the comparison with the model solution"]


@pytest.mark.whole  # the quick tests include test_an_order_explains_wrong_results_on_the_device
def test_a_kernel_that_is_stopped_after_something_else_has_failed(simulator, course):
    """If a stopped kernel has already failed a case, its steps are not compared with the model solution's, because the
    failed case must be fixed first.
    """
    waits = "    for (volatile uint go = height > 90; go;);\n"
    hangs = changed(TRANSPOSITION, "    const uint32_t ly", f"{waits}    const uint32_t ly")
    _, memory = watched(simulator, course, "coalsTransp", hangs, failed=({"height": 1, "width": 1},))
    assert {(each.reason, each.message) for each in memory} == {
        (Reason.NOT_RUN, "not counted: the simulator stopped the kernel before its end.")
    }
