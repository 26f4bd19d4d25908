"""Checks of a registration. The findings state what works, and the next step for each fault."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.service.db.outbox import SendState
from grader.service.db.session import Database
from grader.service.db.tables.lti import LtiContextRow, LtiPlatformRow, LtiScoreRow
from grader.service.errors import RefusedError
from grader.service.lti.keys import SigningKey, signing_key
from grader.service.lti.launches.dynamic_registration import SCOPES
from grader.service.lti.launches.launch import CLOCK_LEEWAY_SECONDS
from grader.service.lti.platform_client import Endpoints, PlatformAnswer, PlatformClient, PlatformError
from grader.service.lti.registrations import deployments_of, endpoints_of
from grader.service.people.auth.issuer_keys import key_set


@dataclass(frozen=True, kw_only=True)
class RegistrationFinding:
    """A finding about a registration. The words of a fault contain a next step."""

    is_fault: bool
    words: str


def _good(words: str) -> RegistrationFinding:
    return RegistrationFinding(is_fault=False, words=words)


def _fault(words: str) -> RegistrationFinding:
    return RegistrationFinding(is_fault=True, words=words)


def findings(
    database: Database, client: PlatformClient, platform: LtiPlatformRow, origin: str, now: datetime
) -> Iterator[RegistrationFinding]:
    """Check a registration. Sends requests to the platform and to the service itself."""
    endpoints = endpoints_of(platform)
    yield from _platform_keys(client, endpoints)
    with database.reading() as session:
        try:
            key = signing_key(session, now)
        except RefusedError as error:
            yield _fault(str(error))
            return
    yield from _own_keys(client, origin, key)
    yield from _token(client, endpoints, key, now)
    with database.reading() as session:
        yield from _courses(session, platform)


def _platform_keys(client: PlatformClient, platform: Endpoints) -> Iterator[RegistrationFinding]:
    try:
        number = len(client.read_keys(platform.jwks_url).keys)
    except PlatformError as error:
        yield _fault(f"The platform's keys at {platform.jwks_url} cannot be read: {error}. Correct the address.")
    else:
        yield _good(f"The platform has {count(number, 'key')}.")


def _own_keys(client: PlatformClient, origin: str, key: SigningKey) -> Iterator[RegistrationFinding]:
    place = f"{origin}/lti/keys"
    try:
        names = {each.kid for each in key_set(client.plain("GET", place).json).keys}
    except (PlatformError, ValueError) as error:
        yield _fault(f"The keys of this service at {place} cannot be read from here: {error}. Is --url right?")
        return
    if key.kid not in names:
        yield _fault(f"{place} does not show the key of this database. Does --url belong to another service?")
    else:
        yield _good(f"This service shows its keys at {place}. The platform must be able to read that address.")


def _token(
    client: PlatformClient, platform: Endpoints, key: SigningKey, now: datetime
) -> Iterator[RegistrationFinding]:
    try:
        answer = client.token_answer(platform, key, SCOPES)
    except PlatformError as error:
        yield _fault(f"No access token from {platform.token_url}: {error}. Correct the address of access tokens.")
        return
    if answer.status == 200 and "access_token" in answer.text:
        yield _good("The platform gives access tokens for columns, scores and the roster.")
    else:
        yield _fault(f"No access token, status {answer.status}: {answer.words or 'no reason'}. {_advice(answer)}")
    yield from _clock(answer, now)


def _advice(answer: PlatformAnswer) -> str:
    """The next step after a refused request for a token, if OAuth's error determines it."""
    if "invalid_scope" in answer.text:
        return "Allow columns, scores and names with roles in the settings of the tool."
    if "invalid_client" in answer.text:
        return "Compare the client id, and enter this service's address of keys (…/lti/keys) at the platform."
    return "Compare the client id, the address of access tokens, and its audience (--token-audience)."


def _clock(answer: PlatformAnswer, now: datetime) -> Iterator[RegistrationFinding]:
    try:
        ahead = (parsedate_to_datetime(answer.headers["date"]) - now).total_seconds()
    except (KeyError, ValueError, TypeError):
        return
    if abs(ahead) > CLOCK_LEEWAY_SECONDS:
        which = "ahead of" if ahead > 0 else "behind"
        yield _fault(
            f"The platform's clock is {count(round(abs(ahead) / 60), 'minute')} {which} this machine's. Set the wrong "
            "one: sign-ins fail if they differ by more than a minute."
        )


def _courses(session: Session, platform: LtiPlatformRow) -> Iterator[RegistrationFinding]:
    deployments = sorted(deployments_of(session, platform.id))
    if deployments:
        yield _good(f"Deployments: {', '.join(deployments)}.")
    else:
        yield _fault("No deployment is known yet. Add one with `grader lti add --deployment`, or connect a course.")
    here = LtiContextRow.platform_id == platform.id
    rows = session.scalars(select(LtiContextRow).where(here)).all()
    connected = [each for each in rows if each.connected is not None]
    for each in connected:
        yield _good(f"Connected: {each.title}. {each.roster_words or 'Its roster was not read yet.'}")
    waiting = len(rows) - len(connected)
    if waiting:
        yield _fault(
            f"{count(waiting, 'course')} not connected: an instructor connects them (People, Learning platforms)."
        )
    if not rows:
        yield _fault("No one has come from this platform yet. Open the tool from a course of the platform once.")
    wanted = select(LtiScoreRow.state, func.count()).where(LtiScoreRow.context_id.in_([each.id for each in rows]))
    numbers = dict(session.execute(wanted.group_by(LtiScoreRow.state)).all())
    if numbers.get(SendState.REFUSED):
        yield _fault(
            f"{count(numbers[SendState.REFUSED], 'score')} refused. The page Learning platforms shows the reasons."
        )
