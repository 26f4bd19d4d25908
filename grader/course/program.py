"""The program of an assignment: the steps of `program`.

    program:
      - {fill: count, value: 0}
      - {for: k, from: 2, to: n, next: 2*k, do: [{kernel: merge, args: [data, k, n], global: [n], local: [64]}]}
      - {repeat: n, until: {sum: changed, below: 1}, do: [{fill: changed, value: 0}, {kernel: relax, ...}]}

The judge unrolls `for` (run_sequence.py), so a worker gets a sequence whose only loops are repetitions. The end of a
repetition with `until` depends on a value that a kernel writes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import ConfigDict, Discriminator, Field, Tag

from grader.common.record import Record
from grader.course.expressions import Expression
from grader.course.launches import Buffer, Launch, Repeat, Until
from grader.course.places import Contradiction, placed

MOST_STEPS = 2000
"""Maximum number of steps of a program after its loops are unrolled, and of iterations of these loops. A sort of 2^31
elements by bitonic merges has 496 steps. Each step adds 0.3 ms to every plan of the judge. A worker on a busy machine
of two cores did not prepare 5,000 steps within the 30 s of a build.
"""


class Fill(Record):
    """Sets all elements of an array to a value."""

    fill: str
    """Name of the array."""

    value: str | float = 0
    """A number or an expression over sizes and constants."""


class Swap(Record):
    """Lets two arrays change places: all later steps that name one of them use the other."""

    swap: tuple[str, str]
    """Names of the arrays, of equal type and shape."""


class For(Record):
    """Steps for each value of a number, which expressions and arguments may name."""

    model_config = ConfigDict(populate_by_name=True)

    variable: str = Field(alias="for")
    """Name of the number. Kernels receive it as uint."""

    first: Expression = Field(alias="from")
    """First value."""

    last: Expression = Field(alias="to")
    """Last value, included if it is reached. There is no iteration if the first value is already beyond it."""

    next: Expression
    """The next value, such as `i + 1` or `2*i`. It decides if the numbers rise or fall."""

    do: "tuple[Step, ...]" = Field(min_length=1)
    """Steps of an iteration."""


class Repetition(Record):
    """Steps that a worker repeats."""

    repeat: Expression
    """Number of iterations, or with `until` the largest number."""

    swap: tuple[tuple[str, str], ...] = ()
    """Pairs [old, new] of arrays that change places after each iteration. At the end, the last result is in `new`."""

    until: Until | None = None
    """Condition that ends the repetition."""

    do: "tuple[Step, ...]" = Field(min_length=1)
    """Steps of an iteration."""


KINDS = ("kernel", "fill", "for", "repeat", "swap")
"""The field that tells each kind of step. `repeat` comes before `swap`, which it may have as a field."""


UNKNOWN_STEP = f"a step has one of {', '.join(KINDS)}; add one, or correct its spelling"


def _kind(step: Any) -> str | None:
    """Return the kind of a step, from a file or a record."""
    if isinstance(step, Record):
        return {Launch: "kernel", Fill: "fill", Swap: "swap", For: "for", Repetition: "repeat"}.get(type(step))
    return next((kind for kind in KINDS if isinstance(step, dict) and kind in step), None)


def _tag(step: Any) -> str | None:
    """Return the kind of a step in words that are not a field, because errors name it next to fields."""
    kind = _kind(step)
    return kind and f"{kind} step"


Step = Annotated[
    Annotated[Launch, Tag("kernel step")]
    | Annotated[Fill, Tag("fill step")]
    | Annotated[Swap, Tag("swap step")]
    | Annotated[For, Tag("for step")]
    | Annotated[Repetition, Tag("repeat step")],
    Discriminator(_tag, custom_error_type="step", custom_error_message=UNKNOWN_STEP),
]
"""A step of a program."""


Program = tuple[Step, ...]


For.model_rebuild()


Repetition.model_rebuild()


def launches_in(steps: Sequence[Any]) -> list[Any]:
    """Return the launches of these steps, in the order of the file. The steps may be records or fields of a file."""
    found: list[Any] = []
    for step in steps:
        inner = step.get("do") if isinstance(step, dict) else getattr(step, "do", None)
        if inner is not None:
            found += launches_in(inner)
        elif _kind(step) == "kernel":
            found.append(step)
    return found


def variables_in(steps: Program) -> Iterator[For]:
    """Yield the loops of these steps, the outer ones first."""
    for step in steps:
        if isinstance(step, For):
            yield step
            yield from variables_in(step.do)


def placed_steps(steps: Program, place: str) -> Iterator[tuple[str, Any]]:
    """Yield each step of a program, including nested steps, with its path in the file (`program.0.do.1`)."""
    for here, step in placed(place, steps).items():
        yield here, step
        yield from placed_steps(getattr(step, "do", ()), f"{here}.do")


def steps_in(steps: Program) -> Iterator[Any]:
    """Yield all steps of a program, also those within others."""
    return (step for _, step in placed_steps(steps, ""))


def swaps_in(steps: Program) -> Iterator[tuple[str, str]]:
    """Yield the pairs of arrays that change places."""
    for step in steps_in(steps):
        yield from _swaps_of(step)


def _swaps_of(step: Any) -> tuple[tuple[str, str], ...]:
    if isinstance(step, Swap):
        return (step.swap,)
    return step.swap if isinstance(step, Repetition) else ()


def _arrays_of(step: Any) -> Iterator[str]:
    """Yield the names of arrays in a step other than a launch."""
    for pair in _swaps_of(step):
        yield from pair
    if isinstance(step, Fill):
        yield step.fill
    if isinstance(step, Repetition) and step.until is not None:
        yield step.until.sum


def contradictions(steps: Program, place: str, buffers: Mapping[str, Buffer]) -> Iterator[Contradiction]:
    """Yield each step that cannot be run as stated. `place` is the field with the program."""
    for here, step in placed_steps(steps, place):
        yield from (Contradiction(here, words) for words in _contradictions_of(step, buffers))


def _contradictions_of(step: Any, buffers: Mapping[str, Buffer]) -> Iterator[str]:
    for name in _arrays_of(step):
        if name not in buffers:
            yield f"a step of the program has {name}, which is not a buffer; correct the name"
        elif buffers[name].part == "input":
            yield f"a step of the program fills, swaps or tests {name}, an input, which no kernel may write"
    for one, other in _swaps_of(step):
        if one in buffers and other in buffers:
            yield from _unfit_swap(one, other, buffers)
    if isinstance(step, Repetition):
        yield from unending(step, launches_in(step.do), buffers)


def unending(repeat: Repeat | Repetition, launches: Sequence[Launch], buffers: Mapping[str, Buffer]) -> Iterator[str]:
    """Yield a message if no launch of an iteration can change the sum that ends the repetition."""
    if repeat.until is None:
        return
    name = repeat.until.sum
    written = {arg for launch in launches for arg in launch.args if arg in buffers and buffers[arg].part != "input"}
    written |= {each for pair in repeat.swap for each in pair if written.intersection(pair)}
    if name in buffers and name not in written:
        yield f"`until` sums {name}, which no kernel of the repetition writes; pass it to one that does"


def repeated_wrongly(repeat: Repeat, launches: Sequence[Launch], buffers: Mapping[str, Buffer]) -> Iterator[str]:
    """Yield a message for each name in the field `repeat` that is not a buffer or cannot have its role there."""
    named = [name for pair in repeat.swap for name in pair] + ([repeat.until.sum] if repeat.until else [])
    yield from (f"repeat has {name}, which is not a buffer; correct the name" for name in named if name not in buffers)
    yield from unending(repeat, launches, buffers)
    for old, new in repeat.swap:
        a, b = buffers.get(old), buffers.get(new)
        if a and b and ((a.shape, a.image) != (b.shape, b.image) or (a.part, b.part) != ("scratch", "output")):
            remedy = f"{old} must be scratch with data, and {new} an output of the same shape"
            yield f"{old} and {new} are swapped: {remedy}"


def _unfit_swap(one: str, other: str, buffers: Mapping[str, Buffer]) -> Iterator[str]:
    a, b = buffers[one], buffers[other]
    if (a.shape, a.type, a.image) != (b.shape, b.type, b.image):
        yield f"{one} and {other} change places, but their shapes or types differ"
    if a.is_judged and b.is_judged:
        yield f"{one} and {other} change places, so only one of them can be judged; make the other scratch"
