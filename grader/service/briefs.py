"""Grades in brief, as they are stored beside each result: a page about a course reads hundreds, and no whole result.

What is hidden from students is in them; the source is not.
"""

from collections.abc import Sequence
from functools import lru_cache

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.record import replace
from grader.results.gradebook import Grade, grade_of
from grader.results.result import Result
from grader.service.database.tables import GradingRow

GRADES = TypeAdapter(Grade)

KEPT = 2000
"""Grades that a process keeps, since the next look at the same page needs them again: some ten kilobytes each."""


def brief_of(result: Result) -> str:
    """A result in brief, as JSON."""
    return GRADES.dump_json(replace(grade_of(result), source="")).decode()


def grades_in(session: Session, gradings: Sequence[int]) -> dict[int, Grade]:
    """The grades of these gradings that are done, by number. Of what was graded before grades were kept in brief, the
    whole result is read.
    """
    wanted = select(GradingRow.id, GradingRow.brief).where(GradingRow.id.in_(gradings))
    stored = {row.id: row.brief for row in session.execute(wanted)}
    found = {number: _grade(brief) for number, brief in stored.items() if brief is not None}
    for number in stored.keys() - found.keys():
        whole = session.scalar(select(GradingRow.result).where(GradingRow.id == number))
        if whole is not None:
            found[number] = replace(grade_of(Result.model_validate_json(whole)), source="")
    return found


@lru_cache(maxsize=KEPT)
def _grade(brief: str) -> Grade:
    return GRADES.validate_json(brief)
