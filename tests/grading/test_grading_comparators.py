"""Gradings by rules for whole arrays, of kernels without inputs, and with an oracle that judges."""

import pytest
from courses import course_of
from gradings import grade
from untimed import UNTIMED

from grader.authoring.rewards import accepted
from grader.common.errors import SolutionError
from grader.course.rubric import Kind
from grader.results.verdicts import Reason, Verdict

SQUARES = """__kernel void add(__global uint *z, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        z[i] = i * i;
}
"""

ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(n, **_):
    return {"z": Truth(value=np.arange(n, dtype=np.uint32) ** 2)}
"""

JUDGE = """import numpy as np

def expected(**_):
    return {}

def check(got, n, **_):
    z = got["z"]
    wrong = np.flatnonzero(np.sqrt(z.astype(float)) % 1)
    return f"z[{wrong[0]}] is {z[wrong[0]]}, which is no square." if wrong.size else None
"""


def assignment_of(folder, tolerance, oracle=ORACLE):
    """Return an assignment without input arrays: the squares of the indices."""
    launch = {"kernel": "add", "args": ["z", "n"], "global": ["ceil_to(n, GROUP)"], "local": ["GROUP"]}
    fields = {
        **UNTIMED,
        "buffers": {"z": {"type": "uint", "shape": ["n"], "tolerance": tolerance}},
        "launches": [launch],
        "baseline": [launch],
    }
    fields.pop("memory")
    return course_of(folder, fields, SQUARES, oracle).load("small")


def cases(tmp_path, environment, assignment, source):
    """Return the checks of the cases for this source text."""
    path = tmp_path / "kernels.cl"
    path.write_text(source)
    result = grade(assignment, path, environment, seed=5)
    assert not any(check.faults for check in result.checks)
    return [check for check in result.checks if check.kind is Kind.CORRECTNESS]


@pytest.mark.whole
def test_a_kernel_without_inputs(tmp_path, environment):
    """A correct kernel without input arrays passes, and a wrong one gets the usual words."""
    assignment = assignment_of(tmp_path, {"rule": "exact"})
    assert {each.verdict for each in cases(tmp_path, environment, assignment, SQUARES)} == {Verdict.PASSED}
    wrong = cases(tmp_path, environment, assignment, SQUARES.replace("i * i", "i * i + 7"))[-1]
    assert wrong.reason is Reason.WRONG_OUTPUT
    assert "`z` is off by 7 everywhere" in wrong.message


@pytest.mark.whole
def test_a_share_of_the_elements_may_differ(tmp_path, environment):
    """One wrong element of a thousand passes at 1 %, one of ten does not, and the message gives both shares."""
    assignment = assignment_of(tmp_path, {"rule": "share", "at_most": 0.01})
    few = SQUARES.replace("i * i", "i == 500 ? 7 : i * i")
    assert {each.verdict for each in cases(tmp_path, environment, assignment, few)} == {Verdict.PASSED}
    many = cases(tmp_path, environment, assignment, SQUARES.replace("i * i", "i % 10 == 5 ? 7 : i * i"))[-1]
    assert many.verdict is Verdict.FAILED
    assert "10 % of the elements differ; 1 % may." in many.detail


@pytest.mark.whole
def test_any_order_is_right(tmp_path, environment):
    """The right elements in reverse order pass. A value that is there twice fails, and the message names it."""
    assignment = assignment_of(tmp_path, {"rule": "multiset"})
    reverse = SQUARES.replace("i * i", "(n - 1 - i) * (n - 1 - i)")
    assert {each.verdict for each in cases(tmp_path, environment, assignment, reverse)} == {Verdict.PASSED}
    twice = cases(tmp_path, environment, assignment, SQUARES.replace("i * i", "i == 5 ? 16 : i * i"))[-1]
    assert twice.verdict is Verdict.FAILED
    assert "16 is there more often than expected" in twice.message + twice.detail


def test_the_oracle_may_judge_in_words(tmp_path, environment):
    """`check` of oracle.py accepts any squares, and its sentence is the message for everything else."""
    assignment = assignment_of(tmp_path, {"rule": "judge"}, JUDGE)
    other = SQUARES.replace("i * i", "(i + 1) * (i + 1)")
    assert {each.verdict for each in cases(tmp_path, environment, assignment, other)} == {Verdict.PASSED}
    wrong = cases(tmp_path, environment, assignment, SQUARES.replace("i * i", "i * i + 7"))[-1]
    assert (wrong.reason, wrong.message) == (Reason.WRONG_OUTPUT, "z[0] is 7, which is no square.")


@pytest.mark.whole
def test_a_judge_that_fails_is_our_fault(tmp_path, environment):
    """An exception in `check`, or an answer that is no sentence, leaves the submission ungraded and names the file."""
    for number, answer in enumerate(("1 / 0", "False")):
        oracle = JUDGE.replace('z = got["z"]', f"return {answer}")
        assignment = assignment_of(tmp_path / str(number), {"rule": "judge"}, oracle)
        with pytest.raises(SolutionError, match=r"oracle\.py, line \d+: `check` "):
            cases(tmp_path, environment, assignment, SQUARES)


def test_validation_finds_what_a_judge_accepts_without_computing(tmp_path):
    """Arrays of zeros are squares, so validation names them as a result that takes no computing."""
    found = {each.what for each in accepted(assignment_of(tmp_path, {"rule": "judge"}, JUDGE))}
    assert "zeros" in found
    assert "nothing" not in found
