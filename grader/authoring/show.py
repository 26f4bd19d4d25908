"""`grader show`: describes the requirements of an assignment in words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from grader.authoring.layout import drawing, in_words
from grader.common.phrases import listed, sizes_in_words
from grader.course.assignment import Assignment
from grader.course.criteria import Case, DataSet, Measure
from grader.course.expressions import Expression, evaluate
from grader.course.launches import Buffer, Launch, Repeat
from grader.course.program import Fill, For, Repetition, Swap
from grader.course.rubric import Correctness, Memory, Sanitizer, Section, SpeedGoals
from grader.course.suite import Coursework
from grader.course.tolerance import RULES
from grader.grading.checks.compilation.signature import expected_signature


def describe(assignment: Coursework) -> str:
    """Return the contract, the cases and the points as text."""
    return "\n".join(_lines(assignment)) + "\n"


def _lines(assignment: Coursework) -> Iterator[str]:
    yield f"{assignment.title} ({assignment.name}), {assignment.points:g} points"
    for part in assignment.parts:
        yield ""
        yield from _part(part)


def _part(assignment: Assignment) -> Iterator[str]:
    if assignment.part:
        yield f"{assignment.part}, {assignment.points:g} points"
    yield from (f"  {struct.definition}" for struct in assignment.laid_out_structs)
    for launch in _declared(assignment):
        yield f"  {expected_signature(assignment, launch)}"
        if launch.kernel in assignment.choices.launches:
            yield "      global and local sizes: yours to state"
        elif not assignment.program:
            yield f"      {_sizes(launch)}"
        yield from _extras(assignment, launch)
    for name, values in assignment.choices.constants.items():
        yield f"  {name} is yours to choose: {listed(values, 'or')}; {assignment.constants[name]} if you state none"
    yield from _repeated(assignment)
    if assignment.program:
        yield "  program"
        yield from (f"      {line}" for line in _steps(assignment, assignment.program))
    for name, value in assignment.values.items():
        yield f"  {name} = {value} (uint)"
    yield from _layouts(assignment)
    yield f"  constants: {', '.join(f'{name}={value}' for name, value in assignment.constants.items())}"
    yield ""
    for section in assignment.sections:
        yield from SECTIONS.get(type(section), _section)(assignment, section)


def _declared(assignment: Assignment) -> Iterable[Launch]:
    """Return the launches whose kernels are declared. A program shows its launches in its steps, so each of its kernels
    is declared once.
    """
    if not assignment.program:
        return assignment.student_launches
    firsts: dict[str, Launch] = {}
    for launch in assignment.student_launches:
        firsts.setdefault(launch.kernel, launch)
    return firsts.values()


def _layouts(assignment: Assignment) -> Iterator[str]:
    """Yield a drawing for each shape of the arrays of the student's kernels. A scratch array without data is not drawn,
    because students choose its layout, unless a kernel that runs alone takes it. An image is not drawn either, because
    only the device knows its layout.
    """
    used = dict.fromkeys(name for launch in assignment.student_launches for name in launch.args)
    arrays = {name: assignment.buffers[name] for name in used if name in assignment.buffers}
    alone = {case.alone for case in assignment.correctness.cases}
    stated = {name for launch in assignment.student_launches if launch.kernel in alone for name in launch.args}
    yield "  arrays"
    for name, image in ((name, each) for name, each in arrays.items() if each.image is not None):
        yield f"      {name} ({_kind(image)}): {in_words(image.shape)}"
    drawn = {name: each for name, each in arrays.items() if each.image is None}
    for shape in dict.fromkeys(each.shape for each in drawn.values()):
        alike = {name: each for name, each in drawn.items() if each.shape == shape}
        scratch = [name for name, each in alike.items() if each.part == "scratch" and each.data is None]
        free = [name for name in scratch if name not in stated]
        fixed = [
            f"{name} ({_kind(each)}{_constant(assignment, name)})" for name, each in alike.items() if name not in free
        ]
        if fixed:
            yield f"      {', '.join(fixed)}: {in_words(shape)}"
            yield from (f"          {line}" for line in drawing(shape))
        for name in free:
            yield f"      {name} ({_kind(alike[name])}): {in_words(shape)}; the layout is yours to choose"


def _constant(assignment: Assignment, name: str) -> str:
    """Return a remark about an input that kernels may or should declare as `__constant`."""
    if assignment.buffers[name].space == "constant":
        return "; in constant memory"
    return "; may be __constant" if assignment.may_be_constant(name) else ""


def _kind(buffer: Buffer) -> str:
    """Return the role of an array, and its type if that is not the common one, or the format of an image."""
    if buffer.image is not None:
        return f"{buffer.part} {'3D ' if buffer.is_deep else ''}image, {buffer.image}"
    return buffer.part if buffer.type == "float" else f"{buffer.part}, {buffer.type}"


def _section(_: Assignment, section: Section) -> Iterator[str]:
    """Yield the line for a section without a special function below."""
    yield f"  {section.kinds[0]}, {section.total:g} points"


def _correctness(assignment: Assignment, section: Section) -> Iterator[str]:
    """Yield the cases, and the rules of arrays that have their own."""
    yield from _section(assignment, section)
    for name, buffer in assignment.buffers.items():
        if buffer.is_judged and assignment.tolerance_of(name) != assignment.correctness.tolerance:
            rule = assignment.tolerance_of(name)
            yield f"      {name} is right if {RULES[rule.rule].words.format(_number(rule.amount))}"
    for case in assignment.correctness.cases:
        yield f"      {case.name}: {sizes_in_words(case.sizes)}, {DATA[case.data]}{_apart(case)}"


DATA: dict[DataSet, str] = {"random": "random data", "integers": "small whole numbers"}


def _speed(assignment: Assignment, _: Section) -> Iterator[str]:
    """Yield the speed goals."""
    for kind, goal in assignment.goals.items():
        yield f"  performance on a {kind} at {sizes_in_words({**goal.constants, **goal.sizes})}"
        for band in goal.bands:
            yield f"      {band.points:g} points from {100 * band.fraction:g} % of the model solution's speed"
        yield from _requirement("      ", assignment.speed_goals.requires)
        for device, rate in goal.minimum.items():
            yield f"      on {device} at least {rate:g} {assignment.speed_goals.unit}"


def _repeated(assignment: Assignment) -> Iterator[str]:
    if assignment.repeat is not None:
        yield f"  repeated: {_times(assignment.repeat.times, assignment.repeat)}"


def _times(times: Expression, repeat: Repeat | Repetition) -> str:
    """Return the number of iterations, the condition that ends them, and the arrays that change places."""
    until = f", or until the sum of {repeat.until.sum} is below {_number(repeat.until.below)}" if repeat.until else ""
    swapped = "".join(f"; {old} and {new} change places after each" for old, new in repeat.swap)
    return f"{times} times{until}{swapped}"


def _steps(assignment: Assignment, steps: Sequence[Any]) -> Iterator[str]:
    """Yield a line for each step of a program. The steps of a loop are indented."""
    for step in steps:
        match step:
            case Launch():
                sizes = "" if step.kernel in assignment.choices.launches else f", {_sizes(step)}"
                yield f"{step.kernel}({', '.join(step.args)}){sizes}"
            case Fill():
                yield f"fill {step.fill} with {_number(step.value)}"
            case Swap():
                yield f"{step.swap[0]} and {step.swap[1]} change places"
            case For():
                yield f"for {step.variable} from {step.first} to {step.last}, next {step.next}"
                yield from (f"    {line}" for line in _steps(assignment, step.do))
            case Repetition():
                yield f"repeated: {_times(step.repeat, step)}"
                yield from (f"    {line}" for line in _steps(assignment, step.do))


def _apart(case: Case) -> str:
    """Return words that mark a case as practice or hidden, and state its points and the kernel that runs alone."""
    words = (
        ("practice", case.practice),
        ("hidden", case.hidden),
        (f"only {case.alone}", case.alone),
        (f"{case.points or 0:g} points", case.points is not None),
    )
    return "".join(f", {word}" for word, holds in words if holds)


MEASURES: dict[Measure, str] = {
    "coalescing": "the least traffic and all unused bytes are together at most {} times the least traffic",
    "bank conflicts": "no request of a warp to local memory takes more than {} words from one bank",
    "branches": "warps reach a branch, such as the condition of a loop, at most {} times",
    "floating-point operations": "all work-items together do at most {} floating-point operations",
    "requests to local memory": "warps access local memory at most {} times",
    "words read": "all work-items together read at most {} words of global memory",
    "words written": "all work-items together write at most {} words of global memory",
    "words moved": "the sectors of global memory that are moved hold at most {} words",
    "image reads": "all work-items together read at most {} pixels of images, each call counted",
    "image writes": "all work-items together write at most {} pixels of images",
    "divergence": "the work-items of warps diverge at most {} times",
    "requests of mostly idle warps": "at most {} words are accessed while most of a warp is idle",
    "words of the busiest work-item": "the busiest work-items, one per launch, access at most {} words in total",
    "words of private memory": "the variables of a work-item have at most {} words",
}


def _sanitizer(_: Assignment, section: Section) -> Iterator[str]:
    """Yield the requirements for a clean run on the simulator."""
    assert isinstance(section, Sanitizer)
    yield f"  sanitizer, {section.total:g} points, in a simulated run at {sizes_in_words(section.sizes)}"
    for kernel, sizes in section.alone.items():
        yield f"      and in a simulated run of {kernel} alone at {sizes_in_words(sizes)}"
    yield "      no access out of bounds, no race, no barrier that some work-items miss, no use of unset values"


def _memory(assignment: Assignment, _: Section) -> Iterator[str]:
    """Yield the limits on memory behaviour."""
    memory = assignment.memory
    assert memory is not None
    yield f"  memory, in a simulated run at {sizes_in_words(memory.sizes)}"
    for each in memory.checks:
        limit = evaluate(each.at_most, assignment.names(memory.sizes))
        yield f"      {each.points:g} points for {each.name}: {MEASURES[each.measure].format(f'{limit:,.6g}')}"
        yield from [f"          what it teaches: {each.teaches}"] if each.teaches else []
        yield from _requirement("          ", each.requires)


SECTIONS: dict[type[Section], Callable[[Assignment, Section], Iterator[str]]] = {
    Correctness: _correctness,
    Sanitizer: _sanitizer,
    Memory: _memory,
    SpeedGoals: _speed,
}
"""Functions that describe a section. Any other section gets a line with its points."""


def _requirement(indent: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield a line about the checks that must pass, if there are any."""
    quoted = [f'"{name}"' for name in names]
    if quoted:
        yield f"{indent}counts when {listed(quoted, 'and')} {'passes' if len(quoted) == 1 else 'pass'}"


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _sizes(launch: Launch) -> str:
    items = "" if launch.items is None else f", with {launch.items} work-items in the first dimension"
    return f"global {_extent(launch.global_size)}, local {_extent(launch.local_size)}{items}"


def _extent(sizes: tuple[str | int, ...]) -> str:
    return "(" + ", ".join(str(size) for size in sizes) + ")"


def _extras(assignment: Assignment, launch: Launch) -> Iterator[str]:
    if launch.optional_local is not None:
        yield f"      a last parameter `__local real *` of {launch.optional_local} elements is supplied if declared"
    if launch.kernel == assignment.kernel and assignment.aliases:
        yield f"      also accepted as {', '.join(assignment.aliases)}"
