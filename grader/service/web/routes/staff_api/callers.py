"""Callers of the API for staff, by the scope that a request needs."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from grader.service.people.auth.api_tokens import INSTRUCTOR_SCOPES, TokenScope
from grader.service.web.auth import Caller, Credentials, TokenNeededError, with_scope

PREFIX = "/api/v1/course"
"""Prefix of all paths of the API for staff."""


def staff_with(scope: TokenScope) -> Callable[[Request, Credentials], Caller]:
    """A dependency that finds the owner of a token with this scope. The owner's current role must allow the scope."""
    found_with_token = with_scope(scope)

    def found(request: Request, credentials: Credentials) -> Caller:
        caller = found_with_token(request, credentials)
        if not caller.teaches:
            raise TokenNeededError("The owner of this token does not teach in this course; use a token of the staff.")
        if scope in INSTRUCTOR_SCOPES and not caller.is_instructor:
            raise TokenNeededError(f"The scope {scope} needs a token of an instructor; ask an instructor for one.")
        return caller

    return found


RosterReader = Annotated[Caller, Depends(staff_with(TokenScope.ROSTER_READ))]
AssignmentsReader = Annotated[Caller, Depends(staff_with(TokenScope.ASSIGNMENTS_READ))]
AttemptsReader = Annotated[Caller, Depends(staff_with(TokenScope.ATTEMPTS_READ))]
ResultsReader = Annotated[Caller, Depends(staff_with(TokenScope.RESULTS_READ))]
GradesReader = Annotated[Caller, Depends(staff_with(TokenScope.GRADES_READ))]
ExtensionsReader = Annotated[Caller, Depends(staff_with(TokenScope.EXTENSIONS_READ))]
ExtensionsWriter = Annotated[Caller, Depends(staff_with(TokenScope.EXTENSIONS_WRITE))]
OverridesReader = Annotated[Caller, Depends(staff_with(TokenScope.OVERRIDES_READ))]
OverridesWriter = Annotated[Caller, Depends(staff_with(TokenScope.OVERRIDES_WRITE))]
RegradesReader = Annotated[Caller, Depends(staff_with(TokenScope.REGRADES_READ))]
RegradesWriter = Annotated[Caller, Depends(staff_with(TokenScope.REGRADES_WRITE))]
