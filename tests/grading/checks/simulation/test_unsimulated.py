"""unsimulated.py: checks stay open if the simulator cannot run something that the exercise needs, and only then."""

from dataclasses import replace

import pytest
from courses import KERNEL, course_of
from samples import DEVICE
from simulator import runs_of, subject_of
from untimed import UNTIMED

from grader.grading.checks.simulation.unsimulated import missing_in_simulator
from grader.grading.phases.observation import watch
from grader.grading.rules import WatchingRules
from grader.results.verdicts import Reason, Verdict

HALF = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void add(__global const {type} *x, __global const {type} *y, __global {type} *z, uint32_t n)
{{
    const uint32_t i = get_global_id(0);
    if (i < n)
        z[i] = (half)x[i] + (half)y[i];
}}
"""
UNKNOWN_FUNCTION = KERNEL.replace("x[i] + y[i]", "x[i] + y[i] + 0 * __builtin_popcount(i)")
"""A kernel that calls a function that clang supports and the simulator does not."""


def assignment_of(folder, model=KERNEL, element="float"):
    """Return an assignment with checks in the simulator, arrays of the type `element`, and this model solution."""
    buffers = {name: {**buffer, "type": element} for name, buffer in UNTIMED["buffers"].items()}
    return course_of(folder, {**UNTIMED, "buffers": buffers}, model).load("small")


def watched(device, simulator, assignment, source):
    """Build a submission with `device`, run it in the simulator, and return its checks."""
    subject = replace(subject_of(device, assignment, source), worker=simulator)
    return watch(runs_of(subject), DEVICE, WatchingRules())


@pytest.mark.parametrize(
    "model", [HALF.format(type="half"), KERNEL.replace("real", "half").replace("x[i] + y[i]", "0")]
)
def test_half_arithmetic_on_arrays_of_half_costs_nothing(simulator, tmp_path, model):
    """If the assignment has arrays of half, the checks stay open, even if the model solution does not use half
    arithmetic.
    """
    assignment = assignment_of(tmp_path, model, "half")
    checks = watched(simulator, simulator, assignment, HALF.format(type="half")).checks
    assert {(check.verdict, check.reason, check.points, check.lost) for check in checks} == {
        (Verdict.SKIPPED, Reason.NOT_SIMULATED, 0, 0)
    }
    assert {check.help + check.detail for check in checks} == {""}
    assert "half arithmetic, which this exercise needs" in checks[0].message


def test_half_arithmetic_of_a_student_is_named(simulator, tmp_path):
    """If the assignment does not need half, the points are lost, and the message says that half arithmetic must be left
    out.
    """
    checks = watched(simulator, simulator, assignment_of(tmp_path), HALF.format(type="float")).checks
    sanitized, *memory = checks
    assert (sanitized.reason, sanitized.points) == (Reason.CRASH, 0)
    assert sanitized.message == "line 6: the simulator cannot run half arithmetic."
    assert "Leave it out" in sanitized.help
    assert {(check.reason, check.points) for check in memory} == {(Reason.NOT_RUN, 0)}
    assert "the simulator cannot run half arithmetic" in memory[0].message


@pytest.mark.parametrize(
    ("model", "reasons"), [(UNKNOWN_FUNCTION, {Reason.NOT_SIMULATED}), (KERNEL, {Reason.CRASH, Reason.NOT_RUN})]
)
def test_a_stop_costs_points_unless_the_model_solution_stops(environment, simulator, tmp_path, model, reasons):
    """Calling a function that the simulator does not support costs the points of the checks, unless the model solution
    calls one, too.
    """
    assignment = assignment_of(tmp_path, model)
    with environment.worker() as device:
        checks = watched(device, simulator, assignment, UNKNOWN_FUNCTION).checks
    assert {check.reason for check in checks} == reasons
    assert {check.points for check in checks} == {0}


def test_authors_learn_it_before_grading(simulator, tmp_path):
    """The sentence for authors names the unsupported feature, the checks and the next step. There is no sentence if the
    simulator can run the model solution.
    """
    assert missing_in_simulator(assignment_of(tmp_path / "float"), simulator) is None
    why = missing_in_simulator(assignment_of(tmp_path / "half", HALF.format(type="half"), "half"), simulator)
    assert why.startswith("the simulator cannot run half arithmetic in the model solution, so the points of sanitizer")
