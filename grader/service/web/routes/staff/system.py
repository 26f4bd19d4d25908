"""The page about stations, the queue, and attempts that were not graded because of a fault."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.course.device_classes import classes_of
from grader.service.grades.decisions.regrading import try_again
from grader.service.grades.views import faulted
from grader.service.people.roster import shared_names
from grader.service.submissions.health import queues_of, stations_of
from grader.service.web.auth import RowNumber, Teacher, TeacherForm
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course")


@router.get("/system")
def system(request: Request, member: Teacher) -> Response:
    """The page with stations, queues, faults, and problems with the course or the database."""
    state = state_of(request)
    with state.database.reading() as session:
        stations = stations_of(session, state.now())
        queues = queues_of(session, classes_of(state.cache), state.now())
        faults, shared = faulted(session), shared_names(session)
    return page(
        request,
        "system.html.jinja",
        member,
        stations=stations,
        queues=queues,
        faults=faults,
        shared=shared,
        storing=state.probe.fault(state.database),
        problems=state.cache.problems(),
        gone=state.cache.gone(),
        lost=state.cache.lost(),
        embedded=state.database.embedded,
    )


@router.post("/faults/{grading_id}/again")
def after_fault(request: Request, member: Teacher, _form: TeacherForm, grading_id: RowNumber) -> Response:
    """Grade an attempt again after a fault of the service."""
    state = state_of(request)
    with state.database.writing() as session:
        try_again(session, grading_id, member.key, state.now())
    return RedirectResponse("/course/system#faults", 303)
