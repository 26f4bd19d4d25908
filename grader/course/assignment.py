"""An assignment as assignment.yaml states it: one kernel or a chain of kernels, and the checks that grade them."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any, NewType

from pydantic import Field, model_validator

from grader.common.errors import InputError
from grader.common.phrases import count, sizes_in_words
from grader.common.record import replace
from grader.course.by_value import content, misfits, number
from grader.course.criteria import Case, DeviceClass, Hints, MemoryCheck, Range, Sizes, Slip, SpeedGoal
from grader.course.elements import ELEMENTS, REAL, SCALARS, Element
from grader.course.expressions import Expression, evaluate, evaluate_int, evaluate_stated
from grader.course.folders import ASSIGNMENT_FILE, BASELINE_FILE, MODEL_FILE, ORACLE_FILE, Folders, read_text
from grader.course.forbidden import Construct
from grader.course.images import FORMATS, Sampler
from grader.course.launches import Buffer, Choices, Launch, LocalArray, Repeat, Scalar
from grader.course.places import Contradiction, InvalidFieldError, at, invalid, placed
from grader.course.policies.rules import POLICIES
from grader.course.program import (
    Program,
    Repetition,
    contradictions,
    launches_in,
    placed_steps,
    repeated_wrongly,
    variables_in,
)
from grader.course.read_values import ElementOf, element_of, elements_of, unreadable, unwritten
from grader.course.real_types import without_real
from grader.course.rubric import Rubric, SpeedGoals
from grader.course.run_sequence import FillAt, LaunchAt, RunSequence, plain, unroll
from grader.course.structs import Struct, StructFields, laid_out
from grader.course.tolerance import Tolerance
from grader.protocol.steps import ImageSpec


class Assignment(Folders, Rubric):
    """One assignment, which is checked as a whole when it is read. `part` is its name within a suite, or "" outside a
    suite.
    """

    part: str = ""

    kernel: str
    """Name of the kernel that the student writes."""

    aliases: tuple[str, ...] = ()
    """Other accepted names for that kernel."""

    constants: dict[str, str | int] = Field(default={})
    """Macros for building all kernels, such as TILE: 16."""

    sizes: tuple[str, ...]
    """Names of the sizes that each case specifies. A size is at least 1, and kernels receive it as uint."""

    structs: dict[str, StructFields] = Field(default={})
    """Structs by name, which are types of elements and of arguments. Kernels get their definitions from grader."""

    buffers: dict[str, Buffer]
    """Arrays in global memory."""

    scalars: dict[str, Scalar] = Field(default={})
    """Arguments passed by value, apart from the sizes."""

    local: dict[str, LocalArray] = Field(default={})
    """Arguments in local memory."""

    samplers: dict[str, Sampler] = Field(default={})
    """Samplers as arguments, for reads of images."""

    values: dict[str, Expression] = Field(default={})
    """Whole numbers computed from sizes, constants and earlier values. Kernels receive them as uint."""

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

    hints: Hints = "line"
    """How precise the hint is about a mistake that grader finds by small edits of the student's file: `none`, the
    `line`, also the `part` of the line, or also the `change` that helps.
    """

    avoiding_earns_at_most: float = Field(default=0.5, ge=0, le=1)
    """Largest share of all points that a kernel may earn that avoids the exercise, such as the baseline. `grader
    validate` grades such kernels.
    """

    baseline_avoids: bool = True
    """True if the baseline avoids the exercise, false if the exercise is to write the naive kernel."""

    slips: tuple[Slip, ...] = ("barrier", "guard")
    """Kinds of lines that can be missing by a slip. Without one such line, a kernel must still earn more than any
    kernel that avoids the exercise. `grader validate` grades the model solution without each such line. Leave out the
    kind that the exercise teaches.
    """

    allow: tuple[Construct, ...] = ()
    """Constructs that submissions may use, although grader forbids them by default."""

    @model_validator(mode="before")
    @classmethod
    def _with_types_for_real(cls, fields: Any) -> Any:
        return without_real(fields) if isinstance(fields, dict) else fields

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
    def _consistent(self) -> "Assignment":
        for problem in self._misnamed_types():  # the other checks use the types
            raise invalid(problem.place, problem.words)
        for problem in (*self._misnamed(), *self._misplaced(), *self._impossible_requirements()):
            raise invalid(problem.place, problem.words)
        try:
            for place, sizes in self.placed_sizes():
                with at(place):
                    self.check_at(sizes)
            self._check_cases_alone()
            for goal in self.goals.values():
                self._check_kernels(goal)
        except InvalidFieldError as error:
            raise invalid(error.place, str(error)) from error
        return self

    @property
    def hides_sanitizer(self) -> bool:
        """True if there is a sanitizer check and its result is hidden."""
        return self.sanitizer is not None and self.sanitizer.hidden

    def all_sizes(self) -> Iterator[Sizes]:
        """Yield the sizes of every launch that the checks need."""
        for section in self.sections:
            yield from section.launch_sizes()

    def _misnamed(self) -> Iterator[Contradiction]:
        """Yield each name that refers to nothing or to two things."""
        yield from self._misnamed_checks()
        named = [*self._names_by_place()]
        names = [name for name, _ in named]
        for name, place in named:
            if names.count(name) > 1:
                yield Contradiction(place, f"{name} is the name of two things; rename one")
        kernels = {launch.kernel for launch in self.student_launches}
        if self.kernel not in kernels:
            yield Contradiction("kernel", f"no launch runs {self.kernel}; add one, or correct `kernel`")
        for place, launch in {**self.placed_launches, **self.placed_baseline}.items():
            for arg in launch.args:
                if arg not in names or arg in self.structs:
                    yield Contradiction(
                        f"{place}.args",
                        f"the launch of {launch.kernel} has the argument {arg}, which is not a buffer, a size, "
                        "a value, a scalar, a local array or a sampler; correct the name",
                    )
        yield from self._misnamed_steps()
        yield from self._unreadable()
        yield from self._misnamed_choices(kernels)

    def _names_by_place(self) -> Iterator[tuple[str, str]]:
        """Yield the names of arguments, loops and structs, with their paths in the file."""
        for field in ("buffers", "scalars", "local", "samplers", "values"):
            yield from ((name, f"{field}.{name}") for name in getattr(self, field))
        yield from ((name, "sizes") for name in self.sizes)
        programs = {"program": self.program, "baseline_program": self.baseline_program}
        loops = {loop.variable: field for field, steps in programs.items() for loop in variables_in(steps)}
        yield from loops.items()
        yield from ((name, f"structs.{name}") for name in self.structs)

    def _misnamed_checks(self) -> Iterator[Contradiction]:
        cases = [case.name for case in self.correctness.cases]
        memory = [check.name for check in self.memory.checks] if self.memory else []
        for field, names in {"correctness.cases": cases, "memory.checks": memory}.items():
            for place, name in placed(field, names).items():
                if names.count(name) > 1:
                    words = "two cases or two memory checks have the same name; give each its own"
                    yield Contradiction(f"{place}.name", words)
        for place, name in placed("memory.checks", memory).items():
            if name.endswith(")"):
                words = f"the name of the memory check {name} ends with a bracket, like sizes; change its end"
                yield Contradiction(f"{place}.name", words)

    def _misnamed_choices(self, kernels: set[str]) -> Iterator[Contradiction]:
        """Yield each constant and each kernel in `choices` or a speed goal that does not exist."""
        stated = {"choices.constants": ("`choices`", [*self.choices.constants])}
        for kind, goal in self.goals.items():
            stated[f"performance.classes.{kind}.constants"] = ("a speed goal", [*goal.constants])
        for place, (what, names) in stated.items():
            for name in sorted({*names} - self.constants.keys()):
                words = f"{what} has the constant {name}, which is not in `constants`; add it there"
                yield Contradiction(f"{place}.{name}", words)
        for name in sorted(set(self.choices.launches) - kernels):
            words = f"`choices` has the launch of {name}, which is not one of the student's kernels; correct the name"
            yield Contradiction("choices.launches", words)

    def _unreadable(self) -> Iterator[Contradiction]:
        """Yield each argument or number of work-items that cannot be read from an array."""
        yield from unreadable(self.scalars, {**self.placed_launches, **self.placed_baseline}, self.buffers)
        for program, launches in ((self.program, self.placed_launches), (self.baseline_program, self.placed_baseline)):
            yield from unwritten(self.scalars, program, launches, self.buffers)

    def _misnamed_types(self) -> Iterator[Contradiction]:
        """Yield each struct that is not valid in OpenCL C, and each type that does not exist."""
        for name, stated in self.structs.items():
            yield from stated.contradictions(name)
            for word in (name, *stated.fields):
                if word in self.constants:
                    words = f"{word} is a constant, and a name in the struct {name}; rename one"
                    yield Contradiction(f"structs.{name}", words)
        typed: dict[str, Mapping[str, Buffer | Scalar | LocalArray]] = {
            "buffers": self.buffers,
            "scalars": self.scalars,
            "local": self.local,
        }
        for section, named in typed.items():
            for name, each in named.items():
                if each.type not in ELEMENTS and each.type not in self.structs:
                    place = f"{section}.{name}.type"
                    yield Contradiction(place, f"{place}: {_unknown(each.type, ', or a name from `structs`')}")

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
        """Yield the buffers whose sums end a repetition, after the paths of the repetitions."""
        programs = {"program": self.program, "baseline_program": self.baseline_program}
        steps = [each for field, steps in programs.items() for each in placed_steps(steps, field)]
        for place, each in (("repeat", self.repeat), *steps):
            if isinstance(each, Repeat | Repetition) and each.until is not None:
                yield place, each.until.sum

    def _misplaced(self) -> Iterator[Contradiction]:
        """Yield each field that cannot have the stated value."""
        for name, buffer in self.buffers.items():
            for words in self._misfits_of(name, buffer):
                yield Contradiction(f"buffers.{name}", f"the buffer {name} {words}")
        for name in self.stated_scalars:
            scalar = self.scalars[name]
            for words in misfits(self.element(scalar.type), scalar.value):
                yield Contradiction(f"scalars.{name}", f"the scalar {name} {words}")
        yield from () if self.performance is None else self._untimeable(self.performance)
        yield from self._misplaced_choices()
        if self.repeat is not None and self.has_surroundings:
            yield Contradiction("repeat", "launches with solution_of cannot be repeated; leave out `repeat`")

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

    def _misfits_of(self, name: str, buffer: Buffer) -> Iterator[str]:
        yield from buffer.contradictions(self.element(buffer.type))
        rule = self.tolerance_of(name).rule
        if buffer.type in self.structs and buffer.is_judged and rule in WITHOUT_FIELDS:
            yield f"has structs, to which the rule {rule} does not apply; choose another rule"

    def _impossible_requirements(self) -> Iterator[Contradiction]:
        """Yield each required check that does not exist, is listed later, or is hidden from students who see the result
        of the check that requires it.
        """
        checks = self.memory.checks if self.memory else ()
        for place, check in placed("memory.checks", checks).items():
            earlier = checks[: checks.index(check)]
            for words in _unfit(f"the memory check {check.name}", check.requires, earlier, check.hidden):
                yield Contradiction(f"{place}.requires", words)
        if self.performance is not None:
            for words in _unfit("performance", self.performance.requires, checks, self.performance.hidden):
                yield Contradiction("performance.requires", words)

    def _untimeable(self, asked: SpeedGoals) -> Iterator[Contradiction]:
        """Yield each field that contradicts the data of timed runs, and each goal with bands in a wrong order."""
        for kind, goal in asked.classes.items():
            fractions = [band.fraction for band in goal.bands]
            if fractions != sorted(set(fractions), reverse=True):
                words = "the bands of a speed goal must be listed from the highest fraction down"
                yield Contradiction(f"performance.classes.{kind}.bands", words)
        if asked.verifier is None:
            for name, buffer in self.buffers.items():
                why = self._unequal_on_device(name, buffer)
                if why is not None:
                    yield Contradiction("performance", f"{why}: write `verifier: oracle` under performance")
        for place, ranges in placed("performance.integers", asked.integers).items():
            yield from (Contradiction(place, words) for words in self._out_of_range(ranges))

    def _unequal_on_device(self, name: str, buffer: Buffer) -> str | None:
        """Return the reason why data of timed runs cannot be made, or results not be compared, on a device."""
        if buffer.data == "made":
            return f"oracle.py makes {name}"
        if buffer.type in self.structs:
            return f"{name} has structs"
        if buffer.image is not None:
            return f"{name} is an image"
        if ELEMENTS[buffer.type].dtype == "float16":
            return f"{name} has type half, whose sums are not exact"
        may_differ = buffer.is_judged and self.tolerance_of(name).rule not in EQUAL_ON_DEVICE
        return f"{name} may differ from the model solution's" if may_differ else None

    def _out_of_range(self, ranges: Mapping[str, Range]) -> Iterator[str]:
        """Yield a message for each range of numbers that an array cannot have in timed runs."""
        for name, (low, high) in ranges.items():
            buffer = self.buffers.get(name)
            if buffer is None or buffer.data not in {None, "numbers", "integers"}:
                yield f"performance.integers has {name}, which is not a buffer of numbers or integers"
            elif buffer.type in self.structs or not ELEMENTS[buffer.type].can_have(low, high):
                yield f"performance.integers has {name} from {low} to {high}, which is not a range of its numbers"

    def check_at(self, sizes: Sizes) -> None:
        """Evaluate every expression at these sizes. Raises InputError about the first that cannot be used."""
        if set(sizes) != set(self.sizes):
            raise InputError(f"a case must specify the sizes {', '.join(self.sizes)} and no others, not {sizes}.")
        if any(size < 1 for size in sizes.values()):
            raise InputError(f"sizes must be at least 1, not {sizes_in_words(sizes)}.")
        for name, size in sizes.items():
            _check_fit(f"{name} at {sizes_in_words(sizes)}", ELEMENTS["uint"], size)
        names = self.names(sizes)
        for place, array in self._placed_arrays():
            with at(place):
                _check_amounts(array.shape, names, sizes)
        if self.repeat is not None:
            with at("repeat"):
                _check_amounts((self.repeat.times,), names, sizes)
        for name in self.stated_scalars:
            with at(f"scalars.{name}"), _explaining(f"the scalar {name} at {sizes_in_words(sizes)}"):
                self.content(name, sizes)
        for field, sequence in {
            "program": self.sequence(sizes),
            "baseline_program": self.baseline_sequence(sizes),
        }.items():
            with at(field if getattr(self, field) else "repeat"):
                self._check_sequence(sequence, sizes)
        for place, expression in self._numbers():
            with at(place):
                evaluate(expression, names)
        self._check_constant(sizes)

    def _placed_arrays(self) -> Iterator[tuple[str, Buffer | LocalArray]]:
        yield from ((f"buffers.{name}", buffer) for name, buffer in self.buffers.items())
        yield from ((f"local.{name}", array) for name, array in self.local.items())

    def _check_constant(self, sizes: Sizes) -> None:
        """Raise InputError if an array in constant memory is too large for some device."""
        for name, buffer in self.buffers.items():
            size = self.bytes_of(name, sizes)
            if buffer.space == "constant" and size > CONSTANT_BYTES:
                raise InvalidFieldError(
                    f"buffers.{name}",
                    f"the buffer {name} has {size:,} bytes at {sizes_in_words(sizes)}, but constant memory has "
                    f"{CONSTANT_BYTES:,}; make it smaller, or leave out `space`.",
                )

    def _check_launch(self, step: LaunchAt) -> None:
        """Raise InputError if a size of the launch is impossible, or if a number does not fit into uint."""
        names = self.names(step.sizes)
        with at(step.field):
            _check_amounts(_amounts_of(step.launch), names, step.sizes)
            self._check_groups(step, names)
            for element in elements_of(step.launch, self.scalars):
                self.index_of(element, step.sizes)
        for name in (*step.sizes, *self.values):
            _check_fit(f"{name} at {sizes_in_words(step.sizes)}", ELEMENTS["uint"], evaluate_int(name, names))

    def _check_groups(self, step: LaunchAt, names: Mapping[str, object]) -> None:
        """Raise InputError if the work-items of a launch do not form whole work-groups."""
        launch = step.launch
        if len(launch.global_size) != len(launch.local_size) or len(launch.global_size) > DIMENSIONS:
            raise InputError(
                f"the launch of {launch.kernel} has {count(len(launch.global_size), 'dimension')} in `global` and "
                f"{len(launch.local_size)} in `local`; give both the same number, at most {DIMENSIONS}."
            )
        if launch.kernel in self.choices.launches:
            return  # grading/checks/choices.py compares sizes that students may choose
        whole, group = ([evaluate_int(each, names) for each in of] for of in (launch.global_size, launch.local_size))
        if any(items % size for items, size in zip(whole, group, strict=True)):
            raise InputError(
                f"the launch of {launch.kernel} has {_by(whole)} work-items at {sizes_in_words(step.sizes)}, which are "
                f"not whole work-groups of {_by(group)}; use ceil_to in `global`."
            )

    def _check_sequence(self, sequence: RunSequence, sizes: Sizes) -> None:
        """Raise InputError if a launch or a fill is impossible."""
        for step in sequence.single_steps:
            if isinstance(step, FillAt):
                with at(step.field):
                    _check_fit(f"a fill of {step.buffer}", self.element(self.buffers[step.buffer].type), step.value)
        if not sequence.launches:
            raise InputError(
                f"the program launches no kernel at {sizes_in_words(sizes)}; choose larger sizes, or change its loops."
            )
        for launch in sequence.launches:
            self._check_launch(launch)

    def _check_cases_alone(self) -> None:
        cases = placed("correctness.cases", self.correctness.cases)
        if self.sanitizer is not None:
            cases |= {f"sanitizer.alone.{case.alone}": case for case in self.sanitizer.alone_cases}
        for place, case in cases.items():
            with at(place):
                self._check_alone(case)

    def _check_alone(self, case: Case) -> None:
        """Raise InputError if a case runs a kernel alone that the program does not launch."""
        if case.alone and self.has_surroundings:
            raise InputError(f"the case {case.name} runs a kernel alone, which launches with solution_of do not allow.")
        if case.alone and case.alone not in {step.launch.kernel for step in self.sequence(case.sizes).launches}:
            raise InputError(
                f"the case {case.name} runs {case.alone} alone, which the program does not launch at "
                f"{sizes_in_words(case.sizes)}; correct the kernel or the sizes."
            )

    def _check_kernels(self, goal: SpeedGoal) -> None:
        """Raise InputError if `performance.kernels` names a kernel that the timed program does not launch."""
        launched = {step.launch.kernel for step in self.sequence(goal.sizes).launches}
        for kernel in self.speed_goals.kernels:
            if kernel not in launched:
                raise InvalidFieldError(
                    f"performance.kernels.{kernel}",
                    f"performance.kernels has {kernel}, which the program does not launch at "
                    f"{sizes_in_words(goal.sizes)}; correct the kernel or the sizes.",
                )

    def _numbers(self) -> Iterator[tuple[str, str | float]]:
        """Yield the expressions that may be any numbers, after the paths of their fields."""
        for name, buffer in self.buffers.items():
            if buffer.tolerance:
                yield f"buffers.{name}.tolerance", buffer.tolerance.amount
        if self.repeat and self.repeat.until:
            yield "repeat.until", self.repeat.until.below
        for name, section in self._named():
            yield from ((f"{name}.{place}", expression) for place, expression in section.numbers())

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
    def parts(self) -> "tuple[Assignment, ...]":
        """This assignment alone, so that callers can treat it like a suite."""
        return (self,)

    @property
    def called(self) -> str:
        """Unique name of the assignment. For a part of a suite, it consists of the suite's name and the part's name."""
        return f"{self.name}/{self.part}" if self.part else self.name

    @property
    def student_launches(self) -> tuple[Launch, ...]:
        """Launches of the student's kernels."""
        return tuple(launch for launch in self.launches if launch.solution_of is None)

    @property
    def has_surroundings(self) -> bool:
        """True if the student's kernels are part of a larger program that also runs model solutions."""
        return len(self.launches) > len(self.student_launches)

    @property
    def goals(self) -> Mapping[DeviceClass, SpeedGoal]:
        """Speed goals by class of device. Empty if speed is not checked."""
        return {} if self.performance is None else self.performance.classes

    @property
    def speed_goals(self) -> SpeedGoals:
        """The section `performance`. Raises InputError if the assignment has none."""
        if self.performance is None:
            raise InputError(
                f"{self.folder / ASSIGNMENT_FILE}: has no speed check; add `performance:` to time kernels."
            )
        return self.performance

    def least_traffic(self, sizes: Sizes) -> int:
        """Return the smallest number of bytes that a correct kernel can move, which is `performance.bytes` if that is
        given. Otherwise, each input and each judged output counts once, and an updated array counts twice.
        """
        if self.performance is not None:
            return int(evaluate(self.performance.bytes, self.names(sizes)))
        passes = {"input": 1, "output": 1, "updated": 2, "scratch": 0}
        return sum(passes[buffer.part] * self.bytes_of(name, sizes) for name, buffer in self.buffers.items())

    def with_constants(self, constants: Mapping[str, str | int]) -> "Assignment":
        """Return a copy with new values for these constants."""
        return replace(self, constants={**self.constants, **constants})

    def timed_on(self, kind: DeviceClass) -> "Timed":
        """Return the assignment with the timed constants of a class of devices. It is unchanged if speed is not
        checked.
        """
        return Timed(self.with_constants({} if self.performance is None else self.performance.classes[kind].constants))

    def timed_as_chosen(self, kind: DeviceClass) -> "Assignment":
        """Return the same assignment as `timed_on`, but keep the constants that students choose."""
        return self.timed_on(kind).with_constants({name: self.constants[name] for name in self.choices.constants})

    @property
    def definitions(self) -> dict[str, str]:
        """Constants as macros for building kernels."""
        return {name: str(value) for name, value in self.constants.items()}

    @property
    def measured_sha256(self) -> str:
        """Hash of everything on which measurements depend: all fields except points, limits and texts for people.

        Results with an equal hash can be scored again without a run (batch/rescoring.py).
        """
        if self.kit is not None:  # kits are not scored again, so any change requires new measurements
            return hashlib.sha256(repr((self.sha256, self.kit)).encode()).hexdigest()
        fields = self._sorted_fields({**UNSCORED, "title": True, **self.unmeasured})
        own = (self.source(BASELINE_FILE), self.source(ORACLE_FILE))
        measured = (fields, *own, *sorted(self.model_solutions().items()))
        return hashlib.sha256(repr(measured).encode()).hexdigest()

    @property
    def scored_sha256(self) -> str:
        """Hash of everything on which points and reports depend: the measurements, their limits and their points."""
        fields = self._sorted_fields(UNSCORED)
        return hashlib.sha256(repr((self.measured_sha256, fields)).encode()).hexdigest()

    def _sorted_fields(self, excluded: Any) -> str:
        """Return the fields as JSON, sorted by name, so that the order of our classes does not matter. The fields of
        structs keep their order, which matters.
        """
        fields = self.model_dump(mode="json", exclude=excluded, exclude_computed_fields=True)
        orders = {name: [*stated.fields] for name, stated in self.structs.items()}
        return json.dumps({**fields, "orders": orders}, sort_keys=True)

    def names(self, sizes: Sizes) -> dict[str, object]:
        """Return the names that expressions may use: constants, sizes, values, and the variables of loops. These have
        their first values unless `sizes` contains others.
        """
        names: dict[str, object] = {**self.constants, **sizes}
        for name, value in self.values.items():
            with at(f"values.{name}"):
                names[name] = evaluate_int(value, names)
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

    def known(self, sizes: Sizes) -> dict[str, object]:
        """Return the arguments of oracle.py that are numbers: constants, sizes, and scalars of one number."""
        names = self.names(sizes)
        stated = filter(self.is_number, self.stated_scalars)
        scalars = {name: number(name, self.scalars[name].value) for name in stated}
        return {**names, **{name: evaluate(value, names) for name, value in scalars.items()}}

    @property
    def stated_scalars(self) -> tuple[str, ...]:
        """Arguments by value that are not read from arrays."""
        return tuple(name for name, scalar in self.scalars.items() if element_of(scalar.value) is None)

    def index_of(self, element: ElementOf, sizes: Sizes) -> int:
        """Return the index of an element of an array. Raises InputError if the array has no such element."""
        index = evaluate_int(element.index, self.names(sizes))
        number = prod(self.shape(self.buffers[element.array], sizes))
        if not 0 <= index < number:
            raise InputError(
                f"{element.array}[{element.index}] has the index {index} at {sizes_in_words(sizes)}, but "
                f"{element.array} has {count(number, 'element')}; correct the index or the shape."
            )
        return index

    def arrays_of(self, step: LaunchAt) -> tuple[str, ...]:
        """Return the names of the arrays that a launch needs, after arrays have changed places: its arguments, and
        arrays from which values are read.
        """
        read = (element.array for element in elements_of(step.launch, self.scalars))
        names = (*(arg for arg in step.launch.args if arg in self.buffers), *read)
        return tuple(dict.fromkeys(step.places.get(name, name) for name in names))

    def is_number(self, scalar: str) -> bool:
        """True if the argument is one number, and not a vector or a struct."""
        kind = self.scalars[scalar].type
        return kind not in self.structs and ELEMENTS[kind].lanes == 1

    def content(self, scalar: str, sizes: Sizes) -> bytes:
        """Return the bytes of an argument by value."""
        stated = self.scalars[scalar]
        return content(self.element(stated.type), stated.value, self.names(sizes))

    def element(self, kind: str) -> Element | Struct:
        """Return the type with this name."""
        return laid_out(kind, self.structs[kind]) if kind in self.structs else ELEMENTS[kind]

    def is_of_structs(self, buffer: str) -> bool:
        """True if the elements of an array are structs."""
        return self.buffers[buffer].type in self.structs

    def numbers_of(self, buffer: str) -> Element:
        """Return the type of an array of numbers or vectors."""
        return ELEMENTS[self.buffers[buffer].type]

    @property
    def laid_out_structs(self) -> tuple[Struct, ...]:
        """The structs with their layouts, in order."""
        return tuple(laid_out(name, stated) for name, stated in self.structs.items())

    def shape(self, array: Buffer | LocalArray, sizes: Sizes) -> tuple[int, ...]:
        """Return the shape of an array at the given sizes."""
        return tuple(evaluate_int(extent, self.names(sizes)) for extent in array.shape)

    def bytes_of(self, buffer: str, sizes: Sizes) -> int:
        """Size of an array in global memory."""
        array = self.buffers[buffer]
        return self.element(array.type).bytes * prod(self.shape(array, sizes))

    def image_spec(self, buffer: str, sizes: Sizes) -> ImageSpec | None:
        """Format and extent of an image; None for a buffer."""
        array = self.buffers[buffer]
        if array.image is None:
            return None
        *slices, height, width = self.shape(array, sizes)
        form = FORMATS[array.image]
        depth = slices[0] if slices else None
        return ImageSpec(order=form.order, channel=form.channel, width=width, height=height, depth=depth)

    def array_shape(self, buffer: str, sizes: Sizes) -> tuple[int, ...]:
        """Shape of an array in NumPy: its shape, and for vectors one more dimension."""
        array = self.buffers[buffer]
        return (*self.shape(array, sizes), *self.element(array.type).shape)

    def may_be_constant(self, buffer: str) -> bool:
        """True if the array may be a `__constant` parameter: an input that fits every device at all sizes."""
        is_input = self.buffers[buffer].part == "input" and self.buffers[buffer].image is None
        return is_input and all(self.bytes_of(buffer, sizes) <= CONSTANT_BYTES for sizes in self.all_sizes())

    def tolerance_of(self, buffer: str) -> Tolerance:
        """Rule by which an array counts as right."""
        return self.buffers[buffer].tolerance or self.correctness.tolerance

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

    @property
    def left_out(self) -> Mapping[str, float]:
        """Points of the hidden checks that this student kit leaves out, by kind of check."""
        return {} if self.kit is None else self.kit.hidden.get(self.called, {})

    def model_solutions(self) -> dict[str, str]:
        """Return the source texts of the model solutions for the kernels in `launches`. The key is `reference` for the
        assignment's own model solution, and otherwise the name of the other assignment. Empty in a student kit.
        """
        if self.kit is not None:
            return {}
        others = {launch.solution_of for launch in self.launches if launch.solution_of}
        sources = {name: self.reference.parent / name / MODEL_FILE for name in sorted(others)}
        sources["reference"] = self.reference / MODEL_FILE
        return {name: read_text(path) for name, path in sources.items()}


def _by_path(field: str, program: Program) -> dict[str, Launch]:
    """Return the launches of the program in a field, by their paths in the file."""
    return {place: step for place, step in placed_steps(program, field) if isinstance(step, Launch)}


def _amounts_of(launch: Launch) -> Iterator[Expression]:
    """Expressions of a launch that must be positive whole numbers."""
    yield from (*launch.global_size, *launch.local_size, *(launch.extent or ()))
    yield from [launch.optional_local] if launch.optional_local is not None else []


def _unknown(kind: str, others: str) -> str:
    """Return the message about a type that does not exist. `others` names types that are possible besides numbers."""
    if kind.rstrip("0123456789") == REAL:
        return f"`constants` gives {REAL} no floating type; add `{REAL}: float` or `{REAL}: double` there"
    return f"there is no type {kind}; write one of {', '.join(SCALARS)}, a vector of them such as float4{others}"


def _by(extents: Iterable[int]) -> str:
    return " x ".join(map(str, extents))


def _check_amounts(amounts: Iterable[Expression], names: Mapping[str, object], sizes: Sizes) -> None:
    """Raise InputError if a quantity that must be a positive whole number is not one."""
    for amount in amounts:
        if evaluate_int(amount, names) < 1:
            raise InputError(f'"{amount}" is less than 1 at {sizes_in_words(sizes)}.')


def _check_fit(what: str, element: Element | Struct, value: float) -> None:
    """Raise InputError if a value does not fit the type in which kernels get it."""
    with _explaining(what):
        element.pattern(value)


@contextmanager
def _explaining(what: str) -> Iterator[None]:
    """Add the location and the next step to the message about a value that does not fit its type."""
    try:
        yield
    except InputError as error:
        reason = str(error).removesuffix(".")
        raise InputError(f"{what}: {reason}; change the expression or the type.") from error


def _unfit(what: str, requires: Iterable[str], listed: Iterable[MemoryCheck], hidden: bool) -> Iterator[str]:
    """Yield a message for each check that `what` cannot require. `listed` contains the memory checks before it."""
    is_hidden = {check.name: check.hidden for check in listed}
    for name in requires:
        if name not in is_hidden:
            yield f"{what} requires {name}, which is not a memory check that is listed before it"
        elif is_hidden[name] and not hidden:
            yield f"{what} requires {name}, which is hidden, so students would learn its result; hide both or neither"


Timed = NewType("Timed", Assignment)
"""An assignment with the constants for timing on a class of devices. The model solution and the baseline are built with
it.
"""

Chosen = NewType("Chosen", Assignment)
"""An assignment with the choices of a submission, or with choices set by hand. The student's kernels are launched with
these choices.
"""

ByHand = NewType("ByHand", Chosen)
"""An assignment with a single case and no other checks. `grader run` takes the sizes of a launch from the case."""

DIMENSIONS = 3
"""Most dimensions of a launch."""

CONSTANT_BYTES = 2**16
"""Bytes of constant memory that every device has for one argument (OpenCL 3.0 specification, table of device queries,
CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)."""

PROGRAMS = {"program": "launches", "baseline_program": "baseline"}
"""Fields with a program, and the fields that it replaces."""

WITHOUT_FIELDS = {"share", "multiset"}
"""Rules about elements as a whole, which cannot be applied to each field."""

EQUAL_ON_DEVICE = {"exact", "rounding"}
"""Rules by which correct results of the whole numbers that a device makes are equal to the bit."""

REWARDS = ("avoiding_earns_at_most", "baseline_avoids", "slips")
"""Fields that are read only by `grader validate`."""

UNSCORED: Any = dict.fromkeys((*POLICIES, *REWARDS, "folder", "reference", "kit", "due_in", "order"), True)
"""Fields of an assignment that do not affect the points before deductions for lateness."""
