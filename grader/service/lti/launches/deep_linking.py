"""Choice of assignments by an instructor, for a course of a learning platform (Deep Linking).

The page for the choice may be inside a frame of the platform, in which browsers block cookies. Therefore, a separate
token authorizes the form of the page, instead of a session. The browser returns the choice to the platform in a form.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.common.record import Record
from grader.service.course.assignment_view import AssignmentView
from grader.service.db.tables.lti import LtiContextRow, LtiSelectionRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tokens import fresh_token, token_hash
from grader.service.errors import RefusedError
from grader.service.lti.keys import SigningKey, signed
from grader.service.lti.launches.launch import AGAIN
from grader.service.lti.launches.message import CLAIM, LaunchError, SelectionSettings

SELECTION_LIFETIME = timedelta(hours=1)

LINK_TYPE = "ltiResourceLink"

CONTENT = "https://purl.imsglobal.org/spec/lti-dl/claim/"


class _KeptSettings(Record):
    """The platform's settings that are needed for the answer."""

    return_url: str
    several: bool
    with_points: bool
    data: str | None


@dataclass(frozen=True, kw_only=True)
class AssignmentSelection:
    """A choice by an instructor, for a course of a platform. `several` is true if several assignments are allowed."""

    context: LtiContextRow
    return_url: str
    several: bool
    with_points: bool
    data: str | None


@dataclass(frozen=True, kw_only=True)
class ReturnForm:
    """The form with which the browser returns the choice: its address and the signed message."""

    address: str
    message: str


def open_selection(
    session: Session, context: LtiContextRow, person: PersonRow, settings: SelectionSettings, now: datetime
) -> str:
    """Begin a choice, and return the token for its form. Raises LaunchError if the person may not choose, or if the
    platform does not accept links.
    """
    if person.role != CourseRole.INSTRUCTOR:
        raise LaunchError("Only an instructor can add assignments to a course of the learning platform.")
    if settings.accept_types and LINK_TYPE not in settings.accept_types:
        raise LaunchError("Your platform does not accept links to activities here (ltiResourceLink).")
    session.execute(delete(LtiSelectionRow).where(LtiSelectionRow.expires < now))
    token = fresh_token()
    kept = _KeptSettings(
        return_url=settings.deep_link_return_url,
        several=settings.accept_multiple,
        with_points=settings.accept_lineitem,
        data=settings.data,
    )
    session.add(
        LtiSelectionRow(
            context_id=context.id,
            person_id=person.id,
            token_sha256=token_hash(token),
            settings=kept.model_dump_json(),
            expires=now + SELECTION_LIFETIME,
        )
    )
    return token


def selection_of(session: Session, token: str, now: datetime) -> AssignmentSelection:
    """The choice of assignments that belongs to a token. Raises RefusedError if the token cannot be used."""
    row = _row(session, token, now)
    kept = _KeptSettings.model_validate_json(row.settings)
    return AssignmentSelection(context=row.context, **kept.model_dump())


def use_selection(session: Session, token: str, now: datetime) -> AssignmentSelection:
    """Use up a token. Raises RefusedError if it cannot be used."""
    selection = selection_of(session, token, now)
    session.delete(_row(session, token, now))
    return selection


def _row(session: Session, token: str, now: datetime) -> LtiSelectionRow:
    row = session.scalar(select(LtiSelectionRow).filter_by(token_sha256=token_hash(token)))
    if row is None or row.expires < now or row.context.connected is None:
        raise RefusedError(f"This choice was already made or has expired. {AGAIN}")
    return row


def return_form(
    selection: AssignmentSelection, chosen: Sequence[AssignmentView], origin: str, key: SigningKey
) -> ReturnForm:
    """The form that returns these assignments. Raises RefusedError if the platform accepts only one."""
    if len(chosen) > 1 and not selection.several:
        raise RefusedError(f"Your platform accepts one assignment at a time. Choose one. {AGAIN}")
    platform = selection.context.platform
    claims = {
        "iss": platform.client_id,
        "aud": platform.issuer,
        f"{CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}version": "1.3.0",
        f"{CLAIM}deployment_id": selection.context.deployment,
        f"{CONTENT}content_items": [dict(_item(each, origin, selection)) for each in chosen],
    }
    if selection.data is not None:
        claims[f"{CONTENT}data"] = selection.data
    return ReturnForm(address=selection.return_url, message=signed(claims, key))


def _item(assignment: AssignmentView, origin: str, selection: AssignmentSelection) -> Iterator[tuple[str, Any]]:
    """The fields of a link to an assignment. It asks for a new window, because browsers block cookies in frames."""
    yield "type", LINK_TYPE
    yield "title", assignment.title
    yield "url", f"{origin}/assignments/{assignment.name}"
    yield "custom", {"assignment": assignment.name}
    yield "window", {"targetName": "_blank"}
    if selection.with_points and assignment.points > 0:
        column = {"scoreMaximum": assignment.points, "label": assignment.title, "resourceId": assignment.name}
        yield "lineItem", column
    if assignment.rules.opens is not None:
        yield "available", {"startDateTime": assignment.rules.opens.isoformat()}
    if assignment.rules.due is not None:
        yield "submission", {"endDateTime": assignment.rules.due.isoformat()}
