"""The page about stations and the queue."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from grader.service.course.device_classes import classes_of
from grader.service.grades.views import faulted
from grader.service.submissions.health import queues_of, stations_of
from grader.service.web.auth import Teacher
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course")


@router.get("/health")
def health(request: Request, member: Teacher) -> Response:
    """The stations, the queues, the number of faults, and problems with the course or with storing attempts."""
    state = state_of(request)
    with state.database.reading() as session:
        stations = stations_of(session, state.now())
        queues = queues_of(session, classes_of(state.cache), stations)
        faults = len(faulted(session))
    return page(
        request,
        "health.html.jinja",
        member,
        stations=stations,
        queues=queues,
        faults=faults,
        storing=state.probe.fault(state.database),
        problems=state.cache.problems(),
        gone=state.cache.gone(),
        lost=state.cache.lost(),
        embedded=state.database.embedded,
    )
