"""Launches that are ready to run: kernels with their arguments set, copies, and their repetition."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyopencl as cl

from grader.protocol.kernel import Demand
from grader.protocol.messages import Launched, Refused, Reply, StepTime, Stopped
from grader.protocol.phase import Phase
from grader.protocol.steps import (
    BufferArg,
    BytesArg,
    CopyStep,
    ElementArg,
    FillStep,
    KernelStep,
    KeyArg,
    LocalArg,
    RepeatSteps,
    SamplerArg,
    ScalarArg,
    Step,
)
from grader.worker.opencl.buffers import DeviceArray
from grader.worker.opencl.facts import demand

Tell = Callable[[Phase], None]
"""Function that reports a phase to the judge."""

TICK = 0.001
"""Seconds between two checks whether a step is running."""


@dataclass(frozen=True, kw_only=True)
class PreparedKernel:
    """A kernel whose arguments are set, except for keys and for elements of arrays. `keys` and `elements` have the
    indices of these arguments. `arguments` has the others, because a kernel does not keep its samplers alive.
    """

    program: Any
    step: KernelStep
    kernel: Any
    keys: tuple[int, ...]
    elements: Mapping[int, ElementArg]
    arguments: Mapping[int, Any]
    buffers: Mapping[str, DeviceArray]

    def ready(self, queue: cl.CommandQueue) -> "PreparedKernel":
        """Return the launch with the values that it reads from arrays. Waits for earlier steps if there are any."""
        for index, element in self.elements.items():
            self.kernel.set_arg(index, self.buffers[element.buffer].part(queue, element.offset, element.size))
        count = self.step.items
        if count is None:
            return self
        kind = np.dtype(count.type)
        (items,) = self.buffers[count.buffer].part(queue, count.offset, kind.itemsize).view(kind)
        return replace(self, step=with_items(self.step, int(items)))

    def enqueue(self, queue: cl.CommandQueue, key: int) -> cl.Event:
        """Enqueue a launch of the kernel with this key."""
        for index in self.keys:
            self.kernel.set_arg(index, np.uint64(key))
        return cl.enqueue_nd_range_kernel(queue, self.kernel, self.step.global_size, self.step.local_size)

    def demand(self, device: cl.Device) -> Demand:
        """Resources that the launch asks for."""
        return demand(self.program, self.step, device)


def with_items(step: KernelStep, items: int) -> KernelStep:
    """Return a launch with this number of work-items in the first dimension, which may be any number. It is rounded up
    to whole work-groups. It is at least one, because OpenCL 1.2 has no empty launch, and at most the stated number.
    """
    (most, *others), group = step.global_size, step.local_size[0]
    whole = -(-max(1, min(items, most)) // group) * group
    return step.model_copy(update={"global_size": (min(whole, most), *others)})


@dataclass(frozen=True, kw_only=True)
class PreparedCopy:
    """A copy of one buffer's payload to another buffer."""

    source: DeviceArray
    target: DeviceArray

    def ready(self, _: cl.CommandQueue) -> "PreparedCopy":
        """The copy itself, which reads no values."""
        return self

    def enqueue(self, queue: cl.CommandQueue, _: int) -> cl.Event:
        """Enqueue the copy."""
        return self.target.copy_from(queue, self.source)

    def demand(self, _: cl.Device) -> None:
        """None: a copy asks for no resources that a device could lack."""


@dataclass(frozen=True, kw_only=True)
class PreparedFill:
    """A fill of one buffer's payload with a pattern."""

    target: DeviceArray
    value: int

    def ready(self, _: cl.CommandQueue) -> "PreparedFill":
        """The fill itself, which reads no values."""
        return self

    def enqueue(self, queue: cl.CommandQueue, _: int) -> cl.Event:
        """Enqueue the fill."""
        return self.target.fill(queue, self.value)

    def demand(self, _: cl.Device) -> None:
        """None: a fill asks for no resources that a device could lack."""


Prepared = PreparedKernel | PreparedCopy | PreparedFill


def _prepare(step: Step, built: dict[str, Any], buffers: dict[str, DeviceArray]) -> Prepared:
    match step:
        case KernelStep():
            program = built[step.program]
            kernel = cl.Kernel(program, step.kernel)
            keys = tuple(index for index, arg in enumerate(step.args) if isinstance(arg, KeyArg))
            elements = {index: arg for index, arg in enumerate(step.args) if isinstance(arg, ElementArg)}
            arguments = {
                index: _argument(program.context, arg, buffers)
                for index, arg in enumerate(step.args)
                if index not in keys and index not in elements
            }
            for index, argument in arguments.items():
                kernel.set_arg(index, argument)
            return PreparedKernel(
                program=program,
                step=step,
                kernel=kernel,
                keys=keys,
                elements=elements,
                arguments=arguments,
                buffers=buffers,
            )
        case CopyStep():
            return PreparedCopy(source=buffers[step.source], target=buffers[step.target])
        case FillStep():
            return PreparedFill(target=buffers[step.buffer], value=step.value)


def _argument(context: cl.Context, arg: Any, buffers: dict[str, DeviceArray]) -> Any:
    match arg:
        case BufferArg(part="whole"):
            return buffers[arg.buffer].whole
        case BufferArg():
            return buffers[arg.buffer].payload
        case ScalarArg():
            return np.dtype(arg.type).type(arg.value)
        case BytesArg():
            return np.frombuffer(bytes.fromhex(arg.content), dtype=np.uint8)
        case LocalArg():
            return cl.LocalMemory(arg.size)
        case SamplerArg():
            address, filtering = (cl.addressing_mode, arg.address), (cl.filter_mode, arg.filter)
            modes = (getattr(names, name.upper()) for names, name in (address, filtering))
            return cl.Sampler(context, arg.normalized, *modes)


ONCE = RepeatSteps(times=1)


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Steps, and the repetition of some of them. In odd iterations, the buffers of each pair have changed places."""

    even: tuple[Prepared, ...]
    odd: tuple[Prepared, ...]
    repeat: RepeatSteps
    buffers: Mapping[str, DeviceArray]

    @classmethod
    def prepare(
        cls,
        steps: tuple[Step, ...],
        repeat: RepeatSteps | None,
        built: dict[str, Any],
        buffers: dict[str, DeviceArray],
    ) -> "Sequence":
        """Set the arguments of all kernels, for even and odd iterations."""
        repeat = repeat or ONCE
        even = tuple(_prepare(step, built, buffers) for step in steps)
        pairs = {a: b for pair in repeat.swap for a, b in (pair, reversed(pair))}
        swapped = {name: buffers[pairs.get(name, name)] for name in buffers}
        odd = tuple(_prepare(step, built, swapped) for step in steps) if pairs else even
        return cls(even=even, odd=odd, repeat=repeat, buffers=buffers)

    def run(self, queue: cl.CommandQueue, key: int, tell: Tell | None = None) -> Reply:
        """Launch all iterations, and return the total time of each step.

        If the driver compiles at the first launch, `tell` can report its phases. `run` then waits for each step of the
        first iteration.
        """
        first, last = self.repeat.first, self.repeat.last
        turns: list[list[cl.Event]] = []
        try:
            before = _enqueued(self.even[:first], queue, key, tell)
            for turn in range(self.repeat.times):
                steps = (self.odd if turn % 2 else self.even)[first:last]
                turns.append(_enqueued(steps, queue, key, None if turn else tell))
                if self._is_enough(queue):
                    break
            if len(turns) % 2 == 0:  # after an odd iteration, the results are in the first buffers of the pairs
                for old, new in self.repeat.swap:
                    self.buffers[new].copy_from(queue, self.buffers[old])
            after = [] if last is None else _enqueued(self.even[last:], queue, key, tell)
            queue.finish()
        except _RefusedError as refused:
            return refused.reply
        except cl.Error as error:
            return Stopped(error=name_of(error))
        events = [*((event,) for event in before), *zip(*turns, strict=True), *((event,) for event in after)]
        return Launched(times=tuple(map(_together, events)), turns=len(turns))

    def _is_enough(self, queue: cl.CommandQueue) -> bool:
        """True if the convergence test ends the repetition. Waits for the iteration only if there is such a test."""
        until = self.repeat.until
        if until is None:
            return False
        content = self.buffers[until.buffer].payload_fetched(queue)
        return bool(content.view(until.type).sum(dtype=np.float64) < until.below)


class _RefusedError(Exception):
    """The driver refused to enqueue a step."""

    def __init__(self, reply: Refused) -> None:
        super().__init__(reply.error)
        self.reply = reply


def _enqueued(steps: tuple[Prepared, ...], queue: cl.CommandQueue, key: int, tell: Tell | None) -> list[cl.Event]:
    """The events of these steps, after enqueuing them. With `tell`, waits for each step."""
    events: list[cl.Event] = []
    for prepared in steps:
        step = prepared.ready(queue)  # outside `try`, because an error here is a failure of an earlier step
        if tell:
            tell("compiling")
        try:
            events.append(step.enqueue(queue, key))
        except cl.Error as error:
            demand = step.demand(queue.device)
            raise _RefusedError(Refused(call="launch", error=name_of(error), demand=demand)) from error
        if tell:
            _follow(events[-1], queue, tell)
    return events


def _follow(event: cl.Event, queue: cl.CommandQueue, tell: Tell) -> None:
    """Report that the driver has compiled and the step runs; return when the step has ended."""
    queue.flush()
    while event.command_execution_status > cl.command_execution_status.RUNNING:
        time.sleep(TICK)
    tell("running")
    event.wait()


def _together(events: tuple[cl.Event, ...]) -> StepTime:
    start = events[0].profile.start
    return StepTime(start_ns=start, end_ns=start + sum(event.profile.end - event.profile.start for event in events))


def name_of(error: cl.Error) -> str:
    """The driver's name for an error."""
    name: str = cl.status_code.to_string(error.code, "error %d")
    return name
