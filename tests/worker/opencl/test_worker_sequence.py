"""sequence.py: repeated launches in which arrays swap places, and the condition that ends them."""

from types import SimpleNamespace

import numpy as np
import pytest
from worker_rules import LIMITS, TIMEOUTS, sandbox_with

from grader.course.poison import GUARD_BYTES, POISON
from grader.execution.client import Worker
from grader.execution.outcome import Timing
from grader.execution.plan import Plan, Script
from grader.protocol.messages import Opened, StepTime
from grader.protocol.steps import BufferArg, BufferSpec, KernelStep, ProgramSource, RepeatSteps, UntilBelow
from grader.worker.opencl.sequence import _together

COUNT = 100
HALVE = """
__kernel void halve(__global const float *before, __global float *after, __global float *sum)
{
    const uint i = get_global_id(0);
    after[i] = before[i] / 2;
    if (i == 0)
        sum[0] = after[0];
}
"""


def halved(repeat):
    """Return the array after repeated launches on an array of ones, and the timing of the launch."""
    args = tuple(BufferArg(buffer=name) for name in ("before", "after", "sum"))
    step = KernelStep(program="p", kernel="halve", args=args, global_size=(COUNT,), local_size=(1,))
    script = Script(steps=(step,), uploads=("before",), outputs=("before", "after", "sum"), repeat=repeat)
    sizes = {"before": 4 * COUNT, "after": 4 * COUNT, "sum": 4}
    buffers = tuple(BufferSpec(name=name, size=size, guard=GUARD_BYTES, poison=POISON) for name, size in sizes.items())
    with Worker(sandbox_with(LIMITS), 0, TIMEOUTS) as worker:
        opened = worker.load({"p": ProgramSource(source=HALVE)}).open(Plan(buffers=buffers, scripts={"s": script}))
        assert isinstance(opened, Opened), opened
        results = []
        for _ in range(2):
            worker.session.stage("s", {"before": np.ones(COUNT, dtype=np.float32)})
            timing = worker.session.launch("s")
            assert isinstance(timing, Timing), timing
            results.append(worker.session.fetch(("after",))["after"].payload.view(np.float32))
        assert np.array_equal(*results)
        return results[0], timing


@pytest.mark.parametrize(
    "times", [pytest.param(1, marks=pytest.mark.whole), 2, 3, pytest.param(8, marks=pytest.mark.whole)]
)
def test_arrays_change_places_and_the_last_result_is_in_the_second(times):
    """After odd and even numbers of iterations, the result is in the second array, also if the session repeats the
    launch.
    """
    after, _ = halved(RepeatSteps(times=times, swap=(("before", "after"),)))
    assert (after == 0.5**times).all()


def test_without_a_swap_every_turn_is_the_same():
    """Without a swap, each iteration reads the original inputs."""
    after, timing = halved(RepeatSteps(times=5))
    assert (after == 0.5).all()
    assert len(timing.steps) == 1


def test_a_sum_that_is_small_ends_it():
    """The repetition ends after the first iteration whose sum is below the limit: 1/2, 1/4, 1/8, 1/16 < 0.1."""
    after, _ = halved(
        RepeatSteps(times=50, swap=(("before", "after"),), until=UntilBelow(buffer="sum", type="float32", below=0.1))
    )
    assert (after == 0.5**4).all()


def test_the_time_of_a_step_is_that_of_all_its_turns():
    """The time of a step is the sum of its times in all iterations. The time between two iterations does not count."""
    turns = tuple(SimpleNamespace(profile=SimpleNamespace(start=start, end=end)) for start, end in ((5, 8), (20, 24)))
    assert _together(turns) == StepTime(start_ns=5, end_ns=5 + 3 + 4)


def test_a_launch_reports_every_turn():
    """A launch reports the number of its iterations, and one time for each step."""
    _, timing = halved(RepeatSteps(times=100))
    assert timing.turns == 100
    assert len(timing.steps) == 1
