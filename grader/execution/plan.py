"""Plans of sessions for given sizes. A plan contains the buffers and the launches that a worker gets."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.run_sequence import LaunchAt
from grader.protocol.messages import Arrays, DeviceFacts, Open, Order, Process
from grader.protocol.steps import (
    BufferArg,
    BufferSpec,
    CopyStep,
    ElementArg,
    FillStep,
    KernelStep,
    ProgramSource,
    RepeatSteps,
    Step,
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
    otherwise. `fault` is a fault of grader that prevented this check.
    """

    name: str
    takes_local: bool
    constants: Mapping[str, str] = field(default_factory=dict)
    misordered: str = ""
    fault: Fault | None = None


Bindings = Mapping[str, Binding]


@dataclass(frozen=True, kw_only=True)
class Script:
    """A sequence of launches and its repetition. `uploads` lists the buffers that must be uploaded, and `outputs` the
    buffers that the script may change.
    """

    steps: tuple[Step, ...]
    uploads: tuple[str, ...]
    outputs: tuple[str, ...]
    repeat: RepeatSteps | None = None
    launches: tuple[LaunchAt, ...] = ()
    """The assignment's launch of each kernel step; empty for steps that no assignment states."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The buffers that must not change."""
        return tuple(name for name in self.uploads if name not in self.outputs)

    @property
    def buffers(self) -> tuple[str, ...]:
        """All buffers of the script without duplicates. The buffers that it may change come first."""
        return (*self.outputs, *self.inputs)

    @property
    def kernels(self) -> tuple[KernelStep, ...]:
        """The steps that are kernel launches."""
        return tuple(step for step in self.steps if isinstance(step, KernelStep))

    def launches_of(self, number: int) -> tuple[LaunchAt, ...] | None:
        """The assignment's launches of a run with this number of kernel launches, in order. None if no number of
        iterations leads to it.
        """
        if self.repeat is None:
            return self.launches if number == len(self.launches) else None
        before = sum(isinstance(step, KernelStep) for step in self.steps[: self.repeat.first])
        after = sum(isinstance(step, KernelStep) for step in self.steps[self.repeat.last or len(self.steps) :])
        repeated = self.launches[before : len(self.launches) - after]
        turns, rest = divmod(number - before - after, len(repeated))
        if rest or not 1 <= turns <= self.repeat.times:
            return None
        return (*self.launches[:before], *repeated * turns, *self.launches[len(self.launches) - after :])

    def in_all_turns(self) -> "Script":
        """Return the script without its convergence test, so that it runs all iterations."""
        return dataclasses.replace(self, repeat=self.repeat and replace(self.repeat, until=None))

    def on_buffers(self, called: Callable[[str], str]) -> "Script":
        """Return the script with renamed buffers. `called` returns the new name of each."""
        return Script(
            steps=tuple(_on_buffers(step, called) for step in self.steps),
            uploads=tuple(map(called, self.uploads)),
            outputs=tuple(map(called, self.outputs)),
            repeat=None if self.repeat is None else _repeated_on(self.repeat, called),
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
        repeats = {name: script.repeat for name, script in self.scripts.items() if script.repeat is not None}
        return Open(
            programs=dict(programs),
            buffers=self.buffers,
            sequences=sequences,
            repeats=repeats,
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


def _on_buffers(step: Step, called: Callable[[str], str]) -> Step:
    if isinstance(step, CopyStep):
        return CopyStep(source=called(step.source), target=called(step.target))
    if isinstance(step, FillStep):
        return replace(step, buffer=called(step.buffer))
    args = (
        replace(arg, buffer=called(arg.buffer)) if isinstance(arg, BufferArg | ElementArg) else arg for arg in step.args
    )
    items = step.items and replace(step.items, buffer=called(step.items.buffer))
    return replace(step, args=tuple(args), items=items)


def _repeated_on(repeat: RepeatSteps, called: Callable[[str], str]) -> RepeatSteps:
    until = repeat.until and replace(repeat.until, buffer=called(repeat.until.buffer))
    swap = tuple((called(old), called(new)) for old, new in repeat.swap)
    return replace(repeat, swap=swap, until=until)


COPY_SOURCE, COPY_TARGET, PEAK_OUTPUT = "source of the copy", "target of the copy", "results of the peak"
"""Buffers of the measurements, which do not belong to an assignment. No buffer of an assignment has such a name."""
