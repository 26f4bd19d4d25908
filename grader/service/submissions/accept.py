"""Accepts hand-ins. Checks the file, and stores the attempt before the student gets a confirmation. This module does
not parse the text, so its cost grows only linearly with the size of the file.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.course.submissions.submission import SIZE_LIMIT, UTF16_MARKS, is_binary
from grader.service.course import limits
from grader.service.course.groups import BELONGS, history_of, past_of, team_at
from grader.service.course.limits import HandInRules
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow, ShareRow
from grader.service.db.tokens import fresh_token
from grader.service.errors import FieldError, RefusedError

HAND_IN_PRIORITY, DRY_RUN_PRIORITY, REGRADING_PRIORITY = 0, 5, 10
"""Priorities in the queue. New hand-ins come first. Dry runs come second, because a student waits for each one in the
editor. Regradings come last, because there may be hundreds of them and students do not wait for them. But dry runs
leave them a share of the stations (queue.DRY_RUNS_SHARE).
"""

HANDED_IN = "handed in"
"""Reason (GradingRow.why) of the first grading of an attempt."""

MAX_NAME_LENGTH = 100
"""Maximum length of a stored file name. Longer names are truncated."""

MAX_FORM_KEY_LENGTH = 100
FOREIGN_FORM = "This form does not belong to this assignment; open the assignment's page again."

OPEN_STATES = (State.WAITING, State.RUNNING)


WAITING_GRADINGS = (
    select(GradingRow.id)
    .where(GradingRow.attempt_id.in_(select(AttemptRow.id).where(BELONGS)), GradingRow.state == State.WAITING)
    .order_by(GradingRow.id)
    .with_for_update()
)
"""Query for the waiting gradings of people. It locks them for the transaction that reads them."""

MAX_LINES = 5_000
"""Maximum number of lines of a file. A report shows every line, and the time to compare two files grows with the number
of pairs of lines.
"""

FILE_TOO_LARGE = "The file is over 1 MiB; hand in only the OpenCL source text."


@dataclass(frozen=True, kw_only=True)
class HandInRequest:
    """A file that a person hands in. All clicks on one form send the same `form_key`."""

    person_id: int
    assignment: str
    file_name: str
    data: bytes
    form_key: str


def accept(session: Session, offer: HandInRequest, rules: HandInRules, now: datetime) -> AttemptRow:
    """Store an attempt, put it in the queue, and mark the attempts that it supersedes by the student's rules. If a form
    is sent twice with the same file, only one attempt is stored; another file gives another attempt. Raises
    RefusedError without a change if the file is refused.
    """
    previous = previous_of(session, offer)
    if previous is not None and is_repeated(previous, offer):
        return previous
    team = team_at(session, rules.policies, offer.person_id)
    if len(team) > rules.policies.groups:
        most = count(rules.policies.groups, "member")
        raise RefusedError(
            f"Your group has {len(team)} members, and this assignment allows {most}; ask your instructor."
        )
    # Stations must not claim these gradings before this transaction has possibly superseded them.
    session.execute(WAITING_GRADINGS, {"people": [*team]})
    attempts = history_of(session, team, offer.assignment)
    past = past_of(session, attempts, team)
    require_usable(offer.data)
    if why := limits.refusal(rules, past, _open_elsewhere(session, offer), now):
        raise RefusedError(why)
    for position in limits.superseded_positions(rules, past, now):
        if _people(session, attempts[position]) <= team:  # keep attempts that former members own, too
            _supersede(session, attempts[position], now)
    return store(session, offer, slot_after(attempts, previous, team), rules, now)


@dataclass(frozen=True, kw_only=True)
class AttemptSlot:
    """Data of a new attempt: its owners, its number, and how often its form has been used."""

    team: frozenset[int]
    number: int
    form_use: int


def slot_after(attempts: Sequence[AttemptRow], previous: AttemptRow | None, team: frozenset[int]) -> AttemptSlot:
    """The data of the attempt that follows these. `previous` is the latest attempt that was sent with the same form."""
    number = attempts[-1].number + 1 if attempts else 1
    return AttemptSlot(team=team, number=number, form_use=1 if previous is None else previous.form_use + 1)


def store(session: Session, offer: HandInRequest, slot: AttemptSlot, rules: HandInRules, now: datetime) -> AttemptRow:
    """Store an attempt and put it in the queue."""
    attempt = AttemptRow(
        public=fresh_token(),
        person_id=offer.person_id,
        assignment=offer.assignment,
        number=slot.number,
        form_key=offer.form_key,
        form_use=slot.form_use,
        file_name=offer.file_name[:MAX_NAME_LENGTH],
        data=offer.data,
        size=len(offer.data),
        sha256=_sha256(offer),
        received=now,
        late=limits.is_late(rules, now),
        trial=session.get_one(PersonRow, offer.person_id).role != CourseRole.STUDENT,
    )
    waiting = new_grading(HANDED_IN, HAND_IN_PRIORITY, now)
    waiting.round = _next_round(session, offer.person_id)
    attempt.gradings.append(waiting)
    session.add(attempt)
    session.flush()
    others = sorted(slot.team - {offer.person_id})
    session.add_all(ShareRow(attempt_id=attempt.id, person_id=each) for each in others)
    session.flush()
    return attempt


def _next_round(session: Session, person_id: int) -> int:
    """The round of a person's new grading. It is the latest round that has begun or the round after the person's last
    grading, if that is later. Therefore the attempts of one student delay another student by at most one grading.

    This is start-time fair queueing (Goyal, Vin and Cheng, 1996) with equal weights.
    """
    rounds = select(func.max(GradingRow.round)).where(GradingRow.priority == HAND_IN_PRIORITY)
    present = session.scalar(rounds.where(GradingRow.started.is_not(None))) or 0
    last = session.scalar(rounds.join(GradingRow.attempt).where(AttemptRow.person_id == person_id))
    return max(present, -1 if last is None else last + 1)


def new_grading(why: str, priority: int, now: datetime) -> GradingRow:
    """Create a grading that waits for a station."""
    return GradingRow(
        why=why,
        priority=priority,
        state=State.WAITING,
        created=now,
        not_before=now,
        tries=0,
        stop_asked=False,
        fault="",
    )


def is_repeated(previous: AttemptRow, offer: HandInRequest) -> bool:
    """True if the form has sent the same file again."""
    return previous.sha256 == _sha256(offer)


def previous_of(session: Session, offer: HandInRequest) -> AttemptRow | None:
    """The latest attempt that was sent with this form; None for a new form. Raises RefusedError if the form belongs to
    another assignment.
    """
    if not 0 < len(offer.form_key) <= MAX_FORM_KEY_LENGTH:
        raise RefusedError(FOREIGN_FORM)
    same = AttemptRow.person_id == offer.person_id, AttemptRow.form_key == offer.form_key
    found = session.scalar(select(AttemptRow).where(*same).order_by(AttemptRow.form_use.desc()).limit(1))
    if found is not None and found.assignment != offer.assignment:
        raise RefusedError(FOREIGN_FORM)
    return found


def _open_elsewhere(session: Session, offer: HandInRequest) -> int:
    others = AttemptRow.person_id == offer.person_id, AttemptRow.assignment != offer.assignment
    unfinished = select(func.count(GradingRow.id)).join(GradingRow.attempt)
    first = (
        GradingRow.priority == HAND_IN_PRIORITY,
        GradingRow.state.in_(OPEN_STATES),
    )  # regradings are not hand-ins
    return session.scalar(unfinished.where(*others, *first)) or 0


def _people(session: Session, attempt: AttemptRow) -> set[int]:
    return {attempt.person_id, *session.scalars(select(ShareRow.person_id).where(ShareRow.attempt_id == attempt.id))}


def _supersede(session: Session, attempt: AttemptRow, now: datetime) -> None:
    """Mark the waiting grading of an attempt as superseded. No-op if a station has claimed it in the meantime."""
    session.execute(
        update(GradingRow)
        .where(GradingRow.attempt_id == attempt.id, GradingRow.state == State.WAITING)
        .values(state=State.SUPERSEDED, ended=now)
    )


def _sha256(offer: HandInRequest) -> str:
    return hashlib.sha256(offer.data).hexdigest()


def cancel(session: Session, attempt: AttemptRow, now: datetime) -> None:
    """Cancel the first grading of an attempt. A waiting grading is cancelled at once, and a running one is stopped by
    its station. No-op if it has ended. Regradings are not cancelled because an instructor ordered them.
    """
    first = GradingRow.attempt_id == attempt.id, GradingRow.why == HANDED_IN
    waiting, running = (update(GradingRow).where(*first, GradingRow.state == each) for each in OPEN_STATES)
    session.execute(waiting.values(state=State.CANCELLED, ended=now))
    session.execute(running.values(stop_asked=True))


def file_refusal(data: bytes) -> str:
    """Reason why a file is refused; empty if it is accepted. A refused file does not use up an attempt."""
    return next(_faults(data), "")


def require_usable(data: bytes) -> None:
    """Raise FieldError if a file is refused."""
    if why := file_refusal(data):
        raise FieldError("file", why)


def _faults(data: bytes) -> Iterator[str]:
    if len(data) > SIZE_LIMIT:
        yield FILE_TOO_LARGE
    if not data.strip():
        yield "The file is empty; hand in your kernel."
    if data.startswith(b"PK\x03\x04"):
        yield "The file is a zip; hand in the .cl file itself."
    if data.startswith(UTF16_MARKS):
        yield "The file is UTF-16 text; save it as UTF-8."
    if is_binary(data):
        yield "The file is binary, not OpenCL source text; hand in the .cl file itself."
    if data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n") > MAX_LINES:
        yield f"The file has over {MAX_LINES:,} lines. Hand in an ordinary kernel."
