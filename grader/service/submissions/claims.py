"""Claims of gradings by stations, and the outcomes that stations store."""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto

LEASE = timedelta(seconds=30)
"""Time after which a claim ends unless it is renewed. It equals six heartbeats (station/heartbeat.py), so that a busy
machine does not lose its claims.
"""


@dataclass(frozen=True, kw_only=True)
class ClaimedGrading:
    """A grading that a station has claimed, with the file and the number of the try. `hides` is false if hidden
    outcomes are not secret, which is the case after the release and in trial runs of staff. In a dry run, hidden checks
    do not run at all. `pending` is the result whose hidden cases are to be run; None for a first grading. Other
    stations grade the assignments in `elsewhere`.
    """

    grading_id: int
    station: str
    turn: int
    assignment: str
    data: bytes
    sha256: str
    hides: bool
    pending: "PendingResult | None"
    elsewhere: frozenset[str] = frozenset()
    is_dry_run: bool = False


@dataclass(frozen=True, kw_only=True)
class PendingResult:
    """A stored result whose hidden cases are to be run, as JSON, and the versions of the assignment by which it was
    measured and scored.
    """

    result: str
    measured_sha256: str | None
    scored_sha256: str | None


class Renewal(Enum):
    """Outcome of renewing a claim: the claim was kept, must be stopped because the student cancelled, or was lost."""

    KEPT = auto()
    STOP = auto()
    LOST = auto()


@dataclass(frozen=True, kw_only=True)
class Graded:
    """The outcome of a grading in the form in which it is stored (GradingRow). `is_pending` is true if hidden cases
    have not run yet; it is not a column.
    """

    points: float
    max_points: float
    early_points: float
    early_max: float
    early_checks: str
    full_checks: str | None
    result: str
    brief: str
    early_page: bytes
    full_page: bytes | None
    early_result: bytes
    speed: float | None
    early_speed: float | None
    device: str
    measured_sha256: str
    scored_sha256: str
    is_pending: bool

    @property
    def columns(self) -> dict[str, object]:
        """The values of the columns of GradingRow."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "is_pending"}
