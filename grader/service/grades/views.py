"""Read models for pages: the status of a student at an assignment, a small chart of the points of the attempts, and
gradings that failed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session, selectinload

from grader.common.people import by_name
from grader.common.phrases import count
from grader.course.policies.attempts import Bucket
from grader.service.course import limits
from grader.service.course.assignment_view import AssignmentView
from grader.service.course.groups import history, history_of, past_of, team_at
from grader.service.course.limits import HandInRules
from grader.service.db.tables.decisions import ExclusionRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.grades.final import FinalGrade
from grader.service.grades.publication import held_assignments
from grader.service.grades.visibility import ResultAccess, SeenResult
from grader.service.grades.wording import deduction_in_sentences, lateness_in_words, worth_in_words

EXCLUSIONS = select(ExclusionRow).where(ExclusionRow.attempt_id.in_(bindparam("attempts", expanding=True)))
"""Query for the exclusions of attempts. It is built once because each page of a student runs it."""

WIDTH, HEIGHT = 640, 130
"""Size of the chart in SVG units."""

LEFT, RIGHT, TOP, BOTTOM = 44, 16, 14, 26
"""Margins of the chart, with room for the axis labels."""


@dataclass(frozen=True, kw_only=True)
class AssignmentStatus:
    """A person's attempts at an assignment, latest first, and the one that counts, if any. `rules` are the rules for
    this student. For a person who teaches, whose trial runs have no limits, they are the general rules. `others` are
    the other members of the group. `refusal` is the reason why the person cannot hand in now, or empty. `results` are
    the results that the reader may see, by attempt.
    """

    assignment: AssignmentView
    rules: HandInRules
    attempts: tuple[AttemptRow, ...]
    bucket: Bucket | None
    grade: FinalGrade
    counting: AttemptRow | None
    excluded: Mapping[int, ExclusionRow]
    others: tuple[PersonRow, ...]
    late: bool
    refusal: str
    results: Mapping[int, SeenResult]
    held_back: bool

    @property
    def left(self) -> int | None:
        """Number of attempts left; None if there is no limit. Trial runs do not have a limit."""
        return None if self.bucket is None else self.bucket.left

    @property
    def max_points(self) -> float | None:
        """Maximum points of the assignment; None if the student does not have points."""
        return None if self.grade.points is None else self.grade.most

    @property
    def hidden_points(self) -> float:
        """Points of checks that stay hidden until the release; 0 if the points were set by hand."""
        if self.grade.is_set or self.counting is None or self.counting.counted is None:
            return 0.0
        return self.counting.counted.hidden_points

    @property
    def may_gain(self) -> bool:
        """True if the person can hand in now and does not have all points yet."""
        grade = self.grade
        is_complete = grade.excused or (grade.points is not None and grade.points >= grade.most)
        return not self.refusal and not is_complete

    def hand_in_cost(self, now: datetime) -> str:
        """The cost of handing in at this time, such as "2 days late: 20 % off; 3 of 5 attempts left"; empty if there is
        neither a due date nor a limit.
        """
        late = "" if self.rules.due is None else lateness_in_words(self.grade.cost_of(now))
        left = "" if self.left is None else f"{self.left} of {count(self.rules.attempts or 0, 'attempt')} left"
        return "; ".join(filter(None, (late, left)))

    def is_late(self, attempt: AttemptRow) -> bool:
        """True if an attempt is late according to the dates of its student."""
        return not attempt.trial and limits.is_late(self.rules, attempt.received)

    def deduction(self, attempt: AttemptRow) -> str:
        """The cost of lateness in words; empty if no points are deducted. Works also for an attempt that does not
        count.
        """
        result = None if attempt.trial else self.results.get(attempt.id)
        if result is None or result.points is None:
            return ""
        return worth_in_words(result.points, self.grade.cost_of(attempt.received))


@dataclass(frozen=True, kw_only=True)
class StatusRequest:
    """The person and the time for which a status is requested, and access to the results that the reader may see."""

    person_id: int
    access: ResultAccess
    now: datetime


def statuses_of(
    session: Session, assignments: Sequence[AssignmentView], asked: StatusRequest
) -> tuple[AssignmentStatus, ...]:
    """A person's status at each assignment of the course."""
    grades = asked.access.grades(session, assignments, asked.person_id)
    held = held_assignments(session)
    return tuple(_status(session, each, grades[each.name], asked, held) for each in assignments)


def next_of(statuses: Sequence[AssignmentStatus]) -> AssignmentStatus | None:
    """The assignment that a student should work on next: the one that is due first of those that can still gain points,
    without late ones if there are others. Without dates, it is the first of the course.
    """
    open_ones = [each for each in statuses if each.may_gain]
    return min(open_ones, key=lambda each: (each.late, each.rules.due is None, each.rules.due), default=None)


def status_at(
    session: Session, assignments: Sequence[AssignmentView], name: str, asked: StatusRequest
) -> AssignmentStatus:
    """A person's status at one assignment."""
    assignment = next(each for each in assignments if each.name == name)
    grade = asked.access.grades(session, assignments, asked.person_id)[name]
    return _status(session, assignment, grade, asked, held_assignments(session))


def _status(
    session: Session, assignment: AssignmentView, grade: FinalGrade, asked: StatusRequest, held: Collection[str]
) -> AssignmentStatus:
    """Build a status from the student's rules and the points that the reader may see."""
    person_id, access, now = asked.person_id, asked.access, asked.now
    attempts = history(session, person_id, assignment.name)
    numbers = [each.id for each in attempts]
    team = team_at(session, assignment.policies, person_id)
    is_student = session.get_one(PersonRow, person_id).role == CourseRole.STUDENT
    rules = grade.rules if is_student else assignment.rules
    applied = rules if is_student else limits.TRIAL
    excluded = session.scalars(EXCLUSIONS, {"attempts": numbers}) if numbers else ()
    past = past_of(session, attempts if len(team) == 1 else history_of(session, team, assignment.name), team)
    return AssignmentStatus(
        assignment=assignment,
        rules=rules,
        attempts=tuple(reversed(attempts)),
        bucket=limits.attempts_left(applied, past, now),
        grade=grade,
        counting=next((each for each in attempts if each.id == grade.attempt), None),
        excluded={each.attempt_id: each for each in excluded},
        others=_people(session, team - {person_id}),
        late=limits.is_late(rules, now),
        refusal=limits.refusal(applied, past, 0, now),
        results={each.id: result for each in attempts if (result := access.result(each)) is not None},
        held_back=assignment.name in held,
    )


def deduction_of(
    session: Session, assignments: Sequence[AssignmentView], attempt: AttemptRow, access: ResultAccess
) -> str:
    """The cost of lateness of a graded attempt, in sentences. Works also for an attempt that does not count. Empty if
    the attempt was on time, or if the reader may not see the result.
    """
    result = access.result(attempt)
    if result is None or attempt.trial:
        return ""
    grade = access.grades(session, assignments, attempt.person_id)[attempt.assignment]
    return deduction_in_sentences(result.points or 0.0, grade.cost_of(attempt.received))


def _people(session: Session, numbers: frozenset[int]) -> tuple[PersonRow, ...]:
    if not numbers:
        return ()
    return tuple(by_name(session.scalars(select(PersonRow).where(PersonRow.id.in_(numbers)))))


def faulted(session: Session) -> Sequence[GradingRow]:
    """Gradings of attempts that ended with a fault of the service and have not been repeated, latest first."""
    of_attempts = GradingRow.attempt_id.is_not(None)  # the owner of a dry run simply starts another one
    latest = select(func.max(GradingRow.id)).where(of_attempts).group_by(GradingRow.attempt_id)
    wanted = select(GradingRow).where(GradingRow.state == State.FAULTED, GradingRow.id.in_(latest))
    loaded = selectinload(GradingRow.attempt).selectinload(AttemptRow.person)
    return session.scalars(wanted.options(loaded).order_by(GradingRow.id.desc())).all()


@dataclass(frozen=True, kw_only=True)
class ChartPoint:
    """An attempt with a result, and its position in the chart."""

    number: int
    points: float
    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class PointsChart:
    """The chart. `top` and `bottom` are the vertical positions of all points and of 0 points."""

    points: tuple[ChartPoint, ...]
    most: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM

    @property
    def line(self) -> str:
        """The line through all points, as the attribute `points` of an SVG polyline."""
        return " ".join(f"{each.x:g},{each.y:g}" for each in self.points)


def points_chart(attempts: Sequence[AttemptRow]) -> PointsChart | None:
    """The chart of the attempts with a result that the student may see; None if there are fewer than two, or if the
    assignment is worth 0 points.
    """
    known = [
        (each.number, each.counted.shown_points, each.counted.max_points)
        for each in sorted(attempts, key=lambda one: one.number)
        if each.counted is not None and each.counted.shown_points is not None and each.counted.max_points is not None
    ]
    most = max((each[2] for each in known), default=0.0)
    if len(known) < 2 or most <= 0:
        return None
    step = (WIDTH - LEFT - RIGHT) / (len(known) - 1)
    height = HEIGHT - TOP - BOTTOM
    return PointsChart(
        points=tuple(
            ChartPoint(
                number=number,
                points=points,
                x=round(LEFT + step * place, 1),
                y=round(TOP + height * (1 - min(1.0, max(0.0, points / most))), 1),
            )
            for place, (number, points, _) in enumerate(known)
        ),
        most=most,
    )
