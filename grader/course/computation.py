"""Computation of an assignment: the launches of the student's kernels, and those of the naive kernels."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import Field, model_validator

from grader.course.criteria import Sizes
from grader.course.expressions import Expression, evaluate_int, evaluate_stated
from grader.course.interface import Interface
from grader.course.launches import Choices, Launch, Repeat
from grader.course.program import Program, Repetition, contradictions, launches_in, steps_in, unending, variables_in
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
        for problem in (*self._misnamed(), *self._misplaced()):
            raise ValueError(problem)
        return self

    def _misnamed(self) -> Iterator[str]:
        """Yield a message for each name that refers to nothing or to two things."""
        loops = {loop.variable for steps in (self.program, self.baseline_program) for loop in variables_in(steps)}
        arguments = [*self.buffers, *self.sizes, *self.scalars, *self.local, *self.samplers, *self.values]
        named = [*arguments, *loops, *self.structs]
        yield from (f"{name} is the name of two things; rename one" for name in named if named.count(name) > 1)
        kernels = {launch.kernel for launch in self.student_launches}
        if self.kernel not in kernels:
            yield f"no launch runs {self.kernel}; add one, or correct `kernel`"
        for launch in (*self.launches, *self.baseline):
            for arg in launch.args:
                if arg not in named or arg in self.structs:
                    yield (
                        f"the launch of {launch.kernel} has the argument {arg}, which is not a buffer, a size, "
                        "a value, a scalar, a local array or a sampler"
                    )
        yield from self._misnamed_arrays()
        yield from self._misnamed_steps()
        yield from self._unreadable()
        for name in sorted(self.choices.constants.keys() - self.constants.keys()):
            yield f"`choices` has the constant {name}, which is not in `constants`"
        for name in sorted(set(self.choices.launches) - kernels):
            yield f"`choices` has the launch of {name}, which is not one of the student's kernels"

    def _misnamed_arrays(self) -> Iterator[str]:
        """Yield a message for each array of a repetition that does not exist or cannot be summed."""
        turned = [] if self.repeat is None else [name for pair in self.repeat.swap for name in pair]
        summed = [self.repeat.until.sum] if self.repeat and self.repeat.until else []
        yield from (
            f"repeat has {name}, which is not a buffer" for name in (*turned, *summed) if name not in self.buffers
        )
        yield from (
            f"`until` sums {name}, which has structs; let a kernel write numbers to another array"
            for name in self._summed()
            if name in self.buffers and self.buffers[name].type in self.structs
        )

    def _unreadable(self) -> Iterator[str]:
        """Yield a message for each argument or number of work-items that cannot be read from an array."""
        yield from unreadable(self.scalars, (*self.launches, *self.baseline), self.buffers)
        for program, launches in ((self.program, self.launches), (self.baseline_program, self.baseline)):
            read = [each for launch in launches for each in elements_of(launch, self.scalars)]
            yield from unwritten(read, program, launches, self.buffers)

    def _summed(self) -> Iterator[str]:
        """Yield the buffers whose sums end a repetition."""
        repeats = [each for steps in (self.program, self.baseline_program) for each in steps_in(steps)]
        for each in (self.repeat, *repeats):
            if isinstance(each, Repeat | Repetition) and each.until is not None:
                yield each.until.sum

    def _misnamed_steps(self) -> Iterator[str]:
        """Yield a message for each step of a program that cannot be run as stated."""
        for steps in (self.program, self.baseline_program):
            yield from contradictions(steps, self.buffers)
        yield from () if self.repeat is None else unending(self.repeat, self.launches, self.buffers)
        if self.program and (self.repeat is not None or self.has_surroundings):
            yield "`program` cannot be used with the field `repeat` or with solution_of"

    def _misplaced(self) -> Iterator[str]:
        """Yield a message for each choice or swap that the arrays do not allow."""
        shapes = " ".join(str(extent) for buffer in self.buffers.values() for extent in buffer.shape)
        for name, values in self.choices.constants.items():
            if self.constants.get(name) not in values:
                yield f"`choices` must offer the value of {name} in `constants` among others"
            if re.search(rf"\b{name}\b", shapes):
                yield f"the shape of a buffer depends on {name}, which students may choose"
        if self.repeat is not None and self.has_surroundings:
            yield "launches with solution_of cannot be repeated"
        for old, new in self.repeat.swap if self.repeat else ():
            a, b = self.buffers.get(old), self.buffers.get(new)
            if a and b and ((a.shape, a.image) != (b.shape, b.image) or (a.part, b.part) != ("scratch", "output")):
                remedy = f"{old} must be scratch with data, and {new} an output of the same shape"
                yield f"{old} and {new} are swapped: {remedy}"

    @property
    def student_launches(self) -> tuple[Launch, ...]:
        """Launches of the student's kernels."""
        return tuple(launch for launch in self.launches if launch.solution_of is None)

    @property
    def has_surroundings(self) -> bool:
        """True if the student's kernels are part of a larger program that also runs model solutions."""
        return len(self.launches) > len(self.student_launches)

    def names(self, sizes: Sizes) -> dict[str, object]:
        """Return the names that expressions may use, also the variables of loops. These have their first values unless
        `sizes` contains others.
        """
        names = super().names(sizes)
        for loop in (*variables_in(self.program), *variables_in(self.baseline_program)):
            if loop.variable not in names:
                names[loop.variable] = evaluate_int(loop.first, names)
        return names

    def sequence(self, sizes: Sizes) -> RunSequence:
        """Return the steps of the student's kernels at these sizes."""
        if not self.program:
            return plain(self.student_launches, sizes, self.repeat)
        return unroll(self.program, self.launches, sizes, self.names, self._is_judged)

    def baseline_sequence(self, sizes: Sizes) -> RunSequence:
        """Return the steps of the naive kernels at these sizes."""
        if not self.baseline_program:
            return plain(self.baseline, sizes, self.repeat)
        return unroll(self.baseline_program, self.baseline, sizes, self.names, self._is_judged)

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


PROGRAMS = {"program": "launches", "baseline_program": "baseline"}
"""Fields with a program, and the fields that it replaces."""
