"""Jobs for learning platforms, which run in threads of `grader serve`: sending scores and reading rosters."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.lti import LtiContextRow, LtiLineItemRow, LtiMemberRow
from grader.service.db.tables.submissions import GradingRow
from grader.service.lti.services.delivery import send_scores
from grader.service.lti.services.roster import read_rosters
from grader.service.lti.services.scores import queue_scores
from grader.service.serve.notifier import RepeatedJob, job_thread
from grader.service.web.state import AppState

MAX_IDLE_SECONDS = 600.0
"""Seconds after which all grades are compared even if nothing seems to have changed."""


PAUSE_FACTOR = 20.0
"""After a comparison, none begins for this many times its duration, so that pages get the processor. For 3,000
students, a comparison takes 0.8 s.
"""


class ScoreJob:
    """Queues scores when something has changed, and sends them. Comparing all grades of a large course takes a second,
    so it is done only after a change.
    """

    def __init__(self, state: AppState) -> None:
        self._state, self._seen, self._compared, self._pause = state, object(), -MAX_IDLE_SECONDS, 0.0

    def run(self) -> None:
        """Queue and send once. Raises OSError if a platform does not answer."""
        state = self._state
        assignments = state.cache.all()
        with state.database.reading() as session:
            seen: Any = (assignments, *_fingerprint(session))
        began = time.monotonic()
        idle = began - self._compared
        if idle > MAX_IDLE_SECONDS or (seen != self._seen and idle >= self._pause):
            queue_scores(state.database, assignments, state.now())
            self._seen, self._compared = seen, time.monotonic()
            self._pause = PAUSE_FACTOR * (self._compared - began)
        send_scores(state.database, state.lti, state.now)


def _fingerprint(session: Session) -> list[Any]:
    """Values that change with every change of a grade, or of the people and courses of platforms."""
    wanted = (
        select(func.max(AuditRow.id)),
        select(func.max(GradingRow.ended)),
        select(func.count(LtiMemberRow.id)).where(LtiMemberRow.left.is_(None)),
        select(func.count(LtiLineItemRow.id)),
        select(func.count(LtiContextRow.id)).where(LtiContextRow.connected.is_not(None)),
    )
    return [session.scalar(each) for each in wanted]


@contextmanager
def platform_threads(state: AppState, say: Callable[[str], None]) -> Iterator[None]:
    """Send scores and read rosters during the block."""
    scores = RepeatedJob(
        name="scores",
        run=ScoreJob(state).run,
        failure_message="a learning platform did not accept a score ({}); it is sent again after a pause.",
    )
    rosters = RepeatedJob(
        name="rosters",
        run=lambda: read_rosters(state.database, state.lti, state.now()),
        failure_message="the roster of a learning platform was not read ({}); it is read again in half an hour.",
    )
    with ExitStack() as threads:
        for each in (scores, rosters):
            threads.enter_context(job_thread(each, say))
        yield
