"""Plans of assignments: for the submission, the model solution, the baseline, and the kernels that measure a device."""

from collections.abc import Iterator, Mapping
from math import prod

from grader.common.record import replace
from grader.course.assignment import Assignment, Chosen, Timed
from grader.course.by_value import number
from grader.course.criteria import Sizes
from grader.course.elements import ELEMENTS, Element
from grader.course.expressions import evaluate, evaluate_int
from grader.course.launches import Launch
from grader.course.poison import GUARD_BYTES, POISON
from grader.course.read_values import element_of
from grader.course.run_sequence import CopyAt, FillAt, LaunchAt, RepeatAt, RunSequence, SumBelow, Unrolled, plain
from grader.course.speed_goals import speed_goal
from grader.course.structs import Struct
from grader.execution.device import PEAK_GROUP, PeakRun, copy_size, peak_run
from grader.execution.plan import (
    BASELINE,
    COPY,
    COPY_SOURCE,
    COPY_TARGET,
    NAIVE,
    PEAK,
    PEAK_OUTPUT,
    REFERENCE,
    STUDENT,
    SUBMISSION,
    WHOLE,
    Bindings,
    Plan,
    Script,
)
from grader.protocol.messages import DeviceFacts
from grader.protocol.steps import (
    Arg,
    BufferArg,
    BufferSpec,
    BytesArg,
    CopyStep,
    ElementArg,
    FillStep,
    ItemCount,
    KernelStep,
    LocalArg,
    RepeatSteps,
    SamplerArg,
    ScalarArg,
    Step,
    UntilBelow,
)


def submission_plan(assignment: Chosen, sizes: Sizes, bindings: Bindings) -> Plan:
    """Return the plan that runs the student's steps with the submission. It uploads the results of earlier steps, which
    come from grader.
    """
    script = _script(assignment, assignment.sequence(sizes), SUBMISSION, bindings)
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
        return _script(assignment, assignment.baseline_sequence(sizes), BASELINE, {})
    return _script(assignment, assignment.sequence(sizes), REFERENCE, {})


def baseline_is_comparable(assignment: Assignment) -> bool:
    """True if the baseline computes the same results as the student's steps, from the same arrays."""
    sizes = next(iter(assignment.all_sizes()))
    own = _script(assignment, assignment.sequence(sizes), SUBMISSION, {})
    naive = _script(assignment, assignment.baseline_sequence(sizes), BASELINE, {})
    judged = [{name for name in each.outputs if assignment.buffers[name].is_judged} for each in (own, naive)]
    return own.uploads == naive.uploads and judged[0] == judged[1]


def control_plan(assignment: Timed, device: DeviceFacts) -> Plan:
    """Return the plan with the reference script and the other measurements: the baseline, a copy, the peak rate, and
    the whole program. A student kit does not measure the whole program, because it has no model solutions.
    """
    sizes, size = speed_goal(assignment, device).sizes, copy_size(assignment, device)
    scripts = {
        STUDENT: _standard(assignment, sizes),
        NAIVE: _script(assignment, assignment.baseline_sequence(sizes), BASELINE, {}),
        COPY: Script(steps=(CopyStep(source=COPY_SOURCE, target=COPY_TARGET),), uploads=(), outputs=()),
    }
    if assignment.has_surroundings and assignment.kit is None:
        whole = plain(assignment.placed_launches, sizes, None, assignment.names)
        scripts[WHOLE] = _script(assignment, whole, REFERENCE, {})
    extra = {COPY_SOURCE: size, COPY_TARGET: size}
    plan = _plan(assignment, sizes, scripts)
    if assignment.speed_goals.flop is not None:
        run = peak_run(device)
        scripts[PEAK] = Script(steps=(peak_step(run),), uploads=(), outputs=())
        extra[PEAK_OUTPUT] = ELEMENTS["float"].bytes * run.items
    buffers = (BufferSpec(name=name, size=size, guard=0, poison=POISON) for name, size in extra.items())
    return Plan(buffers=(*plan.buffers, *buffers), scripts=scripts).in_all_turns()


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
    script = _script(assignment, assignment.baseline_sequence(sizes), BASELINE, {})
    return _plan(assignment, sizes, {NAIVE: script})


def _script(assignment: Assignment, sequence: RunSequence, program: str, bindings: Bindings) -> Script:
    used = set(_arrays(assignment, sequence))
    ready = _made_before(assignment, sequence.launches[0].launch)
    given = {name for name in used if assignment.buffers[name].data} | (used & ready)
    changed = {name for name in used if assignment.buffers[name].part != "input"} - ready
    return Script(
        steps=tuple(_step(assignment, step, program, bindings) for step in sequence.steps),
        uploads=tuple(name for name in assignment.buffers if name in given),
        outputs=tuple(name for name in assignment.buffers if name in changed),
        launches=sequence.launches,
    )


def _arrays(assignment: Assignment, sequence: RunSequence) -> Iterator[str]:
    """Names of the arrays of all steps."""
    for step in sequence.single_steps:
        match step:
            case LaunchAt():
                yield from assignment.arrays_of(step)
            case FillAt():
                yield step.buffer
            case CopyAt():
                yield from (step.source, step.target)
    yield from sequence.arrays_in_pairs


def _step(assignment: Assignment, step: Unrolled, program: str, bindings: Bindings) -> Step:
    match step:
        case FillAt():
            element = assignment.element(assignment.buffers[step.buffer].type)
            return FillStep(buffer=step.buffer, value=element.pattern(step.value))
        case CopyAt():
            return CopyStep(source=step.source, target=step.target)
        case RepeatAt():
            steps = tuple(_step(assignment, each, program, bindings) for each in step.steps)
            return RepeatSteps(times=step.times, steps=steps, swap=step.swap, until=_until(assignment, step.until))
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
        items=_item_count(assignment, launch, sizes),
    )


def _until(assignment: Assignment, test: SumBelow | None) -> UntilBelow | None:
    if test is None:
        return None
    return UntilBelow(buffer=test.buffer, type=assignment.numbers_of(test.buffer).dtype, below=test.below)


def _item_count(assignment: Assignment, launch: Launch, sizes: Sizes) -> ItemCount | None:
    element = element_of(launch.items)
    if element is None:
        return None
    kind = assignment.numbers_of(element.array)
    offset = kind.bytes * assignment.index_of(element, sizes)
    return ItemCount(buffer=element.array, offset=offset, type=kind.dtype)


def _argument(assignment: Assignment, name: str, sizes: Sizes) -> Arg:
    if name in assignment.buffers:
        return BufferArg(buffer=name)
    if name in assignment.local:
        local = assignment.local[name]
        return LocalArg(size=assignment.element(local.type).bytes * prod(assignment.shape(local, sizes)))
    if name in assignment.samplers:
        sampler = assignment.samplers[name]
        return SamplerArg(normalized=sampler.normalized, address=sampler.address, filter=sampler.filter)
    return _by_value(assignment, name, sizes)


def _by_value(assignment: Assignment, name: str, sizes: Sizes) -> ScalarArg | BytesArg | ElementArg:
    names = assignment.names(sizes)
    if name not in assignment.scalars:  # a size, a value or the number of a loop
        return ScalarArg(type="uint32", value=evaluate_int(name, names))
    read = element_of(assignment.scalars[name].value)
    if read is not None:
        size = assignment.element(assignment.scalars[name].type).bytes
        return ElementArg(buffer=read.array, offset=size * assignment.index_of(read, sizes), size=size)
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
    """Return a buffer or an image that contains the poison for inputs."""
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
