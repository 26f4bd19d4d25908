"""Programs that ask in somebody's name: by a bearer token alone, since a browser adds none by itself."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session
from starlette.requests import Request

from grader.service.auth.api_tokens import TokenScope, token_holds, token_row
from grader.service.db.models import CourseRole
from grader.service.errors import RefusalError
from grader.service.web.auth import Somebody
from grader.service.web.state import state_of

Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]


class TokenNeededError(RefusalError):
    """No token came, or none that holds or allows what was asked."""


@dataclass(frozen=True, kw_only=True)
class Caller(Somebody):
    """The owner of a token, the token's number, and what it allows."""

    token_id: int
    scopes: frozenset[TokenScope]

    def holds(self, session: Session, now: datetime) -> bool:
        """Whether the token still holds."""
        return token_holds(session, self.token_id, now)


def _allowed(scope: TokenScope | None) -> Callable[[Request, Credentials], Caller]:
    def found(request: Request, credentials: Credentials) -> Caller:
        web = state_of(request)
        if credentials is None:
            raise TokenNeededError("Send a token: Authorization: Bearer TOKEN. `grader login` makes one.")
        with web.database.reading() as session:
            row = token_row(session, credentials.credentials, web.now())
        if row is None:
            raise TokenNeededError("This token has run out, was revoked, or never was one; run `grader login` again.")
        if scope is not None and scope not in row.scopes.split():
            raise TokenNeededError(f"This token does not have the scope {scope}; make one that has it.")
        who = row.person
        return Caller(
            id=who.id,
            key=who.key,
            name=who.name,
            role=CourseRole(who.role),
            token_id=row.id,
            scopes=frozenset(map(TokenScope, row.scopes.split())),
        )

    return found


AnyCaller = Annotated[Caller, Depends(_allowed(None))]
Reader = Annotated[Caller, Depends(_allowed(TokenScope.READ))]
Submitter = Annotated[Caller, Depends(_allowed(TokenScope.SUBMIT))]
