"""Issues of a submission, which code reviews show next to the lines of kernels.cl.

An issue is a cause of lost points, or of a practice case that failed. Each cause is one issue. Checks that failed only
because another check failed have none. Cases that failed in one line for one cause share an issue, which names them.
A case without a known line joins the sanitizer's issue with the same reason, if there is one.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.results.check import Check, Place, Reason, Verdict
from grader.results.result import Result

NOT_KNOWN = 1
"""Line for an issue whose real line is unknown. Code reviews do not show issues without a line."""

CASES = frozenset({Kind.CORRECTNESS, Kind.PRACTICE})
"""Kinds with checks that nearly always fail for a common cause. The inputs decide which of them fail."""


@dataclass(frozen=True, kw_only=True)
class Issue:
    """A cause, its line, and the places of a finding. All lines are in the file.

    `fingerprint` is unique in a result. It stays the same in the next grading, even if the line moves and the inputs
    change.
    """

    reason: Reason
    kind: Kind
    message: str
    line: int
    places: tuple[Place, ...]
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class _Cause:
    """Parts that distinguish an issue from others. `subject` is the cause of wrong cases, or else the check's label.
    `line` is None if no line is known.
    """

    part: str
    kind: Kind
    reason: Reason
    subject: str
    line: int | None


@dataclass(frozen=True, kw_only=True)
class _Sighting:
    """A cause as one check shows it, with the lines to look at in this order."""

    check: Check
    reason: Reason
    message: str
    lines: tuple[int, ...]
    places: tuple[Place, ...] = ()


def issues_of(result: Result) -> tuple[Issue, ...]:
    """Return the issues in the order in which they should be read, practice cases last."""
    lines, seen = lines_of(result), Counter[tuple[str, ...]]()
    found: dict[_Cause, list[_Sighting]] = {}
    for check in (*result.failures, *_practice(result)):
        for sighting in _sightings(check):
            cause = _cause(sighting, lines)
            found.setdefault(_found_before(cause, found) or cause, []).append(sighting)
    issues = []
    for cause, sightings in found.items():
        text = lines[cause.line - 1].strip() if cause.line else ""
        identity = (result.assignment, cause.part, cause.kind, cause.reason, cause.subject, text)
        seen[identity] += 1
        issues.append(
            Issue(
                reason=cause.reason,
                kind=cause.kind,
                message=_message(cause, sightings),
                line=cause.line or NOT_KNOWN,
                places=tuple(place for place in sightings[0].places if _is_in(lines, place.line)),
                fingerprint=_hash((*identity, str(seen[identity]))),
            )
        )
    return tuple(issues)


def lines_of(result: Result) -> list[str]:
    """Return the lines of the submission, as editors count them."""
    return result.source.removesuffix("\n").split("\n")


def _practice(result: Result) -> Iterator[Check]:
    return (each for each in result.checks if each.kind is Kind.PRACTICE and each.shown_verdict is Verdict.FAILED)


def _sightings(check: Check) -> Iterator[_Sighting]:
    """Yield a sighting for each finding, and one for the check if its message is about none of them."""
    assert check.reason is not None
    if not any(finding.message in check.message for finding in check.findings):
        yield _Sighting(check=check, reason=check.reason, message=check.sentences, lines=check.lines)
    for finding in check.findings:
        told = finding.message in check.message  # the check's message also names the sizes of the run
        yield _Sighting(
            check=check,
            reason=finding.reason,
            message=check.sentences if told else f"{finding.message} {finding.help}",
            lines=finding.lines,
            places=finding.places,
        )


def _cause(sighting: _Sighting, lines: Sequence[str]) -> _Cause:
    check = sighting.check
    return _Cause(
        part=check.part,
        kind=check.kind,
        reason=sighting.reason,
        subject=check.cause if check.kind in CASES else check.label,
        line=next((line for line in sighting.lines if _is_in(lines, line)), None),
    )


def _found_before(cause: _Cause, found: Iterable[_Cause]) -> _Cause | None:
    """Return the finding with the same reason in the same kernel, if the cause has no line that could differ."""
    if cause.line is not None:
        return None
    alike = (each for each in found if (each.part, each.reason) == (cause.part, cause.reason))
    return next((each for each in alike if each.kind is Kind.SANITIZER), None)


def _is_in(lines: Sequence[str], line: int) -> bool:
    """True if the file has this line. A compiler also names lines that `#line` in the file invents."""
    return 1 <= line <= len(lines)


def _message(cause: _Cause, sightings: Sequence[_Sighting]) -> str:
    """Return the message of the check to read first, and the names of all checks."""
    checks = dict.fromkeys((sighting.check.kind, sighting.check.label) for sighting in sightings)
    kinds = dict.fromkeys(kind for kind, _ in checks)
    labels = {kind: ", ".join(label for its_kind, label in checks if its_kind is kind) for kind in kinds}
    names = (": ".join(filter(None, (cause.part, kind, labels[kind]))) for kind in kinds)
    return showable(f"{sightings[0].message} Seen in {'; '.join(names)}.")


def _hash(identity: Sequence[str]) -> str:
    return hashlib.sha256(showable("\n".join(identity)).encode()).hexdigest()[:32]
