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
    """Which stations there are, what waits for them, what failed by our fault, and whether attempts can be stored."""
    web = state_of(request)
    with web.database.reading() as session:
        stations = stations_of(session, web.now())
        queues = queues_of(session, classes_of(web.cache), stations)
        faults = len(faulted(session))
    return page(
        request,
        "health.html.jinja",
        member,
        stations=stations,
        queues=queues,
        faults=faults,
        storing=web.probe.fault(web.database),
        problems=web.cache.problems(),
        gone=web.cache.gone(),
        lost=web.cache.lost(),
        embedded=web.database.embedded,
    )
