"""Issues of a submission, which are the causes of its lost points. Each cause is reported once.

An issue is a mistake with its line and the next step. It lists all checks that it explains: cases that failed in one
line for one cause, cases whose cause only the simulator knows, and findings with the same help. Checks that were not
run because another check failed have no issue of their own, but the issue of that check explains them. A failed
practice case is an issue, too.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.common.phrases import first_sentence, listed
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.reports.causes import CauseSighting, FailureCause, is_in, sightings_by_cause, unrun_by_cause
from grader.results.check import ONE_LINE, Check
from grader.results.findings import Place
from grader.results.result import Result
from grader.results.verdicts import ABOUT_THE_FILE, Reason

ISSUES_IN_FULL = 5
"""Number of issues that a report describes in full. The others are only listed."""

LABELS = 3
"""Maximum number of checks of a kind that an issue lists by name."""


NOT_KNOWN = 1
"""Line that is reported for an issue whose line is unknown, in formats that need a line."""

ERROR = "error"
LEVELS = {Kind.MEMORY: "slow", Kind.PERFORMANCE: "slow", Kind.PRACTICE: "practice"}
"""Levels of issues by the kind of their checks. All other kinds are errors."""


@dataclass(frozen=True, kw_only=True)
class Issue:
    """A cause of lost points, with the places of a finding, and the checks that the cause explains.

    `number` counts from 1 in reading order. `part` is the kernel of a suite; it is empty if the issue concerns the
    whole file. `message` describes what is wrong, and `help` what to do; `help` may be empty. All lines are in the
    file; `line` is None if no line is known. `evidence` contains values, counts and logs that support the message.
    `lost` is the sum of the lost points of those explained checks that no earlier issue explains. `fingerprint` is
    unique in a result. It stays the same in the next grading, even if the line moves and the inputs change.
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


def issues_of(result: Result) -> tuple[Issue, ...]:
    """Return the issues in the order in which they should be read, with practice cases last."""
    lines, seen, told = lines_of(result), Counter[tuple[str, ...]](), set[str]()
    issues = []
    causes = sightings_by_cause(result, lines)
    unrun = unrun_by_cause(result, causes)
    for number, (cause, sightings) in enumerate(causes.items(), start=1):
        text = lines[cause.line - 1].strip() if cause.line else ""
        identity = (result.assignment, cause.part, cause.kind, cause.reason, cause.subject, text)
        seen[identity] += 1
        checks = _explained(sightings, unrun[cause])
        issues.append(
            Issue(
                number=number,
                part="" if cause.reason in ABOUT_THE_FILE else cause.part,
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


def _explained(sightings: Sequence[CauseSighting], unrun: Sequence[Check]) -> tuple[Check, ...]:
    """Return the checks that a cause explains: those that failed and those that were not run."""
    return tuple({each.name: each for each in (*(sighting.check for sighting in sightings), *unrun)}.values())


def _message(cause: FailureCause, sightings: Sequence[CauseSighting], lines: Sequence[str]) -> str:
    """Return the first message, with the lines of further findings that have the same help."""
    first = sightings[0]
    if first.check.cause == ONE_LINE:  # the others are its consequences
        return first.message
    elsewhere = {each.lines[0] for each in sightings if each.lines and each.check is first.check} - {cause.line}
    also = sorted(line for line in elsewhere if is_in(lines, line))
    if not also:
        return first.message
    return f"{first.message} The same happens in {'line' if len(also) == 1 else 'lines'} {listed(also, 'and')}."


def _places(sightings: Sequence[CauseSighting], lines: Sequence[str]) -> tuple[Place, ...]:
    places = (place for each in sightings for place in each.places if is_in(lines, place.line))
    return tuple(dict.fromkeys(places))


def _hash(identity: Sequence[str]) -> str:
    return hashlib.sha256(showable("\n".join(identity)).encode()).hexdigest()[:32]
