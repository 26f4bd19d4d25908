"""By what rules gradings are run. They are apart from what obeys them, which takes longer to import than to start."""

from pydantic import Field

from grader.common.record import Record
from grader.protocol.messages import Simulation


class WatchingRules(Record):
    """The properties of the simulated device, and whether a machine needs the simulator to grade."""

    simulation: Simulation = Simulation()
    required: bool = False


class SearchRules(Record):
    """How long a search may take, in seconds; 0 leaves it out."""

    seconds: float = Field(default=5.0, ge=0)


class TimingRules(Record):
    """When measuring stops, and what is too noisy to count.

    The defaults come from some 700 sessions on an idle and on a busy machine: absolute times failed a kernel
    against itself in a third of them, medians of 30 paired ratios stayed within 1.14. So `min_pairs` are made where a
    threshold is near; after `clear_pairs`, those of the first session, a verdict is told that is far from all of them.
    Whoever is timed side by side warms up alike: the same medians came of 0.2 s as of 0.5 s.
    """

    warm_up_seconds: float = Field(default=0.2, ge=0)
    clear_pairs: int = Field(default=10, ge=1)
    min_pairs: int = Field(default=30, ge=1)
    max_pairs: int = Field(default=100, ge=1)
    max_seconds: float = Field(default=15.0, gt=0)
    session_pairs: int = Field(default=10, ge=1)
    noise_limit: float = Field(default=0.10, gt=0)
