"""Rules of gradings. They are separate from the code that uses them because importing that code takes a long time."""

from pydantic import Field

from grader.common.record import Record
from grader.protocol.messages import Simulation


class WatchingRules(Record):
    """Properties of the simulated device. `required` is True if a machine must have the simulator to grade."""

    simulation: Simulation = Simulation()
    required: bool = False


class SearchRules(Record):
    """Maximum time of a search in seconds; 0 disables searches."""

    seconds: float = Field(default=8.0, ge=0)


class TimingRules(Record):
    """Limits that decide when measuring stops, and which sessions are too noisy to count. The defaults are based on
    about 700 sessions on an idle and on a busy machine. In a third of them, absolute times would have failed a kernel
    that was compared with itself, whereas medians of 30 paired ratios stayed within 1.14. Therefore a verdict near a
    threshold takes `min_pairs`. A verdict far from all thresholds needs only `clear_pairs`, which are the pairs of the
    first session. The warm-up can be short because workers that are timed side by side warm up alike; 0.2 s and 0.5 s
    gave equal medians.
    """

    warm_up_seconds: float = Field(default=0.2, ge=0)
    clear_pairs: int = Field(default=10, ge=1)
    min_pairs: int = Field(default=30, ge=1)
    max_pairs: int = Field(default=100, ge=1)
    max_seconds: float = Field(default=15.0, gt=0)
    session_pairs: int = Field(default=10, ge=1)
    noise_limit: float = Field(default=0.10, gt=0)
