"""Changes from one grading of a file to the next: points, faults that are gone, and new faults."""

from collections.abc import Iterator, Mapping

from grader.common.phrases import count, listed
from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.reports.words import score_in_words
from grader.results.check import Check, Reason, Verdict
from grader.results.result import Result

NOUNS: Mapping[Reason, str] = {
    Reason.BUILD_ERROR: "the build error",
    Reason.FORBIDDEN: "what may not be used",
    Reason.DATA_RACE: "the race",
    Reason.OUT_OF_BOUNDS: "the access outside an array",
    Reason.UNINITIALISED: "the read of what nobody has written",
    Reason.BARRIER_DIVERGENCE: "the barrier that not all reach",
    Reason.INPUT_CHANGED: "the write to an input",
    Reason.CRASH: "the crash",
    Reason.TIME_LIMIT: "the loop that was stopped",
}
"""Names of findings and failed builds."""

Fault = tuple[str, str]
"""The fault, and the text of its line, since numbers of lines change when a file is edited."""


def since(before: Result, after: Result) -> tuple[str, ...]:
    """Return a sentence for each change, points first."""
    gone, new = _faults(before), _faults(after)
    return (
        _points(before, after),
        *(f"{noun}{_place(line)} is gone" for fault, (noun, line) in gone.items() if fault not in new),
        *(
            f"new: {noun.removeprefix('the ')}{_place(line)}"
            for fault, (noun, line) in new.items()
            if fault not in gone
        ),
        *_cases(before, after),
        *_speeds(before, after),
    )


def _points(before: Result, after: Result) -> str:
    total = score_in_words(after.points, after.max_points, (), after.hidden_points)
    difference = after.points - before.points
    return f"{difference:+g}: {total}" if difference else f"still {total}"


def _faults(result: Result) -> dict[Fault, tuple[str, int | None]]:
    """Return the faults that have a name: the noun and the line of each."""
    found: dict[Fault, tuple[str, int | None]] = {}
    lines = result.source.split("\n")
    for check in result.checks:
        if check.kind is Kind.SANITIZER:
            for finding in check.findings:
                line = next(iter(finding.lines), None)
                named = NOUNS.get(finding.reason, finding.reason), line
                found.setdefault((finding.reason, _text(lines, line)), named)
        elif check.kind is Kind.BUILD and check.reason is not None:
            found[check.reason, ""] = NOUNS.get(check.reason, "the fault of the build"), check.first_line
    return found


def _text(lines: list[str], line: int | None) -> str:
    return lines[line - 1].strip() if line and line <= len(lines) else ""


def _place(line: int | None) -> str:
    return f" in line {line}" if line else ""


def _cases(before: Result, after: Result) -> Iterator[str]:
    """Yield the number of cases that are now right, and the names of cases that are now wrong."""
    was, now = _right(before), _right(after)
    fixed = [name for name in now if now[name] and was.get(name) is False]
    broken = [name for name in now if not now[name] and was.get(name)]
    if fixed:
        yield f"{count(len(fixed), 'case')} more right"
    if broken:
        yield f"not right any more: {showable(listed(broken, 'and'))}"


def _right(result: Result) -> dict[str, bool]:
    kinds = {Kind.CORRECTNESS, Kind.PRACTICE}
    return {check.title: check.verdict is Verdict.PASSED for check in result.checks if check.kind in kinds}


def _speeds(before: Result, after: Result) -> Iterator[str]:
    """Yield the present and the former per cent of the model solution's speed, if both are known."""
    was = {check.part: _speed(check) for check in before.checks if _speed(check)}
    for check in after.checks:
        old, new = was.get(check.part), _speed(check)
        if old and new and old != new:
            yield f"{showable(check.part + ': ') if check.part else ''}speed {new}, before {old}"


def _speed(check: Check) -> str | None:
    fraction = check.performance.fraction_of_reference if check.performance else None
    return f"{100 * fraction.median:.0f} %" if fraction else None
