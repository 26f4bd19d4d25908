"""sequence.py: repeated launches in which arrays swap places, and the condition that ends them."""

from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import ValidationError
from worker_rules import LIMITS, TIMEOUTS, sandbox_with

from grader.course.poison import GUARD_BYTES, POISON
from grader.execution.client import Worker
from grader.execution.outcome import Timing
from grader.execution.plan import Plan, Script
from grader.protocol.messages import REQUEST, Open, Opened, StepTime
from grader.protocol.steps import (
    MOST_RUNS,
    BufferArg,
    BufferSpec,
    FillStep,
    ImageSpec,
    KernelStep,
    ProgramSource,
    RepeatSteps,
    SamplerArg,
    ScalarArg,
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


ARGS = tuple(BufferArg(buffer=name) for name in ("before", "after", "sum"))
STEP = KernelStep(program="p", kernel="halve", args=ARGS, global_size=(COUNT,), local_size=(1,))


def halved(steps=(STEP,), **repeat):
    """Return the array after repeated launches on an array of ones, and the timing of the launch."""
    steps = (RepeatSteps(steps=steps, **repeat),)
    script = Script(steps=steps, uploads=("before",), outputs=("before", "after", "sum"))
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
    after, _ = halved(times=times, swap=(("before", "after"),))
    assert (after == 0.5**times).all()


@pytest.mark.whole
def test_without_a_swap_every_turn_is_the_same():
    """Without a swap, each iteration reads the original inputs."""
    after, timing = halved(times=5)
    assert (after == 0.5).all()
    assert len(timing.steps) == 1


@pytest.mark.whole
def test_a_sum_that_is_small_ends_it():
    """The repetition ends after the first iteration whose sum is below the limit: 1/2, 1/4, 1/8, 1/16 < 0.1."""
    test = UntilBelow(buffer="sum", type="float32", below=0.1)
    after, _ = halved(times=50, swap=(("before", "after"),), until=test)
    assert (after == 0.5**4).all()


def test_the_time_of_a_step_is_that_of_all_its_turns():
    """The time of a step is the sum of its times in all iterations. The time between two iterations does not count."""
    turns = [SimpleNamespace(profile=SimpleNamespace(start=start, end=end)) for start, end in ((5, 8), (20, 24))]
    assert _together(turns) == StepTime(start_ns=5, end_ns=5 + 3 + 4)


@pytest.mark.whole
def test_a_launch_reports_every_turn():
    """A launch reports the number of its iterations, and one time for each step."""
    _, timing = halved(times=100)
    assert timing.turns == (100,)
    assert len(timing.steps) == 1


COUNTERS = """
__kernel void counted(__global uint *counter, __global float *flag, uint bits)
{
    (*counter)++;
    *flag = as_float(bits);
}
"""
FLAG = UntilBelow(buffer="flag", type="float32", below=1)


def counting(counter, value):
    """Return a launch that counts itself and then writes this value to the flag that ends repetitions."""
    bits = int(np.float32(value).view(np.uint32))  # a message cannot have infinity as a number
    args = (BufferArg(buffer=counter), BufferArg(buffer="flag"), ScalarArg(type="uint32", value=bits))
    return KernelStep(program="p", kernel="counted", args=args, global_size=(1,), local_size=(1,))


def counts(*steps):
    """Return how often the launches with each counter have run, and the iterations that the worker reports."""
    names = ("one", "other", "flag")
    script = Script(steps=(*(FillStep(buffer=name, value=0) for name in names), *steps), uploads=(), outputs=names)
    buffers = tuple(BufferSpec(name=name, size=4, guard=0, poison=POISON) for name in names)
    with Worker(sandbox_with(LIMITS), 0, TIMEOUTS) as worker:
        opened = worker.load({"p": ProgramSource(source=COUNTERS)}).open(Plan(buffers=buffers, scripts={"s": script}))
        assert isinstance(opened, Opened), opened
        timing = worker.session.launch("s")
        assert isinstance(timing, Timing), timing
        assert len(timing.steps) == len(script.commands)
        fetched = worker.session.fetch(("one", "other"))
    return *(int(fetched[name].payload[0]) for name in ("one", "other")), timing.turns


@pytest.mark.parametrize("value", [1.0, 3e38, float("inf"), float("nan")], ids=str)
def test_no_value_of_a_kernel_exceeds_the_bounds(value):
    """A kernel that never writes a value below the limit gets all iterations of each repetition, and no more. The
    bounds of nested repetitions multiply.
    """
    first = RepeatSteps(times=7, steps=(counting("one", value),), until=FLAG)
    inner = RepeatSteps(times=4, steps=(counting("other", value),), until=FLAG)
    outer = RepeatSteps(times=3, steps=(counting("one", value), inner), until=FLAG)
    assert counts(first, outer, first) == (7 + 3 + 7, 3 * 4, (7, 3, 4, 4, 4, 7))


@pytest.mark.parametrize("value", [0.0, -3e38, float("-inf")], ids=str)
def test_each_repetition_has_an_end_of_its_own(value):
    """A value below the limit ends only the repetition that tests it, after its first iteration."""
    ended = RepeatSteps(times=9, steps=(counting("one", value),), until=FLAG)
    around = RepeatSteps(times=3, steps=(ended, counting("other", 1.0)), until=FLAG)
    assert counts(ended, around) == (1 + 3, 3, (1, 3, 1, 1, 1))


def test_arrays_change_places_in_nested_repetitions():
    """An inner repetition uses the arrays as the outer one has swapped them. The test repeats three halvings twice, and
    the result of the first three is the input of the others.
    """
    inner = RepeatSteps(times=3, steps=(STEP,), swap=(("before", "after"),))
    after, timing = halved(times=2, steps=(inner,), swap=(("before", "after"),))
    assert (after == 0.5**6).all()
    assert timing.turns == (2, 3, 3)


@pytest.mark.parametrize("times", [(MOST_RUNS // 10, 11), (100, 100, 11), (1, 1, 9_000, 11)], ids=str)
def test_a_sequence_with_too_many_runs_is_refused_on_both_sides(times):
    """Neither the judge nor a worker accepts a sequence whose bounds together allow too many commands, or too many
    repetitions to report.
    """
    step = FillStep(buffer="one", value=0)
    for number in times:
        step = RepeatSteps(times=number, steps=(step,))
    with pytest.raises(ValidationError, match="more than 100,000 times"):
        Open(programs={}, sequences={"s": (step,)})
    fitting = Open(programs={}, sequences={"s": step.steps})
    request = fitting.model_dump(mode="json") | {"sequences": {"s": [step.model_dump(mode="json")]}}
    with pytest.raises(ValidationError, match="more than 100,000 times"):
        REQUEST.validate_python(request)


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
    brighten = KernelStep(
        program="p",
        kernel="brighten",
        args=(
            *(BufferArg(buffer=spec.name) for spec in buffers),
            SamplerArg(normalized=False, address="clamp", filter="nearest"),
        ),
        global_size=(WIDTH, HEIGHT),
        local_size=(1, 1),
    )
    repeat = RepeatSteps(times=2, steps=(brighten,), swap=(("before", "after"),))
    steps = (FillStep(buffer="before", value=5), repeat)
    script = Script(steps=steps, uploads=("before",), outputs=("before", "after"))
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
