"""The assignments with their dates."""

from fastapi import APIRouter
from pydantic import AwareDatetime
from starlette.requests import Request

from grader.common.record import Record
from grader.service.course.assignment_view import AssignmentView
from grader.service.grades.publication import held_assignments, release_of
from grader.service.web.routes.staff_api.parameters import PREFIX, AssignmentsReader
from grader.service.web.state import state_of

router = APIRouter(prefix=PREFIX)


class CourseAssignment(Record):
    """An assignment. `attempts` is the limit of attempts, or null without a limit. `hidden_checks` is the number of
    checks that students do not see before the release. `gone` is true if its folder was removed.
    """

    name: str
    title: str
    points: float
    opens: AwareDatetime | None
    due: AwareDatetime | None
    closes: AwareDatetime | None
    attempts: int | None
    group_size: int
    hidden_checks: int
    released: bool
    held_back: bool
    gone: bool


@router.get("/assignments")
def assignments(request: Request, _caller: AssignmentsReader) -> tuple[CourseAssignment, ...]:
    """All assignments, with the dates for students without an extension. Needs the scope `assignments:read`."""
    state = state_of(request)
    shown = state.cache.all()
    with state.database.reading() as session:
        held = held_assignments(session)
        released = {each.name for each in shown if release_of(session, each.name) is not None}
    return tuple(_assignment(each, is_held=each.name in held, is_released=each.name in released) for each in shown)


def _assignment(view: AssignmentView, *, is_held: bool, is_released: bool) -> CourseAssignment:
    rules = view.rules
    return CourseAssignment(
        name=view.name,
        title=view.title,
        points=view.points,
        opens=rules.opens,
        due=rules.due,
        closes=rules.closes,
        attempts=rules.attempts,
        group_size=view.policies.groups,
        hidden_checks=view.hidden,
        released=is_released,
        held_back=is_held,
        gone=view.gone,
    )
