"""Plans of sessions for given sizes. A plan contains the buffers and the launches that a worker gets."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.run_sequence import LaunchAt
from grader.protocol.messages import Arrays, DeviceFacts, Open, Order, Process
from grader.protocol.steps import (
    BufferArg,
    BufferSpec,
    Command,
    CopyStep,
    ElementArg,
    FillStep,
    KernelStep,
    ProgramSource,
    RepeatSteps,
    Step,
    commands,
    repetitions,
)

SUBMISSION, REFERENCE, BASELINE, PEAK = "submission", "reference", "baseline", "peak"
"""Names of programs: the student's, the model solution, the naive kernel, and the kernel that only computes. The model
solution of another assignment has the name of that assignment.
"""

STUDENT, NAIVE, WHOLE, COPY = "student's steps", "baseline", "whole program", "copy"
"""Names of scripts: the launches of the student's kernels or of the program with which they are compared; the baseline;
all launches of the assignment; and a device-to-device copy.
"""


@dataclass(frozen=True, kw_only=True)
class Binding:
    """The form that a kernel of the assignment has in the student's file.

    `name` is its name there. `takes_local` is true if it declares the optional trailing `__local` parameter.
    `constants` maps its names of parameters that it declares as `__constant` to the assignment's arrays in constant
    memory. `misordered` is a message if the names of its parameters suggest a different order of the arguments, and ""
    otherwise. `retyped` is a message if it declares an array of floats as an array of whole numbers, or the reverse.
    `fault` is a fault of grader that prevented these checks.
    """

    name: str
    takes_local: bool
    constants: Mapping[str, str] = field(default_factory=dict)
    misordered: str = ""
    retyped: str = ""
    fault: Fault | None = None


Bindings = Mapping[str, Binding]


@dataclass(frozen=True, kw_only=True)
class Script:
    """A sequence of steps, such as launches. `uploads` lists the buffers that must be uploaded, and `outputs` the
    buffers that the script may change.
    """

    steps: tuple[Step, ...]
    uploads: tuple[str, ...]
    outputs: tuple[str, ...]
    launches: tuple[LaunchAt, ...] = ()
    """The assignment's launch of each kernel step, in order; empty for steps that no assignment states."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The buffers that must not change."""
        return tuple(name for name in self.uploads if name not in self.outputs)

    @property
    def buffers(self) -> tuple[str, ...]:
        """All buffers of the script without duplicates. The buffers that it may change come first."""
        return (*self.outputs, *self.inputs)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The steps without their repetitions."""
        return commands(self.steps)

    @property
    def kernels(self) -> tuple[KernelStep, ...]:
        """The steps that are kernel launches."""
        return tuple(step for step in self.commands if isinstance(step, KernelStep))

    @property
    def repetitions(self) -> tuple[RepeatSteps, ...]:
        """The repetitions among the steps, including nested ones."""
        return tuple(repetitions(self.steps))

    def launches_of(self, turns: Sequence[int]) -> tuple[LaunchAt, ...]:
        """Return the assignment's launches of a run, in order. `turns` has the number of iterations of each
        repetition, as the worker reports it.
        """
        return tuple(self.launches[number] for number in _launched(self.steps, iter(turns), 0))

    def of_commands(self, changed: Callable[[Command], Command]) -> "Script":
        """Return the script with changed commands, including those in repetitions."""
        return dataclasses.replace(self, steps=tuple(_of_commands(step, changed) for step in self.steps))

    def in_all_turns(self) -> "Script":
        """Return the script without its convergence tests, so that it runs all iterations."""
        return dataclasses.replace(self, steps=tuple(map(_in_all_turns, self.steps)))

    def on_buffers(self, called: Callable[[str], str]) -> "Script":
        """Return the script with renamed buffers. `called` returns the new name of each."""
        return Script(
            steps=tuple(_on_buffers(step, called) for step in self.steps),
            uploads=tuple(map(called, self.uploads)),
            outputs=tuple(map(called, self.outputs)),
            launches=self.launches,
        )


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Description of one session: its buffers, its scripts by name, the way in which it gets arrays, the process in
    which it begins, and the order in which a simulator runs work-items.
    """

    buffers: tuple[BufferSpec, ...]
    scripts: Mapping[str, Script]
    arrays: Arrays = "copied"
    process: Process = "new"
    order: Order = "ascending"

    def buffer(self, name: str) -> BufferSpec:
        """Return the buffer with this name."""
        return next(spec for spec in self.buffers if spec.name == name)

    def request(self, programs: Mapping[str, ProgramSource]) -> Open:
        """Return the request that opens the session with these programs."""
        sequences = {name: script.steps for name, script in self.scripts.items()}
        return Open(
            programs=dict(programs),
            buffers=self.buffers,
            sequences=sequences,
            arrays=self.arrays,
            process=self.process,
            order=self.order,
        )

    def on_buffers(self, called: Callable[[str], str]) -> "Plan":
        """Return the plan with renamed buffers. `called` returns the new name of each."""
        return dataclasses.replace(
            self,
            buffers=tuple(replace(spec, name=called(spec.name)) for spec in self.buffers),
            scripts={name: script.on_buffers(called) for name, script in self.scripts.items()},
        )

    def in_all_turns(self) -> "Plan":
        """Return the plan without its convergence tests, for timed runs. The tested value is computed by a student's
        kernel, which could end a timed run early.
        """
        return dataclasses.replace(self, scripts={name: script.in_all_turns() for name, script in self.scripts.items()})

    def watched(self, order: Order) -> "Plan":
        """Return the plan for the simulator, which runs work-items in this order. Buffers have no guard bands, because
        the simulator checks all bounds. Outputs have no initial content, and inputs are read-only.
        """
        made = {name for script in self.scripts.values() for name in script.outputs}
        buffers = (replace(spec, guard=0, poison=None, read_only=spec.name not in made) for spec in self.buffers)
        return dataclasses.replace(self, buffers=tuple(buffers), order=order)


NOTHING = Plan(buffers=(), scripts={})
"""The plan of a session that only builds programs."""


def joined(plans: Mapping[str, Plan]) -> Plan:
    """Combine several plans with one script each into a plan for one session. Each script gets the name of its plan and
    keeps separate buffers. In all other respects, the plans must be equal.
    """
    buffers: list[BufferSpec] = []
    scripts: dict[str, Script] = {}
    for owner, plan in plans.items():
        own = plan.on_buffers(partial(buffer_of, owner))
        buffers += own.buffers
        (scripts[owner],) = own.scripts.values()
    return dataclasses.replace(next(iter(plans.values())), buffers=tuple(buffers), scripts=scripts)


def going_on(plan: Plan, device: DeviceFacts) -> Plan:
    """Return the plan as it runs on this device. On a GPU, its session continues in the process of the previous
    session. This is safe, because kernels on a GPU cannot access their process.

    A new process needs a context on the device. The driver of a GPU creates contexts one after the other for all cards
    of a machine: two H200s together got five contexts per second, as many as one H200 alone.
    """
    return dataclasses.replace(plan, process="used") if device.type == "gpu" else plan


def buffer_of(owner: str, name: str) -> str:
    """Return the name of a plan's buffer in a session for several plans, such as "A of one row"."""
    return f"{name} of {owner}"


def _launched(steps: Sequence[Step], turns: Iterator[int], number: int) -> Iterator[int]:
    """Yield the numbers of the kernel launches of a run. The first kernel of these steps has the given number. The plan
    bounds the iterations, because the worker may report any.
    """
    for step in steps:
        if isinstance(step, RepeatSteps):
            for _ in range(min(next(turns, 1), step.times)):
                yield from _launched(step.steps, turns, number)
            number += sum(isinstance(each, KernelStep) for each in commands(step.steps))
        elif isinstance(step, KernelStep):
            yield number
            number += 1


def _of_commands(step: Step, changed: Callable[[Command], Command]) -> Step:
    if isinstance(step, RepeatSteps):
        return replace(step, steps=tuple(_of_commands(each, changed) for each in step.steps))
    return changed(step)


def _in_all_turns(step: Step) -> Step:
    if isinstance(step, RepeatSteps):
        return replace(step, steps=tuple(map(_in_all_turns, step.steps)), until=None)
    return step


def _on_buffers(step: Step, called: Callable[[str], str]) -> Step:
    if isinstance(step, RepeatSteps):
        return replace(
            step,
            steps=tuple(_on_buffers(each, called) for each in step.steps),
            swap=tuple((called(old), called(new)) for old, new in step.swap),
            until=step.until and replace(step.until, buffer=called(step.until.buffer)),
        )
    if isinstance(step, CopyStep):
        return CopyStep(source=called(step.source), target=called(step.target))
    if isinstance(step, FillStep):
        return replace(step, buffer=called(step.buffer))
    args = (
        replace(arg, buffer=called(arg.buffer)) if isinstance(arg, BufferArg | ElementArg) else arg for arg in step.args
    )
    items = step.items and replace(step.items, buffer=called(step.items.buffer))
    return replace(step, args=tuple(args), items=items)


COPY_SOURCE, COPY_TARGET, PEAK_OUTPUT = "source of the copy", "target of the copy", "results of the peak"
"""Buffers of the measurements, which do not belong to an assignment. No buffer of an assignment has such a name."""
