"""Pages about the member's own data: what the service stores, on a page and as a zip archive, and the kinds of mail
that a person switches on and off. The page about mails exists only if mail is configured.
"""

import asyncio
from collections.abc import AsyncIterator
from tempfile import TemporaryFile
from threading import Lock
from typing import IO

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from grader.service.db.outbox import MailKind, choose_mails, switched_off
from grader.service.db.session import Database
from grader.service.errors import NotFoundError, RefusedError
from grader.service.people.personal_data import shown_counts, write_zip
from grader.service.web.auth import AnyMember, OwnForm, person_of, texts_in
from grader.service.web.http.responses import download_headers
from grader.service.web.pages import page
from grader.service.web.state import AppState, state_of

router = APIRouter()

MAX_ZIPS = 4
"""Maximum number of archives that are on the disk at once. Each is as large as the files that the person
has handed in.
"""

SEND_SECONDS = 300.0
"""Seconds within which an archive must be sent."""

CHUNK_BYTES = 64 * 1024
"""Number of bytes that are sent at once."""

WORDS = {
    MailKind.GRADED: "An attempt of mine is graded.",
    MailKind.REGRADED: "An attempt of mine is graded again.",
    MailKind.ANSWERED: "A question of mine is answered.",
    MailKind.EXTENDED: "I get an extension.",
}


class ZipSlots:
    """Limits the archives that are being made or sent in this process to one per person and a few in all. They are made
    one at a time, because compression keeps a processor busy in the process that renders all pages.
    """

    def __init__(self) -> None:
        self.making, self._lock = Lock(), Lock()
        self._for: set[int] = set()

    def enter(self, person_id: int) -> None:
        """Reserve the slot of a person. Raises RefusedError if the person must wait."""
        with self._lock:
            if person_id in self._for:
                raise RefusedError("Your data is already being packed or sent; wait until that download has ended.")
            if len(self._for) >= MAX_ZIPS:
                raise RefusedError("The data of several other people is being packed right now; try again in a moment.")
            self._for.add(person_id)

    def leave(self, person_id: int) -> None:
        """Release the slot of a person, after the archive was sent or has failed."""
        with self._lock:
            self._for.discard(person_id)


zip_slots = ZipSlots()


@router.get("/data")
def own_data(request: Request, member: AnyMember) -> Response:
    """The page with the amounts of the member's data, and a link to the archive."""
    state = state_of(request)
    with state.database.reading() as session:
        owner, held = person_of(session, member.id), shown_counts(session, member.id)
    entry = {"mailing": state.sign_in.mail is not None, "passwords": state.sign_in.passwords is not None}
    return page(request, "own_data.html.jinja", member, owner=owner, held=held, **entry)


@router.get("/data.zip")
def own_zip(request: Request, member: AnyMember) -> Response:
    """The zip archive with the member's data."""
    zip_slots.enter(member.id)
    return PersonalDataZip(state_of(request).database, member.id)


class PersonalDataZip(Response):
    """Packs and sends a person's data. The file is an unnamed temporary file, which is always closed."""

    def __init__(self, database: Database, person_id: int) -> None:
        super().__init__()
        self._database, self._person_id = database, person_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers = download_headers("my-data.zip")
        try:
            with TemporaryFile() as packed:
                await run_in_threadpool(self._pack, packed)
                answer = StreamingResponse(_chunks(packed), media_type="application/zip", headers=headers)
                async with asyncio.timeout(SEND_SECONDS):
                    await answer(scope, receive, send)
        finally:
            zip_slots.leave(self._person_id)

    def _pack(self, packed: IO[bytes]) -> None:
        with zip_slots.making:
            write_zip(self._database, self._person_id, packed)
        packed.seek(0)


async def _chunks(packed: IO[bytes]) -> AsyncIterator[bytes]:
    while chunk := packed.read(CHUNK_BYTES):
        yield chunk


@router.get("/mails")
def mails(request: Request, member: AnyMember) -> Response:
    """The page that shows which kinds of mail are on."""
    with _with_mail(request).database.reading() as session:
        off = switched_off(session, member.id)
    return page(request, "mails.html.jinja", member, words=WORDS, off=off)


@router.post("/mails")
def save_choices(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Switch the ticked kinds of mail on, and all others off."""
    wanted = {each for each in MailKind if each in texts_in(form, "kind")}
    with _with_mail(request).database.writing() as session:
        choose_mails(session, member.id, wanted)
    return RedirectResponse("/mails", 303)


def _with_mail(request: Request) -> AppState:
    state = state_of(request)
    if state.sign_in.mail is None:
        raise NotFoundError
    return state
