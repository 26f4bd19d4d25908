"""Overviews of the course: its assignments, the points of all students, and the causes of failures at an assignment,
with the forms that grade attempts again, hold results back and publish them.
"""

from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.phrases import count, listed
from grader.protocol.text import showable
from grader.reports.statistics import (
    POINTS,
    QUARTILES_FROM,
    cases,
    causes_of,
    families,
    grades,
    histogram,
    per_cent,
    quartiles,
    sums_of,
    to_decide,
)
from grader.service.errors import FieldError, RefusedError
from grader.service.exports.course_rows import AssignmentRows, rows_of
from grader.service.exports.csv import points_csv
from grader.service.grades.decisions.regrading import Selection, Which, regrade, regrade_older
from grader.service.grades.overview import (
    CourseFilter,
    Show,
    Sort,
    columns_in_use,
    course_overview,
    course_table,
    lines_of,
)
from grader.service.grades.publication import (
    graded_so_far,
    hides,
    hold_back,
    hold_of,
    publish,
    release_of,
    require_held,
    require_published,
)
from grader.service.people.roster import shared_names
from grader.service.submissions.versions import count_needing_run
from grader.service.web.auth import Instructor, Member, StaffForm, Teacher, TeacherForm, text_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, at_field, entered
from grader.service.web.http.responses import csv_file
from grader.service.web.pages import Confirmation, confirmation_page, page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course")

OLDER = (
    "{} of an older version can show what the assignment hides now. To prevent this, first grade all attempts at this "
    "assignment again, on the page Course."
)


@router.get("")
def course(request: Request, member: Teacher) -> Response:
    """The table of assignments in use. Assignments that need attention come first."""
    state = state_of(request)
    with state.database.reading() as session:
        overview = course_overview(session, state.cache.all(), state.now())
    return page(request, "course.html.jinja", member, overview=overview)


@router.get("/points")
def points(request: Request, member: Teacher, wanted: Annotated[CourseFilter, Query()]) -> Response:
    """The points of the selected students."""
    state = state_of(request)
    with state.database.reading() as session:
        table, shared = course_table(session, state.cache.all()), shared_names(session)
    return page(
        request,
        "points.html.jinja",
        member,
        table=table,
        shared=shared,
        wanted=wanted,
        columns=columns_in_use(table, wanted),
        lines=lines_of(table, wanted),
        shows=get_args(Show),
        sorts=get_args(Sort),
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
    """The page of an assignment with the causes of failures, statistics about the attempts that count, and the forms
    for its results.
    """
    return _assignment_page(request, member, name, NOTHING_ENTERED)


def _assignment_page(request: Request, member: Member, name: str, form: EnteredForm) -> Response:
    """The page of an assignment. `form` is the form that selects attempts to grade again."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        found = rows_of(session, course_table(session, state.cache.all()), name)
        values = {"hold": hold_of(session, name), **_numbers(found)}
        values |= {"released": release_of(session, name), "hides": hides(session, shown), "whiches": get_args(Which)}
    return page(request, "numbers.html.jinja", member, form.status, assignment=shown, form=form, **values)


def _numbers(found: AssignmentRows) -> dict[str, Any]:
    shares = [per_cent(grade) for grade in grades(found.rows)]
    bins = histogram(shares, POINTS)
    return {
        "found": found,
        "causes": causes_of(found.rows),
        "deciding": to_decide(found.rows),
        "sums": sums_of(found.rows),
        "shares": sorted(shares),
        "quartiles": quartiles(shares) if len(shares) >= QUARTILES_FROM else None,
        "bins": [(bins.name(place), number) for place, number in enumerate(bins.counts)],
        "families": families(found.rows),
        "cases": cases(found.rows),
    }


@router.post("/regrade")
def grade_again(request: Request, member: Teacher, form: TeacherForm) -> Response:
    """Grade attempts at an assignment again, and redirect to the result of the regrading."""
    state = state_of(request)
    shown = state.cache.assignment(text_in(form, "assignment"))
    if shown.gone:
        raise RefusedError(f"The folder of {shown.name} was removed, so its attempts cannot be graded again.")
    try:
        selection = _selection(shown.name, form)
        with at_field("matching"):
            order = regrade(state.database, selection, member.key, state.now())
    except FieldError as error:
        return _assignment_page(request, member, shown.name, entered(form, error))
    return RedirectResponse(f"/course/regradings/{order}", 303)


def _selection(assignment: str, form: FormData) -> Selection:
    which = next((each for each in get_args(Which) if each == text_in(form, "which")), None)
    if which is None:
        found = f"{showable(text_in(form, 'which'))!r} does not select attempts"
        raise FieldError("which", f"{found}; choose {listed(get_args(Which), 'or')}.")
    return Selection(assignment=assignment, which=which, matching=text_in(form, "matching").strip())


@router.post("/regrade-older")
def grade_older_again(request: Request, member: Teacher, _form: TeacherForm) -> Response:
    """Grade all attempts again that were graded by an older version of their assignment."""
    state = state_of(request)
    regrade_older(state.database, state.cache.all(), member.key, state.now())
    return RedirectResponse("/course/regradings", 303)


@router.get("/assignments/{name}/hold")
def ask_to_hold_back(request: Request, member: Instructor, name: str) -> Response:
    """Page that explains what students will no longer see, with a button to confirm the hold."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        require_published(session, name)
        graded = graded_so_far(session, name)
    attempts, students = count(graded.attempts, "attempt"), count(graded.students, "student")
    asked = Confirmation(
        question=f"Hold back the results of {shown.title}?",
        says=(
            "Students see that an attempt was received and graded.",
            "They do not see points, reports, checks or the leaderboard, neither on pages nor with the API.",
            f"This hides the results of {attempts} of {students}. Students may have read or downloaded them.",
            "You and your assistants see everything, and exports contain everything.",
            "You can publish the results at any time.",
        ),
        action=f"/course/assignments/{name}/hold",
        button="Hold back results",
        back=f"/course/assignments/{name}",
    )
    return confirmation_page(request, member, asked)


@router.post("/assignments/{name}/hold")
def hold_results_back(request: Request, member: Instructor, _form: StaffForm, name: str) -> Response:
    """Hold back all results of an assignment."""
    state = state_of(request)
    state.cache.assignment(name)
    with state.database.writing() as session:
        hold_back(session, name, member.key, state.now())
    return RedirectResponse(f"/course/assignments/{name}", 303)


@router.get("/assignments/{name}/publication")
def ask_to_publish(request: Request, member: Instructor, name: str) -> Response:
    """Page that explains what students will see, with a button to confirm the publication."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        require_held(session, name)
        graded, withheld = graded_so_far(session, name), hides(session, shown) and release_of(session, name) is None
        older = count_needing_run(session, shown)
    attempts, students = count(graded.attempts, "attempt"), count(graded.students, "student")
    asked = Confirmation(
        question=f"Publish the results of {shown.title}?",
        says=(
            f"This shows the results of {attempts} of {students} at once: points, reports and checks.",
            "Attempts that are graded later show their results as soon as they are graded.",
            *([OLDER.format(count(older, "result"))] if older else []),
            *(["Hidden checks stay hidden until you release them."] if withheld else []),
            "Students can keep copies of the results, even if you hold the results back again.",
        ),
        action=f"/course/assignments/{name}/publication",
        button="Publish results",
        back=f"/course/assignments/{name}",
    )
    return confirmation_page(request, member, asked)


@router.post("/assignments/{name}/publication")
def publish_results(request: Request, member: Instructor, _form: StaffForm, name: str) -> Response:
    """Publish the results of an assignment."""
    state = state_of(request)
    state.cache.assignment(name)
    with state.database.writing() as session:
        publish(session, name, member.key, state.now())
    return RedirectResponse(f"/course/assignments/{name}", 303)
