"""The sequence of an assignment's steps at given sizes. Loops over numbers are unrolled, and repetitions are kept."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.common.errors import InputError
from grader.common.phrases import listed, sizes_in_words
from grader.common.record import replace
from grader.course.criteria import Sizes
from grader.course.expressions import evaluate, evaluate_int
from grader.course.launches import Launch, Repeat
from grader.course.places import at, placed
from grader.course.program import MOST_STEPS, Fill, For, Repetition, Step, Swap, launches_in
from grader.protocol.steps import MOST_RUNS, TURNS


@dataclass(frozen=True)
class LaunchAt:
    """A launch with the numbers that it needs: sizes, and the values of loops. `places` maps the names of swapped
    arrays to the arrays that are used in their place. `field` is its path in assignment.yaml.
    """

    launch: Launch
    sizes: Sizes
    places: Mapping[str, str]
    field: str

    @property
    def args(self) -> tuple[str, ...]:
        """Arguments after arrays have changed places."""
        return tuple(self.places.get(arg, arg) for arg in self.launch.args)


@dataclass(frozen=True)
class FillAt:
    """An array that is set to a value. `field` is the path of the step in assignment.yaml."""

    buffer: str
    value: float
    field: str


@dataclass(frozen=True)
class CopyAt:
    """An array that is copied, because a result is in another array than the one that is judged."""

    source: str
    target: str


SingleStep = LaunchAt | FillAt | CopyAt
"""A step that is not a repetition."""


@dataclass(frozen=True, kw_only=True)
class SumBelow:
    """Condition that ends a repetition: the sum of an array is small after an iteration."""

    buffer: str
    below: float


@dataclass(frozen=True, kw_only=True)
class RepeatAt:
    """Steps that a worker repeats. After each iteration, the arrays of each pair in `swap` change places."""

    times: int
    swap: tuple[tuple[str, str], ...]
    until: SumBelow | None
    steps: "tuple[Unrolled, ...]"


Unrolled = SingleStep | RepeatAt


@dataclass(frozen=True, kw_only=True)
class RunSequence:
    """The steps of a program at given sizes."""

    steps: tuple[Unrolled, ...]

    @property
    def single_steps(self) -> tuple[SingleStep, ...]:
        """All steps in order. The steps of a repetition appear once."""
        return tuple(_singles(self.steps))

    @property
    def launches(self) -> tuple[LaunchAt, ...]:
        """The launches among the single steps."""
        return tuple(step for step in self.single_steps if isinstance(step, LaunchAt))

    @property
    def arrays_in_pairs(self) -> tuple[str, ...]:
        """The arrays that are swapped after iterations."""
        return tuple(_arrays_in_pairs(self.steps))


def _singles(steps: Sequence[Unrolled]) -> Iterator[SingleStep]:
    for step in steps:
        if isinstance(step, RepeatAt):
            yield from _singles(step.steps)
        else:
            yield step


def _arrays_in_pairs(steps: Sequence[Unrolled]) -> Iterator[str]:
    for step in steps:
        if isinstance(step, RepeatAt):
            yield from (name for pair in step.swap for name in pair)
            yield from _arrays_in_pairs(step.steps)


Names = Callable[[Sizes], Mapping[str, object]]
"""Function that returns the names of expressions at given sizes."""


def plain(launches: Mapping[str, Launch], sizes: Sizes, repeat: Repeat | None, names: Names) -> RunSequence:
    """Return the sequence of an assignment without `program`: its launches by their paths, repeated as a whole."""
    steps = tuple(LaunchAt(launch, sizes, {}, field) for field, launch in launches.items())
    if repeat is None:
        return RunSequence(steps=steps)
    return _bounded((_repeated(repeat, steps, sizes, names),), sizes)


def _repeated(repeat: Repeat, steps: tuple[Unrolled, ...], sizes: Sizes, names: Names) -> RepeatAt:
    times, until = evaluate_int(repeat.times, names(sizes)), repeat.until
    if not 1 <= times <= TURNS:
        raise InputError(
            f"a repetition has {times:,} iterations at {sizes_in_words(sizes)}; state from 1 to {TURNS:,}."
        )
    test = SumBelow(buffer=until.sum, below=evaluate(until.below, names(sizes))) if until else None
    return RepeatAt(times=times, swap=repeat.swap, until=test, steps=steps)


def _runs(steps: Sequence[Unrolled], times: int = 1) -> int:
    """Return the maximum number of runs of steps and of begun repetitions, as the protocol counts them."""
    return sum(times + (_runs(step.steps, times * step.times) if isinstance(step, RepeatAt) else 0) for step in steps)


def _bounded(steps: tuple[Unrolled, ...], sizes: Sizes) -> RunSequence:
    """Return the sequence of these steps. Raises InputError if all iterations run too many steps."""
    runs = _runs(steps)
    if runs > MOST_RUNS:
        raise InputError(TOO_OFTEN.format(runs, sizes_in_words(sizes)))
    return RunSequence(steps=steps)


@dataclass
class _Unrolling:
    """State of an unrolling: the number of steps and iterations so far, and the places of arrays."""

    names: Names
    launches: Mapping[int, Launch]
    places: dict[str, str]
    length: int = 0
    iterations: int = 0

    def count(self) -> None:
        """Count a step."""
        self.length += 1
        if self.length > MOST_STEPS:
            raise InputError(TOO_LONG)

    def enter(self) -> None:
        """Begin an iteration of a loop, which may have no steps."""
        self.iterations += 1
        if self.iterations > MOST_STEPS:
            raise InputError(TOO_LONG)

    def run(self, steps: Mapping[str, Step], sizes: Sizes) -> Iterator[Unrolled]:
        """Yield the steps in order. The keys of `steps` are paths in the file. A `swap` step changes `places`."""
        for place, step in steps.items():
            with at(place):
                yield from self.run_step(step, sizes, place)

    def run_step(self, step: Any, sizes: Sizes, place: str) -> Iterator[Unrolled]:
        match step:
            case Launch():
                self.count()
                yield LaunchAt(self.launches[id(step)], sizes, dict(self.places), place)
            case Fill():
                self.count()
                yield FillAt(self.places.get(step.fill, step.fill), evaluate(step.value, self.names(sizes)), place)
            case Swap(swap=pair):
                self.exchange(*pair)
            case For():
                for value in _values(step, sizes, self.names):
                    self.enter()
                    yield from self.run(placed(f"{place}.do", step.do), {**sizes, step.variable: value})
            case Repetition():
                yield from self.repeat(step, sizes, place)

    def exchange(self, one: str, other: str) -> None:
        """Let two arrays change places."""
        of_one, of_other = self.places.get(one, one), self.places.get(other, other)
        self.places |= {one: of_other, other: of_one}

    def repeat(self, step: Repetition, sizes: Sizes, place: str) -> Iterator[RepeatAt]:
        """Yield a repetition, unless no steps remain in it. Arrays must be back in their places after an iteration."""
        before = dict(self.places)
        steps = tuple(self.run(placed(f"{place}.do", step.do), sizes))
        moved = [name for name, place in self.places.items() if before.get(name, name) != place]
        if moved:
            raise InputError(
                f"after an iteration of `repeat`, {listed(moved, 'and')} are not in their places; list them in its "
                "field `swap` instead of a step."
            )
        swap = tuple((before.get(old, old), before.get(new, new)) for old, new in step.swap)
        until = step.until and replace(step.until, sum=before.get(step.until.sum, step.until.sum))
        if steps:
            yield _repeated(Repeat(times=step.repeat, swap=swap, until=until), steps, sizes, self.names)

    def copies(self, judged: Callable[[str], bool]) -> Iterator[CopyAt]:
        """Yield copies of judged results into their own arrays. An array is copied before it is overwritten."""
        away = {name: place for name, place in self.places.items() if name != place and judged(name)}
        while away:
            name = next((each for each in away if each not in away.values()), next(iter(away)))
            self.count()
            yield CopyAt(source=away.pop(name), target=name)


def _values(loop: For, sizes: Sizes, names: Names) -> Iterator[int]:
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


TOO_LONG = (
    f"the program has more than {MOST_STEPS:,} steps at these sizes, because `for` is unrolled; choose smaller sizes, "
    "or write its longest loop as a `repeat`."
)

TOO_OFTEN = (
    f"all iterations together have up to {{:,}} steps at {{}}, more than {MOST_RUNS:,}; choose smaller sizes or "
    "fewer iterations."
)


ENDLESS = (
    "the loop over {0} does not end, because `next` of {1} is {2}; let `next` always rise, such as {0} + 1, or always "
    "fall."
)


def unroll(
    program: Mapping[str, Step],
    launches: Sequence[Launch],
    sizes: Sizes,
    names: Names,
    judged: Callable[[str], bool],
) -> RunSequence:
    """Return the sequence of a program at these sizes. The keys of `program` are the paths of its steps. `launches`
    replace the launches of the program, in the same order. `names` gives the names of expressions, and `judged` decides
    which results must be in their own arrays at the end.
    """
    own = {id(step): launch for step, launch in zip(launches_in(tuple(program.values())), launches, strict=True)}
    unrolling = _Unrolling(names=names, launches=own, places={})
    steps = tuple(unrolling.run(program, sizes))
    return _bounded((*steps, *unrolling.copies(judged)), sizes)
