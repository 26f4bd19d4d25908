"""Reads the groups of a platform's course through the Course Groups Service.

A course may have several sets of groups, such as one for exercises and one for projects. An instructor chooses the set
whose groups hand in together. Each time the roster is read, each student gets their group in this set.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.protocol.text import showable
from grader.service.db.session import Database, in_batches
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.lti import LtiAccountRow, LtiContextRow, LtiPlatformRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import RefusedError
from grader.service.lti.keys import SigningKey
from grader.service.lti.platform_client import Endpoints, PlatformClient, ServiceRequest, pages
from grader.service.people.roster import MAX_FIELD_LENGTH, in_words

SCOPE = "https://purl.imsglobal.org/spec/lti-gs/scope/contextgroup.readonly"
GROUPS_TYPE = "application/vnd.ims.lti-gs.v1.contextgroupcontainer+json"
SETS_TYPE = "application/vnd.ims.lti-gs.v1.contextgroupsetcontainer+json"

MAX_GROUPS, MAX_SETS = 10_000, 100
"""The maximum numbers of groups and of sets of groups in a course."""

MAX_ID_LENGTH = MAX_FIELD_LENGTH // 2 - len(" ()")

WITHOUT_SET = "-"
"""Id of the set that contains all groups that are in no set of the platform."""


@dataclass(frozen=True, kw_only=True)
class GroupSource:
    """The addresses of the groups of a course and of their sets, and the id of the chosen set. Each of them may be
    empty.
    """

    groups_url: str
    sets_url: str
    chosen: str


@dataclass(frozen=True, kw_only=True)
class CourseGroups:
    """The sets of groups of a course, by id, and the names of the groups in the chosen set, by id."""

    sets: Mapping[str, str]
    names: Mapping[str, str]


def read_groups(client: PlatformClient, platform: Endpoints, key: SigningKey, source: GroupSource) -> CourseGroups:
    """Return the groups of a course. Raises a PlatformError or RefusedError if they cannot be read completely."""
    if not source.groups_url:
        return CourseGroups(sets={}, names={})
    asked = ServiceRequest(method="GET", url=source.groups_url, scopes=(SCOPE,), accept=GROUPS_TYPE)
    groups: list[Mapping[str, Any]] = []
    for answer in pages(client, platform, key, asked):
        groups += _rows(answer.json, "groups")
        if len(groups) > MAX_GROUPS:
            raise RefusedError(f"the course has more than {MAX_GROUPS:,} groups.")
    sets = _sets(client, platform, key, source) if source.sets_url else {}
    for each in groups:
        sets.setdefault(_set_of(each), "all other groups" if _set_of(each) == WITHOUT_SET else "groups without a name")
    mine = {str(each["id"]): _name(each) for each in groups if _set_of(each) == source.chosen}
    longer = {number: f"{name} ({number})" for number, name in mine.items()}
    alike = Counter([*mine.values(), *longer.values()])  # a student may have called a group "Blue (2)"
    names = {number: name if alike[name] == 1 else longer[number] for number, name in mine.items()}
    return CourseGroups(sets=dict([*sets.items()][:MAX_SETS]), names=names)


def _sets(client: PlatformClient, platform: Endpoints, key: SigningKey, source: GroupSource) -> dict[str, str]:
    asked = ServiceRequest(method="GET", url=source.sets_url, scopes=(SCOPE,), accept=SETS_TYPE)
    found: dict[str, str] = {}
    for answer in pages(client, platform, key, asked):
        found |= {str(each["id"]): _name(each) for each in _rows(answer.json, "sets")}
    return found


def _rows(stated: Any, name: str) -> list[Mapping[str, Any]]:
    rows = stated.get(name) if isinstance(stated, dict) else None
    if not isinstance(rows, list):
        raise RefusedError(f"the platform's answer is not a list of {name}.")
    return [each for each in rows if isinstance(each, dict) and _is_id(each.get("id"))]


def _is_id(stated: Any) -> bool:
    """True if a platform's id can be stored, shown in a page, and appended to the name of a group."""
    return isinstance(stated, str | int) and len(str(stated)) <= MAX_ID_LENGTH and str(stated).isprintable()


def _set_of(group: Mapping[str, Any]) -> str:
    number = group.get("set_id")
    return str(number) if number and _is_id(number) else WITHOUT_SET


def _name(stated: Mapping[str, Any]) -> str:
    name = stated.get("name")
    words = " ".join(showable(name).split()) if isinstance(name, str) else ""
    return (words or showable(str(stated["id"])))[: MAX_FIELD_LENGTH // 2]


def store_groups(
    database: Database, context_id: int, groups: CourseGroups, members: Sequence[Mapping[str, Any]], now: datetime
) -> str:
    """Store the sets of groups, assign the students of a course to their groups, and return the result in words. No
    group changes if the platform does not say who is in which group.
    """
    with database.writing() as session:
        context = session.get_one(LtiContextRow, context_id)
        context.group_sets = json.dumps(groups.sets)
        platform_id, is_chosen = context.platform_id, bool(context.group_set)
    if not is_chosen:
        return ""
    if not groups.names or not any(isinstance(each.get("group_enrollments"), list) for each in members):
        return ". The platform does not say who is in which group, so no group has changed"
    found = {str(each["user_id"]): _groups_of(each, groups) for each in members if isinstance(each.get("user_id"), str)}
    several = sum(len(names) > 1 for names in found.values())
    teams = {sub: names[0] if len(names) == 1 else None for sub, names in found.items()}
    with database.reading() as session:
        changed = _changed(session, platform_id, teams)
    in_batches(database, changed, lambda session, some: _regroup(session, dict(some), platform_id, now))
    words = f", {count(len(groups.names), 'group')}"
    return words + (f". {count(several, 'member')} in several groups got none" if several else "")


def _groups_of(member: Mapping[str, Any], groups: CourseGroups) -> list[str]:
    """Names of the groups of a member in the chosen set."""
    stated = member.get("group_enrollments")
    rows = [each for each in stated if isinstance(each, dict)] if isinstance(stated, list) else []
    return sorted(
        {groups.names[str(each.get("group_id"))] for each in rows if str(each.get("group_id")) in groups.names}
    )


def _changed(session: Session, platform_id: int, teams: Mapping[str, str | None]) -> list[tuple[int, str | None]]:
    """The number of each student whose group changes, and the new group."""
    wanted = (
        select(PersonRow.id, PersonRow.team, LtiAccountRow.sub)
        .join(LtiAccountRow, LtiAccountRow.person_id == PersonRow.id)
        .where(LtiAccountRow.platform_id == platform_id, PersonRow.role == CourseRole.STUDENT)
    )
    rows = session.execute(wanted)
    return [(number, teams[sub]) for number, team, sub in rows if sub in teams and teams[sub] != team]


def _regroup(session: Session, teams: Mapping[int, str | None], platform_id: int, now: datetime) -> None:
    who = session.get_one(LtiPlatformRow, platform_id).name
    for each in session.scalars(select(PersonRow).where(PersonRow.id.in_(teams))):
        before = f"{each.key}: {in_words(each)}"
        each.team = teams[each.id]
        session.add(AuditRow(at=now, who=who, about=each.key, what=f"{before} -> {in_words(each)}"))


def group_sets(context: LtiContextRow) -> dict[str, str]:
    """Names of the sets of groups of a course, by id."""
    return {str(number): str(name) for number, name in json.loads(context.group_sets).items()}


def choose_groups(session: Session, context: LtiContextRow, chosen: str, who: str, now: datetime) -> None:
    """Let the students of a course hand in with their groups in this set. If `chosen` is empty, stop reading groups,
    and students keep the groups that they have. Raises RefusedError if the set does not exist, or if another course
    supplies the groups.
    """
    sets = group_sets(context)
    if chosen and (chosen not in sets or context.connected is None):
        raise RefusedError("The platform no longer has this set of groups. Read the roster and choose again.")
    others = LtiContextRow.group_set != "", LtiContextRow.id != context.id, LtiContextRow.connected.is_not(None)
    other = session.scalar(select(LtiContextRow).where(*others).limit(1))
    if chosen and other is not None:
        raise RefusedError(
            f"{other.title} already supplies the groups. Groups of two courses could have the same name, so only one "
            "course can supply them."
        )
    context.group_set = chosen
    if chosen:
        context.roster_due = now
    what = (
        f"use the groups {sets[chosen]} of {context.title}" if chosen else f"do not use the groups of {context.title}"
    )
    session.add(AuditRow(at=now, who=who, about="", what=what))
