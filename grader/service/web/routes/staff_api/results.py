"""The results of attempts as files."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from grader.service.web.routes.staff_api.callers import PREFIX, ResultsReader
from grader.service.web.routes.student.downloads import FileName, download_of

router = APIRouter(prefix=PREFIX)


@router.get("/attempts/{public}/results/{name}")
def result(request: Request, caller: ResultsReader, public: str, name: FileName) -> Response:
    """The result that counts: as JSON, JUnit XML, SARIF, for Code Quality, or as a page. With `?all=yes`, it includes
    checks that are hidden from students. 404 if the attempt has no result yet. Needs the scope `results:read`.
    """
    return download_of(request, caller, public, name)
