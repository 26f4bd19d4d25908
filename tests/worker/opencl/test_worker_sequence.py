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
from grader.protocol.steps import (
    BufferArg,
    BufferSpec,
    FillStep,
    ImageSpec,
    KernelStep,
    ProgramSource,
    RepeatSteps,
    SamplerArg,
    UntilBelow,
)
from grader.worker.opencl.sequence import _together, with_items

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


@pytest.mark.whole
def test_without_a_swap_every_turn_is_the_same():
    """Without a swap, each iteration reads the original inputs."""
    after, timing = halved(RepeatSteps(times=5))
    assert (after == 0.5).all()
    assert len(timing.steps) == 1


@pytest.mark.whole
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


@pytest.mark.whole
def test_a_launch_reports_every_turn():
    """A launch reports the number of its iterations, and one time for each step."""
    _, timing = halved(RepeatSteps(times=100))
    assert timing.turns == 100
    assert len(timing.steps) == 1


BRIGHTEN = """
__kernel void brighten(read_only image2d_t before, write_only image2d_t after, sampler_t s)
{
    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(after, place, read_imageui(before, s, place) + (uint4)(1));
}
"""
WIDTH, HEIGHT = 7, 3


@pytest.mark.whole
def test_images_change_places_and_can_be_filled():
    """After a fill with 5 and two iterations that add 1 and swap the images, all pixels of the second one are 7."""
    image = ImageSpec(order="R", channel="UNSIGNED_INT8", width=WIDTH, height=HEIGHT)
    buffers = tuple(
        BufferSpec(name=name, size=image.size, guard=0, unit=1, poison=200, image=image) for name in ("before", "after")
    )
    steps = (
        FillStep(buffer="before", value=5),
        KernelStep(
            program="p",
            kernel="brighten",
            args=(
                *(BufferArg(buffer=spec.name) for spec in buffers),
                SamplerArg(normalized=False, address="clamp", filter="nearest"),
            ),
            global_size=(WIDTH, HEIGHT),
            local_size=(1, 1),
        ),
    )
    repeat = RepeatSteps(times=2, first=1, swap=(("before", "after"),))
    script = Script(steps=steps, uploads=("before",), outputs=("before", "after"), repeat=repeat)
    with Worker(sandbox_with(LIMITS), 0, TIMEOUTS) as worker:
        opened = worker.load({"p": ProgramSource(source=BRIGHTEN)}).open(Plan(buffers=buffers, scripts={"s": script}))
        assert isinstance(opened, Opened), opened
        assert [each.access for each in opened.kernels[0].args] == ["read_only", "write_only", "none"]
        worker.session.stage("s", {"before": np.arange(WIDTH * HEIGHT, dtype=np.uint8)})
        assert worker.session.fetch(("before", "after"))["before"].payload.tolist() == list(range(WIDTH * HEIGHT))
        assert set(worker.session.fetch(("after",))["after"].payload.tolist()) == {200}
        timing = worker.session.launch("s")
        assert isinstance(timing, Timing), timing
        assert set(worker.session.fetch(("after",))["after"].payload.tolist()) == {7}


@pytest.mark.parametrize(
    ("items", "started"),
    [
        (-(2**63), 8),
        (-1, 8),
        (0, 8),
        (1, 8),
        (8, 8),
        (9, 16),
        (95, 96),
        (96, 96),
        (97, 96),
        (2**32 - 1, 96),
        (2**64, 96),
    ],
)
def test_any_number_of_work_items_is_bounded(items, started):
    """A kernel may write any number as the number of work-items. A launch has whole groups, at least one, and no more
    than the plan says.
    """
    step = KernelStep(program="p", kernel="k", args=(), global_size=(96, 5), local_size=(8, 1))
    assert with_items(step, items).global_size == (started, 5)
