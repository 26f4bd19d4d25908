"""Who asks: a member by a browser that is signed in, or a caller by a bearer token; and the forms that members send.

Programs are known by a token alone, since a browser adds none by itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Path
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.auth.api_tokens import TokenScope, token_holds, token_row
from grader.service.auth.secrets import same_token
from grader.service.auth.sessions import session_holds, session_of
from grader.service.course.groups import belongs_to
from grader.service.db.models import AttemptRow, CourseRole, PersonRow
from grader.service.errors import NotFoundError, RefusalError
from grader.service.grades.visibility import STAFFS_SIGHT, STUDENTS_SIGHT, Sight
from grader.service.web.state import state_of

LARGEST = 2**31 - 1
"""Numbers of rows are not above it; a database refuses one that is far beyond."""

RowNumber = Annotated[int, Path(ge=1, le=LARGEST)]
"""A number of a row in an address."""

FIELDS = 100
"""Fields of a form; ours have seven, and one for each assignment that is chosen."""

STALE = "This form is stale, perhaps since you signed in again. Open the page again, and send it from there."


class SignInNeededError(RefusalError):
    """Nobody is signed in, or not any more."""


@dataclass(frozen=True, kw_only=True)
class Somebody(ABC):
    """A person of the course who asks, by a browser or by a program."""

    id: int
    key: str
    name: str
    role: CourseRole

    @property
    def teaches(self) -> bool:
        """Whether this is an instructor or an assistant: they see everything of the course."""
        return self.role in {CourseRole.INSTRUCTOR, CourseRole.ASSISTANT}

    @property
    def sight(self) -> Sight:
        """What this person sees of results."""
        return STAFFS_SIGHT if self.teaches else STUDENTS_SIGHT

    @property
    def leads(self) -> bool:
        """Whether this is an instructor: only they change the roster, dates and grades, and release."""
        return self.role is CourseRole.INSTRUCTOR

    @abstractmethod
    def holds(self, session: Session, now: datetime) -> bool:
        """Whether that by which they are signed in still holds: what goes on for minutes asks again and again."""


@dataclass(frozen=True, kw_only=True)
class Member(Somebody):
    """Somebody who is signed in, in this browser."""

    session_id: int
    form_token: str

    def holds(self, session: Session, now: datetime) -> bool:
        """Whether this browser is still signed in."""
        return session_holds(session, self.session_id, now)


def perhaps_member(request: Request) -> Member | None:
    """Who is signed in; None if nobody is."""
    web = state_of(request)
    token = request.cookies.get(web.cookie)
    if not token:
        return None
    with web.database.reading() as session:
        row = session_of(session, token, web.now())
    if row is None:
        return None
    who = row.person
    return Member(
        id=who.id,
        key=who.key,
        name=who.name,
        role=CourseRole(who.role),
        session_id=row.id,
        form_token=row.form_token,
    )


PerhapsMember = Annotated[Member | None, Depends(perhaps_member)]


async def signed_in(found: PerhapsMember) -> Member:
    """Who is signed in; raises SignInNeededError if nobody is. Async, as teaching(): another thread would cost more."""
    if found is None:
        raise SignInNeededError("Sign in first.")
    return found


AnyMember = Annotated[Member, Depends(signed_in)]


async def teaching(member: AnyMember) -> Member:
    """An instructor or an assistant; for everybody else there is no such page."""
    if not member.teaches:
        raise NotFoundError
    return member


Teacher = Annotated[Member, Depends(teaching)]


async def leading(member: AnyMember) -> Member:
    """An instructor; for everybody else there is no such page."""
    if not member.leads:
        raise NotFoundError
    return member


Instructor = Annotated[Member, Depends(leading)]


async def read_form(request: Request) -> FormData:
    """What came with a form."""
    return await request.form(max_files=1, max_fields=FIELDS, max_part_size=SIZE_LIMIT + 1)


AnyForm = Annotated[FormData, Depends(read_form)]


async def own_form(request: Request, member: AnyMember) -> FormData:
    """A form of this session; raises RefusalError if it is another's. Nothing is read of who is not signed in."""
    form = await read_form(request)
    if not same_token(text_in(form, "form_token"), member.form_token):
        raise RefusalError(STALE)
    return form


OwnForm = Annotated[FormData, Depends(own_form)]


async def staff_form(form: OwnForm, _member: Instructor) -> FormData:
    """A form of an instructor's session."""
    return form


StaffForm = Annotated[FormData, Depends(staff_form)]


async def teacher_form(form: OwnForm, _member: Teacher) -> FormData:
    """A form of the session of an instructor or an assistant."""
    return form


TeacherForm = Annotated[FormData, Depends(teacher_form)]


def text_in(form: FormData, name: str) -> str:
    """A field of a form; empty if there is none, or a file in its place. Lines end with a line feed: browsers send
    carriage returns, too.
    """
    value = form.get(name)
    return value.replace("\r\n", "\n") if isinstance(value, str) else ""


def texts_in(form: FormData, name: str) -> tuple[str, ...]:
    """All values of a field, each once, such as the boxes that were ticked."""
    return tuple(dict.fromkeys(each for each in form.getlist(name) if isinstance(each, str)))


def file_in(form: FormData, name: str) -> UploadFile | None:
    """A file of a form; None if none was chosen."""
    value = form.get(name)
    return value if isinstance(value, UploadFile) and (value.filename or value.size) else None


def visible_attempt(session: Session, public: str, member: Somebody) -> AttemptRow:
    """The attempt of this name, if it is the member's own or the member teaches; else raises NotFoundError, as for one
    that does not exist: one query, whichever it is.
    """
    query = session.query(AttemptRow).filter(AttemptRow.public == public)
    if not member.teaches:
        query = query.filter(belongs_to([member.id]))
    found = query.one_or_none()
    if found is None:
        raise NotFoundError
    return found


def person_of(session: Session, person_id: int) -> PersonRow:
    """Somebody of the course; raises NotFoundError if there is nobody of this number."""
    found = session.get(PersonRow, person_id)
    if found is None:
        raise NotFoundError
    return found


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
