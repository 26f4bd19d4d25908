"""What the service holds about whoever asks, on a page and as a zip."""

import asyncio
from collections.abc import AsyncIterator
from tempfile import TemporaryFile
from threading import Lock
from typing import IO

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from grader.service.course.personal_data import amounts, export
from grader.service.db.session import Database
from grader.service.errors import RefusalError
from grader.service.web.auth import AnyMember, person_of
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter()

PACKED_AT_ONCE = 4
"""Zips that are on the disk at once: each takes as much as somebody has handed in."""

LONGEST = 300.0
"""Seconds in which a zip must have been sent."""

CHUNK = 64 * 1024
"""Bytes that are sent at once."""


class Packing:
    """Who has a zip that is being made or sent in this process: each person one, and a few in all. One is made at a
    time: compressing keeps a processor busy, and all pages are made by one process.
    """

    def __init__(self) -> None:
        self.turn, self._lock = Lock(), Lock()
        self._for: set[int] = set()

    def enter(self, person_id: int) -> None:
        """Raises RefusalError if it must wait."""
        with self._lock:
            if person_id in self._for:
                raise RefusalError("Your data is being packed or sent already; wait for that download to end.")
            if len(self._for) >= PACKED_AT_ONCE:
                raise RefusalError("The data of several others is being packed right now; try again in a moment.")
            self._for.add(person_id)

    def leave(self, person_id: int) -> None:
        """It has been sent, or not."""
        with self._lock:
            self._for.discard(person_id)


packing = Packing()


@router.get("/data")
def own_data(request: Request, member: AnyMember) -> Response:
    """What there is, in numbers, and a link to all of it."""
    web = state_of(request)
    with web.database.reading() as session:
        owner, held = person_of(session, member.id), amounts(session, member.id)
    mailing = web.entry.mail is not None
    return page(request, "own_data.html.jinja", member, owner=owner, held=held, mailing=mailing)


@router.get("/data.zip")
def own_zip(request: Request, member: AnyMember) -> Response:
    """All of it."""
    packing.enter(member.id)
    return PackedData(state_of(request).database, member.id)


class PackedData(Response):
    """Packs and sends somebody's data. The file has no name, and is closed however this ends."""

    def __init__(self, database: Database, person_id: int) -> None:
        super().__init__()
        self._database, self._person_id = database, person_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers = {"content-disposition": 'attachment; filename="my-data.zip"', "content-security-policy": "sandbox"}
        try:
            with TemporaryFile() as packed:
                await run_in_threadpool(self._pack, packed)
                answer = StreamingResponse(_chunks(packed), media_type="application/zip", headers=headers)
                async with asyncio.timeout(LONGEST):
                    await answer(scope, receive, send)
        finally:
            packing.leave(self._person_id)

    def _pack(self, packed: IO[bytes]) -> None:
        with packing.turn:
            export(self._database, self._person_id, packed)
        packed.seek(0)


async def _chunks(packed: IO[bytes]) -> AsyncIterator[bytes]:
    while chunk := packed.read(CHUNK):
        yield chunk
