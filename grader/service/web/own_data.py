"""What the service holds about whoever asks, on a page and as a zip."""

from collections.abc import Iterator
from tempfile import TemporaryFile
from threading import BoundedSemaphore
from typing import IO

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from grader.service.own_data import amounts, export
from grader.service.refusing import NotDoneError
from grader.service.web.members import AnyMember, person_of
from grader.service.web.pages import page
from grader.service.web.setting import web_of

router = APIRouter()

EXPORTING = BoundedSemaphore(1)
"""One zip is made at a time: compressing keeps a processor busy, and all pages are made by one process."""

CHUNK = 64 * 1024
"""Bytes that are sent at once."""


@router.get("/data")
def own_data(request: Request, member: AnyMember) -> Response:
    """What there is, in numbers, and a link to all of it."""
    with web_of(request).database.reading() as session:
        owner, held = person_of(session, member.id), amounts(session, member.id)
    return page(request, "own_data.html.jinja", member, owner=owner, held=held)


@router.get("/data.zip")
def own_zip(request: Request, member: AnyMember) -> Response:
    """All of it."""
    if not EXPORTING.acquire(blocking=False):
        raise NotDoneError("Somebody else's data is being packed right now; try again in a moment.")
    try:
        packed = TemporaryFile()  # noqa: SIM115 - closed when it has been sent
        export(web_of(request).database, member.id, packed)
    finally:
        EXPORTING.release()
    packed.seek(0)
    headers = {"content-disposition": 'attachment; filename="my-data.zip"', "content-security-policy": "sandbox"}
    return StreamingResponse(_sent(packed), media_type="application/zip", headers=headers)


def _sent(packed: IO[bytes]) -> Iterator[bytes]:
    with packed:
        while chunk := packed.read(CHUNK):
            yield chunk
