"""Gradings of a file that lacks some kernels of a program with cases that run one kernel alone."""

from gradings import grade
from three_kernels import FIELDS, KERNELS, three_kernels, with_cases

from grader.course.rubric import Kind
from grader.results.verdicts import Reason

FIRST, REST = KERNELS.split("__kernel void scanSums")
LAST = "__kernel void addOffsets" + REST.split("__kernel void addOffsets")[1]


def cases_of(result):
    return [check for check in result.checks if check.kind is Kind.CORRECTNESS]


def test_a_kernel_earns_its_points_before_the_others_are_written(tmp_path, environment):
    """A file with only scanBlocks and addOffsets builds, and both kernels earn their points. The cases of the whole
    program fail because scanSums is missing.
    """
    path = tmp_path / "kernels.cl"
    path.write_text(FIRST + LAST)
    result = grade(three_kernels(tmp_path, sanitizer={"points": 3, "sizes": {"n": 16}}), path, environment, seed=4)
    assert not any(check.faults for check in result.checks)
    assert [(check.points, check.max_points) for check in cases_of(result)] == [(5, 5), (7, 7), (0, 4), (0, 4)]
    first = result.first_cause
    assert (first.reason, first.message) == (Reason.KERNEL_MISSING, "the kernel scanSums is missing.")
    sanitizer = next(check for check in result.checks if check.kind is Kind.SANITIZER)
    assert sanitizer.message == "skipped: write the missing kernels first."


def test_a_missing_kernel_fails_its_own_cases(tmp_path, environment):
    """If the file contains only a wrong scanBlocks, the case of addOffsets fails because that kernel is missing. The
    wrong result is listed first, and a hidden case of scanBlocks also runs.
    """
    again = {"name": "again", "sizes": {"n": 8}, "alone": "scanBlocks", "hidden": True}
    cases = [*FIELDS["correctness"]["cases"], again]
    path = tmp_path / "kernels.cl"
    path.write_text(FIRST.replace("sum += data[i];", "sum += 2 * data[i];"))
    correctness = {**FIELDS["correctness"], "cases": cases}
    result = grade(three_kernels(tmp_path, correctness=correctness), path, environment, seed=4)
    wrong, missing = Reason.WRONG_OUTPUT, Reason.KERNEL_MISSING
    assert [check.reason for check in cases_of(result)] == [wrong, missing, missing, missing, wrong]
    assert cases_of(result)[1].message == "the kernel addOffsets is missing."
    assert result.first_cause.label == "scanBlocks alone"


def test_without_cases_of_its_kernels_a_file_does_not_build(tmp_path, environment):
    """The build fails if no case runs one of the file's kernels alone."""
    path = tmp_path / "kernels.cl"
    path.write_text(FIRST)
    only_last = with_cases({"name": "last", "alone": "addOffsets"}, {"name": "whole"})
    result = grade(three_kernels(tmp_path, correctness=only_last), path, environment)
    assert (result.points, result.first_cause.kind) == (0, Kind.BUILD)
    assert result.first_cause.message == "the kernel scanSums is missing."
