"""States of a worker, as the judge knows them.

    NotStarted --start--> Idle --request--> Requested --open--> InSession --close--> Idle
    Idle --warm_up--> WarmingUp --settle--> Idle             InSession --rest--> Closing

stopped      no process runs; the next request starts one
idle         the worker has replied to every request, and no session is open
warming up   the worker builds programs in advance and has not replied yet
requested    a session was requested, perhaps together with a run (prefetch.py); some replies are missing
in session   `session` has the requests of an open plan (session.py)
closing      the end of a session was requested, and the worker has not replied yet

A session can be requested in every state. The request first waits for any missing reply, and abandons any other session
that was requested. From every state, a failure that ends the process leads to `NotStarted`.
"""

from dataclasses import dataclass
from enum import Enum, auto

from grader.execution.connection import RequestChannel
from grader.execution.plan import Plan
from grader.execution.session import WorkerSession


@dataclass(frozen=True)
class NotStarted:
    """State without a process."""


@dataclass(frozen=True)
class Idle:
    """State in which the worker has replied to every request and no session is open."""


@dataclass(frozen=True)
class WarmingUp:
    """State in which the worker has not yet replied to a warm-up."""


@dataclass(frozen=True)
class Requested:
    """State in which the worker has not yet sent all replies to a request for a session."""

    plan: Plan
    channel: RequestChannel


@dataclass(frozen=True)
class InSession:
    """State in which a session is open."""

    session: WorkerSession


@dataclass(frozen=True)
class Closing:
    """State in which the worker has not yet replied to a request to end its session."""


State = NotStarted | Idle | WarmingUp | Requested | InSession | Closing


class SessionProcess(Enum):
    """Rule for choosing the process in which a session begins: either the plan decides, or it is the process of the
    last session.
    """

    BY_PLAN = auto()
    SAME = auto()
