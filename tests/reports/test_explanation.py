"""explanation.py: the text that `grader explain` prints."""

from samples import RACE, check, failed, result, unchecked

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.reports import terminal
from grader.reports.explanation import render
from grader.results.explanation import Explained
from grader.results.verdicts import Reason

FIRST = replace(
    failed("correctness: one row (height 1)"),
    cause="a sign",
    message="the mistake is in line 7. 5 words are wrong.",
)
SECOND = failed("correctness: one column (height 9)")


def rendered(*checks):
    """Return the explanation of these checks as plain text."""
    return render(Explained(title="Transposition", checks=checks), width=80, color=False)


def test_the_first_cause_is_told_and_the_others_are_named():
    """The first cause is explained, and the other failed checks are listed below it by name."""
    assert rendered(check("build"), SECOND, FIRST) == (
        "Transposition\n"
        "correctness: one row (height 1)  WRONG_OUTPUT\n"
        "    the mistake is in line 7. 5 words are wrong.\n"
        "also failed: one column\n"
    )


def test_places_are_underlined_and_the_help_has_its_label():
    """Lines of the source and the next step look as in the report of `grader grade`."""
    racing = failed("sanitizer (n 9)", kind=Kind.SANITIZER, reason=Reason.DATA_RACE, message=RACE.message)
    racing = replace(racing, help=RACE.help, findings=(RACE,), detail="seen once")
    source = "\n" * (RACE.places[0].line - 1) + f"    {RACE.places[0].text}\n" + "\n" * 20
    text = render(Explained(title="x", checks=(racing,), source=source), width=80, color=False)
    graded = terminal.render(result(racing, source=source), width=80, color=False)
    excerpt = [line for line in text.splitlines() if " | " in line or "help:" in line]
    assert any("^^^" in line for line in excerpt)
    assert excerpt == [line for line in graded.splitlines() if " | " in line or "help:" in line]
    assert text.endswith("    seen once\n")


def test_the_other_checks_of_a_suite_are_listed_by_kernel():
    """Each kernel has a list of its failed checks. Semicolons separate them, because names of cases contain commas."""
    cases = [failed(f"correctness: {name} (n 1)").of_part(part) for part in "ab" for name in ("one, two", "three")]
    text = rendered(FIRST.of_part("a"), *cases)
    assert text.endswith("also failed in a: one, two; three\nalso failed in b: one, two; three\n")


def test_an_error_of_the_whole_file_names_no_kernel():
    """Each kernel of a suite reports that the file does not build. It is one error, which may be in any kernel."""
    unbuilt = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 9: what?")
    assert (
        rendered(unbuilt.of_part("a"), unbuilt.of_part("b")) == "Transposition\nbuild  BUILD_ERROR\n    line 9: what?\n"
    )


def test_what_was_not_run_is_not_said_to_have_failed():
    """A check that did not run is not listed as failed, because its outcome is unknown."""
    unrun = failed("sanitizer (n 9)", kind=Kind.SANITIZER, reason=Reason.NOT_RUN)
    assert "also failed" not in rendered(check("build"), FIRST, unrun)


def test_where_nothing_failed_it_says_so():
    """If nothing failed, the text states this. It mentions the simulator only if the simulator ran."""
    right = check("correctness: one row (height 1)")
    assert rendered(right) == "Transposition\nEvery case that is shown is right.\n"
    seen = check("sanitizer", kind=Kind.SANITIZER)
    assert rendered(right, seen).endswith("Every case that is shown is right. The simulator saw nothing go wrong.\n")
    assert "simulator" not in rendered(right, unchecked())
