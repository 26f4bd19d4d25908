"""The state of the application in a web process."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy.orm import Session
from starlette.requests import Request

from grader.service.course.assignments import AssignmentCache, classes_of
from grader.service.db.probe import WriteProbe
from grader.service.db.session import Database, utc_now
from grader.service.db.tables.submissions import GradingRow
from grader.service.lti.platform_client import PlatformClient
from grader.service.network.throttle import RateLimiter
from grader.service.people.auth.methods import SignInMethods
from grader.service.submissions.health import PlaceInQueue, QueueSnapshot

MAX_TERMINAL_CODES = 1000
"""Maximum number of codes for terminals that a network, such as a lecture room, may request within ten minutes."""

MAX_PSEUDONYM_TRIES = 20
"""Maximum number of pseudonyms that a person may try within an hour. The limit is needed because a refusal may reveal
another person's name or key.
"""


ARRIVED_KEY = "arrived"
"""Key in the state of a request for the time when its first byte arrived (http/connections.py)."""


@dataclass(frozen=True, kw_only=True)
class AppState:
    """The objects that all routes share: the database, the course, the address that browsers use (such as
    https://grader.example.org), the clock, the ways to sign in besides links, the client of learning platforms, and
    limits on requests.
    """

    database: Database
    cache: AssignmentCache
    origin: str
    now: Callable[[], datetime] = field(default=utc_now)
    snapshot: QueueSnapshot = field(default_factory=QueueSnapshot)
    sign_in: SignInMethods = field(default_factory=SignInMethods)
    lti: PlatformClient = field(default_factory=PlatformClient)
    probe: WriteProbe = field(default_factory=WriteProbe)
    terminal_codes: RateLimiter = field(default_factory=lambda: RateLimiter(MAX_TERMINAL_CODES, 600))
    pseudonym_tries: RateLimiter = field(default_factory=lambda: RateLimiter(MAX_PSEUDONYM_TRIES, 3600))

    def place(self, session: Session, grading: GradingRow) -> PlaceInQueue:
        """Place of a grading in the queue."""
        return self.snapshot.place(session, grading, lambda: classes_of(self.cache), self.now())

    @property
    def secure(self) -> bool:
        """True if browsers use TLS."""
        return self.origin.startswith("https://")

    @property
    def cookie(self) -> str:
        """Name of the session cookie. With TLS, the prefix `__Host-` prevents other hosts of the domain from setting
        it. The name contains the port because browsers send the cookies of a host to all of its ports.
        """
        port = urlsplit(self.origin).port
        name = "grader" if port is None else f"grader-{port}"
        return f"__Host-{name}" if self.secure else name

    @property
    def cookie_rules(self) -> dict[str, Any]:
        """The attributes of all cookies."""
        return {"path": "/", "secure": self.secure, "httponly": True, "samesite": "lax"}

    @property
    def code_cookie(self) -> str:
        """Name of the cookie with the code of a terminal whose owner must sign in first."""
        return f"{self.cookie}-code"

    @property
    def sign_on_cookie(self) -> str:
        """Name of the cookie with the data of a sign-in at the university."""
        return f"{self.cookie}-sign-on"


def state_of(request: Request) -> AppState:
    """State of the application that handles a request."""
    state: AppState = request.app.state.app_state
    return state


def arrival_of(request: Request) -> datetime:
    """Time when the first byte of the request arrived; the present time if it was not recorded."""
    noted: datetime | None = request.scope.get("state", {}).get(ARRIVED_KEY)
    return state_of(request).now() if noted is None else noted
