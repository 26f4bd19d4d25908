"""Line items: the columns of a platform's gradebook, one for each assignment that a course of the platform uses."""

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.service.db.tables.lti import LtiContextRow, LtiLineItemRow
from grader.service.db.tables.people import CourseRole
from grader.service.errors import RefusedError
from grader.service.lti.keys import SigningKey
from grader.service.lti.platform_client import (
    Endpoints,
    PlatformClient,
    PlatformError,
    RejectedError,
    ServiceRequest,
)

LINE_ITEM_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"
LINE_ITEMS_TYPE = "application/vnd.ims.lis.v2.lineitemcontainer+json"
LINE_ITEM_TYPE = "application/vnd.ims.lis.v2.lineitem+json"

NO_COLUMN = (
    "the platform has no column for this assignment and does not let this tool create one. Open the assignment from "
    "the platform once, or allow the tool to create columns"
)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: its address, which is empty until it is known, the address of all columns, and the permissions of the
    service.
    """

    number: int
    assignment: str
    url: str
    all_url: str
    scopes: frozenset[str]
    most: float


@dataclass(frozen=True, kw_only=True)
class StatedColumn:
    """The address of a column in a launch, which may be empty, and the role of the person who arrives."""

    url: str
    role: str


def note_line_item(session: Session, context: LtiContextRow, assignment: str, stated: StatedColumn) -> None:
    """Record that a course uses an assignment, and the column for it if the platform states one. The launch of a
    student does not replace a known column, because its scores belong to all students. Without a column, it records
    nothing, because a student of some platforms can choose the address that is launched.
    """
    row = session.scalar(select(LtiLineItemRow).filter_by(context_id=context.id, assignment=assignment))
    if row is None:
        if not stated.url and stated.role == CourseRole.STUDENT:
            return
        session.add(LtiLineItemRow(context_id=context.id, assignment=assignment, url=stated.url))
    elif stated.url and (not row.url or stated.role != CourseRole.STUDENT):
        row.url = stated.url


def column_address(client: PlatformClient, platform: Endpoints, key: SigningKey, column: Column) -> str:
    """Address of the column for an assignment. Creates the column if the platform has none. Raises a PlatformError if
    that fails.
    """
    reading = [each for each in (LINE_ITEM_SCOPE, f"{LINE_ITEM_SCOPE}.readonly") if each in column.scopes]
    if not (reading and column.all_url):
        raise RejectedError(403, NO_COLUMN)
    wanted = with_query(column.all_url, resource_id=column.assignment)
    asked = ServiceRequest(method="GET", url=wanted, scopes=(reading[0],), accept=LINE_ITEMS_TYPE)
    mine = [each for each in client.ask(platform, key, asked).rows if each.get("resourceId") == column.assignment]
    if not mine and reading[0] != LINE_ITEM_SCOPE:
        raise RejectedError(403, NO_COLUMN)
    if not mine:
        most = int(column.most) if column.most.is_integer() else column.most  # Open edX accepts only whole numbers
        body = {"label": column.assignment, "scoreMaximum": most, "resourceId": column.assignment}
        made = ServiceRequest(
            method="POST",
            url=column.all_url,
            scopes=(LINE_ITEM_SCOPE,),
            accept=LINE_ITEM_TYPE,
            body=body,
            content_type=LINE_ITEM_TYPE,
        )
        mine = [client.ask(platform, key, made).json]
    address = mine[0].get("id") if isinstance(mine[0], dict) else None
    try:
        return client.require_address(str(address), "address of the column")
    except RefusedError as error:
        raise RejectedError(200, "the platform did not say where the column is") from error


def under(address: str, name: str, **query: str) -> str:
    """Address of a part of a column. Moodle's addresses of columns have a query string, which must stay at the end."""
    parts = _parts(address)
    longer = urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{name}"))
    return with_query(longer, **query)


def with_query(address: str, **query: str) -> str:
    """The address with further parameters. Raises PlatformError if the address is not valid."""
    parts = _parts(address)
    fields = [*parse_qsl(parts.query, keep_blank_values=True), *query.items()]
    return urlunsplit(parts._replace(query=urlencode(fields)))


def _parts(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError as error:
        raise PlatformError("the platform has sent an address that is not valid") from error
