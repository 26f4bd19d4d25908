"""How long a worker may take for what it is asked."""

from pydantic import Field

from grader.common.record import Record


class Deadlines(Record):
    """Seconds that each part may take. A driver may compile at the first launch, for which 15 s were seen once, so that
    has its own; `simulation` is for a launch on the simulator. The simulator itself ends a launch after a number of
    steps, which took 33 s on a machine with a load of six per processor: this deadline is far from that, so that the
    load decides no verdict. A small launch that is silent for `silence` is looked at in the simulator, and ended if it
    does not end there.
    """

    start: float = Field(default=30.0, gt=0)
    build: float = Field(default=30.0, gt=0)
    first_launch: float = Field(default=20.0, gt=0)
    launch: float = Field(default=10.0, gt=0)
    silence: float = Field(default=2.0, gt=0)
    transfer: float = Field(default=30.0, gt=0)
    simulation: float = Field(default=120.0, gt=0)
