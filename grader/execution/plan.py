"""What a worker is asked to do for given sizes: its buffers and its launches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod

from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.assignment import Assignment, Chosen, Timed
from grader.course.expressions import evaluate, evaluate_int
from grader.course.launches import ELEMENT_BYTES, Launch
from grader.course.rubric import Sizes
from grader.course.truth.poison import GUARD_BYTES, INPUT_POISON, POISON
from grader.execution.device import PEAK_GROUP, PeakRun, copy_size, peak_run, speed_goal
from grader.protocol.messages import Arrays, DeviceFacts, Open, Order, Process
from grader.protocol.steps import (
    Arg,
    BufferArg,
    BufferSpec,
    CopyStep,
    KernelStep,
    LocalArg,
    ProgramSource,
    RepeatSteps,
    ScalarArg,
    UntilBelow,
)

SUBMISSION, REFERENCE, BASELINE, PEAK = "submission", "reference", "baseline", "peak"
"""Names of programs: the student's, our model solution, the naive kernel, the one that only computes. Model solutions
of other assignments go by the assignment's name."""

STUDENT, NAIVE, WHOLE, COPY = "student's steps", "baseline", "whole program", "copy"
"""Names of scripts: the launches of the student's kernels, or what they are held against; the baseline, all launches of
the assignment, and a device-to-device copy."""


@dataclass(frozen=True, kw_only=True)
class Binding:
    """How the student's file spells a kernel of the assignment: its name there, and whether it
    declares the optional trailing `__local` parameter. `misordered` says if, by their names, its parameters are in
    another order than the arguments; `fault` is grader's, if this could not be found out.
    """

    name: str
    takes_local: bool
    misordered: str = ""
    fault: Fault | None = None


Bindings = Mapping[str, Binding]


@dataclass(frozen=True, kw_only=True)
class Script:
    """A sequence of launches, how often it is run, which buffers it needs uploaded, and which it may change."""

    steps: tuple[KernelStep | CopyStep, ...]
    uploads: tuple[str, ...]
    outputs: tuple[str, ...]
    repeat: RepeatSteps | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The buffers that must not change."""
        return tuple(name for name in self.uploads if name not in self.outputs)

    @property
    def buffers(self) -> tuple[str, ...]:
        """All buffers that it uses, each once; those that it may change come first."""
        return (*self.outputs, *self.inputs)

    @property
    def kernels(self) -> tuple[KernelStep, ...]:
        """The steps that are launches."""
        return tuple(step for step in self.steps if isinstance(step, KernelStep))

    def in_all_turns(self) -> "Script":
        """The script without its convergence test."""
        return replace(self, repeat=self.repeat and replace(self.repeat, until=None))

    def on_buffers(self, called: Callable[[str], str]) -> "Script":
        """The same script with other names of buffers."""
        return Script(
            steps=tuple(_on_buffers(step, called) for step in self.steps),
            uploads=tuple(map(called, self.uploads)),
            outputs=tuple(map(called, self.outputs)),
            repeat=None if self.repeat is None else _repeated_on(self.repeat, called),
        )


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Description of one session: its buffers, its scripts by name, how arrays reach it, in which process it begins,
    and the order in which a simulator runs work-items.
    """

    buffers: tuple[BufferSpec, ...]
    scripts: Mapping[str, Script]
    arrays: Arrays = "copied"
    process: Process = "new"
    order: Order = "ascending"

    def request(self, programs: Mapping[str, ProgramSource]) -> Open:
        """The request that opens the session with these programs."""
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
        """The same plan with other names of buffers."""
        return replace(
            self,
            buffers=tuple(replace(spec, name=called(spec.name)) for spec in self.buffers),
            scripts={name: script.on_buffers(called) for name, script in self.scripts.items()},
        )

    def in_all_turns(self) -> "Plan":
        """The plan without its convergence tests, for timed runs: the test is the student's, who must not end them."""
        return replace(self, scripts={name: script.in_all_turns() for name, script in self.scripts.items()})

    def watched(self, order: Order) -> "Plan":
        """The plan for the simulator, which runs work-items in this order. Buffers have no guard bands, since the
        simulator knows every bound. Outputs hold nothing, and inputs cannot be written.
        """
        made = {name for script in self.scripts.values() for name in script.outputs}
        buffers = (replace(spec, guard=0, poison=None, read_only=spec.name not in made) for spec in self.buffers)
        return replace(self, buffers=tuple(buffers), order=order)


NOTHING = Plan(buffers=(), scripts={})
"""The plan of a session that only builds."""


def joined(plans: Mapping[str, Plan]) -> Plan:
    """One session for plans of one script each, which goes by the name of its plan; each keeps buffers of its own. In
    all else the plans are alike.
    """
    buffers: list[BufferSpec] = []
    scripts: dict[str, Script] = {}
    for owner, plan in plans.items():
        own = plan.on_buffers(partial(buffer_of, owner))
        buffers += own.buffers
        (scripts[owner],) = own.scripts.values()
    return replace(next(iter(plans.values())), buffers=tuple(buffers), scripts=scripts)


def going_on(plan: Plan, device: DeviceFacts) -> Plan:
    """The plan; on a GPU, whose kernels cannot reach their process, its session goes on in that of the one before.

    A GPU's driver makes a process known to its device (a context) for one after the other, on all cards of a machine:
    two H200s were seen to get five a second between them, as one did alone.
    """
    return replace(plan, process="used") if device.type == "gpu" else plan


def buffer_of(owner: str, name: str) -> str:
    """The name of a plan's buffer among those of other plans, such as "A of one row"."""
    return f"{name} of {owner}"


def _on_buffers(step: KernelStep | CopyStep, called: Callable[[str], str]) -> KernelStep | CopyStep:
    if isinstance(step, CopyStep):
        return CopyStep(source=called(step.source), target=called(step.target))
    args = (replace(arg, buffer=called(arg.buffer)) if isinstance(arg, BufferArg) else arg for arg in step.args)
    return replace(step, args=tuple(args))


def _repeated_on(repeat: RepeatSteps, called: Callable[[str], str]) -> RepeatSteps:
    until = repeat.until and replace(repeat.until, buffer=called(repeat.until.buffer))
    swap = tuple((called(old), called(new)) for old, new in repeat.swap)
    return replace(repeat, swap=swap, until=until)


def submission_plan(assignment: Chosen, sizes: Sizes, bindings: Bindings) -> Plan:
    """The student's steps by the submission. What steps of ours would have made for them is uploaded."""
    return _plan(
        assignment, sizes, {STUDENT: _script(assignment, sizes, assignment.student_launches, SUBMISSION, bindings)}
    )


def timed_plan(assignment: Chosen, sizes: Sizes, bindings: Bindings) -> Plan:
    """The student's steps by the submission, as they are timed."""
    return submission_plan(assignment, sizes, bindings).in_all_turns()


def reference_plan(assignment: Timed, sizes: Sizes) -> Plan:
    """The same steps by the model solution, on the same buffers: the two are timed under equal conditions. In a student
    kit, which has none, the baseline.
    """
    return _plan(assignment, sizes, {STUDENT: _standard(assignment, sizes)}).in_all_turns()


def _standard(assignment: Assignment, sizes: Sizes) -> Script:
    """The script that a submission is compared with."""
    if assignment.kit is not None:
        return _script(assignment, sizes, assignment.baseline, BASELINE, {})
    return _script(assignment, sizes, assignment.student_launches, REFERENCE, {})


def baseline_is_comparable(assignment: Assignment) -> bool:
    """Whether the baseline makes the same results as the student's steps, from the same arrays."""
    sizes = next(iter(assignment.all_sizes()))
    own = _script(assignment, sizes, assignment.student_launches, SUBMISSION, {})
    naive = _script(assignment, sizes, assignment.baseline, BASELINE, {})
    judged = [{name for name in each.outputs if assignment.buffers[name].is_judged} for each in (own, naive)]
    return own.uploads == naive.uploads and judged[0] == judged[1]


def control_plan(assignment: Timed, device: DeviceFacts) -> Plan:
    """The same again, and what else is measured beside it: the baseline, a copy, the peak rate, and the whole program,
    for which a student kit has no solutions.
    """
    sizes, size = speed_goal(assignment, device).sizes, copy_size(assignment, device)
    scripts = {
        STUDENT: _standard(assignment, sizes),
        NAIVE: _script(assignment, sizes, assignment.baseline, BASELINE, {}),
        COPY: Script(steps=(CopyStep(source=COPY_SOURCE, target=COPY_TARGET),), uploads=(), outputs=()),
    }
    if assignment.has_surroundings and assignment.kit is None:
        scripts[WHOLE] = _script(assignment, sizes, assignment.launches, REFERENCE, {})
    extra = {COPY_SOURCE: size, COPY_TARGET: size}
    plan = _plan(assignment, sizes, scripts)
    if assignment.speed_goals.flop is not None:
        run = peak_run(device)
        scripts[PEAK] = Script(steps=(peak_step(run),), uploads=(), outputs=())
        extra[PEAK_OUTPUT] = ELEMENT_BYTES * run.items
    buffers = (BufferSpec(name=name, size=size, guard=0, poison=POISON) for name, size in extra.items())
    return Plan(buffers=(*plan.buffers, *buffers), scripts=scripts).in_all_turns()


COPY_SOURCE, COPY_TARGET, PEAK_OUTPUT = "source of the copy", "target of the copy", "results of the peak"
"""Buffers of what is measured beside an assignment, none of whose own has such a name."""


def peak_step(run: PeakRun) -> KernelStep:
    """The launch as a step, with its results in PEAK_OUTPUT."""
    return KernelStep(
        program=PEAK,
        kernel="peak",
        args=(BufferArg(buffer=PEAK_OUTPUT), ScalarArg(type="uint32", value=run.turns)),
        global_size=(run.items,),
        local_size=(PEAK_GROUP,),
    )


def baseline_plan(assignment: Assignment, sizes: Sizes) -> Plan:
    """The baseline alone."""
    return _plan(assignment, sizes, {NAIVE: _script(assignment, sizes, assignment.baseline, BASELINE, {})})


def _script(
    assignment: Assignment, sizes: Sizes, launches: tuple[Launch, ...], program: str, bindings: Bindings
) -> Script:
    used = {arg for launch in launches for arg in launch.args} & assignment.buffers.keys()
    ready = _made_before(assignment, launches)
    given = {name for name in used if assignment.buffers[name].data} | (used & ready)
    changed = {name for name in used if assignment.buffers[name].part != "input"} - ready
    return Script(
        steps=tuple(_step(assignment, launch, sizes, program, bindings.get(launch.kernel)) for launch in launches),
        uploads=tuple(name for name in assignment.buffers if name in given),
        outputs=tuple(name for name in assignment.buffers if name in changed),
        repeat=_repeat(assignment, sizes),
    )


def _repeat(assignment: Assignment, sizes: Sizes) -> RepeatSteps | None:
    asked = assignment.repeat
    if asked is None:
        return None
    names = assignment.names(sizes)
    until = None
    if asked.until is not None:
        until = UntilBelow(buffer=asked.until.sum, below=evaluate(asked.until.below, names))
    return RepeatSteps(times=evaluate_int(asked.times, names), swap=asked.swap, until=until)


def _step(assignment: Assignment, launch: Launch, sizes: Sizes, program: str, binding: Binding | None) -> KernelStep:
    names = assignment.names(sizes)
    args = [_argument(assignment, arg, sizes) for arg in launch.args]
    if binding is not None and binding.takes_local and launch.optional_local is not None:
        args.append(LocalArg(size=ELEMENT_BYTES * evaluate_int(launch.optional_local, names)))
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
        return LocalArg(size=ELEMENT_BYTES * prod(assignment.shape(assignment.local[name], sizes)))
    if name in assignment.sizes:
        return ScalarArg(type="uint32", value=sizes[name])
    scalar = assignment.scalars[name]
    names = assignment.names(sizes)
    if scalar.type == "float":
        return ScalarArg(type="float32", value=evaluate(scalar.value, names))
    return ScalarArg(type="int32" if scalar.type == "int" else "uint32", value=evaluate_int(scalar.value, names))


def _plan(assignment: Assignment, sizes: Sizes, scripts: Mapping[str, Script]) -> Plan:
    made = {name for script in scripts.values() for name in script.outputs}
    used = {name for script in scripts.values() for name in script.buffers}
    buffers = tuple(
        BufferSpec(
            name=name,
            size=ELEMENT_BYTES * prod(assignment.shape(buffer, sizes)),
            guard=GUARD_BYTES,
            poison=POISON if name in made else INPUT_POISON,
        )
        for name, buffer in assignment.buffers.items()
        if name in used
    )
    return Plan(buffers=buffers, scripts=scripts)


def _made_before(assignment: Assignment, launches: tuple[Launch, ...]) -> set[str]:
    """Buffers that steps of the assignment make before the first of these; before the baseline there are none."""
    if launches[0] not in assignment.launches:
        return set()
    earlier = assignment.launches[: assignment.launches.index(launches[0])]
    return {arg for launch in earlier for arg in launch.args}
