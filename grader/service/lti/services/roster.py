"""Rosters of learning platforms, by the Names and Role Provisioning Services.

All pages are read before anything changes. Then each listed person is enrolled, and a member who is not listed any more
leaves: without another connected course, the person is deactivated until they return. People who do not come from the
platform are not touched.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.protocol.text import showable
from grader.service.db.session import Database, in_batches
from grader.service.db.tables.lti import LtiAccountRow, LtiContextRow, LtiMemberRow, LtiPlatformRow
from grader.service.db.tables.people import PersonRow
from grader.service.errors import RefusedError
from grader.service.lti.accounts import StatedPerson, enrol, is_last_instructor, role_of
from grader.service.lti.keys import SigningKey, signing_key
from grader.service.lti.platform_client import (
    Endpoints,
    PlatformAnswer,
    PlatformClient,
    PlatformError,
    ServiceRequest,
    pages,
)
from grader.service.lti.registrations import endpoints_of
from grader.service.lti.services.groups import GroupSource, read_groups, store_groups
from grader.service.lti.services.line_items import with_query
from grader.service.people.members import deactivate
from grader.service.people.roster import MAX_PEOPLE

SCOPE = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
MEDIA_TYPE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"

MEMBERS_PER_PAGE = 200
"""Number of members per page that the service asks for. A platform may put fewer members on a page."""

ROSTER_INTERVAL, RETRY_AFTER = timedelta(hours=6), timedelta(minutes=30)
"""Time after which a roster is read again, and time after which a failed reading is repeated."""

MAX_DEPARTURES, MIN_SUSPICIOUS = 0.5, 10
"""A roster that lacks more than this share of the members, and more than this number, is probably incomplete. Then no
member is removed.
"""

MAX_NAME_LENGTH = 100
"""Maximum length of a name in the words about a person who was refused."""


@dataclass(frozen=True, kw_only=True)
class _Course:
    """A course whose roster is read."""

    number: int
    platform: Endpoints
    context: str
    address: str
    groups: GroupSource


def read_rosters(database: Database, client: PlatformClient, now: datetime) -> None:
    """Read the rosters that are due. Raises OSError with the reason if one cannot be read."""
    with database.reading() as session:
        free = or_(LtiPlatformRow.paused_until.is_(None), LtiPlatformRow.paused_until <= now)
        due = (
            select(LtiContextRow)
            .join(LtiPlatformRow, LtiPlatformRow.id == LtiContextRow.platform_id)
            .where(LtiContextRow.connected.is_not(None), LtiContextRow.roster_due <= now, free)
        )
        courses = [_course(row) for row in session.scalars(due) if row.memberships_url]
        if not courses:
            return
        key = signing_key(session, now)
    failure = ""
    for each in courses:
        _postpone(database, each, now)
        try:
            members = _members(client, key, each)
            groups = read_groups(client, each.platform, key, each.groups)
            words = _take_in(database, each, members, now)
            words += store_groups(database, each.number, groups, members, now)
        except (PlatformError, RefusedError) as error:
            words = failure = f"The roster could not be read: {error}"
        with database.writing() as session:
            row = session.get_one(LtiContextRow, each.number)
            row.roster_words, row.rostered = words, row.rostered if failure else now
            if row.roster_due is not None and not failure:
                row.roster_due = now + ROSTER_INTERVAL
    if failure:
        raise OSError(failure)


def _course(row: LtiContextRow) -> _Course:
    endpoints = endpoints_of(row.platform)
    groups = GroupSource(groups_url=row.groups_url, sets_url=row.group_sets_url, chosen=row.group_set)
    return _Course(number=row.id, platform=endpoints, context=row.context, address=row.memberships_url, groups=groups)


def _postpone(database: Database, course: _Course, now: datetime) -> None:
    """Make other processes wait, and this process, too, if it fails."""
    with database.writing() as session:
        postponed = update(LtiContextRow).where(LtiContextRow.id == course.number)
        session.execute(postponed.values(roster_due=now + RETRY_AFTER))


def _members(client: PlatformClient, key: SigningKey, course: _Course) -> list[Mapping[str, Any]]:
    """All members that the platform lists. Raises a PlatformError or RefusedError unless the list is complete."""
    first = with_query(course.address, limit=str(MEMBERS_PER_PAGE))
    asked = ServiceRequest(method="GET", url=first, scopes=(SCOPE,), accept=MEDIA_TYPE)
    found: list[Mapping[str, Any]] = []
    for answer in pages(client, course.platform, key, asked):
        found += _page(answer, course)
        if len(found) > MAX_PEOPLE:
            raise RefusedError(f"the list has more than {MAX_PEOPLE:,} members.")
    return found


def _page(answer: PlatformAnswer, course: _Course) -> list[Mapping[str, Any]]:
    stated = answer.json
    members = stated.get("members") if isinstance(stated, dict) else None
    if not isinstance(members, list):
        raise RefusedError("the platform's answer is not a list of members.")
    context = stated.get("context")
    if isinstance(context, dict) and str(context.get("id", course.context)) != course.context:
        raise RefusedError("the platform's answer is about another course.")
    return [each for each in members if isinstance(each, dict)]


def _take_in(database: Database, course: _Course, members: Sequence[Mapping[str, Any]], now: datetime) -> str:
    """Enrol the listed people, let the others leave, and return the result in words."""
    people = list(_stated(members))
    with database.reading() as session:
        before = _current(session, course)
    roles, listed = {*before.values()}, {each.sub for each in people}
    changed = [each for each in people if (each.sub, each.role) not in roles]
    enrolled = in_batches(database, changed, lambda session, some: _enrol(session, course, some, now))
    refused = [why for some in enrolled for why in some]
    subs = {number: sub for number, (sub, _) in before.items()}
    gone = [number for number, sub in subs.items() if sub not in listed]
    words = f"{count(len(people), 'member')} in the roster"
    if len(gone) > MIN_SUSPICIOUS and len(gone) > MAX_DEPARTURES * len(subs):
        words += f", which lacks {len(gone)} of {len(subs)}, so it may be incomplete and no one was removed"
    else:
        in_batches(database, gone, lambda session, some: _leave(session, some, now))
        words += f", {len(gone)} left" if gone else ""
    return words + (f". {count(len(refused), 'member')} could not be added. The first: {refused[0]}" if refused else "")


def _current(session: Session, course: _Course) -> dict[int, tuple[str, str]]:
    """Account and role of each present member of a course, by the number of the membership."""
    wanted = (
        select(LtiMemberRow.id, LtiAccountRow.sub, LtiAccountRow.role)
        .join(LtiAccountRow, LtiAccountRow.person_id == LtiMemberRow.person_id)
        .where(LtiAccountRow.platform_id == course.platform.number, LtiAccountRow.departed.is_(None))
        .where(LtiMemberRow.context_id == course.number, LtiMemberRow.left.is_(None))
    )
    return {number: (sub, role) for number, sub, role in session.execute(wanted)}


def _stated(members: Sequence[Mapping[str, Any]]) -> Iterator[StatedPerson]:
    """The members who are active and have a role that may enter, each once."""
    seen = set()
    for each in members:
        sub, roles = each.get("user_id"), each.get("roles")
        role = role_of([one for one in roles if isinstance(one, str)]) if isinstance(roles, list) else None
        active = str(each.get("status", "Active")).rpartition("/")[2].rpartition("#")[2].lower() == "active"
        if isinstance(sub, str) and role is not None and active and sub not in seen:
            seen.add(sub)
            names = (_text(each, "name"), f"{_text(each, 'given_name')} {_text(each, 'family_name')}")
            keys = {"email": "email", "username": "ext_user_username", "sourcedid": "lis_person_sourcedid"}
            yield StatedPerson(
                sub=sub,
                role=role,
                name=next(filter(str.strip, names), ""),
                keys={name: _text(each, field) for name, field in keys.items()},
            )


def _text(member: Mapping[str, Any], field: str) -> str:
    value = member.get(field)
    return value if isinstance(value, str) else ""


def _enrol(session: Session, course: _Course, people: Sequence[StatedPerson], now: datetime) -> list[str]:
    """Enrol some people, and return the reasons why some of them were refused."""
    context, refused = session.get_one(LtiContextRow, course.number), []
    for each in people:
        try:
            with session.begin_nested():
                enrol(session, context, each, now)
        except RefusedError as error:
            refused.append(f"{showable(each.name or each.sub)[:MAX_NAME_LENGTH]}: {error}")
    return refused


def _leave(session: Session, member_ids: Sequence[int], now: datetime) -> None:
    """Let people leave a course. A person without another connected course is deactivated."""
    for each in member_ids:
        member = session.get_one(LtiMemberRow, each)
        member.left = now
        session.flush()
        staying = (
            select(LtiMemberRow.id)
            .join(LtiContextRow, LtiContextRow.id == LtiMemberRow.context_id)
            .where(LtiMemberRow.person_id == member.person_id, LtiMemberRow.left.is_(None))
            .where(LtiContextRow.connected.is_not(None))
        )
        person = session.get_one(PersonRow, member.person_id)
        if session.scalar(staying.limit(1)) is not None or person.deactivated or is_last_instructor(session, person):
            continue
        context = session.get_one(LtiContextRow, member.context_id)
        deactivate(session, person, context.platform.name, now)
        gone = update(LtiAccountRow).where(LtiAccountRow.person_id == person.id)
        session.execute(gone.values(departed=now))


def request_roster(row: LtiContextRow, now: datetime) -> None:
    """Let the service read the roster of a course in its next run. Raises RefusedError if there is no roster."""
    if row.connected is None or not row.memberships_url:
        raise RefusedError(f"{row.platform.name} offers no roster for {row.title}. Allow it in the tool's settings.")
    row.roster_due = now
