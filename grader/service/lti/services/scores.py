"""Scores for the gradebooks of learning platforms, and their states.

    final grade that the student sees -> queue_scores() -> to send -> delivery.py -> sent
                                                              ^                   -> refused
                                                              +---- send_again() ----+

Scores are found by comparing final grades with the table of scores. Therefore every change of a grade leads to a new
score: a grading, a regrade, a decision by hand, an exclusion, an extension, or a new date in a file. The score of an
assignment is sent only when students see its whole result. A student who has handed in nothing has no score, which is
not a zero.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from grader.service.course.assignment_view import AssignmentView
from grader.service.db.outbox import SendState
from grader.service.db.session import Database, in_batches
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.lti import LtiContextRow, LtiLineItemRow, LtiMemberRow, LtiScoreRow
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import AttemptRow
from grader.service.grades.final import FinalGrade
from grader.service.grades.publication import held_assignments, hides, release_of
from grader.service.grades.visibility import shown_grades_of_all

MAX_COMMENT_LENGTH = 500

SCORES_PER_TRANSACTION = 200
"""Number of scores that are stored in one transaction, by two statements that take about ten milliseconds."""

Place = tuple[int, int, str]
"""The course of a platform, the person, and the assignment of a score."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """The content of a score. Without points, the gradebook must not contain a score."""

    points: float | None
    most: float
    comment: str
    submitted: datetime | None

    @property
    def value(self) -> str:
        """A text that is equal for equal scores."""
        at = "" if self.submitted is None else self.submitted.isoformat()
        return f"{self.points}|{self.most}|{at}|{self.comment}"


def score_in(row: LtiScoreRow) -> Score:
    """The score in a row."""
    return Score(points=row.points, most=row.most, comment=row.comment, submitted=row.submitted)


def queue_scores(database: Database, assignments: Sequence[AssignmentView], now: datetime) -> int:
    """Queue the scores that differ from those in the table, and return their number."""
    with database.reading() as session:
        wanted = dict(_wanted(session, assignments))
        rows = session.scalars(select(LtiScoreRow))
        known: dict[Place, Score] = {(row.context_id, row.person_id, row.assignment): score_in(row) for row in rows}
    for place in known.keys() & wanted.keys():
        if known[place] == wanted[place]:
            del wanted[place]
    changed = [(place, score) for place, score in wanted.items() if place in known or score.points is not None]
    in_batches(database, changed, lambda session, some: _store(session, dict(some), now), SCORES_PER_TRANSACTION)
    return len(changed)


def _wanted(session: Session, assignments: Sequence[AssignmentView]) -> Iterator[tuple[Place, Score]]:
    """The current score of each member of a connected course, for each assignment that the course uses and whose whole
    result is published.
    """
    used = (
        select(LtiLineItemRow.context_id, LtiLineItemRow.assignment)
        .join(LtiContextRow, LtiContextRow.id == LtiLineItemRow.context_id)
        .where(LtiContextRow.connected.is_not(None))
    )
    columns = [(context, name) for context, name in session.execute(used)]
    published = _published(session, assignments, {name for _, name in columns})
    if not published:
        return
    grades, attempts = shown_grades_of_all(session, assignments), _attempts(session, published)
    members: dict[int, list[int]] = {}
    active = select(LtiMemberRow.context_id, LtiMemberRow.person_id).join(
        PersonRow, PersonRow.id == LtiMemberRow.person_id
    )
    for context, person in session.execute(active.where(LtiMemberRow.left.is_(None))):
        members.setdefault(context, []).append(person)
    for context, name in columns:
        for person in members.get(context, ()) if name in published else ():
            grade = grades.get((person, name))
            if grade is not None:
                yield (context, person, name), _score(grade, attempts)


def _published(session: Session, assignments: Sequence[AssignmentView], used: set[str]) -> set[str]:
    """Names of the used assignments whose complete results students can see."""
    held = held_assignments(session)
    found = [each for each in assignments if each.name in used - held]
    return {each.name for each in found if not hides(session, each) or release_of(session, each.name) is not None}


def _attempts(session: Session, names: set[str]) -> dict[int, tuple[int, datetime]]:
    """Number and time of arrival of each attempt at these assignments."""
    wanted = select(AttemptRow.id, AttemptRow.number, AttemptRow.received).where(AttemptRow.assignment.in_(names))
    return {number: (attempt, received) for number, attempt, received in session.execute(wanted)}


def _score(grade: FinalGrade, attempts: Mapping[int, tuple[int, datetime]]) -> Score:
    number, received = (None, None) if grade.attempt is None else attempts.get(grade.attempt, (None, None))
    words = filter(None, (f"Attempt {number}" if number else "", grade.in_words))
    comment = ". ".join(words)[:MAX_COMMENT_LENGTH]
    return Score(points=grade.points, most=grade.most, comment=comment, submitted=received)


def _store(session: Session, scores: Mapping[Place, Score], now: datetime) -> None:
    """Store scores that have changed. A score that has changed back to what arrived last is not sent."""
    columns = LtiScoreRow.context_id, LtiScoreRow.person_id, LtiScoreRow.assignment
    people = {person for _, person, _ in scores}
    stored = select(*columns, LtiScoreRow.id, LtiScoreRow.sent_value).where(LtiScoreRow.person_id.in_(people))
    known = {(context, person, name): (number, sent) for context, person, name, number, sent in session.execute(stored)}
    added, changed = [], []
    for place, score in scores.items():
        if place in known:
            number, sent = known[place]
            changed.append({"id": number, **_columns(score, sent, now)})
        else:
            context, person, name = place
            named = {"context_id": context, "person_id": person, "assignment": name, "sent_value": ""}
            added.append({**named, **_columns(score, "", now)})
    if added:
        session.execute(insert(LtiScoreRow), added)
    if changed:
        session.execute(update(LtiScoreRow), changed)


def _columns(score: Score, sent_value: str, now: datetime) -> dict[str, Any]:
    """The columns of a row that change when its score changes."""
    content = {"points": score.points, "most": score.most, "comment": score.comment, "submitted": score.submitted}
    state = SendState.SENT if score.value == sent_value else SendState.TO_SEND
    return {**content, "state": state, "changed": now, "tries": 0, "not_before": now, "words": ""}


def send_again(session: Session, rows: Sequence[LtiScoreRow], who: str, now: datetime) -> None:
    """Send these scores again, even if they were sent before. Platforms refuse a time that is not later than the last
    one, so the scores get the current time.
    """
    for row in rows:
        row.state, row.tries, row.not_before, row.changed, row.words = SendState.TO_SEND, 0, now, now, ""
    if rows:
        session.add(AuditRow(at=now, who=who, about="", what=f"sent {len(rows)} scores to the learning platform again"))
