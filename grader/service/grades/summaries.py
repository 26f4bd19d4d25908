"""Grades in brief, as they are stored beside each result: a page about a course reads hundreds, and no whole result.

What is hidden from students is in them, too; the source is not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.record import replace
from grader.results.gradebook import Grade, grade_of
from grader.results.result import Result
from grader.service.db.models import GradingRow


@dataclass(frozen=True, kw_only=True)
class Brief:
    """A grade, and what students are shown of it; neither has the source."""

    grade: Grade
    shown: Grade


BRIEFS = TypeAdapter(Brief)

KEPT = 2000
"""Grades that a process keeps, since the next look at the same page needs them again: some ten kilobytes each."""


def brief_of(result: Result, shown: Result) -> str:
    """A result and what is shown of it in brief, as JSON."""
    return BRIEFS.dump_json(Brief(grade=_without_source(result), shown=_without_source(shown))).decode()


def briefs_in(session: Session, gradings: Sequence[int]) -> dict[int, Brief]:
    """The grades of these gradings that are done, by number."""
    wanted = select(GradingRow.id, GradingRow.brief).where(GradingRow.id.in_(gradings))
    stored = {row.id: row.brief for row in session.execute(wanted)}
    found = {number: _read(brief) for number, brief in stored.items() if brief is not None}
    older = (_from_result(session, number) for number in stored.keys() - found.keys())
    return found | {number: brief for each in older if each is not None for number, brief in [each]}


def _from_result(session: Session, number: int) -> tuple[int, Brief] | None:
    """Of what was graded before grades were kept in brief: the whole result, and the points that students see of it."""
    columns = GradingRow.result, GradingRow.released, GradingRow.early_points, GradingRow.early_max
    row = session.execute(select(*columns).where(GradingRow.id == number)).one()
    if row.result is None:
        return None
    grade = _without_source(Result.model_validate_json(row.result))
    if row.released or (row.early_points, row.early_max) == (grade.points, grade.max_points):
        return number, Brief(grade=grade, shown=grade)
    shown = replace(grade, points=row.early_points, max_points=row.early_max, checks=(), speeds={})
    return number, Brief(grade=grade, shown=shown)


def _without_source(result: Result) -> Grade:
    return replace(grade_of(result), source="")


@lru_cache(maxsize=KEPT)
def _read(brief: str) -> Brief:
    return BRIEFS.validate_json(brief)
