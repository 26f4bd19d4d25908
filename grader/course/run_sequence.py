"""The sequence of an assignment's steps at given sizes, with loops over numbers unrolled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.common.errors import InputError
from grader.common.phrases import listed
from grader.common.record import replace
from grader.course.criteria import Sizes
from grader.course.expressions import evaluate, evaluate_int
from grader.course.launches import Launch, Repeat
from grader.course.places import at, placed
from grader.course.program import MOST_STEPS, Fill, For, Repetition, Step, Swap, kept_repetition, launches_in


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


def plain(launches: Mapping[str, Launch], sizes: Sizes, repeat: Repeat | None) -> RunSequence:
    """Return the sequence of an assignment without `program`: its launches by their paths, repeated as a whole."""
    steps = tuple(LaunchAt(launch, sizes, {}, field) for field, launch in launches.items())
    return RunSequence(steps=steps, repeat=repeat, last=len(steps))


@dataclass
class _Unrolling:
    """State of an unrolling: the steps so far, the places of arrays, and the repeated part."""

    names: Callable[[Sizes], Mapping[str, object]]
    launches: Mapping[int, Launch]
    kept: Repetition | None
    steps: list[Unrolled]
    places: dict[str, str]
    iterations: int = 0
    repeated: tuple[Repeat, int, int] | None = None

    def add(self, step: Unrolled) -> None:
        self.steps.append(step)
        if len(self.steps) > MOST_STEPS:
            raise InputError(TOO_LONG)

    def enter(self) -> None:
        """Begin an iteration of a loop, which may have no steps."""
        self.iterations += 1
        if self.iterations > MOST_STEPS:
            raise InputError(TOO_LONG)

    def run(self, steps: Mapping[str, Step], sizes: Sizes) -> None:
        """Add steps, whose keys are their paths in the file."""
        for place, step in steps.items():
            with at(place):
                self.run_step(step, sizes, place)

    def run_step(self, step: Any, sizes: Sizes, place: str) -> None:
        match step:
            case Launch():
                self.add(LaunchAt(self.launches[id(step)], sizes, dict(self.places), place))
            case Fill():
                value = evaluate(step.value, self.names(sizes))
                self.add(FillAt(self.places.get(step.fill, step.fill), value, place))
            case Swap(swap=pair):
                self.exchange(*pair)
            case For():
                for value in _values(step, sizes, self.names):
                    self.enter()
                    self.run(placed(f"{place}.do", step.do), {**sizes, step.variable: value})
            case Repetition() if step is self.kept:
                self.keep(step, sizes, place)
            case Repetition():
                self.repeat(step, sizes, place)

    def exchange(self, one: str, other: str) -> None:
        """Let two arrays change places."""
        of_one, of_other = self.places.get(one, one), self.places.get(other, other)
        self.places |= {one: of_other, other: of_one}

    def keep(self, step: Repetition, sizes: Sizes, place: str) -> None:
        """Add one iteration, which the worker repeats."""
        start, before = len(self.steps), dict(self.places)
        self.run(placed(f"{place}.do", step.do), sizes)
        moved = [name for name, place in self.places.items() if before.get(name, name) != place]
        if moved:
            raise InputError(
                f"after an iteration of `repeat`, {listed(moved, 'and')} are not in their places; list them in its "
                "field `swap` instead of a step."
            )
        self.repeated = self._placed(step), start, len(self.steps)

    def repeat(self, step: Repetition, sizes: Sizes, place: str) -> None:
        """Add all iterations. Arrays change places between them, so the last result is in the second of a pair."""
        for turn in range(evaluate_int(step.repeat, self.names(sizes))):
            self.enter()
            for pair in step.swap if turn else ():
                self.exchange(*pair)
            self.run(placed(f"{place}.do", step.do), sizes)

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


TOO_LONG = (
    f"the program has more than {MOST_STEPS:,} steps at these sizes, because its loops are unrolled; choose smaller "
    "sizes, or write the longest loop as the only `repeat`, outside other loops."
)


ENDLESS = (
    "the loop over {0} does not end, because `next` of {1} is {2}; let `next` always rise, such as {0} + 1, or always "
    "fall."
)


def unroll(
    program: Mapping[str, Step],
    launches: Sequence[Launch],
    sizes: Sizes,
    names: Callable[[Sizes], Mapping[str, object]],
    judged: Callable[[str], bool],
) -> RunSequence:
    """Return the sequence of a program at these sizes. Its steps have their paths as keys. `launches` replace its
    launches, in the same order. `names` gives the names of expressions, and `judged` decides whose result must be in
    its own array at the end.
    """
    steps = tuple(program.values())
    own = {id(step): launch for step, launch in zip(launches_in(steps), launches, strict=True)}
    unrolling = _Unrolling(names=names, launches=own, kept=kept_repetition(steps), steps=[], places={})
    unrolling.run(program, sizes)
    unrolling.copy_back(judged)
    unrolled = tuple(unrolling.steps)
    if unrolling.repeated is None:
        return RunSequence(steps=unrolled, last=len(unrolled))
    repeat, first, last = unrolling.repeated
    return RunSequence(steps=unrolled, repeat=repeat, first=first, last=last)
