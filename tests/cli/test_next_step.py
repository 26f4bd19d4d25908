"""next_step.py: the sentence about the next step after a grading."""

import pytest
from samples import BUILD, RACE, SLOW, check, failed, result

from grader.cli.next_step import next_step
from grader.cli.remote import sign_in_file
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.results.check import Reason, Verdict

WRONG = failed("correctness: one (n 1)")
FOUND = failed("correctness: one (n 1)", message="line 3 adds once too often.")
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
    """Each command is named where it tells more than the report, with the arguments of the grading."""
    assert next_step(result(*checks), "", " mine -a x").startswith(said)


@pytest.mark.parametrize("checks", [(UNBUILT,), (BUILD, FOUND), (BUILD, RACED, WASTEFUL), (BUILD,)], ids=range(4))
def test_no_command_is_named_where_the_report_has_said_all(checks):
    """A report that names the line of the first cause, and a passed one, need no command."""
    assert next_step(result(*checks), "", "") is None


def test_the_skeleton_is_recognised():
    """An unchanged skeleton is no mystery, so no command that searches for a mistake is named."""
    graded = replace(result(BUILD, WRONG), source="void x();\n")
    assert next_step(graded, "void x();", "").startswith("this is still the skeleton: write your kernel")


def test_a_passed_file_is_handed_in_from_a_terminal_that_is_signed_in(signed_out):
    """A signed-in terminal names `grader submit` if no check failed, also if another machine decides the rest."""
    (signed_out / "sign-in.json").touch()
    elsewhere = check("p", Kind.PERFORMANCE, Verdict.SKIPPED, 0, 9, reason=Reason.DECIDED_ELSEWHERE, message="no.")
    assert next_step(result(BUILD), "", "") == "`grader submit` hands this kernel in."
    assert next_step(result(BUILD, elsewhere), "", " mine") == "`grader submit mine` hands this kernel in."
    assert next_step(result(BUILD, RACED), "", "") is None
