"""device_needs.py: a device that lacks a type, or is too small, grades no submission and is named by validation."""

import pytest
from courses import ADDITION, course_of
from gradings import grade
from untimed import UNTIMED

from grader.authoring.validation import examine
from grader.common.errors import DeviceError
from grader.common.record import replace
from grader.course.criteria import Case
from grader.grading.checks.compilation.device_needs import extensions, unfit
from grader.results.verdicts import Reason

NO_WORDS = [].append

SOURCE = """__kernel void add(__global const {type} *x, __global const {type} *y, __global {type} *z, uint32_t n)
{{
    const uint32_t i = get_global_id(0);
    if (i < n)
        z[i] = x[i] + y[i];
}}
"""

ORACLE = """from grader.oracle import Truth

def expected(x, y, **_):
    return {"z": Truth(value=x + y)}
"""


def addition_of(folder, element):
    """Return an assignment that adds arrays of this type with the arithmetic of the device."""
    buffers = {name: {"type": element, "shape": ["n"], "data": "numbers"} for name in "xy"}
    fields = {**UNTIMED, "buffers": {**buffers, "z": {"type": element, "shape": ["n"]}}}
    fields["correctness"] = {**fields["correctness"], "tolerance": {"rule": "exact"}}
    fields.pop("memory")
    return course_of(folder, fields, SOURCE.format(type=element), ORACLE).load("small")


def graded(tmp_path, environment, assignment, source):
    """Return the result of this source text."""
    path = tmp_path / "kernels.cl"
    path.write_text(source)
    return grade(assignment, path, environment, seed=3)


def test_a_device_without_a_type_grades_no_submission(tmp_path, environment):
    """PoCL on a CPU has no arithmetic for half. The submission stays ungraded, and the error names the extension."""
    assignment = addition_of(tmp_path, "half")
    assert extensions(assignment) == {"half": "cl_khr_fp16"}
    with pytest.raises(DeviceError, match="does not build the model solution: half needs cl_khr_fp16"):
        graded(tmp_path, environment, assignment, SOURCE.format(type="half"))


def test_a_build_error_with_a_type_that_the_device_has_is_the_students(tmp_path, environment):
    """PoCL has double, so a submission that does not build has failed."""
    assignment = addition_of(tmp_path, "double")
    result = graded(tmp_path, environment, assignment, SOURCE.format(type="double").replace("y[i];", "w[i];"))
    assert result.checks[0].reason is Reason.BUILD_ERROR


def test_validation_names_what_a_device_lacks(tmp_path, environment, simulator):  # noqa: ARG001 - it is installed
    """Validation names the missing type of the device and of the simulator before it grades anything."""
    seen = examine(addition_of(tmp_path, "half"), environment, NO_WORDS)
    assert seen.own is None
    assert [each.holds for each in seen.statements] == [False, False]
    assert all("half needs cl_khr_fp16. Choose another device" in each.seen for each in seen.statements)
    assert "Oclgrind" in seen.statements[1].seen


def test_validation_names_what_the_simulator_cannot_run(tmp_path, environment, simulator):  # noqa: ARG001
    """Validation reports that the simulator can build half arithmetic, but cannot run it."""
    pragma = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    assignment = addition_of(tmp_path, "half")
    for name in ("kernels.cl", "baseline.cl"):
        (assignment.reference / name).write_text(pragma + SOURCE.format(type="half"))
    device, run_there = examine(assignment, environment, NO_WORDS).statements
    assert not device.holds
    assert "cannot run half arithmetic in the model solution, so the points of sanitizer stay open" in run_there.seen


def test_sizes_that_do_not_fit_a_device_are_named(tmp_path, environment):
    """A launch with too large groups, and arrays that need more memory than there is, leave submissions ungraded."""
    assignment = addition_of(tmp_path, "float")
    device = environment.look()
    assert list(unfit(assignment, device)) == []
    (launch,) = assignment.launches
    wide = replace(assignment, launches=(launch.of_sizes((2**20,), (2**20,)),))
    with pytest.raises(DeviceError, match=r"launches add with 1,048,576\. Make `local` smaller"):
        graded(tmp_path, environment, wide, SOURCE.format(type="float"))
    cases = (Case(name="huge", sizes={"n": 2**32 - 1}),)
    large = replace(assignment, correctness=replace(assignment.correctness, cases=cases))
    small = replace(device, global_memory=2**30)
    assert list(unfit(large, small)) == [
        f'{device.name} has 1.1 GB of memory, and the arrays of the case "huge" need 51.5 GB. Make its sizes smaller.'
    ]


def test_local_arrays_that_do_not_fit_a_device_are_named(tmp_path, environment):
    """Arrays in local memory have to fit the device. If they do not, submissions stay ungraded."""
    (launch,) = ADDITION["launches"]
    launches = [{**launch, "args": [*launch["args"], "tile"]}]
    assignment = course_of(tmp_path, {**UNTIMED, "local": {"tile": {"shape": ["n"]}}, "launches": launches}).load(
        "small"
    )
    small = replace(environment.look(), local_memory=3999)
    sentence = "has 3,999 bytes of local memory, and the local arrays of add need 4,000. Make their shapes smaller."
    assert next(unfit(assignment, small)) == f"{small.name} {sentence}"


def test_arrays_that_may_be_constant_are_compared_with_the_device(tmp_path, environment):
    """Inputs that kernels may declare as constant memory have to fit a device with less than OpenCL guarantees."""
    assignment = addition_of(tmp_path, "float")
    device = environment.look()
    assert device.constant_memory is not None
    small = replace(device, constant_memory=3999)
    asked = "needs 20,000 if a kernel declares it as __constant. Choose another device."
    has = f"{device.name} has 3,999 bytes of constant memory for an array"
    assert list(unfit(assignment, small)) == [f"{has}, and {name} {asked}" for name in ("x", "y")]
    assert list(unfit(assignment, replace(device, constant_memory=None))) == []
