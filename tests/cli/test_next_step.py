"""next_step.py: the suggestion after a grading."""

import pytest
from samples import BUILD, RACE, SLOW, check, failed, result

from grader.cli.next_step import next_step
from grader.cli.remote import sign_in_file
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.results.verdicts import Reason, Verdict

WRONG = failed("correctness: one (n 1)")
FOUND = failed("correctness: one (n 1)", message="line 3 adds once too often.")
LACKING = failed("correctness: one (n 1)", reason=Reason.KERNEL_MISSING)
RACED = failed("sanitizer (n 70)", kind=Kind.SANITIZER, reason=Reason.DATA_RACE, findings=(RACE,))
WASTEFUL = failed("memory: words read", kind=Kind.MEMORY, reason=Reason.EXTRA_TRAFFIC)
UNWATCHED = check("sanitizer", Kind.SANITIZER, Verdict.SKIPPED, 0, 12, reason=Reason.NO_SIMULATOR, message="no.")
UNBUILT = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 5: what?")


@pytest.fixture(autouse=True)
def signed_out(tmp_path, monkeypatch):
    """A terminal that is not signed in."""
    monkeypatch.setattr(sign_in_file, "path", lambda: tmp_path / "sign-in.json")
    return tmp_path


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ((BUILD, WRONG), "`grader explain mine -a x` searches longer for the wrong line"),
        ((BUILD, WASTEFUL), "`grader profile mine -a x` shows the memory accesses"),
        ((BUILD, SLOW), "`grader run mine -a x` times this kernel"),
        ((BUILD, UNWATCHED), "`grader setup` installs the simulator."),
    ],
    ids=["wrong", "wasteful", "slow", "unwatched"],
)
def test_the_first_cause_decides_which_command_helps(checks, said):
    """A command is suggested, with the arguments of the grading, if it shows more than the report."""
    assert next_step(result(*checks), "", " mine -a x").startswith(said)


@pytest.mark.parametrize(
    "checks", [(UNBUILT,), (BUILD, FOUND), (BUILD, LACKING), (BUILD, RACED, WASTEFUL), (BUILD,)], ids=range(5)
)
def test_no_command_is_named_where_the_report_has_said_all(checks):
    """No command is suggested if the report shows the line of the first cause, or if every check passed."""
    assert next_step(result(*checks), "", "") is None


def test_the_skeleton_is_recognised():
    """For an unchanged skeleton, no command that searches for a mistake is suggested."""
    graded = replace(result(BUILD, WRONG), source="void x();\n")
    assert next_step(graded, "void x();", "").startswith("this is still the skeleton: write your kernel")


def test_a_passed_file_is_handed_in_from_a_terminal_that_is_signed_in(signed_out):
    """If the terminal is signed in and no check failed, `grader submit` is suggested.

    This is also true if some checks are decided on another machine.
    """
    (signed_out / "sign-in.json").touch()
    elsewhere = check("p", Kind.PERFORMANCE, Verdict.SKIPPED, 0, 9, reason=Reason.DECIDED_ELSEWHERE, message="no.")
    assert next_step(result(BUILD), "", "") == "`grader submit` hands this kernel in."
    assert next_step(result(BUILD, elsewhere), "", " mine") == "`grader submit mine` hands this kernel in."
    assert next_step(result(BUILD, RACED), "", "") is None
