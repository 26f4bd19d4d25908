"""Plans of sessions for given sizes. A plan contains the buffers and the launches that a worker gets."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod

from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.assignment import Assignment, Chosen, Timed
from grader.course.by_value import number
from grader.course.criteria import Sizes
from grader.course.elements import ELEMENTS, Element
from grader.course.expressions import evaluate, evaluate_int
from grader.course.launches import Launch
from grader.course.poison import GUARD_BYTES, POISON
from grader.course.program import CopyAt, FillAt, LaunchAt, RunSequence, Unrolled, plain
from grader.course.speed_goals import speed_goal
from grader.course.structs import Struct
from grader.execution.device import PEAK_GROUP, PeakRun, copy_size, peak_run
from grader.protocol.messages import Arrays, DeviceFacts, Open, Order, Process
from grader.protocol.steps import (
    Arg,
    BufferArg,
    BufferSpec,
    BytesArg,
    CopyStep,
    FillStep,
    KernelStep,
    LocalArg,
    ProgramSource,
    RepeatSteps,
    SamplerArg,
    ScalarArg,
    Step,
    UntilBelow,
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
    `misordered` is a message if the names of its parameters suggest a different order of the arguments, and ""
    otherwise. `fault` is a fault of grader that prevented this check.
    """

    name: str
    takes_local: bool
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
    args = (replace(arg, buffer=called(arg.buffer)) if isinstance(arg, BufferArg) else arg for arg in step.args)
    return replace(step, args=tuple(args))


def _repeated_on(repeat: RepeatSteps, called: Callable[[str], str]) -> RepeatSteps:
    until = repeat.until and replace(repeat.until, buffer=called(repeat.until.buffer))
    swap = tuple((called(old), called(new)) for old, new in repeat.swap)
    return replace(repeat, swap=swap, until=until)


def submission_plan(assignment: Chosen, sizes: Sizes, bindings: Bindings) -> Plan:
    """Return the plan that runs the student's steps with the submission. It uploads the results of earlier steps, which
    come from grader.
    """
    script = _script(assignment, sizes, assignment.sequence(sizes), SUBMISSION, bindings)
    return _plan(assignment, sizes, {STUDENT: script})


def timed_plan(assignment: Chosen, sizes: Sizes, bindings: Bindings) -> Plan:
    """Return the plan for timing the student's steps with the submission. It has no convergence tests."""
    return submission_plan(assignment, sizes, bindings).in_all_turns()


def reference_plan(assignment: Timed, sizes: Sizes) -> Plan:
    """Return the plan that runs the student's steps with the model solution, without convergence tests. It has the same
    buffers as `timed_plan`, so that both are timed under equal conditions. A student kit has no model solution, so the
    baseline runs instead.
    """
    return _plan(assignment, sizes, {STUDENT: _standard(assignment, sizes)}).in_all_turns()


def _standard(assignment: Assignment, sizes: Sizes) -> Script:
    """Return the script with which a submission is compared: the model solution, or the baseline in a student kit."""
    if assignment.kit is not None:
        return _script(assignment, sizes, assignment.baseline_sequence(sizes), BASELINE, {})
    return _script(assignment, sizes, assignment.sequence(sizes), REFERENCE, {})


def baseline_is_comparable(assignment: Assignment) -> bool:
    """True if the baseline computes the same results as the student's steps, from the same arrays."""
    sizes = next(iter(assignment.all_sizes()))
    own = _script(assignment, sizes, assignment.sequence(sizes), SUBMISSION, {})
    naive = _script(assignment, sizes, assignment.baseline_sequence(sizes), BASELINE, {})
    judged = [{name for name in each.outputs if assignment.buffers[name].is_judged} for each in (own, naive)]
    return own.uploads == naive.uploads and judged[0] == judged[1]


def control_plan(assignment: Timed, device: DeviceFacts) -> Plan:
    """Return the plan with the reference script and the other measurements: the baseline, a copy, the peak rate, and
    the whole program. A student kit does not measure the whole program, because it has no model solutions.
    """
    sizes, size = speed_goal(assignment, device).sizes, copy_size(assignment, device)
    scripts = {
        STUDENT: _standard(assignment, sizes),
        NAIVE: _script(assignment, sizes, assignment.baseline_sequence(sizes), BASELINE, {}),
        COPY: Script(steps=(CopyStep(source=COPY_SOURCE, target=COPY_TARGET),), uploads=(), outputs=()),
    }
    if assignment.has_surroundings and assignment.kit is None:
        scripts[WHOLE] = _script(assignment, sizes, plain(assignment.launches, sizes, assignment.repeat), REFERENCE, {})
    extra = {COPY_SOURCE: size, COPY_TARGET: size}
    plan = _plan(assignment, sizes, scripts)
    if assignment.speed_goals.flop is not None:
        run = peak_run(device)
        scripts[PEAK] = Script(steps=(peak_step(run),), uploads=(), outputs=())
        extra[PEAK_OUTPUT] = ELEMENTS["float"].bytes * run.items
    buffers = (BufferSpec(name=name, size=size, guard=0, poison=POISON) for name, size in extra.items())
    return Plan(buffers=(*plan.buffers, *buffers), scripts=scripts).in_all_turns()


COPY_SOURCE, COPY_TARGET, PEAK_OUTPUT = "source of the copy", "target of the copy", "results of the peak"
"""Buffers of the measurements, which do not belong to an assignment. No buffer of an assignment has such a name."""


def peak_step(run: PeakRun) -> KernelStep:
    """Return the launch that measures the peak rate, as a step. Its results go to PEAK_OUTPUT."""
    return KernelStep(
        program=PEAK,
        kernel="peak",
        args=(BufferArg(buffer=PEAK_OUTPUT), ScalarArg(type="uint32", value=run.turns)),
        global_size=(run.items,),
        local_size=(PEAK_GROUP,),
    )


def baseline_plan(assignment: Assignment, sizes: Sizes) -> Plan:
    """Return the plan that runs only the baseline."""
    script = _script(assignment, sizes, assignment.baseline_sequence(sizes), BASELINE, {})
    return _plan(assignment, sizes, {NAIVE: script})


def _script(assignment: Assignment, sizes: Sizes, sequence: RunSequence, program: str, bindings: Bindings) -> Script:
    used = set(_arrays(sequence)) & assignment.buffers.keys()
    ready = _made_before(assignment, sequence.launches[0].launch)
    given = {name for name in used if assignment.buffers[name].data} | (used & ready)
    changed = {name for name in used if assignment.buffers[name].part != "input"} - ready
    return Script(
        steps=tuple(_step(assignment, step, program, bindings) for step in sequence.steps),
        uploads=tuple(name for name in assignment.buffers if name in given),
        outputs=tuple(name for name in assignment.buffers if name in changed),
        repeat=_repeat(assignment, sizes, sequence),
        launches=sequence.launches,
    )


def _arrays(sequence: RunSequence) -> Iterator[str]:
    """Names of the arrays of all steps."""
    for step in sequence.steps:
        match step:
            case LaunchAt():
                yield from step.args
            case FillAt():
                yield step.buffer
            case CopyAt():
                yield from (step.source, step.target)
    yield from (name for pair in (sequence.repeat.swap if sequence.repeat else ()) for name in pair)


def _repeat(assignment: Assignment, sizes: Sizes, sequence: RunSequence) -> RepeatSteps | None:
    asked = sequence.repeat
    if asked is None:
        return None
    names = assignment.names(sizes)
    until = None
    if asked.until is not None:
        below = evaluate(asked.until.below, names)
        until = UntilBelow(buffer=asked.until.sum, type=assignment.numbers_of(asked.until.sum).dtype, below=below)
    last = None if sequence.last == len(sequence.steps) else sequence.last
    times = evaluate_int(asked.times, names)
    return RepeatSteps(times=times, first=sequence.first, last=last, swap=asked.swap, until=until)


def _step(assignment: Assignment, step: Unrolled, program: str, bindings: Bindings) -> Step:
    match step:
        case FillAt():
            element = assignment.element(assignment.buffers[step.buffer].type)
            return FillStep(buffer=step.buffer, value=element.pattern(step.value))
        case CopyAt():
            return CopyStep(source=step.source, target=step.target)
    launch, sizes, names = step.launch, step.sizes, assignment.names(step.sizes)
    binding = bindings.get(launch.kernel)
    args = [_argument(assignment, arg, sizes) for arg in step.args]
    if binding is not None and binding.takes_local and launch.optional_local is not None:
        args.append(LocalArg(size=ELEMENTS["float"].bytes * evaluate_int(launch.optional_local, names)))
    return KernelStep(
        program=launch.solution_of or program,
        kernel=binding.name if binding is not None else launch.kernel,
        args=tuple(args),
        global_size=assignment.items(launch, launch.global_size, sizes),
        local_size=assignment.items(launch, launch.local_size, sizes),
    )


def _argument(assignment: Assignment, name: str, sizes: Sizes) -> Arg:
    if name in assignment.buffers:
        return BufferArg(buffer=name)
    if name in assignment.local:
        local = assignment.local[name]
        return LocalArg(size=assignment.element(local.type).bytes * prod(assignment.shape(local, sizes)))
    if name in assignment.samplers:
        sampler = assignment.samplers[name]
        return SamplerArg(normalized=sampler.normalized, address=sampler.address, filter=sampler.filter)
    names = assignment.names(sizes)
    if name not in assignment.scalars:  # a size, a value or the number of a loop
        return ScalarArg(type="uint32", value=evaluate_int(name, names))
    if not assignment.is_number(name):
        return BytesArg(content=assignment.content(name, sizes).hex())
    scalar = assignment.scalars[name]
    element, stated = ELEMENTS[scalar.type], number(name, scalar.value)
    value = evaluate(stated, names) if element.is_floating else evaluate_int(stated, names)
    return ScalarArg(type=element.dtype, value=value)


def _plan(assignment: Assignment, sizes: Sizes, scripts: Mapping[str, Script]) -> Plan:
    made = {name for script in scripts.values() for name in script.outputs}
    used = {name for script in scripts.values() for name in script.buffers}
    buffers = (
        replace(spec, poison=_element(assignment, spec.name).poison) if spec.name in made else spec
        for spec in (buffer_spec(assignment, name, sizes) for name in assignment.buffers if name in used)
    )
    return Plan(buffers=tuple(buffers), scripts=scripts)


def buffer_spec(assignment: Assignment, name: str, sizes: Sizes) -> BufferSpec:
    """Return a buffer or an image with the poison of inputs."""
    element, image = _element(assignment, name), assignment.image_spec(name, sizes)
    return BufferSpec(
        name=name,
        size=assignment.bytes_of(name, sizes),
        guard=GUARD_BYTES if image is None else 0,
        unit=element.unit,
        poison=element.input_poison,
        image=image,
        element=element.unwritten.hex() if isinstance(element, Struct) else "",
    )


def _element(assignment: Assignment, buffer: str) -> Element | Struct:
    return assignment.element(assignment.buffers[buffer].type)


def _made_before(assignment: Assignment, first: Launch) -> set[str]:
    """Return the buffers that steps of the assignment compute before this launch. Empty for the baseline and for a
    program.
    """
    if assignment.program or first not in assignment.launches:
        return set()
    earlier = assignment.launches[: assignment.launches.index(first)]
    return {arg for launch in earlier for arg in launch.args}
