"""Changes from one grading of a file to the next: points, faults that are gone, and new faults."""

from collections.abc import Container, Iterator, Mapping

from grader.common.phrases import count, listed, share, two_decimals
from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.results.check import Check
from grader.results.result import Result
from grader.results.verdicts import Reason, Verdict

NOUNS: Mapping[Reason, tuple[str, str]] = {
    Reason.BUILD_ERROR: ("build error", "build errors"),
    Reason.FORBIDDEN: ("forbidden construct", "forbidden constructs"),
    Reason.DATA_RACE: ("race", "races"),
    Reason.OUT_OF_BOUNDS: ("access outside an array", "accesses outside an array"),
    Reason.UNINITIALISED: ("read of an unset value", "reads of unset values"),
    Reason.BARRIER_DIVERGENCE: ("barrier that not all reach", "barriers that not all reach"),
    Reason.INPUT_CHANGED: ("write to an input", "writes to inputs"),
    Reason.CRASH: ("crash", "crashes"),
    Reason.TIME_LIMIT: ("loop that was stopped", "loops that were stopped"),
}
"""Names of findings and failed builds, in the singular and plural."""

NAMED = 3
"""Maximum number of cases that the line lists by name. The report above the line lists all of them."""

FALLBACK = ("fault of the build", "faults of the build")

Fault = tuple[Reason, str]
"""The fault, and the text of its line, since line numbers change when a file is edited."""


def since(before: Result, after: Result) -> str:
    """Return the changes on one line, beginning with the points: "68 of 100 (was 100). New: races in lines 10
    and 11.".
    """
    was, now = _faults(before), _faults(after)
    gone, new = _named(was, now), _named(now, was)
    sentences = (
        _points(before, after),
        f"New: {new}" if new else "",
        f"Gone: {gone}" if gone else "",
        *_cases(before, after),
        *_speeds(before, after),
    )
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _points(before: Result, after: Result) -> str:
    was, now = two_decimals(before.points), two_decimals(after.points)
    total = f"{now} points so far" if after.hidden_points else f"{now} of {two_decimals(after.max_points)}"
    return f"Still {total}" if after.points == before.points else f"{total} (was {was})"


def _faults(result: Result) -> dict[Fault, int | None]:
    """Return the line of each fault that has a name."""
    found: dict[Fault, int | None] = {}
    lines = result.source.split("\n")
    for check in result.checks:
        if check.kind is Kind.SANITIZER:
            for finding in check.findings:
                line = next(iter(finding.lines), None)
                found.setdefault((finding.reason, _text(lines, line)), line)
        elif check.kind is Kind.BUILD and check.reason is not None:
            found[check.reason, ""] = check.first_line
    return found


def _named(faults: Mapping[Fault, int | None], others: Container[Fault]) -> str:
    """Return the faults that are not among the others, each kind with its lines, such as "races in lines 10 and 11"."""
    left = [(reason, line) for (reason, text), line in faults.items() if (reason, text) not in others]
    kinds = dict.fromkeys(reason for reason, _ in left)
    named = [_with_lines(kind, [line for reason, line in left if reason is kind]) for kind in kinds]
    return listed(named, "and") if named else ""


def _with_lines(reason: Reason, lines: list[int | None]) -> str:
    one, several = NOUNS.get(reason, FALLBACK)
    known = sorted({line for line in lines if line is not None})
    noun = one if len(lines) == 1 else several
    return f"{noun} in line{'' if len(known) == 1 else 's'} {listed(known, 'and')}" if known else noun


def _text(lines: list[str], line: int | None) -> str:
    return lines[line - 1].strip() if line and line <= len(lines) else ""


def _cases(before: Result, after: Result) -> Iterator[str]:
    """Yield the number of cases that are now right, and the names of cases that are now wrong. If these are many, only
    their number is given.
    """
    was, now = _right(before), _right(after)
    fixed = [name for name in now if now[name] and was.get(name) is False]
    broken = [name for name in now if not now[name] and was.get(name)]
    if fixed:
        yield f"{count(len(fixed), 'more case')} {'is' if len(fixed) == 1 else 'are'} right"
    if broken:
        named = showable(listed(broken, "and")) if len(broken) <= NAMED else count(len(broken), "case")
        yield f"No longer right: {named}"


def _right(result: Result) -> dict[str, bool]:
    cases = [check for check in result.checks if check.kind in {Kind.CORRECTNESS, Kind.PRACTICE}]
    return {
        f"{check.part}: {check.label}" if check.part else check.label: check.verdict is Verdict.PASSED
        for check in cases
    }


def _speeds(before: Result, after: Result) -> Iterator[str]:
    """Yield the current and the previous percentage of the model solution's speed, if both are known."""
    was = {check.part: _speed(check) for check in before.checks if _speed(check)}
    for check in after.checks:
        old, new = was.get(check.part), _speed(check)
        if old and new and old != new:
            yield f"{showable(check.part + ': speed') if check.part else 'Speed'} {new} (was {old})"


def _speed(check: Check) -> str | None:
    fraction = check.performance.fraction_of_reference if check.performance else None
    return share(round(fraction.median, 2)) if fraction else None
