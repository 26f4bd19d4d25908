"""An assignment as assignment.yaml states it: one kernel or a chain of kernels, and the checks that grade them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NewType

from pydantic import Field, model_validator

from grader.common.errors import InputError
from grader.common.phrases import suggestion
from grader.common.record import replace
from grader.course.computation import Computation
from grader.course.criteria import DeviceClass, Hints, MemoryCheck, Range, Sizes, Slip, SpeedGoal
from grader.course.elements import ELEMENTS
from grader.course.expressions import evaluate
from grader.course.feasibility import CONSTANT_BYTES, check_alone, check_feasible, check_launched
from grader.course.folders import ASSIGNMENT_FILE, BASELINE_FILE, MODEL_FILE, ORACLE_FILE, Folders, read_text
from grader.course.forbidden import Construct
from grader.course.launches import Buffer
from grader.course.places import Contradiction, InvalidFieldError, at, invalid, placed
from grader.course.policies.rules import POLICIES
from grader.course.rubric import Rubric, SpeedGoals
from grader.course.tolerance import Tolerance


class Assignment(Computation, Folders, Rubric):
    """One assignment, which is checked as a whole when it is read. `part` is its name within a suite, or "" outside a
    suite.
    """

    part: str = ""

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

    @model_validator(mode="after")
    def _consistent_checks(self) -> "Assignment":
        for problem in (*self._misnamed_checks(), *self._misplaced_rules(), *self._impossible_requirements()):
            raise invalid(problem.place, problem.words)
        try:
            for place, sizes in self.placed_sizes():
                with at(place):
                    self.check_at(sizes)
            self._check_cases_alone()
            for goal in self.goals.values():
                check_launched(self, self.speed_goals.kernels, goal.sizes)
        except InvalidFieldError as error:
            raise invalid(error.place, str(error)) from error
        return self

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
        for kind, goal in self.goals.items():
            for name in sorted(goal.constants.keys() - self.constants.keys()):
                words = f"a speed goal has the constant {name}, which is not in `constants`; add it there"
                yield Contradiction(f"performance.classes.{kind}.constants.{name}", words)

    def _misplaced_rules(self) -> Iterator[Contradiction]:
        """Yield each rule of comparison or of timing that the arrays do not allow."""
        for name, buffer in self.buffers.items():
            rule = self.tolerance_of(name).rule
            if buffer.type in self.structs and buffer.is_judged and rule in WITHOUT_FIELDS:
                words = f"the buffer {name} has structs, to which the rule {rule} does not apply; choose another rule"
                yield Contradiction(f"buffers.{name}", words)
        yield from () if self.performance is None else self._untimeable(self.performance)

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
        """Yield each field that contradicts the data of timed runs, and each goal with bands in the wrong order."""
        for kind, goal in asked.classes.items():
            fractions = [band.fraction for band in goal.bands]
            if fractions != sorted(set(fractions), reverse=True):
                words = "the bands of a speed goal must be listed from the highest fraction down"
                yield Contradiction(f"performance.classes.{kind}.bands", words)
        if asked.verifier is None:
            for name, buffer in self.buffers.items():
                why = self._unequal_on_device(name, buffer, asked)
                if why is not None:
                    yield Contradiction("performance", f"{why}: write `verifier: oracle` under performance")
        for place, ranges in placed("performance.integers", asked.integers).items():
            yield from (Contradiction(place, words) for words in self._out_of_range(ranges))

    def _unequal_on_device(self, name: str, buffer: Buffer, asked: SpeedGoals) -> str | None:
        """Return the reason why a device cannot make the data of timed runs or compare their results, or None."""
        if buffer.data == "made" and not all(name in ranges for ranges in asked.integers):
            return f"oracle.py makes {name}, and `integers` does not give a range for it"
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
            if buffer is None or buffer.data in {"bits", "zeros"}:
                yield f"performance.integers has {name}, which is not a buffer of numbers"
            elif buffer.type in self.structs or not ELEMENTS[buffer.type].can_have(low, high):
                yield f"performance.integers has {name} from {low} to {high}, which is not a range of its numbers"

    def check_at(self, sizes: Sizes) -> None:
        """Evaluate every expression at these sizes. Raises InputError about the first that cannot be used."""
        sections = self._named()
        limits = ((f"{name}.{place}", number) for name, section in sections for place, number in section.numbers())
        check_feasible(self, limits, sizes)

    def _check_cases_alone(self) -> None:
        cases = placed("correctness.cases", self.correctness.cases)
        if self.sanitizer is not None:
            cases |= {f"sanitizer.alone.{case.alone}": case for case in self.sanitizer.alone_cases}
        for place, case in cases.items():
            with at(place):
                check_alone(self, case)

    @property
    def parts(self) -> "tuple[Assignment, ...]":
        """This assignment alone, so that callers can treat it like a suite."""
        return (self,)

    @property
    def called(self) -> str:
        """Unique name of the assignment. For a part of a suite, it consists of the suite's name and the part's name."""
        return f"{self.name}/{self.part}" if self.part else self.name

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

    def tolerance_of(self, buffer: str) -> Tolerance:
        """Rule by which an array counts as right."""
        return self.buffers[buffer].tolerance or self.correctness.tolerance

    def may_be_constant(self, buffer: str) -> bool:
        """True if the array may be a `__constant` parameter: an input that fits every device at all sizes."""
        is_input = self.buffers[buffer].part == "input" and self.buffers[buffer].image is None
        return is_input and all(self.bytes_of(buffer, sizes) <= CONSTANT_BYTES for sizes in self.all_sizes())

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


def _unfit(what: str, requires: Iterable[str], listed: Iterable[MemoryCheck], hidden: bool) -> Iterator[str]:
    """Yield a message for each check that `what` cannot require. `listed` contains the memory checks before it."""
    is_hidden = {check.name: check.hidden for check in listed}
    for name in requires:
        if name not in is_hidden:
            meant = suggestion(name, is_hidden, "correct the name")
            yield f"{what} requires {name}, which is not a memory check that is listed before it; {meant}"
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


WITHOUT_FIELDS = {"share", "multiset"}
"""Rules about elements as a whole, which cannot be applied to each field."""


EQUAL_ON_DEVICE = {"exact", "rounding"}
"""Rules by which correct results of the whole numbers that a device makes are equal to the bit."""


REWARDS = ("avoiding_earns_at_most", "baseline_avoids", "slips")
"""Fields that are read only by `grader validate`."""


UNSCORED: Any = dict.fromkeys((*POLICIES, *REWARDS, "folder", "reference", "kit", "due_in", "order"), True)
"""Fields of an assignment that do not affect the points before deductions for lateness."""
