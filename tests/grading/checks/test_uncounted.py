"""uncounted.py: what a kernel is told of which memory behaviour is not counted and nothing else is wrong."""

import pytest
from kernels import changed
from project import ROOT
from simulator import runs_of, subject_of

from grader.grading.checks.simulator_checks import watch
from grader.grading.rules import WatchingRules
from grader.results.result import Kind, Reason, Verdict

HOSTILE = ROOT / "tests" / "submissions" / "hostile"
RULES = WatchingRules()


def watched(simulator, course, assignment, source, failed=()):
    """The sanitizer's check of a submission, and its checks of memory behaviour."""
    sanitized, *memory = watch(runs_of(subject_of(simulator, course.load(assignment), source)), RULES, failed).checks
    assert {each.kind for each in memory} == {Kind.MEMORY}
    return sanitized, memory


@pytest.mark.parametrize("name", ["sums-in-ascending-order", "stores-in-ascending-order", "sums-in-any-order"])
def test_results_that_need_an_order(simulator, course, name):
    """The simulator sees no race, and each memory check says that the results depend on the order."""
    sanitized, memory = watched(simulator, course, "reduction", (HOSTILE / name / "kernels.cl").read_text())
    assert sanitized.verdict is Verdict.PASSED
    assert {(each.reason, each.points) for each in memory} == {(Reason.ORDER_DEPENDENT, 0)}
    assert {each.cause for each in memory} == {"the results depend on the order of work-items."}
    assert "If they take turns in another order, total[0] is wrong: got " in memory[0].message


def test_results_that_are_wrong_in_any_order(simulator, course):
    """Nothing is said about the order."""
    model = (ROOT / "reference" / "reduction" / "kernels.cl").read_text()
    _, memory = watched(simulator, course, "reduction", changed(model, "real sum = 0", "real sum = 1"))
    assert {each.reason for each in memory} == {Reason.NOT_RUN}
    assert memory[0].message.startswith("not counted: in the simulator, total[0] is wrong")


def test_where_a_case_is_wrong_that_is_what_is_told(simulator, course):
    """A mistake that shows elsewhere comes first."""
    source = (HOSTILE / "sums-in-ascending-order" / "kernels.cl").read_text()
    _, memory = watched(simulator, course, "reduction", source, failed=({"n": 1},))
    assert {each.reason for each in memory} == {Reason.NOT_RUN}
