"""Differences between a result and what a golden submission expects: verdicts, findings and the explanation."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from grader.authoring.golden import (
    BUILD,
    CASES,
    MEMORY,
    OF_SPEED,
    PERFORMANCE,
    SANITIZER,
    Cause,
    Expectation,
    Golden,
    Reasons,
)
from grader.common.optional import Fault
from grader.common.phrases import listed
from grader.course.assignment import Assignment
from grader.course.expressions import evaluate
from grader.course.rubric import Correctness, Kind
from grader.course.speed_goals import device_class
from grader.results.check import Check, full_marks
from grader.results.findings import lines_named
from grader.results.result import Result
from grader.results.verdicts import FOR_INSTRUCTORS, Reason, Verdict

Value = TypeVar("Value")


def differences(golden: Golden, assignment: Assignment, result: Result) -> tuple[str, ...]:
    """Return one line for each difference from expected.yaml in verdicts, findings or the explanation, and for each
    part of the result that is missing because grader or oracle.py failed.
    """
    expectation = golden.expectation
    lines = [*compare(expectation, assignment, result).differences]
    lines += dict.fromkeys(f"{fault.lost} is missing: {_last_line(fault)}" for fault in result.faults)
    if expectation.finding == "none":
        lines += [f"{called(check)}: findings, must be none" for check in result.checks if check.findings]
    if expectation.cause is not None and _is_decided(expectation.cause, result):
        lines += _unexplained(expectation.cause, assignment, result.first_cause)
    return tuple(lines)


def _last_line(fault: Fault) -> str:
    return fault.traceback.strip().rpartition("\n")[2] or "the grader failed"


def _is_decided(cause: Cause, result: Result) -> bool:
    """True if no skipped check can be the cause. Speed is checked last, so it cannot hide another cause."""
    return skipped(result) <= (set() if cause.reason in OF_SPEED else {PERFORMANCE})


def _unexplained(cause: Cause, assignment: Assignment, check: Check | None) -> Iterator[str]:
    """Yield one line for everything that is missing from the first explanation: from the check's sentences and its
    first finding.
    """
    if check is None or check.reason is not cause.reason:
        yield f"the first cause is {check.reason if check else 'none'}, must be {cause.reason}"
        return
    finding = check.findings[0] if check.findings else None
    words = f"{check.sentences} {finding.message if finding else ''}"
    lines = {*lines_named(check.sentences), *(finding.lines if finding else ())}
    wanted = set(cause.line)
    if len(lines & wanted) < min(2 if check.reason is Reason.DATA_RACE else 1, len(wanted)):
        named = listed(sorted(lines), "and") if lines else "none"
        yield f"the explanation names the lines {named}, must name {listed(sorted(wanted), 'or')}: {words}"
    if cause.says not in words:
        yield f'the explanation does not say "{cause.says}": {words}'
    if cause.stride and not any(f"{stride} bytes apart" in words for stride in _strides(cause, assignment)):
        yield f"the explanation does not say how many bytes neighbours are apart: {words}"


def _strides(cause: Cause, assignment: Assignment) -> Iterator[str]:
    names = assignment.names(assignment.memory.sizes if assignment.memory else {})
    return (f"{evaluate(stride, names):g}" for stride in cause.stride)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The failures that were found and those that were expected, by the names used in expected.yaml.

    Checks that could not run here, and checks without an expectation, appear in neither mapping.
    """

    found: Mapping[str, Reason]
    expected: Mapping[str, tuple[Reason, ...]]

    @property
    def differences(self) -> tuple[str, ...]:
        """One line for each check whose verdict differs from the expected one."""
        names = dict.fromkeys((*self.expected, *self.found))
        if BUILD in self.found and BUILD not in self.expected:
            names = {BUILD: None}  # all other checks fail only because of this one
        return tuple(filter(None, map(self._difference, names)))

    def _difference(self, name: str) -> str:
        found, expected = self.found.get(name), self.expected.get(name, ())
        must = f"must be {listed(expected, 'or')}" if expected else "must pass"
        if found is None:
            return f"{name}: passes, {must}" if expected else ""
        return "" if found in expected else f"{name}: {found}, {must}"


def compare(expectation: Expectation, assignment: Assignment, result: Result) -> Comparison:
    """Compare the verdicts of a result with the verdicts that expected.yaml lists."""
    found = {called(check): check.reason for check in result.checks if check.reason is not None}
    if expectation.open is not None and expectation.open in found.values():
        opened = dict(_where_open(expectation, assignment, result))
        return Comparison(found=_without(found, expectation.luck), expected=_without(opened, expectation.luck))
    expected = dict(_expected(expectation, assignment, device_class(result.provenance.device)))
    unasked = {*skipped(result), *expectation.luck}
    if PERFORMANCE not in expected and not expectation.is_timed:
        unasked.add(PERFORMANCE)
    if any(check.kind is Kind.CORRECTNESS and check.verdict is Verdict.FAILED for check in result.checks):
        unasked |= {name for name in _uncounted(result) if name not in expected}
    if expectation.is_luck:
        unasked |= {*found, *expected} - {SANITIZER}
    return Comparison(found=_without(found, unasked), expected=_without(expected, unasked))


def _without(named: Mapping[str, Value], unasked: Collection[str]) -> dict[str, Value]:
    return {name: value for name, value in named.items() if name not in unasked}


def _uncounted(result: Result) -> Iterator[str]:
    """Yield the memory checks that were not counted because the results of their run were wrong, and the sanitizer
    check if it has no finding.
    """
    kinds = {Kind.MEMORY, Kind.SANITIZER}
    return (called(check) for check in result.checks if check.kind in kinds and check.reason is Reason.NOT_RUN)


def _where_open(
    expectation: Expectation, assignment: Assignment, result: Result
) -> Iterator[tuple[str, tuple[Reason, ...]]]:
    """Yield the expected failures if points are open. Every check that only the device can decide is open. The
    simulator decides memory checks, and also a speed check that requires them.
    """
    assert expectation.open is not None
    undecided = {
        called(check)
        for check in result.checks
        if check.kind in Correctness.kinds or assignment.depends_on_cases(check.kind)
    }
    yield from ((name, (expectation.open,)) for name in undecided)
    decided = {PERFORMANCE} & expectation.fails.keys()
    for name, reasons in _expected(expectation, assignment, device_class(result.provenance.device)):
        if name in decided or name not in undecided | {BUILD}:
            yield name, reasons


def skipped(result: Result) -> set[str]:
    """Return the checks that cannot run here, such as checks that need the simulator."""
    return {
        called(check)
        for check in result.checks
        if check.verdict is Verdict.SKIPPED and check.reason not in FOR_INSTRUCTORS
    }


def called(check: Check) -> str:
    """Return the name of a check in expected.yaml, which is its name without device and sizes."""
    if check.kind is Kind.PERFORMANCE:
        return PERFORMANCE
    return check.label if check.kind in {Kind.CORRECTNESS, Kind.PRACTICE} else check.title


def _expected(
    expectation: Expectation, assignment: Assignment, kind: Literal["cpu", "gpu"]
) -> Iterator[tuple[str, tuple[Reason, ...]]]:
    """Yield the failures of expected.yaml with all shorthands expanded. If a check has two entries, the last one
    counts.
    """
    fails, not_run = expectation.fails, (Reason.NOT_RUN,)
    checks = [full_marks(asked) for section in assignment.sections for asked in section.asked(kind)]
    counting = {called(check) for check in checks if check.kind is Kind.CORRECTNESS}
    is_wrong = CASES in fails or bool(counting & fails.keys())
    for check in checks:
        if BUILD in fails or (is_wrong and assignment.depends_on_cases(check.kind)):
            yield called(check), not_run
    shorthands = {
        CASES: [called(check) for check in checks if check.kind in Correctness.kinds],
        MEMORY: [called(check) for check in checks if check.kind is Kind.MEMORY],
    }
    for name, failure in fails.items():
        if not isinstance(failure, dict):
            yield from ((each, failure) for each in shorthands.get(name, [name]))
        elif name == MEMORY:
            yield from _with_dependants(assignment, failure)
        elif failure.get(kind):
            yield name, failure[kind]


def _with_dependants(assignment: Assignment, failure: Mapping[str, Reasons]) -> Iterator[tuple[str, Reasons]]:
    """Yield the memory checks that fail, and the checks that do not count because they require a failed one."""
    not_run, failing = (Reason.NOT_RUN,), {name for name, reasons in failure.items() if reasons}
    for check in assignment.memory.checks if assignment.memory else ():
        if check.name not in failure and not failing.isdisjoint(check.requires):
            failing.add(check.name)
            yield _memory(check.name), not_run
    yield from ((_memory(name), reasons) for name, reasons in failure.items())


def _memory(check: str) -> str:
    return f"{MEMORY}: {check}"
