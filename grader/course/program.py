"""The program of an assignment: the steps of `program`, and their sequence at given sizes.

    program:
      - {fill: count, value: 0}
      - {for: k, from: 2, to: n, next: 2*k, do: [{kernel: merge, args: [data, k, n], global: [n], local: [64]}]}
      - {repeat: n, until: {sum: changed, below: 1}, do: [{fill: changed, value: 0}, {kernel: relax, ...}]}

The judge unrolls loops over numbers, so a worker gets a plain sequence. Only `repeat` is repeated by the worker,
because its end may depend on a value that a kernel writes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import ConfigDict, Discriminator, Field, Tag

from grader.common.errors import InputError
from grader.common.record import Record, replace
from grader.course.criteria import Sizes
from grader.course.expressions import Expression, evaluate, evaluate_int
from grader.course.launches import Buffer, Launch, Repeat, Until

MOST_STEPS = 2000
"""Most steps of an unrolled program. A sort of 2^31 elements by bitonic merges has 496."""


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
    """Steps that are repeated, at most `repeat` times. A program has at most one, which is not within a loop."""

    repeat: Expression
    """Largest number of iterations."""

    swap: tuple[tuple[str, str], ...] = ()
    """Pairs [old, new] of arrays that change places after each iteration. At the end, the last result is in `new`."""

    until: Until | None = None
    """Condition that ends the repetition."""

    do: "tuple[PlainStep, ...]" = Field(min_length=1)
    """Launches and fills of an iteration."""


KINDS = ("kernel", "fill", "for", "repeat", "swap")
"""The field that tells each kind of step. `repeat` comes before `swap`, which it may have as a field."""


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
    Discriminator(_tag, custom_error_type="step", custom_error_message=f"a step has one of {', '.join(KINDS)}"),
]
"""A step of a program."""

PlainStep = Annotated[
    Annotated[Launch, Tag("kernel step")] | Annotated[Fill, Tag("fill step")],
    Discriminator(_tag, custom_error_type="step", custom_error_message="a repeated step has kernel or fill"),
]
"""A step that a worker can repeat."""

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


def steps_in(steps: Program) -> Iterator[Any]:
    """Yield all steps of a program, also those within others."""
    for step in steps:
        yield step
        yield from steps_in(getattr(step, "do", ()))


def swaps_in(steps: Program) -> Iterator[tuple[str, str]]:
    """Yield the pairs of arrays that change places."""
    for step in steps_in(steps):
        if isinstance(step, Swap):
            yield step.swap
        if isinstance(step, Repetition):
            yield from step.swap


def arrays_in(steps: Program) -> Iterator[str]:
    """Yield the names of arrays in steps other than launches."""
    for pair in swaps_in(steps):
        yield from pair
    for step in steps_in(steps):
        if isinstance(step, Fill):
            yield step.fill
        if isinstance(step, Repetition) and step.until is not None:
            yield step.until.sum


def contradictions(steps: Program, buffers: Mapping[str, Buffer]) -> Iterator[str]:
    """Yield a message for each step that cannot be run as stated."""
    for name in arrays_in(steps):
        if name not in buffers:
            yield f"a step of the program has {name}, which is not a buffer"
        elif buffers[name].part == "input":
            yield f"a step of the program fills, swaps or tests {name}, an input, which no kernel may write"
    for one, other in swaps_in(steps):
        if one in buffers and other in buffers:
            yield from _unfit_swap(one, other, buffers)
    for step in steps_in(steps):
        if isinstance(step, Repetition):
            yield from unending(step, launches_in(step.do), buffers)
    if sum(isinstance(step, Repetition) for step in steps_in(steps)) > 1:
        yield "a program has more than one `repeat`; unroll the others with `for`"
    if any(isinstance(step, Repetition) for loop in variables_in(steps) for step in loop.do):
        yield "`repeat` is within `for`; move it out"


def unending(repeat: Repeat | Repetition, launches: Sequence[Launch], buffers: Mapping[str, Buffer]) -> Iterator[str]:
    """Yield a message if no launch of an iteration can change the sum that ends the repetition."""
    if repeat.until is None:
        return
    name = repeat.until.sum
    written = {arg for launch in launches for arg in launch.args if arg in buffers and buffers[arg].part != "input"}
    written |= {each for pair in repeat.swap for each in pair if written.intersection(pair)}
    if name in buffers and name not in written:
        yield f"`until` sums {name}, which no kernel of the repetition writes; pass it to one that does"


def _unfit_swap(one: str, other: str, buffers: Mapping[str, Buffer]) -> Iterator[str]:
    a, b = buffers[one], buffers[other]
    if (a.shape, a.type, a.image) != (b.shape, b.type, b.image):
        yield f"{one} and {other} change places, but their shapes or types differ"
    if a.is_judged and b.is_judged:
        yield f"{one} and {other} change places, so only one of them can be judged; make the other scratch"


@dataclass(frozen=True)
class LaunchAt:
    """A launch with the numbers that it needs: sizes, and the values of loops. `places` maps the names of swapped
    arrays to the arrays that are used in their place.
    """

    launch: Launch
    sizes: Sizes
    places: Mapping[str, str]

    @property
    def args(self) -> tuple[str, ...]:
        """Arguments after arrays have changed places."""
        return tuple(self.places.get(arg, arg) for arg in self.launch.args)


@dataclass(frozen=True)
class FillAt:
    """An array that is set to a value."""

    buffer: str
    value: float


@dataclass(frozen=True)
class CopyAt:
    """An array that is copied, because a result is in another array than the one that is judged."""

    source: str
    target: str


Unrolled = LaunchAt | FillAt | CopyAt


@dataclass(frozen=True, kw_only=True)
class RunSequence:
    """The steps of a program at given sizes. Steps from `first` up to `last` are repeated as `repeat` says."""

    steps: tuple[Unrolled, ...]
    repeat: Repeat | None = None
    first: int = 0
    last: int

    @property
    def launches(self) -> tuple[LaunchAt, ...]:
        """The launches among the steps."""
        return tuple(step for step in self.steps if isinstance(step, LaunchAt))


def plain(launches: Sequence[Launch], sizes: Sizes, repeat: Repeat | None) -> RunSequence:
    """Return the sequence of an assignment without `program`: its launches, repeated as a whole."""
    steps = tuple(LaunchAt(launch, sizes, {}) for launch in launches)
    return RunSequence(steps=steps, repeat=repeat, last=len(steps))


@dataclass
class _Unrolling:
    """State of an unrolling: the steps so far, the places of arrays, and the repeated part."""

    names: Callable[[Sizes], Mapping[str, object]]
    launches: Mapping[int, Launch]
    steps: list[Unrolled]
    places: dict[str, str]
    repeated: tuple[Repeat, int, int] | None = None

    def add(self, step: Unrolled) -> None:
        if len(self.steps) >= MOST_STEPS:
            raise InputError(f"the program has more than {MOST_STEPS:,} steps at these sizes; use `repeat` for a loop.")
        self.steps.append(step)

    def run(self, steps: Sequence[Any], sizes: Sizes) -> None:
        for step in steps:
            match step:
                case Launch():
                    self.add(LaunchAt(self.launches[id(step)], sizes, dict(self.places)))
                case Fill():
                    value = evaluate(step.value, self.names(sizes))
                    self.add(FillAt(self.places.get(step.fill, step.fill), value))
                case Swap(swap=(one, other)):
                    of_one, of_other = self.places.get(one, one), self.places.get(other, other)
                    self.places |= {one: of_other, other: of_one}
                case For():
                    for value in _values(step, sizes, self.names):
                        self.run(step.do, {**sizes, step.variable: value})
                case Repetition():
                    start = len(self.steps)
                    self.run(step.do, sizes)
                    self.repeated = self._placed(step), start, len(self.steps)

    def _placed(self, step: Repetition) -> Repeat:
        """The repetition, with the arrays that are used in place of swapped ones."""
        swap = tuple((self.places.get(old, old), self.places.get(new, new)) for old, new in step.swap)
        until = step.until and replace(step.until, sum=self.places.get(step.until.sum, step.until.sum))
        return Repeat(times=step.repeat, swap=swap, until=until)

    def copy_back(self, judged: Callable[[str], bool]) -> None:
        """Copy each judged result into its own array. An array is overwritten after it has been copied itself."""
        away = {name: place for name, place in self.places.items() if name != place and judged(name)}
        while away:
            name = next((each for each in away if each not in away.values()), next(iter(away)))
            self.add(CopyAt(source=away.pop(name), target=name))


def _values(loop: For, sizes: Sizes, names: Callable[[Sizes], Mapping[str, object]]) -> Iterator[int]:
    """Yield the values of a loop; raises InputError if it does not end."""
    value, last = evaluate_int(loop.first, names(sizes)), evaluate_int(loop.last, names(sizes))
    following = evaluate_int(loop.next, names({**sizes, loop.variable: value}))
    if following == value:
        raise InputError(ENDLESS.format(loop.variable, value, value))
    rises = following > value
    while value <= last if rises else value >= last:
        yield value
        following = evaluate_int(loop.next, names({**sizes, loop.variable: value}))
        if (following > value) is not rises or following == value:
            raise InputError(ENDLESS.format(loop.variable, value, following))
        value = following


ENDLESS = (
    "the loop over {0} does not end, because `next` of {1} is {2}; let `next` always rise, such as {0} + 1, or always "
    "fall."
)


def unroll(
    program: Program,
    launches: Sequence[Launch],
    sizes: Sizes,
    names: Callable[[Sizes], Mapping[str, object]],
    judged: Callable[[str], bool],
) -> RunSequence:
    """Return the sequence of a program at these sizes. `launches` replace the program's launches, in the same order.
    `names` gives the names of expressions, and `judged` decides whose result must be in its own array at the end.
    """
    own = {id(step): launch for step, launch in zip(launches_in(program), launches, strict=True)}
    unrolling = _Unrolling(names=names, launches=own, steps=[], places={})
    unrolling.run(program, sizes)
    unrolling.copy_back(judged)
    steps = tuple(unrolling.steps)
    if unrolling.repeated is None:
        return RunSequence(steps=steps, last=len(steps))
    repeat, first, last = unrolling.repeated
    return RunSequence(steps=steps, repeat=repeat, first=first, last=last)
