"""What a worker of the tests may use, and how long it may take."""

from functools import cache

from grader.execution.deadlines import Deadlines
from grader.execution.sandbox.process import ProcessSandbox
from grader.execution.sandbox.rules import ContainerRules, Rules
from grader.grading.rules import TimingRules
from grader.protocol.messages import Limits

LIMITS = Limits(memory_bytes=4 * 1024**3, cpu_seconds=60, file_bytes=1024**3, processes=64)
RULES = Rules(limits=LIMITS, container=ContainerRules())

DEADLINES = Deadlines(start=30, build=30, first_launch=4, launch=3, transfer=20, simulation=60)
"""Shorter than the defaults where a test waits for them to pass."""

FEW_PAIRS = TimingRules(min_pairs=9, warm_up_seconds=0.5)
"""The product's rules, but for the fewest pairs: nine decide most, and where they leave it open, more do."""


@cache
def sandbox_with(limits: Limits) -> ProcessSandbox:
    """One for all tests that need no other, whose workers are then forks; it ends with this process."""
    return ProcessSandbox(Rules(limits=limits, container=ContainerRules()))
