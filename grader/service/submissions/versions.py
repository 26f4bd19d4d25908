"""Gradings with an older version of their assignment.

If only points, hiding or titles have changed, a station scores the result again without another run
(station/storage.py). If the measurements have changed, or if the points now need measurements that the result
lacks, the attempt counts as "graded by an older version" until it is graded again. While results are held back, lacking
measurements do not select an attempt, because students see what is graded again.
"""

from collections import Counter
from collections.abc import Container, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from grader.service.course.assignment_view import AssignmentView, Version
from grader.service.db.audit import note_by_station
from grader.service.db.tables.assignments import HoldRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.submissions.claims import Graded


def is_older(grading: GradingRow, version: Version) -> bool:
    """True if only another run can determine the points of this version."""
    return grading.needs_run or grading.measured_sha256 != version.measured


def to_score_again(session: Session, assignment: str, version: Version, most: int) -> Sequence[int]:
    """The numbers of up to `most` counting gradings whose points this version may change without another run."""
    changed = GradingRow.measured_sha256 == version.measured, GradingRow.scored_sha256 != version.scored
    counting = select(GradingRow.id).join(AttemptRow, AttemptRow.counted_id == GradingRow.id)
    wanted = counting.where(AttemptRow.assignment == assignment, *changed)
    return session.scalars(wanted.order_by(GradingRow.id).limit(most)).all()


def store_again(session: Session, grading: GradingRow, scored: Graded, now: datetime) -> None:
    """Replace the stored points of a grading with the new ones."""
    if not _changed(session, grading, {**scored.columns, "needs_run": False}):
        return
    if grading.points != scored.points:
        words = f"scored again because the assignment changed: {grading.points:g} -> {scored.points:g} points"
        note_by_station(session, session.get_one(AttemptRow, grading.attempt_id), words, now)


def needs_a_run(session: Session, grading: GradingRow, version: Version) -> None:
    """Mark that a grading can be scored by this version only after another run."""
    _changed(session, grading, {"needs_run": True, "scored_sha256": version.scored})


def _changed(session: Session, grading: GradingRow, values: dict[str, object]) -> bool:
    """Change a grading. Returns False if another station has changed it first."""
    same = (
        GradingRow.id == grading.id,
        GradingRow.scored_sha256 == grading.scored_sha256,
        GradingRow.state == grading.state,
    )
    return session.scalar(update(GradingRow).where(*same).values(**values).returning(GradingRow.id)) is not None


def older(assignment: AssignmentView) -> ColumnElement[bool]:
    """SQL condition: attempts at an assignment that are selected by the order to grade older ones again."""
    unlike = GradingRow.measured_sha256.is_distinct_from(assignment.version.measured)
    by_result = and_(GradingRow.needs_run, ~GradingRow.held)
    return and_(AttemptRow.assignment == assignment.name, *_GRADED, or_(unlike, by_result))


_OPEN = aliased(GradingRow)
_GRADED = (
    AttemptRow.trial.is_(False),
    ~exists().where(_OPEN.attempt_id == AttemptRow.id, _OPEN.state.in_((State.WAITING, State.RUNNING))),
)
"""SQL condition: attempts with a result that are not being graded again."""


def count_older(session: Session, assignments: Sequence[AssignmentView]) -> Counter[str]:
    """Number of attempts at each assignment that are selected by the order to grade older ones again."""
    held = frozenset(session.scalars(select(HoldRow.assignment)))
    return _count(session, assignments, held)


def count_needing_run(session: Session, assignment: AssignmentView) -> int:
    """Number of attempts at an assignment whose results do not fit its present version, even if results
    are held back.
    """
    return _count(session, [assignment], frozenset())[assignment.name]


def _count(session: Session, assignments: Sequence[AssignmentView], held: Container[str]) -> Counter[str]:
    """Number of attempts at each assignment that must be graded again. At the assignments `held`, `needs_run` is
    ignored.
    """
    measured = AttemptRow.assignment, GradingRow.measured_sha256, GradingRow.needs_run
    counting = select(*measured, func.count()).join(GradingRow, AttemptRow.counted_id == GradingRow.id)
    current = {each.name: each.version.measured for each in assignments}
    found = Counter[str]()
    for name, version, needs_run, number in session.execute(counting.where(*_GRADED).group_by(*measured)):
        if name in current and (version != current[name] or (needs_run and name not in held)):
            found[name] += number
    return found
