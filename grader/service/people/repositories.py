"""Repositories whose CI jobs hand in. A student links a repository, or the staff import a list.

A student could link the repository of another student, to get the other's hand-ins. Therefore a job must name its
student if the staff have not listed its repository. A provider may give the path of a deleted repository to another
one. Therefore, the number of a repository is stored at its first job and must not change.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from grader.common.errors import InputError
from grader.common.phrases import count
from grader.lms.intake.reading.table import table_of
from grader.protocol.text import showable
from grader.service.db.keys import is_same_key
from grader.service.db.tables.access import RepositoryRow
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.people import PersonRow
from grader.service.errors import FieldError, NotFoundError, RefusedError
from grader.service.people.auth.ci_jobs import CiJob
from grader.service.people.auth.sessions import person_named

MAX_OWN_REPOSITORIES, MAX_LISTED = 50, 5_000
"""Maximum number of repositories of a person, and of lines in a list."""

PATH = re.compile(r"[\w.-]{1,100}(/[\w.-]{1,100}){1,10}", re.ASCII)
"""Form of the path of a repository, such as group/project."""


def link_repository(session: Session, person_id: int, issuer: str, path: str, now: datetime) -> None:
    """Link a repository to a person, for whom its jobs may then hand in. Raises FieldError if the link is refused."""
    repository = _path(path)
    own = RepositoryRow.person_id == person_id
    if (session.scalar(select(func.count()).where(own)) or 0) >= MAX_OWN_REPOSITORIES:
        raise FieldError("repository", f"You have linked {MAX_OWN_REPOSITORIES} repositories. Remove one first.")
    there = select(RepositoryRow.id).where(own, RepositoryRow.issuer == issuer, RepositoryRow.repository == repository)
    if session.scalar(there) is None:
        named = {"issuer": issuer, "repository": repository, "user": ""}
        session.add(RepositoryRow(person_id=person_id, **named, number="", by_staff=False, created=now))


def _path(text: str) -> str:
    """The path of a repository in a form or a list. Raises FieldError if the text is not a path."""
    path = text.strip().strip("/").removesuffix(".git").lower()
    if not PATH.fullmatch(path):
        found = f"{showable(text.strip()[:200])!r} is not the path of a repository"
        raise FieldError("repository", f"{found}; write one such as group/project.")
    return path


def unlink_repository(session: Session, person_id: int, row_id: int) -> None:
    """Remove a repository of a person. Raises NotFoundError unless the person has it."""
    row = session.get(RepositoryRow, row_id)
    if row is None or row.person_id != person_id:
        raise NotFoundError
    session.delete(row)


def repositories_of(session: Session, person_id: int) -> Sequence[RepositoryRow]:
    """The repositories of a person."""
    wanted = select(RepositoryRow).where(RepositoryRow.person_id == person_id)
    return session.scalars(wanted.order_by(RepositoryRow.repository)).all()


def listed_repositories(session: Session) -> Sequence[RepositoryRow]:
    """The repositories of all people, with these people."""
    wanted = select(RepositoryRow).options(joinedload(RepositoryRow.person))
    return session.scalars(wanted.order_by(RepositoryRow.repository, RepositoryRow.id)).all()


def import_repositories(session: Session, data: bytes, issuer: str, who: str, now: datetime) -> int:
    """Replace the staff's list of a provider's repositories by a CSV file with the columns key and repository, and
    optionally user. Returns the number of lines. If a line is refused, raises RefusedError and changes nothing.
    """
    try:
        lines = table_of("the file", data, "a list of repositories", ("key", "repository"))
    except InputError as error:
        raise RefusedError(str(error)) from error
    if len(lines) > MAX_LISTED:
        raise RefusedError(f"The list has {len(lines):,} lines. Upload at most {MAX_LISTED:,}.")
    for row in session.scalars(select(RepositoryRow).where(RepositoryRow.by_staff, RepositoryRow.issuer == issuer)):
        session.delete(row)
    session.flush()
    people = {each.key: each for each in session.scalars(select(PersonRow))}
    made: dict[tuple[int, str], RepositoryRow] = {}
    for line in lines:
        key = line.field("key").strip()
        person = people.get(key) or person_named(session, {key})
        if person is None:
            raise RefusedError(f"Line {line.line} of the list: no person of this course has the key {showable(key)!r}.")
        try:
            repository = _path(line.field("repository"))
        except FieldError as error:
            raise RefusedError(f"Line {line.line} of the list: {error}") from error
        user = line.field("user").strip().lower()
        named = {"issuer": issuer, "repository": repository, "user": user}
        row = RepositoryRow(person_id=person.id, **named, number="", by_staff=True, created=now)
        made[person.id, repository] = row
    _replace_own(session, issuer, made)
    session.add(AuditRow(at=now, who=who, about="", what=f"took in {count(len(lines), 'repository link')} of CI jobs"))
    return len(lines)


def _replace_own(session: Session, issuer: str, made: dict[tuple[int, str], RepositoryRow]) -> None:
    """Store the staff's links, which replace people's own links to the same repositories."""
    for row in session.scalars(select(RepositoryRow).where(RepositoryRow.issuer == issuer)):
        if (row.person_id, row.repository) in made:
            session.delete(row)
    session.flush()
    session.add_all(made.values())


def person_of_job(session: Session, job: CiJob, named: str) -> PersonRow:
    """The person for whom a job hands in. `named` is the key that the job states, or empty. Raises RefusedError with
    the next step if there is no such person.
    """
    wanted = RepositoryRow.issuer == job.issuer, RepositoryRow.repository == job.repository
    linked = session.scalars(select(RepositoryRow).where(*wanted).options(joinedload(RepositoryRow.person))).all()
    rows = [each for each in linked if each.user in {"", job.user} and each.person.deactivated is None]
    if named:
        rows = [each for each in rows if is_same_key(each.person.key, named)]
    else:
        rows = [each for each in rows if each.by_staff]
    if len(rows) == 1:
        _require_same_repository(rows[0], job)
        return rows[0].person
    if len(rows) > 1:
        raise RefusedError(f"Several people have the repository {job.repository}. Name the student in GRADER_STUDENT.")
    person = person_named(session, {job.person_key}) if job.person_key and not linked else None
    if person is not None and person.deactivated is None and (not named or is_same_key(person.key, named)):
        return person
    raise RefusedError(_unlinked(job, named, is_linked=bool(linked)))


def _require_same_repository(row: RepositoryRow, job: CiJob) -> None:
    """Store the number of a repository at its first job. Raises RefusedError if another repository has its path now."""
    row.number = row.number or job.number
    if row.number != job.number:
        raise RefusedError(
            f"The repository {job.repository} is not the one that was linked, but a new one with this name. Remove its "
            "link on the page Repositories, and link it again."
        )


def _unlinked(job: CiJob, named: str, *, is_linked: bool) -> str:
    if is_linked and not named:
        return f"Set GRADER_STUDENT in this job to your key, because your staff have not listed {job.repository}."
    whose = f"for {showable(named)!r} " if named else ""
    return f"The repository {job.repository} is not linked {whose}here. Link it on the page Repositories."
