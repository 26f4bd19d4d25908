"""The editor: a student's text, from the skeleton or an attempt, with what was found in that at its lines."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from grader.service.db.models import AttemptRow
from grader.service.errors import NotFoundError, RefusalError
from grader.service.grades.visibility import checks_of
from grader.service.submissions.accept import history
from grader.service.web.auth import AnyMember
from grader.service.web.pages import page
from grader.service.web.routes.assignments import as_seen
from grader.service.web.state import state_of

router = APIRouter()

SKELETON = 0
"""The number of no attempt: stands for the text of the assignment."""

EDITABLE = 64 * 1024
"""Characters of a text that a page shows for editing: kernels have a tenth of it."""

TOO_LARGE = "This file is too large to be edited here. Download it, and hand in a file."

Start = Annotated[int | None, Query(ge=SKELETON)]


@router.get("/assignments/{name}/edit")
def edit(request: Request, member: AnyMember, name: str, start: Start = None) -> Response:
    """A text to go on with: an attempt by its number; without one the latest, or the skeleton if there is none."""
    web = state_of(request)
    with web.database.reading() as session:
        shown = as_seen(member, web.cache.assignment(name), web.now())
        attempts = {each.number: each for each in history(session, member.id, name)}
        chosen = max(attempts, default=SKELETON) if start is None else start
        if chosen != SKELETON and chosen not in attempts:
            raise NotFoundError
        attempt = attempts.get(chosen)
        text = shown.skeleton if attempt is None else text_of(attempt)
    if len(text) > EDITABLE:
        raise RefusalError(TOO_LARGE)
    counted = None if attempt is None else attempt.counted
    remarks = () if counted is None else checks_of(counted).remarks
    return page(request, "edit.html.jinja", member, assignment=shown, attempt=attempt, text=text, remarks=remarks)


def text_of(attempt: AttemptRow) -> str:
    """The file as text; what is no UTF-8 in it is shown as such."""
    return attempt.data.decode("utf-8-sig", "replace")
