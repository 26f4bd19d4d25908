"""Files of an attempt's result: the report as a page, as JSON, as JUnit XML, as SARIF, and for Code Quality."""

import zlib
from typing import Literal

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from grader.reports import REPORTS
from grader.results.result import Result
from grader.service.db.tables.submissions import GradingRow
from grader.service.errors import NotFoundError
from grader.service.network.throttle import ConcurrencyLimiter
from grader.service.web.auth import AnyMember, User, visible_attempt
from grader.service.web.http.responses import decompressed, download_headers
from grader.service.web.routes.student.attempts import require_shown
from grader.service.web.state import state_of

router = APIRouter()

RENDERING = ConcurrencyLimiter(2, "Many reports are being written right now; try again in a moment.", max_waiting=2)
"""Limits the reports that are made at once from stored results. A large report keeps a processor busy for a moment."""

FileName = Literal["report.html", "result.json", "junit.xml", "report.sarif", "code-quality.json"]
TYPES: dict[FileName, str] = {
    "report.html": "text/html; charset=utf-8",
    "result.json": "application/json",
    "junit.xml": "application/xml",
    "report.sarif": "application/sarif+json",
    "code-quality.json": "application/json",
}
FORMATS: dict[FileName, str] = {"junit.xml": "junit", "report.sarif": "sarif", "code-quality.json": "code_quality"}
"""Formats of the files that are made from the stored result."""


@router.get("/attempts/{public}/download/{name}")
def download(request: Request, member: AnyMember, public: str, name: FileName) -> Response:
    """A file with the result that counts. It is the student's view or, if a teacher requests it, the whole result."""
    return download_of(request, member, public, name)


def download_of(request: Request, member: User, public: str, name: FileName) -> Response:
    """A file of an attempt's result. Raises NotFoundError for users who may not see the attempt."""
    whole = member.teaches and bool(request.query_params.get("all"))
    with state_of(request).database.reading() as session:
        attempt = visible_attempt(session, public, member)
        if attempt.counted is None:
            raise NotFoundError
        require_shown(attempt.counted, member)
        packed = _page(attempt.counted, whole=whole) if name == "report.html" else _json(attempt.counted, whole=whole)
        headers = download_headers(f"{attempt.assignment}-{attempt.number}-{name}")
    if name in FORMATS:
        packed = _rendered(packed, FORMATS[name])
    return decompressed(packed, TYPES[name], headers)


def _page(counted: GradingRow, *, whole: bool) -> bytes:
    drawn = (counted.full_page if whole else None) or counted.published_page
    if drawn is None:
        raise NotFoundError
    return drawn


def _json(counted: GradingRow, *, whole: bool) -> bytes:
    if whole and counted.result is not None:
        return zlib.compress(counted.result.encode())
    if counted.published_result is None:
        raise NotFoundError
    return counted.published_result


def _rendered(packed: bytes, name: str) -> bytes:
    with RENDERING.slot():
        return zlib.compress(REPORTS[name](Result.model_validate_json(zlib.decompress(packed))).encode())
