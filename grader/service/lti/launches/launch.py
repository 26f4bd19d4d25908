"""Sign-in from a learning platform, and the checks of its message.

    platform -> begin(): the browser is sent to the platform with a state and a nonce
    platform -> read(): the browser brings a signed message with both

A cookie of the browser contains a random secret. State and nonce are hashes of the secret, so a message fits only the
browser that began the sign-in, and the service does not store anything before the message arrives.

In a frame, a browser may block the cookie. For this case, some platforms offer a storage that pages can use by
exchanging messages with it (LTI postMessage Storage). Our page then keeps the secret there, too, and accepts it only
from the platform's origin. A secret from the storage is enough to choose assignments, but never to begin a session.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from pydantic import ValidationError
from sqlalchemy import delete
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.protocol.text import showable
from grader.service.db.tables.lti import LtiNonceRow, LtiPlatformRow
from grader.service.db.tokens import fresh_token, same_token, token_hash
from grader.service.lti.launches.message import CLAIM, DEEP_LINKING, RESOURCE_LINK, LaunchError, LaunchMessage

CLOCK_LEEWAY_SECONDS = 60
"""Seconds by which the platform's clock may differ from this machine's."""

LOGIN_SECONDS = 600
"""Seconds within which the browser must come back from the platform."""

MAX_NONCE_LIFETIME = timedelta(days=1)
"""Maximum time for which a nonce is kept. A sign-in lasts only minutes, so its message is not accepted after that."""

MAX_TIME = 1e11
"""End of the times that a message may state, in seconds since 1970."""

LAUNCH_PATH, SELECTION_PATH = "/lti/launch", "/lti/deep-linking"

FRAME_NAME = re.compile(r"[\w-]{1,100}", re.ASCII)
"""Pattern for the name of a frame."""

AGAIN = "Open the activity in your learning platform again."


@dataclass(frozen=True, kw_only=True)
class LoginStart:
    """The address to which the browser is sent, the state, and the text that its cookie keeps until it is back."""

    address: str
    state: str
    kept: str


@dataclass(frozen=True, kw_only=True)
class KeptLogin:
    """The content of the cookie: the number of the registration, the time when the sign-in began, and the secret."""

    platform_id: int
    began: int
    secret: str

    @classmethod
    def parsed(cls, kept: str, state: str) -> "KeptLogin":
        """Read the cookie of the sign-in with this state. Raises LaunchError if it belongs to another one."""
        number, _, rest = kept.partition(".")
        began, _, secret = rest.partition(".")
        if not (_is_number(number) and _is_number(began) and secret):
            raise LaunchError(f"Your browser did not begin this sign-in. {AGAIN}")
        login = cls(platform_id=int(number), began=int(began), secret=secret)
        if not same_token(state, login.state):
            raise LaunchError(f"Your browser did not begin this sign-in. {AGAIN}")
        return login

    @property
    def state(self) -> str:
        """The state of this sign-in, which begins with the number of the registration."""
        return f"{self.platform_id}-{token_hash(f'state {self.secret}')}"

    @property
    def nonce(self) -> str:
        """The nonce of this sign-in."""
        return token_hash(f"nonce {self.secret}")


def platform_in(state: str) -> int | None:
    """The number of the registration at the beginning of a state, or None if the state does not have one."""
    number = state.partition("-")[0]
    return int(number) if _is_number(number) else None


def storage_target(asked: Mapping[str, str]) -> str:
    """The name of the platform's frame that provides the storage, or "" if the platform does not offer one."""
    named = asked.get("lti_storage_target", "")
    return named if FRAME_NAME.fullmatch(named) else ""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 12


def asks_for_selection(asked: Mapping[str, str]) -> bool:
    """True if a platform has asked for a sign-in for the choice of assignments."""
    try:
        return urlsplit(asked.get("target_link_uri", "")).path == SELECTION_PATH
    except ValueError:  # the address is not valid
        return False


def begin(platform: LtiPlatformRow, asked: Mapping[str, str], origin: str, now: datetime) -> LoginStart:
    """Start a sign-in that a platform has requested."""
    if not asked.get("login_hint"):
        raise LaunchError(f"Your platform did not say who wants to sign in (login_hint). {AGAIN}")
    login = KeptLogin(platform_id=platform.id, began=int(now.timestamp()), secret=fresh_token())
    fields = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": origin + LAUNCH_PATH,
        "login_hint": asked["login_hint"],
        "state": login.state,
        "nonce": login.nonce,
    }
    if asked.get("lti_message_hint"):
        fields["lti_message_hint"] = asked["lti_message_hint"]
    joint = "&" if urlsplit(platform.authorization_url).query else "?"
    address = f"{platform.authorization_url}{joint}{urlencode(fields)}"
    return LoginStart(address=address, state=login.state, kept=f"{login.platform_id}.{login.began}.{login.secret}")


def read(claims: Mapping[str, Any], login: KeptLogin, platform: LtiPlatformRow, now: datetime) -> LaunchMessage:
    """The message with these claims, whose signature was verified. Raises LaunchError if it is not for this service,
    not for this sign-in, or not valid now.
    """
    _require_for_us(claims, platform)
    if not same_token(str(claims.get("nonce", "")), login.nonce):
        raise LaunchError(f"The message of {platform.name} belongs to another sign-in (nonce). {AGAIN}")
    _require_current(claims, login, platform, now)
    try:
        message = LaunchMessage.model_validate(claims)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])).removeprefix(CLAIM)
        raise LaunchError(f"The message of {platform.name} has no valid {where}. Tell its administrator.") from error
    if message.version != "1.3.0":
        raise LaunchError(f"{platform.name} uses LTI {showable(message.version)[:20]}, but this service needs LTI 1.3.")
    _require_known_type(message, platform)
    return message


def _require_known_type(message: LaunchMessage, platform: LtiPlatformRow) -> None:
    if message.message_type == RESOURCE_LINK and message.link is not None:
        return
    if message.message_type == DEEP_LINKING and message.selection is not None:
        return
    raise LaunchError(
        f"{platform.name} sent a message of type {showable(message.message_type)[:60]}, which this service does not "
        "support or which is incomplete."
    )


def _require_for_us(claims: Mapping[str, Any], platform: LtiPlatformRow) -> None:
    audience = claims.get("aud")
    to = audience if isinstance(audience, list) else [audience]
    if claims.get("iss") != platform.issuer:
        raise LaunchError(f"The message comes from another issuer than {platform.issuer}. {AGAIN}")
    if platform.client_id not in to:
        raise LaunchError(f"The message of {platform.name} is for another tool (audience). {AGAIN}")
    party = claims.get("azp")
    if (len(to) > 1 and party is None) or party not in (None, platform.client_id):
        raise LaunchError(f"The message of {platform.name} is for another tool (authorized party). {AGAIN}")


def _require_current(claims: Mapping[str, Any], login: KeptLogin, platform: LtiPlatformRow, now: datetime) -> None:
    """Raise LaunchError if a message has expired, or if its time is before the sign-in or in the future, which means
    that a clock is wrong.
    """
    issued, ends, present = claims.get("iat"), claims.get("exp"), now.timestamp()
    if not (_is_time(issued) and _is_time(ends)):
        raise LaunchError(f"The message of {platform.name} does not state when it was made and when it expires.")
    ahead, behind = float(issued or 0) - present, login.began - float(issued or 0)
    if ahead > CLOCK_LEEWAY_SECONDS:
        raise LaunchError(_clock(platform, f"{_time(ahead)} ahead of"))
    if present - login.began > LOGIN_SECONDS:
        raise LaunchError(f"The sign-in took more than {LOGIN_SECONDS // 60} minutes. {AGAIN}")
    if behind > CLOCK_LEEWAY_SECONDS:
        raise LaunchError(_clock(platform, f"{_time(behind)} behind"))
    if float(ends or 0) < present - CLOCK_LEEWAY_SECONDS:
        raise LaunchError(f"The message of {platform.name} has expired. {AGAIN}")


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MAX_TIME


def _clock(platform: LtiPlatformRow, difference: str) -> str:
    return (
        f"The clock of {platform.name} is {difference} the clock of this service, which allows "
        f"{CLOCK_LEEWAY_SECONDS} seconds. Tell your instructor. An administrator of one of the two must set the clock."
    )


def _time(seconds: float) -> str:
    return count(round(seconds / 60), "minute") if seconds >= 90 else count(round(seconds), "second")


def use_nonce(session: Session, login: KeptLogin, ends: float, now: datetime) -> None:
    """Record that a message, which expires at this time, was used. Raises LaunchError if it was used before."""
    session.execute(delete(LtiNonceRow).where(LtiNonceRow.expires < now))
    digest = token_hash(login.nonce)
    if session.get(LtiNonceRow, digest) is not None:
        raise LaunchError(f"This message was used before. {AGAIN}")
    last = datetime.fromtimestamp(min(ends, (now + MAX_NONCE_LIFETIME).timestamp()), UTC)
    session.add(LtiNonceRow(nonce_sha256=digest, expires=max(last, now) + timedelta(hours=1)))
