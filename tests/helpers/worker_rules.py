"""Limits and timeouts for the workers in tests."""

from functools import cache

from grader.execution.sandbox.limits import ContainerRules, Rules
from grader.execution.sandbox.process import ProcessSandbox
from grader.execution.timeouts import Timeouts
from grader.grading.rules import TimingRules
from grader.protocol.messages import Limits

LIMITS = Limits(memory_bytes=4 * 1024**3, cpu_seconds=60, file_bytes=1024**3, processes=64)
RULES = Rules(limits=LIMITS, container=ContainerRules())

TIMEOUTS = Timeouts(start=30, build=30, launch=3, transfer=20, simulation=60)
"""Timeouts. Those that tests wait for are shorter than the defaults. The timeout of the first launch is the default,
because PoCL compiles then: a right kernel once took 4 s on a busy machine.
"""

FEW_PAIRS = TimingRules(min_pairs=9, warm_up_seconds=0.5)
"""The default rules with a smaller minimum of pairs. Nine pairs decide most cases, and more pairs decide the rest."""


@cache
def sandbox_with(limits: Limits) -> ProcessSandbox:
    """Return a sandbox that all tests with these limits share, so that its workers are forked from one server. It ends
    with this process.
    """
    return ProcessSandbox(Rules(limits=limits, container=ContainerRules()))
