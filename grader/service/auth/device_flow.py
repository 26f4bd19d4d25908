"""Signing in a terminal, as RFC 8628 has it: the terminal shows a short code, its owner confirms that in a browser, and
the terminal, which asks now and then, is given a token once.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from grader.service.auth.api_tokens import NAME_LENGTH, TokenRequest, give_token
from grader.service.auth.secrets import fresh_token, token_hash
from grader.service.db.models import DeviceSignInRow
from grader.service.errors import RefusalError

LETTERS, LENGTH = "BCDFGHJKLMNPQRSTVWXZ", 8
"""Of a code that people type: no vowels, so that it is no word, and nothing that looks like a digit."""

LASTS = timedelta(minutes=10)

INTERVAL = 5
"""Seconds between two questions of a terminal, and how many more it must wait whenever it asks too soon."""

OPEN_AT_ONCE = 10_000
"""Terminals that wait; whoever asks needs no sign-in, so there must be an end to it."""

NO_CODE = "This code has been used, has run out, or never was one. Run `grader login` again, and type the new one."


class Answer(StrEnum):
    """What somebody has said to a terminal that asks."""

    NONE = "none"
    ALLOWED = "allowed"
    DENIED = "denied"


class FlowError(StrEnum):
    """Why a terminal gets no token, in the words of RFC 8628 and RFC 6749."""

    PENDING = "authorization_pending"
    SLOW_DOWN = "slow_down"
    EXPIRED = "expired_token"
    DENIED = "access_denied"


@dataclass(frozen=True, kw_only=True)
class Begun:
    """What a terminal is told; the device code is its secret, the user code is shown."""

    device_code: str
    user_code: str


def begin(session: Session, name: str, scopes: str, now: datetime) -> Begun:
    """Note that a terminal wants to be signed in; raises RefusalError if too many do."""
    session.execute(delete(DeviceSignInRow).where(DeviceSignInRow.expires <= now))
    refuse_too_many(session, now)
    begun = Begun(device_code=fresh_token(), user_code="".join(secrets.choice(LETTERS) for _ in range(LENGTH)))
    session.add(
        DeviceSignInRow(
            device_sha256=token_hash(begun.device_code),
            user_code=begun.user_code,
            name=name[:NAME_LENGTH],
            scopes=scopes,
            expires=now + LASTS,
            interval=INTERVAL,
            answer=Answer.NONE,
        )
    )
    return begun


def refuse_too_many(session: Session, now: datetime) -> None:
    """Raises RefusalError if too many terminals wait; asked before anything is written, since anybody may ask."""
    waiting = select(func.count(DeviceSignInRow.id)).where(DeviceSignInRow.expires > now)
    if (session.scalar(waiting) or 0) >= OPEN_AT_ONCE:
        raise RefusalError("Too many terminals are being signed in right now; try again in ten minutes.")


def is_known(session: Session, device_code: str, now: datetime) -> bool:
    """Whether a terminal of this code waits: asked before anything is written, too."""
    same = DeviceSignInRow.device_sha256 == token_hash(device_code), DeviceSignInRow.expires > now
    return session.scalar(select(DeviceSignInRow.id).where(*same)) is not None


def typed(code: str) -> str:
    """A code as it is stored, however it was typed."""
    return "".join(each for each in code[:50].upper() if each in LETTERS)


def dashed(code: str) -> str:
    """A code as it is shown."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


def asking(session: Session, code: str, now: datetime) -> DeviceSignInRow:
    """The terminal that shows this code and has not been answered; raises RefusalError if there is none."""
    found = session.scalar(
        select(DeviceSignInRow).where(
            DeviceSignInRow.user_code == typed(code),
            DeviceSignInRow.answer == Answer.NONE,
            DeviceSignInRow.expires > now,
        )
    )
    if found is None:
        raise RefusalError(NO_CODE)
    return found


def answer(session: Session, code: str, person_id: int, said: Answer, now: datetime) -> None:
    """Answer a terminal, once; raises RefusalError if there is nothing to answer."""
    done = session.scalar(
        update(DeviceSignInRow)
        .where(DeviceSignInRow.id == asking(session, code, now).id, DeviceSignInRow.answer == Answer.NONE)
        .values(answer=said, person_id=person_id)
        .returning(DeviceSignInRow.id)
    )
    if done is None:
        raise RefusalError(NO_CODE)


@dataclass(frozen=True, kw_only=True)
class Given:
    """A token that a terminal gets, and what it allows."""

    token: str
    scopes: str


def ask(session: Session, device_code: str, now: datetime) -> Given | FlowError:
    """What a terminal that asks is told. A token is given once; after that its code is none."""
    row = session.scalar(
        select(DeviceSignInRow).where(DeviceSignInRow.device_sha256 == token_hash(device_code)).with_for_update()
    )
    if row is None or row.expires <= now:
        return FlowError.EXPIRED
    if row.answer == Answer.NONE:
        return _waits(row, now)
    session.delete(row)
    if row.answer == Answer.DENIED or row.person_id is None:
        return FlowError.DENIED
    return Given(
        token=give_token(session, row.person_id, TokenRequest(name=row.name, scopes=row.scopes), now), scopes=row.scopes
    )


def _waits(row: DeviceSignInRow, now: datetime) -> FlowError:
    early = row.polled is not None and now < row.polled + timedelta(seconds=row.interval - 1)  # a network's delays vary
    row.polled = now
    if early:
        row.interval += INTERVAL
    return FlowError.SLOW_DOWN if early else FlowError.PENDING
