"""A batch in numbers, for the overview: sums, quartiles, histograms, and the failures by check."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from statistics import quantiles

from grader.common.people import sort_key
from grader.course.rubric import Kind
from grader.results.gradebook import Grade, Mark, StudentRow
from grader.results.verdicts import FOR_INSTRUCTORS, OUTSTANDING, Reason, Verdict

QUARTILES_FROM = 8
"""Number of values from which quartiles tell more than the values themselves."""

CASES = {Kind.CORRECTNESS: "correctness", Kind.PRACTICE: "practice, for no points"}
"""Headings for the cases of each kind."""


@dataclass(frozen=True, kw_only=True)
class Sums:
    """Numbers of rows by kind, and the points of graded rows. `unchecked` counts rows with open checks, and `by_hand`
    the graded rows without a graded file.
    """

    rows: int
    handed_in: int
    graded: int
    by_hand: int
    passed: int
    unchecked: int
    ungraded: int
    excused: int
    excluded: int
    absent: int
    late: int
    points: float
    max_points: float


@dataclass(frozen=True, kw_only=True)
class Incomplete:
    """Checks that were not made for the same reason: the students, the largest number of points that one of them lacks,
    and the message of the first check. Students are identified by the platform's key if there is one, and otherwise by
    label.
    """

    reason: Reason
    students: tuple[str, ...]
    points: float
    message: str


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How a quantity is presented: its name, the sign after a number, and the edges of its bins.

    `end` is shown in place of the last edge.
    """

    label: str
    sign: str
    edges: tuple[float, ...]
    end: str = "more"


POINTS = Scale(
    label="per cent of the points",
    sign=" %",
    edges=(0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0, inf),
    end="all",
)
"""The last bin contains the students with all points."""

SPEED_UP = Scale(
    label="times the naive kernel's speed", sign=" x", edges=(0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, inf)
)
"""Each edge is twice the previous one, since speeds are compared by ratios."""

FRACTION = Scale(
    label="per cent of the model solution's speed",
    sign=" %",
    edges=(0.0, 20.0, 40.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0, 150.0, inf),
)
"""Bins are narrow where bands of points end."""


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Numbers of values in the bins of a scale. Bin i contains the values with edges[i] <= value < edges[i + 1]."""

    scale: Scale
    counts: tuple[int, ...]

    def name(self, i: int) -> str:
        """Return a bin in words, such as "70 to 80 %" or "32 x or more"."""
        low, high = self.scale.edges[i : i + 2]
        return f"{low:g}{self.scale.sign} or more" if high == inf else f"{low:g} to {high:g}{self.scale.sign}"


@dataclass(frozen=True, kw_only=True)
class Quartiles:
    """The minimum, the quartiles and the maximum of some values."""

    least: float
    low: float
    median: float
    high: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A reason, and the cause if one was found, with the headings of the checks and the labels of the students with it.

    `message` is the check's message for the first student; `cause` may be empty.
    """

    reason: Reason | None
    cause: str
    message: str
    checks: tuple[str, ...]
    students: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The cause; without one, the message for one student as an example."""
        return self.cause or self.message


@dataclass(frozen=True, kw_only=True)
class Family:
    """Checks that are reported together, such as all correctness cases: the number of submissions that failed some of
    them, and the failures.

    `not_run` is the number of submissions in which these checks were not reached, for example after a failed build. A
    submission is listed under every failure that occurs in it.
    """

    name: str
    failed: int
    not_run: int
    failures: tuple[Failure, ...]


@dataclass(frozen=True, kw_only=True)
class CaseCount:
    """A case of correctness or practice: the numbers of submissions that passed it, failed it and did not reach it, and
    the most common reason for a failure.
    """

    name: str
    passed: int
    failed: int
    not_run: int
    reason: str


def cases(rows: Iterable[StudentRow]) -> tuple[CaseCount, ...]:
    """Return each case, in the order of the assignment."""
    by_case: dict[str, list[Mark]] = {}
    for mark in (mark for grade in grades(rows) for mark in grade.checks if mark.kind in CASES):
        by_case.setdefault(mark.name, []).append(mark)
    return tuple(_case(name, marks) for name, marks in by_case.items())


def _case(name: str, marks: Sequence[Mark]) -> CaseCount:
    ran = [mark for mark in marks if mark.reason is not Reason.NOT_RUN and mark.verdict is not Verdict.SKIPPED]
    reasons = Counter(str(mark.reason) for mark in ran if mark.verdict is not Verdict.PASSED)
    return CaseCount(
        name=name,
        passed=sum(mark.verdict is Verdict.PASSED for mark in ran),
        failed=reasons.total(),
        not_run=len(marks) - len(ran),
        reason=reasons.most_common(1)[0][0] if reasons else "",
    )


def grades(rows: Iterable[StudentRow]) -> tuple[Grade, ...]:
    """Return the grades of the rows that have one."""
    return tuple(row.grade for row in rows if row.grade is not None)


def sums_of(rows: tuple[StudentRow, ...]) -> Sums:
    """Return the totals of some rows."""
    status, found = Counter(row.status for row in rows), grades(rows)
    return Sums(
        rows=len(rows),
        handed_in=status["graded"] + status["ungraded"] + status["excluded"],
        graded=status["graded"],
        by_hand=sum(grade.is_by_hand for grade in found),
        passed=sum(grade.passed for grade in found),
        unchecked=sum(bool(grade.unchecked) for grade in found),
        ungraded=status["ungraded"],
        excused=status["excused"],
        excluded=status["excluded"],
        absent=status["absent"],
        late=sum(row.late for row in rows),
        points=sum(grade.points for grade in found),
        max_points=sum(grade.max_points for grade in found),
    )


def incomplete(rows: Iterable[StudentRow]) -> Iterator[Incomplete]:
    """Yield the open checks of some grades, by reason. Yields nothing if everything is decided."""
    found = tuple((row.student, row.grade.checks) for row in rows if row.grade is not None)
    for why in OUTSTANDING:
        open_ones = ((student, [mark for mark in checks if mark.reason is why]) for student, checks in found)
        lacking = [(student, left) for student, left in open_ones if left]
        if lacking:
            yield Incomplete(
                reason=why,
                students=tuple(student.key or student.label for student, _ in lacking),
                points=max(sum(mark.max_points for mark in left) for _, left in lacking),
                message=lacking[0][1][0].message,
            )


def per_cent(grade: Grade) -> float:
    """Return the points as a percentage of all points that could be earned, or 100 if there were none."""
    return 100 * grade.points / grade.max_points if grade.max_points else 100.0


def histogram(values: Iterable[float], scale: Scale) -> Histogram:
    """Count finite values in bins. A value beyond the first or the last edge goes into the nearest bin."""
    last = len(scale.edges) - 2
    bins = Counter(min(max(0, bisect_right(scale.edges, value) - 1), last) for value in values if isfinite(value))
    return Histogram(scale=scale, counts=tuple(bins[i] for i in range(len(scale.edges) - 1)))


def quartiles(values: Iterable[float]) -> Quartiles | None:
    """Return the quartiles of the finite values, including both ends, or None if there are no values."""
    found = sorted(value for value in values if isfinite(value))
    if not found:
        return None
    low, middle, high = quantiles(found, method="inclusive") if len(found) > 1 else (found[0],) * 3
    return Quartiles(least=found[0], low=low, median=middle, high=high, most=found[-1])


def family_of(mark: Mark) -> str:
    """Return the heading of a check: its name without sizes. All cases share one heading. In a suite, the cases of each
    kernel share one.
    """
    return ": ".join(filter(None, (mark.part, CASES.get(mark.kind, mark.title))))


def families(rows: tuple[StudentRow, ...]) -> tuple[Family, ...]:
    """Return the families in which a submission failed a check. Those with the most failures come first."""
    by_family: dict[str, list[tuple[str, Mark]]] = {}
    for label, mark in _failed(rows):
        by_family.setdefault(family_of(mark), []).append((label, mark))
    found = (_family(name, each) for name, each in by_family.items())
    return tuple(sorted(found, key=lambda family: (-family.failed, -family.not_run, family.name)))


def causes_of(rows: Iterable[StudentRow]) -> tuple[Failure, ...]:
    """Return the causes of failed checks in these rows, the most frequent first. Checks that are skipped after another
    failure have no cause of their own.
    """
    return _failures((label, mark) for label, mark in _failed(rows) if mark.reason is not Reason.NOT_RUN)


def to_decide(rows: Iterable[StudentRow]) -> tuple[Failure, ...]:
    """Return the reasons why an instructor must decide checks in these rows, the most frequent first."""
    return _failures((label, mark) for label, mark in _marks(rows) if mark.reason in FOR_INSTRUCTORS)


def _failed(rows: Iterable[StudentRow]) -> Iterator[tuple[str, Mark]]:
    return ((label, mark) for label, mark in _marks(rows) if mark.verdict in {Verdict.FAILED, Verdict.PARTIAL})


def _marks(rows: Iterable[StudentRow]) -> Iterator[tuple[str, Mark]]:
    """Yield the checks of graded files, with the label of the student."""
    for row in rows:
        for mark in row.grade.checks if row.grade and not row.grade.is_by_hand else ():
            yield row.student.label, mark


def _family(name: str, marks: list[tuple[str, Mark]]) -> Family:
    ran = [(label, mark) for label, mark in marks if mark.reason is not Reason.NOT_RUN]
    failed = {label for label, _ in ran}
    return Family(
        name=name,
        failed=len(failed),
        not_run=len({label for label, _ in marks} - failed),
        failures=_failures(ran),
    )


def _failures(marks: Iterable[tuple[str, Mark]]) -> tuple[Failure, ...]:
    """Group failed checks by their cause, the most frequent first. Among equally frequent ones, causes come before
    examples.
    """
    by_cause: dict[tuple[Reason | None, str], list[tuple[str, Mark]]] = {}
    for label, mark in marks:
        by_cause.setdefault((mark.reason, mark.cause), []).append((label, mark))
    failures = map(_failure, by_cause.values())
    return tuple(
        sorted(failures, key=lambda each: (-len(each.students), not each.cause, str(each.reason), each.sentence))
    )


def _failure(marks: list[tuple[str, Mark]]) -> Failure:
    _, first = min(marks, key=lambda each: sort_key(each[0]))
    return Failure(
        reason=first.reason,
        cause=first.cause,
        message=first.message,
        checks=tuple(dict.fromkeys(family_of(mark) for _, mark in marks)),
        students=tuple(sorted({label for label, _ in marks}, key=sort_key)),
    )
