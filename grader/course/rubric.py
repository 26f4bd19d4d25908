"""Checks of an assignment and their points. assignment.yaml has one section for each kind of check.

A section defines the points of its checks, which of them are hidden, and what they need. grading/check_kinds.py lists
the code that makes the checks of each section.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from math import isclose
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from grader.common.record import Record, replace
from grader.course.criteria import Case, DeviceClass, MemoryCheck, Quantities, Range, Sizes, SpeedGoal
from grader.course.tolerance import Tolerance


class Kind(StrEnum):
    """Subject of a check. It is the second half of a JUnit classname."""

    BUILD = "build"
    CORRECTNESS = "correctness"
    PRACTICE = "practice"
    SANITIZER = "sanitizer"
    MEMORY = "memory"
    PERFORMANCE = "performance"


CAUSES_FIRST = (Kind.BUILD, Kind.SANITIZER, Kind.CORRECTNESS, Kind.MEMORY, Kind.PERFORMANCE)
"""Kinds of checks that count, in the order in which failures should be read. Practice cases do not count."""


class AskedCheck(Record):
    """A check that an assignment asks for. `label` distinguishes it from others of its kind."""

    kind: Kind
    label: str = ""
    sizes: Mapping[str, str | int] = Field(default={})
    points: float
    requires: tuple[str, ...] = ()
    """Labels of memory checks. The points of this check count only if all of them pass."""


class Section(Record):
    """Section of assignment.yaml with the checks of one kind."""

    kinds: ClassVar[tuple[Kind, ...]]
    """Kinds of the checks. Practice cases have a kind of their own."""

    needs_right_cases: ClassVar[bool] = True
    """True if the checks earn points only for kernels whose shown cases are right."""

    time_tells: ClassVar[bool] = True
    """True if the time of later events can reveal to students how a hidden check has ended."""

    needs_simulator: ClassVar[bool] = False
    """True if the checks need a run in the simulator."""

    unmeasured: ClassVar[Mapping[str, Any]] = {"points": True, "hidden": True}
    """Fields that do not affect any measurement, in pydantic's notation for excluded fields."""

    @abstractmethod
    def asked(self, device: DeviceClass, /) -> tuple[AskedCheck, ...]:
        """Return the checks in order."""

    @property
    @abstractmethod
    def hides(self) -> tuple[bool, ...]:
        """True for each check that is hidden, in the order of the checks."""

    @property
    @abstractmethod
    def total(self) -> float:
        """Points of all checks together, which are the same on every class of device."""

    @property
    @abstractmethod
    def hidden_points(self) -> float:
        """Points of the hidden checks, which a student kit leaves out."""

    @abstractmethod
    def without_hidden(self) -> Self | None:
        """Return the section for a student kit, without hidden checks and with the same points for the others. Returns
        None if no check remains.
        """

    @abstractmethod
    def placed_sizes(self) -> Iterator[tuple[str, Sizes]]:
        """Yield the sizes of every launch that the checks need, with the paths of their fields in the section."""

    def launch_sizes(self) -> Iterator[Sizes]:
        """Yield the sizes of every launch that the checks need."""
        return (sizes for _, sizes in self.placed_sizes())

    def numbers(self) -> Iterator[tuple[str, str | float]]:
        """Yield each expression over constants and sizes that may be any number, with the path of its field in the
        section.
        """
        return iter(())


class SingleCheck(Section):
    """Section with one check, which is hidden or shown as a whole."""

    hidden: bool = False
    """True if students see only that the check exists until checks are released."""

    @property
    def hides(self) -> tuple[bool, ...]:
        """True if the check is hidden."""
        return (self.hidden,)

    @property
    def hidden_points(self) -> float:
        """All points if the check is hidden, otherwise none."""
        return self.total if self.hidden else 0.0

    def without_hidden(self) -> Self | None:
        """Return the section if it is not hidden, otherwise None."""
        return None if self.hidden else self


class Correctness(Section):
    """The cases. Cases without separate points that are not for practice share the rest of `points`."""

    kinds = (Kind.CORRECTNESS, Kind.PRACTICE)
    needs_right_cases = False
    time_tells = False  # hidden cases run last
    unmeasured: ClassVar[Mapping[str, Any]] = {"points": True, "cases": {"__all__": {"hidden": True, "points": True}}}

    tolerance: Tolerance
    """Rule for comparing results on random inputs."""

    points: float = Field(ge=0)
    """Points of all cases together."""

    cases: tuple[Case, ...] = Field(min_length=1)
    """Cases, each of which is one check. At least one is shown and not for practice, because it decides if speed
    counts.
    """

    @model_validator(mode="after")
    def _has_a_shown_case_that_counts(self) -> "Correctness":
        if all(case.practice for case in self.cases):
            raise ValueError("all cases are for practice; remove `practice` from at least one")
        if all(case.practice or case.hidden for case in self.cases):
            raise ValueError("every case that counts is hidden; show at least one, since speed depends on shown cases")
        return self

    @model_validator(mode="after")
    def _has_points_that_add_up(self) -> "Correctness":
        own, sharing = self._own_points, self._sharing
        for case in self.cases:
            if case.practice and case.points is not None:
                raise ValueError(f"the case {case.name} is for practice and has points; remove one of the two fields")
        if own > self.points or (not sharing and not isclose(own, self.points)):
            raise ValueError(
                f"the cases with `points` have {own:g} points together, but the section has {self.points:g}; change "
                "one of the numbers"
            )
        return self

    @property
    def _sharing(self) -> int:
        """Number of cases that share points."""
        return sum(case.points is None and not case.practice for case in self.cases)

    @property
    def _own_points(self) -> float:
        """Points of all cases that have separate points."""
        return sum(case.points or 0.0 for case in self.cases)

    @property
    def share(self) -> float:
        """Points of each case that is not for practice and does not have separate points."""
        return (self.points - self._own_points) / self._sharing if self._sharing else 0.0

    def points_of(self, case: Case) -> float:
        """Return the points of one case, which are 0 if it is for practice."""
        if case.practice:
            return 0.0
        return self.share if case.points is None else case.points

    def asked(self, _: DeviceClass, /) -> tuple[AskedCheck, ...]:
        """Return a check for each case, with the name of the case."""
        return tuple(map(self.asked_by, self.cases))

    def asked_by(self, case: Case) -> AskedCheck:
        """Return the check for one case."""
        kind = Kind.PRACTICE if case.practice else Kind.CORRECTNESS
        return AskedCheck(kind=kind, label=case.name, sizes=case.sizes, points=self.points_of(case))

    @property
    def hides(self) -> tuple[bool, ...]:
        """True for each case that is hidden."""
        return tuple(case.hidden for case in self.cases)

    @property
    def total(self) -> float:
        """Points of all cases together."""
        return self.points

    @property
    def hidden_points(self) -> float:
        """Points of the hidden cases."""
        return sum(map(self.points_of, self.hidden))

    def without_hidden(self) -> Self:
        """Return the section with only the shown cases, of which there is at least one."""
        return replace(self, cases=self.shown, points=sum(map(self.points_of, self.shown)))

    def placed_sizes(self) -> Iterator[tuple[str, Sizes]]:
        """Yield the sizes of each case."""
        return ((f"cases.{number}.sizes", case.sizes) for number, case in enumerate(self.cases))

    def numbers(self) -> Iterator[tuple[str, str | float]]:
        """Yield the factor or the limit of the tolerance."""
        yield "tolerance", self.tolerance.amount

    @property
    def shown(self) -> tuple[Case, ...]:
        """Cases whose results students always see."""
        return tuple(case for case in self.cases if not case.hidden)

    @property
    def hidden(self) -> tuple[Case, ...]:
        """Hidden cases, which run last."""
        return tuple(case for case in self.cases if case.hidden)


class Sanitizer(SingleCheck):
    """Runs in the simulator that must not show errors. The sizes are small and not multiples of a tile, so that the run
    of the whole program reaches every edge.
    """

    kinds = (Kind.SANITIZER,)
    needs_simulator = True

    sizes: Sizes
    """A value for each size."""

    points: float = Field(ge=0)
    """Points for a run without errors."""

    alone: dict[str, Sizes] = Field(default={}, exclude_if=lambda alone: not alone)
    """Sizes at which a kernel also runs alone, on right arrays, by the name of the kernel. They may be much larger than
    `sizes` if the kernel uses only a small array there.
    """

    def asked(self, _: DeviceClass, /) -> tuple[AskedCheck, ...]:
        """Return the only check."""
        return (self.check,)

    @property
    def alone_cases(self) -> tuple[Case, ...]:
        """The runs in which a kernel runs alone, as cases."""
        return tuple(
            Case(name=f"{kernel} alone, in the simulator", sizes=sizes, alone=kernel)
            for kernel, sizes in self.alone.items()
        )

    @property
    def check(self) -> AskedCheck:
        """The only check."""
        return AskedCheck(kind=Kind.SANITIZER, sizes=self.sizes, points=self.points)

    @property
    def total(self) -> float:
        """Points of the check."""
        return self.points

    def placed_sizes(self) -> Iterator[tuple[str, Sizes]]:
        """Yield the sizes of the simulated runs."""
        yield "sizes", self.sizes
        yield from ((f"alone.{kernel}", sizes) for kernel, sizes in self.alone.items())


class Memory(Section):
    """The checks of memory behaviour, which all come from one simulated run."""

    kinds = (Kind.MEMORY,)
    needs_right_cases = False
    time_tells = False  # one run produces the counts for all of them
    needs_simulator = True
    unmeasured: ClassVar[Mapping[str, Any]] = {"checks": True}

    sizes: Sizes
    """A value for each size. Sizes should be small, since simulation is slow."""

    checks: tuple[MemoryCheck, ...] = Field(min_length=1)
    """Checks that are made in this run."""

    def asked(self, _: DeviceClass, /) -> tuple[AskedCheck, ...]:
        """Return a check for each quantity."""
        return self.asked_checks

    @property
    def asked_checks(self) -> tuple[AskedCheck, ...]:
        """A check for each quantity, on every device."""
        return tuple(
            AskedCheck(kind=Kind.MEMORY, label=each.name, points=each.points, requires=each.requires)
            for each in self.checks
        )

    @property
    def hides(self) -> tuple[bool, ...]:
        """True for each check that is hidden."""
        return tuple(check.hidden for check in self.checks)

    @property
    def total(self) -> float:
        """Points of all checks."""
        return sum(check.points for check in self.checks)

    @property
    def hidden_points(self) -> float:
        """Points of the hidden checks."""
        return sum(check.points for check in self.checks if check.hidden)

    def without_hidden(self) -> Self | None:
        """Return the section with the checks that are not hidden, or None if all are hidden."""
        checks = tuple(check for check in self.checks if not check.hidden)
        return replace(self, checks=checks) if checks else None

    def placed_sizes(self) -> Iterator[tuple[str, Sizes]]:
        """Yield the sizes of the simulated run."""
        yield "sizes", self.sizes

    def numbers(self) -> Iterator[tuple[str, str | float]]:
        """Yield the limits."""
        return ((f"checks.{number}.at_most", check.at_most) for number, check in enumerate(self.checks))


class SpeedGoals(Quantities, SingleCheck):
    """The speed goals, and the quantities from which rates are computed."""

    kinds = (Kind.PERFORMANCE,)
    unmeasured: ClassVar[Mapping[str, Any]] = {
        "hidden": True,
        "requires": True,
        "classes": {"__all__": {"bands": True, "minimum": True, "baseline": True, "yardstick": True}},
    }

    kernels: dict[str, Quantities] = Field(default={}, exclude_if=lambda kernels: not kernels)
    """Quantities of single kernels, from which reports compute rates. They count all launches of a kernel."""

    verifier: Literal["oracle"] | None = None
    """`oracle` if the judge also makes the data of timed runs on GPUs. By default, these data are small integers made
    on the device, and results must equal the model solution's to the bit. Divisions and roots make that impossible.
    Data of the kind `made` also need `oracle`.
    """

    integers: tuple[dict[str, Range], ...] = Field(default=({},), min_length=1)
    """Whole numbers for timed runs. Each line maps names of arrays to their smallest and largest numbers. Timed runs
    use the lines in turn. An array that is not in a line contains whole numbers from -8 to 8 (uint: 0 to 16). Choose
    numbers so large that half floats would round them, and so small that floats do not round a kernel's results.
    """

    requires: tuple[str, ...] = ()
    """Names of memory checks. Points for speed count only if all of them pass. This is needed on a CPU, where a naive
    kernel is as fast as one that solves the exercise, and on a GPU, where caches make some naive kernels fast enough.
    """

    classes: dict[DeviceClass, SpeedGoal]
    """One goal each for `cpu` and `gpu`."""

    def asked(self, device: DeviceClass, /) -> tuple[AskedCheck, ...]:
        """Return the check of the goal for this class of devices, or no check if there is no goal."""
        goal = self.classes.get(device)
        if goal is None:
            return ()
        sizes = {**goal.constants, **goal.sizes}
        return (
            AskedCheck(kind=Kind.PERFORMANCE, label=device, sizes=sizes, points=goal.points, requires=self.requires),
        )

    @property
    def total(self) -> float:
        """Points of the highest band."""
        return max((goal.points for goal in self.classes.values()), default=0)

    @property
    def hidden_points(self) -> float:
        """No points, because a student kit never leaves out speed."""
        return 0.0

    def without_hidden(self) -> Self:
        """Return the goals. If speed is hidden, they lack the numbers that decide the points."""
        if not self.hidden:
            return self
        goals = {kind: goal.undecided(goal.sizes) for kind, goal in self.classes.items()}
        return replace(self, classes=goals, hidden=False, requires=())

    def placed_sizes(self) -> Iterator[tuple[str, Sizes]]:
        """Yield the sizes of each goal."""
        return ((f"classes.{kind}.sizes", goal.sizes) for kind, goal in self.classes.items())

    def numbers(self) -> Iterator[tuple[str, str | float]]:
        """Yield the number of bytes and the number of operations."""
        yield from (("bytes", self.bytes), ("flop", self.flop or 0), ("count", self.work))
        for kernel, each in self.kernels.items():
            yield from ((f"kernels.{kernel}", number) for number in (each.bytes, each.work))


class Rubric(Record):
    """Sections of an assignment, in the order of their checks in a result."""

    correctness: Correctness
    sanitizer: Sanitizer | None = None
    memory: Memory | None = None
    performance: SpeedGoals | None = None

    @property
    def sections(self) -> tuple[Section, ...]:
        """Sections that the assignment has."""
        return tuple(section for _, section in self._named())

    def _named(self) -> Iterator[tuple[str, Section]]:
        """Yield the sections with the names of their fields."""
        for name in Rubric.model_fields:
            section = getattr(self, name)
            if section is not None:
                yield name, section

    def placed_sizes(self) -> Iterator[tuple[str, Sizes]]:
        """Yield the sizes of every launch that the checks need, with the paths of their fields."""
        for name, section in self._named():
            yield from ((f"{name}.{place}", sizes) for place, sizes in section.placed_sizes())

    def with_sections(self, change: Callable[[Section], Section | None]) -> Self:
        """Return a copy in which each section is replaced by the result of `change`. A section is left out if the
        result is None.
        """
        changed: dict[str, Any] = {name: change(section) for name, section in self._named()}
        return self.model_copy(update=changed)

    def all_sizes(self) -> Iterator[Sizes]:
        """Yield the sizes of every launch that the checks need."""
        for section in self.sections:
            yield from section.launch_sizes()

    def depends_on_cases(self, kind: Kind) -> bool:
        """True if checks of this kind earn points only for kernels whose shown cases are right."""
        return any(section.needs_right_cases and kind in section.kinds for section in self.sections)

    @property
    def unmeasured(self) -> dict[str, Any]:
        """Fields of the sections that do not affect any measurement, in pydantic's notation for excluded fields."""
        return {name: section.unmeasured for name, section in self._named()}

    @property
    def hides_sanitizer(self) -> bool:
        """True if there is a sanitizer check and its result is hidden."""
        return self.sanitizer is not None and self.sanitizer.hidden

    @property
    def is_watched(self) -> bool:
        """True if a check needs the simulator."""
        return any(section.needs_simulator for section in self.sections)

    @property
    def points(self) -> float:
        """Points of all checks together, which are the same on every class of device."""
        return sum(section.total for section in self.sections)
