"""The editor: the text of the skeleton or of an attempt, with the remarks of the result at their lines."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from grader.service.db.models import AttemptRow
from grader.service.errors import NotFoundError, RefusedError
from grader.service.grades.visibility import checks_of
from grader.service.submissions.accept import history
from grader.service.web.auth import AnyMember
from grader.service.web.pages import page
from grader.service.web.routes.assignments import as_seen
from grader.service.web.state import state_of

router = APIRouter()

SKELETON = 0
"""Number that selects the assignment's skeleton instead of an attempt."""

EDITABLE = 64 * 1024
"""Characters of a text that can be edited. Kernels have a tenth of that."""

TOO_LARGE = "This file is too large to be edited here. Download it, and hand in a file."

Start = Annotated[int | None, Query(ge=SKELETON)]


@router.get("/assignments/{name}/edit")
def edit(request: Request, member: AnyMember, name: str, start: Start = None) -> Response:
    """The editor with an attempt, by its number. Without a number, the latest attempt, or the skeleton if the student
    has no attempt.
    """
    state = state_of(request)
    with state.database.reading() as session:
        shown = as_seen(member, state.cache.assignment(name), state.now())
        attempts = {each.number: each for each in history(session, member.id, name)}
        chosen = max(attempts, default=SKELETON) if start is None else start
        if chosen != SKELETON and chosen not in attempts:
            raise NotFoundError
        attempt = attempts.get(chosen)
        text = shown.skeleton if attempt is None else text_of(attempt)
    if len(text) > EDITABLE:
        raise RefusedError(TOO_LARGE)
    counted = None if attempt is None else attempt.counted
    remarks = () if counted is None else checks_of(counted).remarks
    return page(request, "edit.html.jinja", member, assignment=shown, attempt=attempt, text=text, remarks=remarks)


def text_of(attempt: AttemptRow) -> str:
    """The file as text. Bytes that are not UTF-8 become replacement characters."""
    return attempt.data.decode("utf-8-sig", "replace")
