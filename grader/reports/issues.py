"""Issues of a submission, which are the causes of its lost points. Each cause is reported once.

An issue is a mistake with its line and the next step. It lists all checks that it explains: cases that failed in one
line for one cause, cases whose cause only the simulator knows, and findings with the same help. Checks that were not
run because another check failed have no issue of their own, but the issue of that check explains them. A failed
practice case is an issue, too.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.common.phrases import count, first_sentence, listed
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.results.check import ONE_LINE, UNSTEADY, Check, Place, Reason, Verdict
from grader.results.result import Result

ISSUES_IN_FULL = 5
"""Number of issues that a report describes in full. The others are only listed."""

LABELS = 3
"""Maximum number of checks of a kind that an issue lists by name."""

FINDINGS = 50
"""Maximum number of findings of a check that become issues. A kernel can have a thousand findings with only a few
causes.
"""

NOT_KNOWN = 1
"""Line that is reported for an issue whose line is unknown, in formats that need a line."""

ERROR = "error"
LEVELS = {Kind.MEMORY: "slow", Kind.PERFORMANCE: "slow", Kind.PRACTICE: "practice"}
"""Levels of issues by the kind of their checks. All other kinds are errors."""

QUOTED = re.compile(r'"([^"]+)"')
"""Matches the names of the checks that another check requires, in the message of a check that was not counted."""

CASES = frozenset({Kind.CORRECTNESS, Kind.PRACTICE})
"""Kinds whose checks nearly always fail for a common cause. Which of them fail depends on the inputs."""


@dataclass(frozen=True, kw_only=True)
class Issue:
    """A cause of lost points, with the places of a finding, and the checks that the cause explains.

    `number` counts from 1 in reading order. `message` describes what is wrong, and `help` what to do; `help` may be
    empty. All lines are in the file; `line` is None if no line is known. `evidence` contains values, counts and logs
    that support the message. `lost` is the sum of the lost points of those explained checks that no earlier issue
    explains. `fingerprint` is unique in a result. It stays the same in the next grading, even if the line moves and the
    inputs change.
    """

    number: int
    part: str
    kind: Kind
    reason: Reason
    message: str
    help: str
    line: int | None
    places: tuple[Place, ...]
    evidence: tuple[str, ...]
    checks: tuple[Check, ...]
    lost: float
    fingerprint: str

    @property
    def level(self) -> str:
        """First word of the issue: "error", "slow" or "practice"."""
        return LEVELS.get(self.kind, ERROR)

    @property
    def marked_lines(self) -> tuple[int, ...]:
        """Lines that are blamed, which are the line of the issue and the lines of its places."""
        lines = (*([] if self.line is None else [self.line]), *(place.line for place in self.places))
        return tuple(dict.fromkeys(lines))

    @property
    def seen_in(self) -> str:
        """Names of the explained checks, such as "sanitizer; correctness: one row, ragged". Checks that were not run
        are left out.
        """
        made = [check for check in self.checks if check.reason is not Reason.NOT_RUN]
        kinds = dict.fromkeys(check.kind for check in made)
        labels = {kind: _few([check.label for check in made if check.kind is kind]) for kind in kinds}
        return "; ".join(": ".join(filter(None, (kind, labels[kind]))) for kind in kinds)

    @property
    def text(self) -> str:
        """Message, help and names of checks, for formats that have one text per issue."""
        seen_in = f"{self.part}: {self.seen_in}" if self.part else self.seen_in
        return " ".join(filter(None, (self.message, self.help, f"Seen in {showable(seen_in)}.")))


@dataclass(frozen=True, kw_only=True)
class _Cause:
    """Parts that distinguish an issue from others. `subject` is the cause of wrong cases, or else the label of the
    check. `line` is None if no line is known.
    """

    part: str
    kind: Kind
    reason: Reason
    subject: str
    line: int | None


@dataclass(frozen=True, kw_only=True)
class _Sighting:
    """A cause as it appears in one check, with the lines to look at in order."""

    check: Check
    reason: Reason
    message: str
    help: str
    lines: tuple[int, ...]
    places: tuple[Place, ...] = ()
    evidence: tuple[str, ...] = ()


def issues_of(result: Result) -> tuple[Issue, ...]:
    """Return the issues in the order in which they should be read, with practice cases last."""
    lines, seen, told = lines_of(result), Counter[tuple[str, ...]](), set[str]()
    issues = []
    causes = _sightings_by_cause(result, lines)
    unrun = _unrun_by_cause(result, causes)
    for number, (cause, sightings) in enumerate(causes.items(), start=1):
        text = lines[cause.line - 1].strip() if cause.line else ""
        identity = (result.assignment, cause.part, cause.kind, cause.reason, cause.subject, text)
        seen[identity] += 1
        checks = _explained(sightings, unrun[cause])
        issues.append(
            Issue(
                number=number,
                part=cause.part,
                kind=cause.kind,
                reason=cause.reason,
                message=showable(_message(cause, sightings, lines)),
                help=showable(sightings[0].help),
                line=cause.line,
                places=_places(sightings, lines),
                evidence=tuple(dict.fromkeys(words for each in sightings for words in each.evidence)),
                checks=checks,
                lost=sum(check.lost for check in checks if check.name not in told),
                fingerprint=_hash((*identity, str(seen[identity]))),
            )
        )
        told |= {check.name for check in checks}
    return tuple(issues)


def told_once(result: Result) -> Result:
    """Return the result for reports that list checks. A check refers to the check that reports their common cause
    first, and its own message becomes evidence.
    """
    told: dict[str, Check] = {}
    for issue in issues_of(result):
        for check in issue.checks:
            told.setdefault(check.name, issue.checks[0])
    return replace(result, checks=tuple(_referring(check, told.get(check.name, check)) for check in result.checks))


def _referring(check: Check, told: Check) -> Check:
    """Return a failed check with a reference to the check that reports its cause."""
    if told.name == check.name or check.reason is Reason.NOT_RUN:
        return check
    return replace(
        check,
        message=f"same cause as {told.name}: {first_sentence(told.message)}",
        help="",
        detail="\n".join(filter(None, (check.message, check.detail))),
    )


def lines_of(result: Result) -> list[str]:
    """Return the lines of the submission, as editors count them."""
    return result.source.removesuffix("\n").split("\n")


def numbers_of(issues: Iterable[Issue]) -> Mapping[str, tuple[int, ...]]:
    """Return the numbers of the issues that explain each check, by the name of the check."""
    numbers: dict[str, tuple[int, ...]] = {}
    for issue in issues:
        for check in issue.checks:
            numbers[check.name] = (*numbers.get(check.name, ()), issue.number)
    return numbers


def _few(labels: Sequence[str]) -> str:
    """Return the first labels, and the number of the others."""
    others = len(labels) - LABELS
    return ", ".join((*labels[:LABELS], *([f"{others} more"] if others > 0 else [])))


def _sightings_by_cause(result: Result, lines: Sequence[str]) -> dict[_Cause, list[_Sighting]]:
    found: dict[_Cause, list[_Sighting]] = {}
    for check in (*result.failures, *_practice(result)):
        for sighting in _sightings(check):
            cause = _cause(sighting, lines)
            found.setdefault(_found_before(cause, sighting, found) or cause, []).append(sighting)
    return found


def _explained(sightings: Sequence[_Sighting], unrun: Sequence[Check]) -> tuple[Check, ...]:
    """Return the checks that a cause explains: those that failed and those that were not run."""
    return tuple({each.name: each for each in (*(sighting.check for sighting in sightings), *unrun)}.values())


def _unrun_by_cause(result: Result, causes: Iterable[_Cause]) -> Mapping[_Cause, list[Check]]:
    """Return the checks that were not run, by the cause that prevented them.

    A check that requires others waits for the first of them that failed. Any other check waits for the first cause in
    its kernel. If the build of a kernel was not run, the file does not build, which the first cause explains.
    """
    firsts: dict[str, _Cause] = {}
    by_label: dict[tuple[str, str], _Cause] = {}
    for cause in causes:
        if cause.kind is not Kind.PRACTICE:
            firsts.setdefault(cause.part, cause)
            by_label.setdefault((cause.part, cause.subject), cause)
    found = defaultdict[_Cause, list[Check]](list)
    for check in (each for each in result.checks if each.reason is Reason.NOT_RUN):
        if check.kind is Kind.BUILD and firsts:
            firsts.setdefault(check.part, next(iter(firsts.values())))
        required = (by_label.get((check.part, name)) for name in QUOTED.findall(check.message))
        preventing = next(filter(None, required), firsts.get(check.part))
        if preventing is not None:
            by_label.setdefault((check.part, check.label), preventing)
            found[preventing].append(check)
    return found


def _message(cause: _Cause, sightings: Sequence[_Sighting], lines: Sequence[str]) -> str:
    """Return the first message, with the lines of further findings that have the same help."""
    first = sightings[0]
    if first.check.cause == ONE_LINE:  # the others are its consequences
        return first.message
    elsewhere = {each.lines[0] for each in sightings if each.lines and each.check is first.check} - {cause.line}
    also = sorted(line for line in elsewhere if _is_in(lines, line))
    if not also:
        return first.message
    return f"{first.message} The same happens in {'line' if len(also) == 1 else 'lines'} {listed(also, 'and')}."


def _places(sightings: Sequence[_Sighting], lines: Sequence[str]) -> tuple[Place, ...]:
    places = (place for each in sightings for place in each.places if _is_in(lines, place.line))
    return tuple(dict.fromkeys(places))


def _practice(result: Result) -> Iterator[Check]:
    return (each for each in result.checks if each.kind is Kind.PRACTICE and each.shown_verdict is Verdict.FAILED)


def _sightings(check: Check) -> Iterator[_Sighting]:
    """Yield a sighting for each finding, and one for the check itself if its message does not contain any of them."""
    assert check.reason is not None
    evidence = tuple(filter(None, (check.detail,)))
    if not any(finding.message in check.message for finding in check.findings):
        yield _Sighting(
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
        yield _Sighting(
            check=check,
            reason=finding.reason,
            message=check.message if told else finding.message,
            help=finding.help,
            lines=finding.lines,
            places=finding.places,
            evidence=(*times, *(evidence if told else ())),
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


def _found_before(cause: _Cause, sighting: _Sighting, found: Mapping[_Cause, list[_Sighting]]) -> _Cause | None:
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


def _is_in(lines: Sequence[str], line: int) -> bool:
    """True if the file has this line. A compiler also reports line numbers that are invented by `#line` in the file."""
    return 1 <= line <= len(lines)


def _hash(identity: Sequence[str]) -> str:
    return hashlib.sha256(showable("\n".join(identity)).encode()).hexdigest()[:32]
