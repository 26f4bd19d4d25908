"""Brief grades, which are stored with each result. A page about the course reads hundreds of them instead of whole
results. They contain hidden checks but not the source.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.results.gradebook import Grade, grade_of
from grader.results.result import Result
from grader.service.db.tables.submissions import GradingRow


@dataclass(frozen=True, kw_only=True)
class Brief:
    """A grade, and the part of it that students see. Neither contains the source."""

    grade: Grade
    shown: Grade


BRIEFS = TypeAdapter(Brief)

CACHED_BRIEFS = 2000
"""Number of brief grades that a process caches for later requests of the same page. Each takes about ten kilobytes."""


def brief_of(result: Result, shown: Result) -> str:
    """The brief grade of a result and of the part that students see, as JSON."""
    return BRIEFS.dump_json(Brief(grade=_without_source(result), shown=_without_source(shown))).decode()


def briefs_in(session: Session, gradings: Sequence[int]) -> dict[int, Brief]:
    """Brief grades of these gradings, by number. Gradings that have not ended are left out."""
    wanted = select(GradingRow.id, GradingRow.brief).where(GradingRow.id.in_(gradings))
    return {row.id: _read(row.brief) for row in session.execute(wanted) if row.brief is not None}


def _without_source(result: Result) -> Grade:
    return replace(grade_of(result), source="")


@lru_cache(maxsize=CACHED_BRIEFS)
def _read(brief: str) -> Brief:
    return BRIEFS.validate_json(brief)
