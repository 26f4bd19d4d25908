"""Groups of checks, which are the rows of a report: the checks of a kind, or those that were not made for the same
reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.common.phrases import share_of, three_digits
from grader.course.rubric import Kind
from grader.reports.causes import CASES
from grader.reports.words import unreached_in_words
from grader.results.check import Check
from grader.results.metrics import Performance
from grader.results.verdicts import OUTSTANDING, Reason, Verdict

STATES = {
    Verdict.PASSED: "passed",
    Verdict.PARTIAL: "partly",
    Verdict.FAILED: "failed",
    Verdict.SKIPPED: "skipped",
    Verdict.HIDDEN: "hidden",
}
OPEN = "open"
"""Word for checks that are not decided yet."""

SIGNS = {"passed": "✓", "partly": "◐", "failed": "✗", "skipped": "-", "hidden": "?", OPEN: "○"}
"""A sign for each state, so that a state has more than its colour."""


@dataclass(frozen=True, kw_only=True)
class CheckGroup:
    """Checks that share a row. `causes` contains the numbers of the issues that explain the lost points. `why` states
    why the checks were not made, or what to do; it is empty for other checks.
    """

    state: str
    label: str
    checks: tuple[Check, ...]
    causes: tuple[int, ...] = ()
    why: str = ""

    @property
    def points(self) -> float | None:
        """Points of the checks, or None if they are hidden."""
        return earned(self.checks)

    @property
    def max_points(self) -> float:
        """Full points of the checks."""
        return worth(self.checks)


def groups_of(
    checks: Sequence[Check], unreached: Sequence[Check], numbers: Mapping[str, tuple[int, ...]]
) -> Iterator[CheckGroup]:
    """Yield the groups of one kernel. Checks that failed only because of a failed build form one group, which comes
    last.
    """
    for kind in Kind:
        yield from _groups_of_kind([each for each in checks if each.kind is kind and each not in unreached], numbers)
    unrun = tuple(check for check in checks if check in unreached)
    if unrun:
        label = unreached_in_words(unrun)
        yield CheckGroup(state=STATES[Verdict.SKIPPED], label=label, checks=unrun, why=unrun[0].message)


def state_of(check: Check) -> str:
    """Return the word for the state of a check."""
    return OPEN if check.reason in OUTSTANDING else STATES[check.shown_verdict]


def earned(checks: Sequence[Check]) -> float | None:
    """Return the points of these checks, or None if they are hidden."""
    return None if all(check.reason is Reason.HIDDEN for check in checks) else sum(check.points for check in checks)


def worth(checks: Sequence[Check]) -> float:
    """Return the full points of these checks."""
    return sum(check.max_points for check in checks)


def _groups_of_kind(checks: Sequence[Check], numbers: Mapping[str, tuple[int, ...]]) -> Iterator[CheckGroup]:
    """Yield a group of the checks that were made, and a group for each reason why others were not made."""
    made = [check for check in checks if check.shown_verdict in {Verdict.PASSED, Verdict.PARTIAL, Verdict.FAILED}]
    if made:
        causes = sorted({number for check in made for number in numbers.get(check.name, ())})
        yield CheckGroup(state=STATES[_verdict(made)], label=_label(made), checks=tuple(made), causes=tuple(causes))
    rest = [check for check in checks if check not in made]
    for message in dict.fromkeys(check.message for check in rest):
        yield _unmade([check for check in rest if check.message == message])


def _verdict(checks: Sequence[Check]) -> Verdict:
    """Return the common verdict of these checks, or PARTIAL if their verdicts differ."""
    verdicts = {check.shown_verdict for check in checks}
    return verdicts.pop() if len(verdicts) == 1 else Verdict.PARTIAL


def _label(checks: Sequence[Check]) -> str:
    """Return the label of a group, which states how many of its checks passed, or its speed."""
    kind, passed = checks[0].kind, sum(check.verdict is Verdict.PASSED for check in checks)
    if len(checks) > 1:
        things = "cases" if kind in CASES else "checks"
        if passed < len(checks):
            return f"{kind}: {passed} of {len(checks)} {things}"
        return f"{kind}: both {things}" if passed == 2 else f"{kind}: all {passed} {things}"
    return _name(checks[0])


def _name(check: Check) -> str:
    """Return the name of a check, with its speed if that was measured."""
    return check.own_name if check.performance is None else f"{check.own_name}, {_speed(check.performance)}"


def _speed(performance: Performance) -> str:
    """Return the rate, with the share of the model solution's speed if that is known."""
    rate = f"{three_digits(performance.rate.median)} {performance.unit}"
    if performance.fraction_of_reference is None:
        return rate
    return f"{rate}, {share_of(performance.fraction_of_reference.median)} the model"


def _unmade(checks: Sequence[Check]) -> CheckGroup:
    """Return the group of the checks of one kind that were not made for the same reason."""
    first = checks[0]
    names = ", ".join(check.label or check.kind for check in checks)
    several = f"{first.kind}: {names}" if first.reason in OUTSTANDING else f"{first.kind}: {len(checks)} checks"
    return CheckGroup(
        state=state_of(first),
        label=_name(first) if len(checks) == 1 else several,
        checks=tuple(checks),
        why=first.sentences if first.reason in OUTSTANDING else first.message,
    )
