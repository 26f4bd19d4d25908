"""Computation of an assignment: the launches of the student's kernels and of the naive kernels."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field, model_validator

from grader.common.phrases import suggestion
from grader.course.criteria import Sizes
from grader.course.expressions import Expression, evaluate_int, evaluate_stated
from grader.course.interface import Interface
from grader.course.launches import Choices, Launch, Repeat
from grader.course.places import Contradiction, at, invalid, placed
from grader.course.program import (
    Program,
    Repetition,
    contradictions,
    launches_in,
    placed_steps,
    repeated_wrongly,
    variables_in,
)
from grader.course.read_values import elements_of, unreadable, unwritten
from grader.course.run_sequence import LaunchAt, RunSequence, plain, unroll


class Computation(Interface):
    """Launches of a submission and of the naive kernels."""

    launches: tuple[Launch, ...] = Field(min_length=1)
    """Kernel launches, in the order in which they run. With `program`, they come from it."""

    repeat: Repeat | None = None
    """Repetition of the launches. It applies to the baseline's launches, too."""

    program: Program = ()
    """Steps of a program that is more than a list of launches: instead of `launches` and `repeat`."""

    choices: Choices = Choices()
    """Choices that are left to students."""

    baseline: tuple[Launch, ...] = Field(min_length=1)
    """Launches of the naive kernels in baseline.cl, which compute the same results. With `baseline_program`, they are
    the launches of that program."""

    baseline_program: Program = ()
    """Steps of the naive program, instead of `baseline`."""

    @model_validator(mode="before")
    @classmethod
    def _with_launches_of_programs(cls, fields: Any) -> Any:
        """Fill in the launches from the programs."""
        if not isinstance(fields, dict):
            return fields
        for program, launches in PROGRAMS.items():
            steps = fields.get(program, ())
            if not isinstance(steps, list | tuple):
                raise ValueError(f"`{program}` must be a list of steps")  # noqa: TRY004 - pydantic reports only ValueError
            if isinstance(steps, list):
                if launches in fields:
                    raise ValueError(f"`{program}` and `{launches}` are both given; keep one")
                if not launches_in(steps):
                    raise ValueError(f"`{program}` launches no kernel; add a step with `kernel`")
                fields = {**fields, launches: launches_in(steps)}
        return fields

    @model_validator(mode="after")
    def _consistent_launches(self) -> "Computation":
        for problem in (*self._misnamed(), *self._misplaced_choices()):
            raise invalid(problem.place, problem.words)
        if self.repeat is not None and self.has_surroundings:
            raise invalid("repeat", "launches with solution_of cannot be repeated; leave out `repeat`")
        return self

    def _misnamed(self) -> Iterator[Contradiction]:
        """Yield each name that refers to nothing or to two things."""
        named = [*self._names_by_place()]
        names = [name for name, _ in named]
        for name, place in named:
            if names.count(name) > 1:
                yield Contradiction(place, f"{name} is the name of two things; rename one")
        kernels = {launch.kernel for launch in self.student_launches}
        if self.kernel not in kernels:
            meant = suggestion(self.kernel, kernels, "add one, or correct `kernel`")
            yield Contradiction("kernel", f"no launch runs {self.kernel}; {meant}")
        for place, launch in {**self.placed_launches, **self.placed_baseline}.items():
            for arg in launch.args:
                if arg not in names or arg in self.structs:
                    meant = suggestion(arg, set(names) - set(self.structs), "correct the name")
                    yield Contradiction(
                        f"{place}.args",
                        f"the launch of {launch.kernel} has the argument {arg}, which is not a buffer, a size, "
                        f"a value, a scalar, a local array or a sampler; {meant}",
                    )
        yield from self._misnamed_steps()
        yield from self._unreadable()
        yield from self._misnamed_choices(kernels)

    def _names_by_place(self) -> Iterator[tuple[str, str]]:
        """Yield the names of arguments, loops and structs, with their paths in the file."""
        for field in ("buffers", "scalars", "local", "samplers", "values"):
            yield from ((name, f"{field}.{name}") for name in getattr(self, field))
        yield from ((name, "sizes") for name in self.sizes)
        yield from self._loops_by_place()
        yield from ((name, f"structs.{name}") for name in self.structs)

    def _loops_by_place(self) -> Iterator[tuple[str, str]]:
        """Yield the variables of loops, with the fields that contain the loops."""
        programs = {"program": self.program, "baseline_program": self.baseline_program}
        loops = {loop.variable: field for field, steps in programs.items() for loop in variables_in(steps)}
        yield from loops.items()

    def _arguments_by_place(self) -> Iterator[tuple[str, str]]:
        yield from super()._arguments_by_place()
        yield from self._loops_by_place()

    def _misnamed_choices(self, kernels: set[str]) -> Iterator[Contradiction]:
        """Yield each constant and each kernel in `choices` that does not exist."""
        for name in sorted(self.choices.constants.keys() - self.constants.keys()):
            words = f"`choices` has the constant {name}, which is not in `constants`; add it there"
            yield Contradiction(f"choices.constants.{name}", words)
        for name in sorted(set(self.choices.launches) - kernels):
            words = f"`choices` has the launch of {name}, which is not one of the student's kernels; correct the name"
            yield Contradiction("choices.launches", words)

    def _unreadable(self) -> Iterator[Contradiction]:
        """Yield each argument or number of work-items that cannot be read from an array."""
        yield from unreadable(self.scalars, {**self.placed_launches, **self.placed_baseline}, self.buffers)
        for program, launches in ((self.program, self.placed_launches), (self.baseline_program, self.placed_baseline)):
            yield from unwritten(self.scalars, program, launches, self.buffers)

    def _misnamed_steps(self) -> Iterator[Contradiction]:
        """Yield each step of a program, and each field of `repeat`, that cannot be run as stated."""
        for field, steps in {"program": self.program, "baseline_program": self.baseline_program}.items():
            yield from contradictions(steps, field, self.buffers)
        if self.repeat is not None:
            for words in repeated_wrongly(self.repeat, self.launches, self.buffers):
                yield Contradiction("repeat", words)
        for place, name in self._summed():
            if name in self.buffers and self.buffers[name].type in self.structs:
                words = f"`until` sums {name}, which has structs; let a kernel write numbers to another array"
                yield Contradiction(f"{place}.until", words)
        if self.program and (self.repeat is not None or self.has_surroundings):
            words = "`program` cannot be used with the field `repeat` or with solution_of; leave out one of them"
            yield Contradiction("program", words)

    def _summed(self) -> Iterator[tuple[str, str]]:
        """Yield the path of each repetition that has `until`, and the buffer whose sum ends the repetition."""
        programs = {"program": self.program, "baseline_program": self.baseline_program}
        steps = [each for field, steps in programs.items() for each in placed_steps(steps, field)]
        for place, each in (("repeat", self.repeat), *steps):
            if isinstance(each, Repeat | Repetition) and each.until is not None:
                yield place, each.until.sum

    def _misplaced_choices(self) -> Iterator[Contradiction]:
        """Yield each choice that an assignment cannot offer."""
        shapes = " ".join(str(extent) for buffer in self.buffers.values() for extent in buffer.shape)
        for name, values in self.choices.constants.items():
            place = f"choices.constants.{name}"
            if self.constants.get(name) not in values:
                yield Contradiction(place, f"`choices` must offer the value of {name} in `constants` among others")
            if re.search(rf"\b{name}\b", shapes):
                words = f"the shape of a buffer depends on {name}, which students may choose; remove one of the two"
                yield Contradiction(place, words)

    @property
    def placed_launches(self) -> dict[str, Launch]:
        """Launches by their paths in the file."""
        return _by_path("program", self.program) if self.program else placed("launches", self.launches)

    @property
    def placed_baseline(self) -> dict[str, Launch]:
        """Launches of the naive kernels by their paths in the file."""
        if self.baseline_program:
            return _by_path("baseline_program", self.baseline_program)
        return placed("baseline", self.baseline)

    @property
    def student_launches(self) -> tuple[Launch, ...]:
        """Launches of the student's kernels."""
        return tuple(launch for launch in self.launches if launch.solution_of is None)

    @property
    def has_surroundings(self) -> bool:
        """True if the student's kernels are part of a larger program that also runs model solutions."""
        return len(self.launches) > len(self.student_launches)

    def names(self, sizes: Sizes) -> dict[str, object]:
        """Return the names that expressions may use, including the variables of loops. A variable has its first value
        unless `sizes` contains another value.
        """
        names = super().names(sizes)
        for field, steps in {"program": self.program, "baseline_program": self.baseline_program}.items():
            for loop in variables_in(steps):
                if loop.variable not in names:
                    with at(field):
                        names[loop.variable] = evaluate_int(loop.first, names)
        return names

    def sequence(self, sizes: Sizes) -> RunSequence:
        """Return the steps of the student's kernels at these sizes."""
        if not self.program:
            own = {place: each for place, each in self.placed_launches.items() if each.solution_of is None}
            return self._plain(own, sizes)
        with at("program"):
            return unroll(placed("program", self.program), self.launches, sizes, self.names, self._is_judged)

    def baseline_sequence(self, sizes: Sizes) -> RunSequence:
        """Return the steps of the naive kernels at these sizes."""
        if not self.baseline_program:
            return self._plain(self.placed_baseline, sizes)
        program = placed("baseline_program", self.baseline_program)
        with at("baseline_program"):
            return unroll(program, self.baseline, sizes, self.names, self._is_judged)

    def _plain(self, launches: Mapping[str, Launch], sizes: Sizes) -> RunSequence:
        with at("repeat"):
            return plain(launches, sizes, self.repeat, self.names)

    def _is_judged(self, buffer: str) -> bool:
        return self.buffers[buffer].is_judged

    def arrays_of(self, step: LaunchAt) -> tuple[str, ...]:
        """Return the names of the arrays that a launch needs, after arrays have changed places: its arguments, and
        arrays from which values are read.
        """
        read = (element.array for element in elements_of(step.launch, self.scalars))
        names = (*(arg for arg in step.launch.args if arg in self.buffers), *read)
        return tuple(dict.fromkeys(step.places.get(name, name) for name in names))

    def items(self, launch: Launch, stated: tuple[Expression, ...], sizes: Sizes) -> tuple[int, ...]:
        """Return the number of work-items in each dimension. Sizes that students may choose are evaluated as students'
        expressions.
        """
        evaluated = evaluate_stated if launch.kernel in self.choices.launches else evaluate_int
        return tuple(evaluated(size, self.names(sizes)) for size in stated)

    def extent(self, launch: Launch, sizes: Sizes) -> tuple[int, ...] | None:
        """Return the number of work-items that do work, in each dimension, or None if the launch does not state it."""
        if launch.extent is None:
            return None
        return tuple(evaluate_int(extent, self.names(sizes)) for extent in launch.extent)


def _by_path(field: str, program: Program) -> dict[str, Launch]:
    """Return the launches of the program in a field, by their paths in the file."""
    return {place: step for place, step in placed_steps(program, field) if isinstance(step, Launch)}


PROGRAMS = {"program": "launches", "baseline_program": "baseline"}
"""Fields with a program, and the fields that it replaces."""
