"""Handmade results with each kind of mistake, for tests of reports that show issues in the source."""

from samples import BUILD, RACE, SLOW, SOURCE, SPEED, UNGRADED, check, failed, result, unchecked

from grader.course.rubric import Kind
from grader.results.findings import Finding, Place
from grader.results.verdicts import Reason, Verdict

MISSING_CHECK = unchecked()

NOT_RUN = failed("performance: cpu (height 1)", Reason.NOT_RUN, "skipped: fix the wrong results first.").model_copy(
    update={"kind": Kind.PERFORMANCE}
)

OUTSIDE = Finding(
    reason=Reason.OUT_OF_BOUNDS,
    message="line 13 reads outside `A`.",
    help="The guard of the load is missing.",
    places=(Place(line=13, text="", words="work-item (7, 0) of group (1, 0) reads A[99]"),),
    times=3,
)


def of_kind(kind, name, reason, message, **more):
    """Return a failed check of this kind."""
    return check(name, kind, Verdict.FAILED, points=0.0, reason=reason, message=message, **more)


def found(*findings):
    """Return a check by the simulator with these findings."""
    first = findings[0]
    message = f"at height 3, {first.message}"
    return of_kind(Kind.SANITIZER, "sanitizer (height 3)", first.reason, message, help=first.help, findings=findings)


def wrong(case, value, line=17, cause="", part=""):
    """Return a failed case, whose message contains a value that depends on the inputs."""
    message = f"C[0] is wrong: got {value}. Follow one element by hand: line {line} writes `C`."
    return failed(f"correctness: {case} (n {len(case)})", message=message, cause=cause).of_part(part)


UNBUILT = of_kind(Kind.BUILD, "build", Reason.BUILD_ERROR, "line 2: expected '}' or {0}, [see](http://example.org).")
WRONG = (wrong("one", 1.5), wrong("ragged", 2.5), wrong("large", 3.5, line=21))
PRACTICE = of_kind(Kind.PRACTICE, "practice: odd (n 3)", Reason.WRONG_OUTPUT, "line 4 is wrong.")
WASTEFUL = (
    of_kind(Kind.MEMORY, "memory: every word read once", Reason.EXTRA_TRAFFIC, "line 17 reads too many words."),
    of_kind(Kind.MEMORY, "memory: one word written", Reason.EXTRA_TRAFFIC, "line 17 writes too many words."),
)
HIDDEN = unchecked("correctness: secret (n 9)", Kind.CORRECTNESS, 5, Reason.HIDDEN, "its outcome is shown later.")
NON_ASCII = '/* \U0001d54f \u00e9 */\n\t__kernel void \u00fc() { "\U0001d54f" }  \n'

OUTCOMES = {
    "right": result(BUILD, check("correctness: one"), SPEED, source=SOURCE),
    "wrong output": result(BUILD, *WRONG, NOT_RUN, source=SOURCE),
    "race": result(BUILD, *WRONG, found(RACE), NOT_RUN, source=SOURCE),
    "build error": result(UNBUILT, NOT_RUN, source=SOURCE),
    "out of bounds": result(BUILD, found(OUTSIDE, RACE), source=SOURCE),
    "too slow": result(BUILD, SLOW, source=SOURCE),
    "memory": result(BUILD, *WASTEFUL, SPEED, source=SOURCE),
    "practice": result(BUILD, PRACTICE, source=SOURCE),
    "suite": result(
        *(each.of_part("first") for each in (BUILD, SLOW)),
        *(each.of_part("second") for each in (BUILD, found(RACE), SLOW)),
        wrong("one", 1.5, part="second"),
        source=SOURCE,
    ),
    "hidden": result(BUILD, HIDDEN, source=SOURCE),
    "unchecked": result(BUILD, MISSING_CHECK, source=SOURCE),
    "other lines": result(BUILD, failed("correctness: x", message="line 900 and line 0 are wrong."), source=SOURCE),
    "empty": result(UNBUILT, source=""),
    "non-ASCII": result(failed("correctness: \u00e9", message="line 2: \x1b \U0001d54f."), source=NON_ASCII),
    "ungraded": UNGRADED,
}
"""Outcomes by the kind of mistake."""

GRADED = {name: outcome for name, outcome in OUTCOMES.items() if outcome is not UNGRADED}
