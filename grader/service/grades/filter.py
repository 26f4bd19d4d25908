"""Pure functions that select and sort the students in the table of the course by the filter in the query string."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from grader.common.people import has_words
from grader.common.record import Record
from grader.service.course.assignment_view import AssignmentView
from grader.service.grades.views import CourseLine, CourseTable

Show = Literal["everybody", "passed", "partly", "failed", "open", "nothing handed in", "excused", "excluded", "late"]
Sort = Literal["name", "fewest points", "most points"]


class CourseFilter(Record):
    """Filter in the query string. An empty assignment means all assignments."""

    find: str = Field(default="", max_length=200)
    show: Show = "everybody"
    assignment: str = Field(default="", max_length=200)
    sort: Sort = "name"


def columns_of(table: CourseTable, wanted: CourseFilter) -> tuple[AssignmentView, ...]:
    """The assignments that the filter selects; empty for an unknown one."""
    return tuple(each for each in table.assignments if wanted.assignment in {"", each.name})


def columns_in_use(table: CourseTable, wanted: CourseFilter) -> tuple[AssignmentView, ...]:
    """The selected assignments with an attempt or a decision for at least one student. If no assignment has one,
    returns all selected assignments.
    """
    chosen = columns_of(table, wanted)
    used = tuple(each for each in chosen if any(_is_used(line, each.name) for line in table.lines))
    return used or chosen


def _is_used(line: CourseLine, name: str) -> bool:
    return bool(line.grades[name].attempts) or line.grades[name].decision is not None


def lines_of(table: CourseTable, wanted: CourseFilter) -> tuple[CourseLine, ...]:
    """The students whose name or key contains all words, and who have the wanted state at one of the assignments."""
    names = [each.name for each in columns_of(table, wanted)]
    found = [line for line in table.lines if _named(line, wanted.find) and _is(line, names, wanted.show)]
    match wanted.sort:
        case "name":
            return tuple(found)
        case "fewest points":
            return tuple(sorted(found, key=lambda line: points_of(line, names)))
        case "most points":
            return tuple(sorted(found, key=lambda line: -points_of(line, names)))


def points_of(line: CourseLine, names: Sequence[str]) -> float:
    """Sum of a student's points at these assignments. Ungraded assignments count as 0."""
    return sum(line.grades[name].points or 0.0 for name in names)


def _named(line: CourseLine, words: str) -> bool:
    return has_words(f"{line.person.name} {line.person.key}", words)


def _is(line: CourseLine, names: Sequence[str], show: Show) -> bool:
    return show == "everybody" or any(show in _states(line, name) for name in names)


def _states(line: CourseLine, name: str) -> Iterator[Show]:
    grade = line.grades[name]
    if grade.excused:
        yield "excused"
    elif grade.is_excluded and grade.points is None:
        yield "excluded"
    elif grade.attempts:
        yield grade.state
        if grade.late and grade.earned is not None:
            yield "late"
    else:
        yield "nothing handed in"
