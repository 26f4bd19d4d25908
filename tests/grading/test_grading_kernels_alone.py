"""Gradings of an assignment whose kernels also run alone, on right arrays and for points of their own."""

from gradings import grade
from three_kernels import KERNELS, three_kernels

from grader.course.rubric import Kind
from grader.results.verdicts import Reason


def test_a_right_kernel_earns_its_points_next_to_a_wrong_one(tmp_path, environment):
    """With a wrong scanBlocks, addOffsets alone still earns its points. The first cause is scanBlocks alone. The
    right kernels earn all points.
    """
    assignment, path = three_kernels(tmp_path), tmp_path / "kernels.cl"
    path.write_text(KERNELS.replace("sum += data[i];", "sum += 2 * data[i];"))
    result = grade(assignment, path, environment, seed=4)
    checks = [check for check in result.checks if check.kind is Kind.CORRECTNESS]
    assert not any(check.faults for check in checks)
    assert [(check.points, check.max_points) for check in checks] == [(0, 5), (7, 7), (0, 4), (0, 4)]
    first = result.first_cause
    assert (first.label, first.reason) == ("scanBlocks alone", Reason.WRONG_OUTPUT)
    assert first.message.endswith("Only scanBlocks ran, with correct inputs.")
    assert "`sums` is already wrong after launch 2, scanSums" in checks[2].detail
    path.write_text(KERNELS)
    assert grade(assignment, path, environment, seed=4).points == 20
