"""What the web process works with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from sqlalchemy.orm import Session
from starlette.applications import Starlette
from starlette.requests import Request

from grader.service.auth.methods import SignInEntry
from grader.service.course.assignments import AssignmentCache
from grader.service.course.device_classes import classes_of
from grader.service.db.clock import utc_now
from grader.service.db.models import GradingRow
from grader.service.db.probe import WriteProbe
from grader.service.db.session import Database
from grader.service.submissions.estimates import PlaceInQueue, QueueSnapshot
from grader.service.throttle import RateLimiter

TERMINALS = 1000
"""Codes for terminals that a network may ask for in ten minutes: a lecture room is one network."""

NAMES = 20
"""Pseudonyms that a person may try in an hour: one that is refused may be somebody's name or key."""


ARRIVED = "arrived"
"""Key of a request's state: when its first byte came (connections.py)."""


@dataclass(frozen=True, kw_only=True)
class AppState:
    """The database, the course, the address that browsers use (such as https://grader.example.org), the time, how
    people sign in beside links, and how often they try pseudonyms.
    """

    database: Database
    cache: AssignmentCache
    origin: str
    now: Callable[[], datetime] = field(default=utc_now)
    snapshot: QueueSnapshot = field(default_factory=QueueSnapshot)
    entry: SignInEntry = field(default_factory=SignInEntry)
    probe: WriteProbe = field(default_factory=WriteProbe)
    terminals: RateLimiter = field(default_factory=lambda: RateLimiter(TERMINALS, 600))
    naming: RateLimiter = field(default_factory=lambda: RateLimiter(NAMES, 3600))

    def place(self, session: Session, grading: GradingRow) -> PlaceInQueue:
        """Where a grading stands in the queue."""
        return self.snapshot.place(session, grading, lambda: classes_of(self.cache), self.now())

    @property
    def secure(self) -> bool:
        """Whether browsers come by TLS."""
        return self.origin.startswith("https://")

    @property
    def cookie(self) -> str:
        """The name of the session's cookie. With TLS, no neighbouring host can set it. It contains the port, since
        browsers send a host's cookies to all of its ports.
        """
        port = urlsplit(self.origin).port
        name = "grader" if port is None else f"grader-{port}"
        return f"__Host-{name}" if self.secure else name

    @property
    def code_cookie(self) -> str:
        """The name of the cookie with the code of a terminal whose owner is on the way to sign in."""
        return f"{self.cookie}-code"

    @property
    def sign_on_cookie(self) -> str:
        """The name of the cookie of a browser that is at the university to sign in."""
        return f"{self.cookie}-sign-on"


def state_of(request: Request) -> AppState:
    """That of the application."""
    return state_at(request.app)


def state_at(app: Starlette) -> AppState:
    """What the application works with."""
    web: AppState = app.state.web
    return web


def arrival_of(request: Request) -> datetime:
    """Time of the request's first byte; the present time if no connection has noted it."""
    noted: datetime | None = request.scope.get("state", {}).get(ARRIVED)
    return state_of(request).now() if noted is None else noted
