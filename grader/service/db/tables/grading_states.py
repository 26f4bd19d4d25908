"""The states of a grading."""

from enum import StrEnum

from sqlalchemy import text


class State(StrEnum):
    """State of a grading. WAITING and RUNNING are open. All other states except SHOWN are final.

    In the state SHOWN, everything that students see before the release is stored, but hidden cases have not run yet.
    """

    WAITING = "waiting"
    RUNNING = "running"
    SHOWN = "shown"
    DONE = "done"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    FAULTED = "faulted"

    @property
    def open(self) -> bool:
        """True if the grading has not ended for students."""
        return self in {State.WAITING, State.RUNNING}


IS_OPEN = text("state IN ('waiting', 'running')")
"""Condition of the unique index that allows only one open grading per attempt."""
