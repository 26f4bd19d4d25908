"""Causes of the failures of a submission, and the checks in which each cause was seen."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.common.phrases import count
from grader.course.rubric import Kind
from grader.results.check import ONE_LINE, UNSTEADY, Check
from grader.results.findings import Place
from grader.results.result import Result
from grader.results.verdicts import Reason, Verdict

FINDINGS = 50
"""Maximum number of findings of a check that become issues. A kernel can have a thousand findings with only a few
causes.
"""

QUOTED = re.compile(r'"([^"]+)"')
"""Matches the names of the checks that another check requires, in the message of a check that was not counted."""

CASES = frozenset({Kind.CORRECTNESS, Kind.PRACTICE})
"""Kinds whose checks nearly always fail for a common cause. Which of them fail depends on the inputs."""


@dataclass(frozen=True, kw_only=True)
class FailureCause:
    """Parts that distinguish an issue from others. `subject` is the cause of wrong cases, or else the label of the
    check. `line` is None if no line is known.
    """

    part: str
    kind: Kind
    reason: Reason
    subject: str
    line: int | None


@dataclass(frozen=True, kw_only=True)
class CauseSighting:
    """A cause as it appears in one check, with the lines to look at in order."""

    check: Check
    reason: Reason
    message: str
    help: str
    lines: tuple[int, ...]
    places: tuple[Place, ...] = ()
    evidence: tuple[str, ...] = ()


def sightings_by_cause(result: Result, lines: Sequence[str]) -> dict[FailureCause, list[CauseSighting]]:
    """Return the causes in reading order, each with its sightings."""
    found: dict[FailureCause, list[CauseSighting]] = {}
    for check in (*result.failures, *_practice(result)):
        for sighting in _sightings(check):
            cause = _cause(sighting, lines)
            found.setdefault(_found_before(cause, sighting, found) or cause, []).append(sighting)
    return found


def unrun_by_cause(result: Result, causes: Iterable[FailureCause]) -> Mapping[FailureCause, list[Check]]:
    """Return the checks that were not run, by the cause that prevented them.

    A check that requires others waits for the first of them that failed. Any other check waits for the first cause in
    its kernel. If the build of a kernel was not run, the file does not build, which the first cause explains.
    """
    firsts: dict[str, FailureCause] = {}
    by_label: dict[tuple[str, str], FailureCause] = {}
    for cause in causes:
        if cause.kind is not Kind.PRACTICE:
            firsts.setdefault(cause.part, cause)
            by_label.setdefault((cause.part, cause.subject), cause)
    found = defaultdict[FailureCause, list[Check]](list)
    for check in (each for each in result.checks if each.reason is Reason.NOT_RUN):
        if check.kind is Kind.BUILD and firsts:
            firsts.setdefault(check.part, next(iter(firsts.values())))
        required = (by_label.get((check.part, name)) for name in QUOTED.findall(check.message))
        preventing = next(filter(None, required), firsts.get(check.part))
        if preventing is not None:
            by_label.setdefault((check.part, check.label), preventing)
            found[preventing].append(check)
    return found


def _practice(result: Result) -> Iterator[Check]:
    return (each for each in result.checks if each.kind is Kind.PRACTICE and each.shown_verdict is Verdict.FAILED)


def _sightings(check: Check) -> Iterator[CauseSighting]:
    """Yield a sighting for each finding, and one for the check itself if its message does not contain any of them."""
    assert check.reason is not None
    evidence = tuple(filter(None, (check.detail,)))
    if not any(finding.message in check.message for finding in check.findings):
        yield CauseSighting(
            check=check,
            reason=check.reason,
            message=check.message,
            help=check.help,
            lines=check.lines,
            evidence=evidence,
        )
    for finding in check.findings[:FINDINGS]:
        times = (f"seen {count(finding.times, 'time')}",) if finding.times > 1 else ()
        told = finding.message in check.message  # the check's message also contains the sizes of the run
        yield CauseSighting(
            check=check,
            reason=finding.reason,
            message=check.message if told else finding.message,
            help=finding.help,
            lines=finding.lines,
            places=finding.places,
            evidence=(*times, *(evidence if told else ())),
        )


def _cause(sighting: CauseSighting, lines: Sequence[str]) -> FailureCause:
    check = sighting.check
    return FailureCause(
        part=check.part,
        kind=check.kind,
        reason=sighting.reason,
        subject=check.cause if check.kind in CASES else check.label,
        line=next((line for line in sighting.lines if is_in(lines, line)), None),
    )


def _found_before(
    cause: FailureCause, sighting: CauseSighting, found: Mapping[FailureCause, list[CauseSighting]]
) -> FailureCause | None:
    """Return an earlier cause that explains this sighting, too.

    If a correction of one line is proved to be enough, this line and all that it corrects are one mistake. A finding
    with the same help as an earlier one is the same mistake in another line. A line that uses memory badly is one
    mistake, even if two checks measure it. A case with the line of an earlier cause is also the same mistake if its
    help or its cause is equal. A case is a consequence of the first finding in its kernel if its cause is unknown, or
    if its results change from launch to launch.
    """
    earlier = [each for each in found if each.part == cause.part]
    corrected = next((each for each in earlier if found[each][0].check.cause == ONE_LINE), None)
    if corrected is not None and (sighting.check.cause == ONE_LINE or cause.line == corrected.line):
        return corrected
    alike = [each for each in earlier if sighting.help and found[each][0].help == sighting.help]
    findings = [each for each in earlier if each.kind is Kind.SANITIZER]
    if cause.kind is Kind.MEMORY and cause.line is not None:
        kin = (each for each in alike if each.kind is cause.kind and each.reason is cause.reason)
        return next((each for each in kin if each.line == cause.line), None)
    if cause.kind not in CASES:
        return next((each for each in alike if each in findings and each.reason is cause.reason), None)
    alike += [each for each in earlier if cause.subject and each.subject == cause.subject]
    same = next((each for each in alike if each.line == cause.line), None)
    is_unexplained = cause.subject in {"", UNSTEADY}
    return same if same is not None or not is_unexplained else next(iter(findings), None)


def is_in(lines: Sequence[str], line: int) -> bool:
    """True if the file has this line. A compiler also reports line numbers that are invented by `#line` in the file."""
    return 1 <= line <= len(lines)
