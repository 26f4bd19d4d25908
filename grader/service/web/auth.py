"""The users who make requests, and their forms. A member uses a browser that is signed in, and a caller is a program
with a bearer token. Forms need a form token because browsers send cookies by themselves. Bearer tokens do not have this
problem.
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
from grader.protocol.text import showable
from grader.service.course.groups import belongs_to
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow
from grader.service.db.tokens import same_token
from grader.service.errors import FieldError, NotFoundError, RefusedError
from grader.service.grades.visibility import STAFF_ACCESS, STUDENT_ACCESS, ResultAccess
from grader.service.people.auth.api_tokens import TokenScope, is_valid_token, valid_token
from grader.service.people.auth.sessions import is_valid_session, session_of
from grader.service.web.http.middleware import TooLargeError
from grader.service.web.state import state_of

MAX_ROW_NUMBER = 2**31 - 1
"""Largest number of a row that is looked up. Databases reject much larger numbers."""

RowNumber = Annotated[int, Path(ge=1, le=MAX_ROW_NUMBER)]
"""Number of a row in the path of a URL."""

MAX_FORM_FIELDS = 100
"""Maximum number of fields in a form. The service's own forms have seven, and one for each selected assignment."""

STALE_FORM = "This form is out of date, perhaps because you signed in again. Open the page, and send it from there."


class SignInNeededError(RefusedError):
    """The browser is not signed in, or its session has ended."""


@dataclass(frozen=True, kw_only=True)
class User(ABC):
    """A person of the course who makes a request, with a browser or a program."""

    id: int
    key: str
    name: str
    role: CourseRole

    @property
    def teaches(self) -> bool:
        """True for instructors and assistants, who see everything in the course."""
        return self.role in {CourseRole.INSTRUCTOR, CourseRole.ASSISTANT}

    @property
    def access(self) -> ResultAccess:
        """The results that this person may see."""
        return STAFF_ACCESS if self.teaches else STUDENT_ACCESS

    @property
    def is_instructor(self) -> bool:
        """True for instructors. Only they can change the roster, dates and grades, and release checks."""
        return self.role is CourseRole.INSTRUCTOR

    @abstractmethod
    def is_signed_in(self, session: Session, now: datetime) -> bool:
        """True if the session or token of the request is still valid. Streams, which last for minutes, check this
        repeatedly.
        """


@dataclass(frozen=True, kw_only=True)
class Member(User):
    """A person whose browser is signed in."""

    session_id: int
    form_token: str

    def is_signed_in(self, session: Session, now: datetime) -> bool:
        """True if the browser is still signed in."""
        return is_valid_session(session, self.session_id, now)


def perhaps_member(request: Request) -> Member | None:
    """The person who is signed in; None if the browser is not signed in."""
    state = state_of(request)
    token = request.cookies.get(state.cookie)
    if not token:
        return None
    with state.database.reading() as session:
        row = session_of(session, token, state.now())
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


async def require_member(found: PerhapsMember) -> Member:
    """The person who is signed in. Raises SignInNeededError if the browser is not signed in. This function is async
    because a thread would cost more than the check.
    """
    if found is None:
        raise SignInNeededError("Sign in first.")
    return found


AnyMember = Annotated[Member, Depends(require_member)]


async def require_teacher(member: AnyMember) -> Member:
    """The member, who must be an instructor or an assistant. For others, raises NotFoundError, as if the page did not
    exist.
    """
    if not member.teaches:
        raise NotFoundError
    return member


Teacher = Annotated[Member, Depends(require_teacher)]


async def require_instructor(member: AnyMember) -> Member:
    """The member, who must be an instructor. For others, raises NotFoundError, as if the page did not exist."""
    if not member.is_instructor:
        raise NotFoundError
    return member


Instructor = Annotated[Member, Depends(require_instructor)]


async def read_form(request: Request) -> FormData:
    """Read the fields of a form."""
    return await request.form(max_files=1, max_fields=MAX_FORM_FIELDS, max_part_size=SIZE_LIMIT + 1)


AnyForm = Annotated[FormData, Depends(read_form)]


async def own_form(request: Request, member: AnyMember) -> FormData:
    """A form of the member's session. Raises RefusedError if it belongs to another session. The form is read only if
    the browser is signed in.
    """
    form = await read_form(request)
    if not same_token(text_in(form, "form_token"), member.form_token):
        raise RefusedError(STALE_FORM)
    return form


OwnForm = Annotated[FormData, Depends(own_form)]


async def sent_form(request: Request, member: AnyMember) -> FormData | None:
    """A form of the member's session with a file; None if the form is too large to be read."""
    try:
        return await own_form(request, member)
    except TooLargeError:
        return None


SentForm = Annotated[FormData | None, Depends(sent_form)]


async def staff_form(form: OwnForm, _member: Instructor) -> FormData:
    """A form that an instructor has sent."""
    return form


StaffForm = Annotated[FormData, Depends(staff_form)]


async def teacher_form(form: OwnForm, _member: Teacher) -> FormData:
    """A form that an instructor or an assistant has sent."""
    return form


TeacherForm = Annotated[FormData, Depends(teacher_form)]


def text_in(form: FormData, name: str) -> str:
    """The text in a field of a form; empty if the field is missing or a file.

    Browsers end lines with a carriage return and a line feed; the text has only line feeds.
    """
    value = form.get(name)
    return value.replace("\r\n", "\n") if isinstance(value, str) else ""


def texts_in(form: FormData, name: str) -> tuple[str, ...]:
    """All values of a field, such as those of ticked boxes. Each appears once."""
    return tuple(dict.fromkeys(each for each in form.getlist(name) if isinstance(each, str)))


def file_in(form: FormData, name: str) -> UploadFile | None:
    """A file of a form; None if no file was selected."""
    value = form.get(name)
    return value if isinstance(value, UploadFile) and (value.filename or value.size) else None


def upload_in(form: FormData, name: str, ask: str) -> bytes:
    """The content of an uploaded file. Raises FieldError if it is missing or too large. The message ends with `ask`."""
    upload = file_in(form, name)
    if upload is None:
        raise FieldError(name, f"No file was chosen. {ask}")
    data = upload.file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise FieldError(name, f"The file {showable(upload.filename or '')} is over 1 MiB. {ask}")
    return data


def visible_attempt(session: Session, public: str, member: User) -> AttemptRow:
    """The attempt with this public name, if the member owns it or teaches. Otherwise raises NotFoundError, as for an
    attempt that does not exist. Both cases take one query.
    """
    query = session.query(AttemptRow).filter(AttemptRow.public == public)
    if not member.teaches:
        query = query.filter(belongs_to([member.id]))
    found = query.one_or_none()
    if found is None:
        raise NotFoundError
    return found


def person_of(session: Session, person_id: int) -> PersonRow:
    """The person with this number. Raises NotFoundError if there is no such person."""
    found = session.get(PersonRow, person_id)
    if found is None:
        raise NotFoundError
    return found


Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]


class TokenNeededError(RefusedError):
    """The request lacks a token, or its token is invalid or does not allow the request."""


@dataclass(frozen=True, kw_only=True)
class Caller(User):
    """The owner of a token, the token's number, and its scopes."""

    token_id: int
    scopes: frozenset[TokenScope]

    def is_signed_in(self, session: Session, now: datetime) -> bool:
        """True if the token is still valid."""
        return is_valid_token(session, self.token_id, now)


def with_scope(scope: TokenScope | None) -> Callable[[Request, Credentials], Caller]:
    """A dependency that finds the owner of a token with this scope. If the scope is None, any scope is enough."""

    def found(request: Request, credentials: Credentials) -> Caller:
        state = state_of(request)
        if credentials is None:
            raise TokenNeededError("Send a token: Authorization: Bearer TOKEN. `grader login` creates one.")
        with state.database.reading() as session:
            row = valid_token(session, credentials.credentials, state.now())
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


AnyCaller = Annotated[Caller, Depends(with_scope(None))]
Reader = Annotated[Caller, Depends(with_scope(TokenScope.READ))]
Submitter = Annotated[Caller, Depends(with_scope(TokenScope.SUBMIT))]
