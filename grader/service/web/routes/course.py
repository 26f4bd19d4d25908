"""The course in tables: the points of all students, filtered and live, and the numbers of an assignment."""

from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from grader.reports.statistics import POINTS, cases, families, grades, histogram, per_cent, quartiles, sums_of
from grader.service.course.roster import shared_names
from grader.service.decisions.overrides import hides, release_of
from grader.service.decisions.regrading import Which
from grader.service.exports.csv import points_csv
from grader.service.grades.course_rows import AssignmentRows, rows_of
from grader.service.grades.filter import CourseFilter, Show, Sort, columns_of, lines_of
from grader.service.grades.holds import held_assignments, hold_of
from grader.service.grades.views import course_table
from grader.service.web.auth import Teacher
from grader.service.web.pages import page
from grader.service.web.responses import csv_file
from grader.service.web.state import state_of

router = APIRouter(prefix="/course")


@router.get("")
def course(request: Request, member: Teacher, wanted: Annotated[CourseFilter, Query()]) -> Response:
    """The points of the selected students, and the checks that fail most often for all students."""
    state = state_of(request)
    with state.database.reading() as session:
        table, held = course_table(session, state.cache.all()), held_assignments(session)
        shared = shared_names(session)
    return page(
        request,
        "course.html.jinja",
        member,
        table=table,
        held=sorted(held),
        shared=shared,
        wanted=wanted,
        columns=columns_of(table, wanted),
        lines=lines_of(table, wanted),
        shows=get_args(Show),
        sorts=get_args(Sort),
        whiches=get_args(Which),
    )


@router.get("/points.csv")
def all_points(request: Request, _member: Teacher) -> Response:
    """The points of all students as a file."""
    state = state_of(request)
    with state.database.reading() as session:
        data = points_csv(course_table(session, state.cache.all()))
    return csv_file("points.csv", data)


@router.get("/assignments/{name}")
def assignment_in_numbers(request: Request, member: Teacher, name: str) -> Response:
    """Statistics of the attempts that count: points, failed checks with their reasons, and cases."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        found = rows_of(session, course_table(session, state.cache.all()), name)
        values = {"hold": hold_of(session, name), **_numbers(found)}
        values |= {"released": release_of(session, name), "hides": hides(session, shown)}
    return page(request, "numbers.html.jinja", member, assignment=shown, **values)


def _numbers(found: AssignmentRows) -> dict[str, Any]:
    """The variables of the page."""
    shares = [per_cent(grade) for grade in grades(found.rows)]
    bins = histogram(shares, POINTS)
    return {
        "found": found,
        "sums": sums_of(found.rows),
        "quartiles": quartiles(shares),
        "bins": [(bins.name(place), number) for place, number in enumerate(bins.counts)],
        "families": families(found.rows),
        "cases": cases(found.rows),
    }
