"""Rules of gradings, apart from the code that obeys them: importing that code takes longer than starting it."""

from pydantic import Field

from grader.common.record import Record
from grader.protocol.messages import Simulation


class WatchingRules(Record):
    """Properties of the simulated device; `required` is True if a machine must have the simulator to grade."""

    simulation: Simulation = Simulation()
    required: bool = False


class SearchRules(Record):
    """Longest time of a search, in seconds; 0 means no search."""

    seconds: float = Field(default=8.0, ge=0)


class TimingRules(Record):
    """Limits that decide when measuring stops, and which sessions are too noisy to count.

    The defaults come from some 700 sessions on an idle and on a busy machine. In a third of them, absolute times failed
    a kernel against itself. Medians of 30 paired ratios stayed within 1.14. So a verdict near a threshold takes
    `min_pairs`. A verdict far from all thresholds comes after `clear_pairs`, the pairs of the first session.

    The warm-up can be short because workers that are timed side by side warm up alike: 0.2 s and 0.5 s gave equal
    medians.
    """

    warm_up_seconds: float = Field(default=0.2, ge=0)
    clear_pairs: int = Field(default=10, ge=1)
    min_pairs: int = Field(default=30, ge=1)
    max_pairs: int = Field(default=100, ge=1)
    max_seconds: float = Field(default=15.0, gt=0)
    session_pairs: int = Field(default=10, ge=1)
    noise_limit: float = Field(default=0.10, gt=0)
