"""Launches that are ready to run: kernels with their arguments set, copies, fills, and their repetitions."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
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

TICK = 0.0001
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


PreparedCommand = PreparedKernel | PreparedCopy | PreparedFill


@dataclass(frozen=True, kw_only=True)
class PreparedRepetition:
    """A repetition of steps. In odd iterations, the buffers of each pair have changed places."""

    step: RepeatSteps
    even: "tuple[Prepared, ...]"
    odd: "tuple[Prepared, ...]"
    buffers: Mapping[str, DeviceArray]

    def is_over(self, queue: cl.CommandQueue) -> bool:
        """True if the convergence test ends the repetition. Waits for the iteration only if there is such a test."""
        until = self.step.until
        if until is None:
            return False
        content = self.buffers[until.buffer].payload_fetched(queue)
        return bool(content.view(until.type).sum(dtype=np.float64) < until.below)

    def copy_results(self, queue: cl.CommandQueue, turns: int) -> None:
        """Copy results to the second buffers of the pairs, if they are in the first ones: after an even number of
        iterations.
        """
        if turns % 2 == 0:
            for old, new in self.step.swap:
                self.buffers[new].copy_from(queue, self.buffers[old])


Prepared = PreparedCommand | PreparedRepetition


def _prepare(step: Step, built: dict[str, Any], buffers: dict[str, DeviceArray]) -> Prepared:
    match step:
        case KernelStep():
            return _prepared_kernel(step, built[step.program], buffers)
        case CopyStep():
            return PreparedCopy(source=buffers[step.source], target=buffers[step.target])
        case FillStep():
            return PreparedFill(target=buffers[step.buffer], value=step.value)
        case RepeatSteps():
            pairs = {a: b for pair in step.swap for a, b in (pair, reversed(pair))}
            swapped = {name: buffers[pairs.get(name, name)] for name in buffers}
            even = tuple(_prepare(each, built, buffers) for each in step.steps)
            odd = tuple(_prepare(each, built, swapped) for each in step.steps) if pairs else even
            return PreparedRepetition(step=step, even=even, odd=odd, buffers=buffers)


def _prepared_kernel(step: KernelStep, program: Any, buffers: dict[str, DeviceArray]) -> PreparedKernel:
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
        program=program, step=step, kernel=kernel, keys=keys, elements=elements, arguments=arguments, buffers=buffers
    )


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


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Steps that run in order."""

    steps: tuple[Prepared, ...]

    @classmethod
    def prepare(cls, steps: tuple[Step, ...], built: dict[str, Any], buffers: dict[str, DeviceArray]) -> "Sequence":
        """Set the arguments of all kernels, for even and odd iterations."""
        return cls(steps=tuple(_prepare(step, built, buffers) for step in steps))

    def run(self, queue: cl.CommandQueue, key: int, tell: Tell | None = None) -> Reply:
        """Run all steps with their iterations, and return the total time of each command.

        If the driver compiles at the first launch, `tell` can report its phases. `run` then waits for each command
        in first iterations.
        """
        running = _Running(queue=queue, key=key)
        try:
            events = running.enqueue(self.steps, tell)
            queue.finish()
        except _RefusedError as refused:
            return refused.reply
        except cl.Error as error:
            return Stopped(error=name_of(error))
        return Launched(times=tuple(map(_together, events)), turns=tuple(running.turns))


class _RefusedError(Exception):
    """The driver refused to enqueue a step."""

    def __init__(self, reply: Refused) -> None:
        super().__init__(reply.error)
        self.reply = reply


@dataclass(frozen=True, kw_only=True)
class _Running:
    """A sequence that is running, and the number of iterations of each repetition that has begun."""

    queue: cl.CommandQueue
    key: int
    turns: list[int] = field(default_factory=list)

    def enqueue(self, steps: tuple[Prepared, ...], tell: Tell | None) -> list[list[cl.Event]]:
        """Enqueue these steps, and return the events of each command's runs. If `tell` is given, waits for each
        command.
        """
        events: list[list[cl.Event]] = []
        for step in steps:
            events += self._repeat(step, tell) if isinstance(step, PreparedRepetition) else [[self._run(step, tell)]]
        return events

    def _repeat(self, repetition: PreparedRepetition, tell: Tell | None) -> list[list[cl.Event]]:
        iterations: list[list[list[cl.Event]]] = []
        place = len(self.turns)
        self.turns.append(0)
        for turn in range(repetition.step.times):
            steps = repetition.odd if turn % 2 else repetition.even
            iterations.append(self.enqueue(steps, None if turn else tell))
            self.turns[place] += 1
            if repetition.is_over(self.queue):
                break
        repetition.copy_results(self.queue, self.turns[place])
        return [list(chain.from_iterable(runs)) for runs in zip(*iterations, strict=True)]

    def _run(self, command: PreparedCommand, tell: Tell | None) -> cl.Event:
        step = command.ready(self.queue)  # outside `try`, because an error here is a failure of an earlier step
        if tell:
            tell("compiling")
        try:
            event = step.enqueue(self.queue, self.key)
        except cl.Error as error:
            demand = step.demand(self.queue.device)
            raise _RefusedError(Refused(call="launch", error=name_of(error), demand=demand)) from error
        if tell:
            _follow(event, self.queue, tell)
        return event


def _follow(event: cl.Event, queue: cl.CommandQueue, tell: Tell) -> None:
    """Report that the driver has compiled and the step runs; return when the step has ended."""
    queue.flush()
    while event.command_execution_status > cl.command_execution_status.RUNNING:
        time.sleep(TICK)
    tell("running")
    event.wait()


def _together(events: list[cl.Event]) -> StepTime:
    start = events[0].profile.start
    return StepTime(start_ns=start, end_ns=start + sum(event.profile.end - event.profile.start for event in events))


def name_of(error: cl.Error) -> str:
    """The driver's name for an error."""
    name: str = cl.status_code.to_string(error.code, "error %d")
    return name
