"""An assignment as its two folders describe it: assignments/NAME/ for all to see, reference/NAME/ for the grader.

assignments/NAME/  assignment.yaml   kernels.cl (skeleton)        README.md (the handout)
reference/NAME/    kernels.cl (model solution)   baseline.cl (naive)   oracle.py (NumPy)
"""

import difflib
import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from grader.errors import InputError
from grader.expressions import evaluate, evaluate_int
from grader.forbidden import Construct

Expression = str | int
Sizes = dict[str, int]
DataSet = Literal["random", "integers"]
DeviceClass = Literal["cpu", "gpu"]

ELEMENT_BYTES = 4
"""Bytes of a buffer element and of a size argument: all exercises of the course use float and uint."""


class Record(BaseModel):
    """Base of the records read from YAML: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Buffer(Record):
    """An array of float. With `data` it is an input that the judge makes; without, launches produce it.

    `data` says what "random" means for it: `numbers` are uniform in [-1, 1), `bits` are
    distinct bit patterns of finite numbers, for kernels that only move data.
    """

    shape: tuple[Expression, ...]
    data: Literal["numbers", "bits"] | None = None


class Launch(Record):
    """One kernel launch. `args` names buffers and sizes in the order of the kernel's parameters.

    `optional_local` is the number of elements of a trailing `__local real *` parameter, which
    the kernel may declare or leave out. `solution_of` makes it a step of ours: it runs the
    model solution of that assignment, before or after the student's steps. `extent` says how many work-items of each
    dimension have something to do; those beyond are there to fill the last group.
    """

    kernel: str
    args: tuple[str, ...]
    global_size: tuple[Expression, ...] = Field(alias="global")
    local_size: tuple[Expression, ...] = Field(alias="local")
    optional_local: Expression | None = None
    extent: tuple[Expression, ...] | None = None
    solution_of: str | None = None


class Tolerance(Record):
    """How random results are compared.

    `exact`: the same bits. `rounding`: within `factor` units of u * magnitude, where u = 2^-24 and
    the oracle states the magnitude of every element (timing.md of the course's notes; see oracle.py).
    """

    rule: Literal["exact", "rounding"]
    factor: str | float = 1.0


class Case(Record):
    """One set of sizes and the kind of data to fill the inputs with."""

    name: str
    sizes: Sizes
    data: DataSet = "random"


class Correctness(Record):
    """The cases; each is worth the same share of `points`."""

    tolerance: Tolerance
    points: float = Field(ge=0)
    cases: tuple[Case, ...] = Field(min_length=1)


class Sanitizer(Record):
    """A run in the simulator, in which nothing may go wrong: of ragged sizes, so that every edge is met, and small."""

    sizes: Sizes
    points: float = Field(ge=0)


Measure = Literal["coalescing", "bank conflicts", "words read", "words written", "divergence"]


class MemoryCheck(Record):
    """A quantity that the simulator counts, and the most that it may be (memory.py says what each means)."""

    name: str
    measure: Measure
    at_most: str | float
    points: float = Field(ge=0)


class Memory(Record):
    """What is asked of memory behaviour, in a simulated run of these sizes."""

    sizes: Sizes
    checks: tuple[MemoryCheck, ...] = Field(min_length=1)


class Band(Record):
    """A kernel that reaches `fraction` of the model solution's speed earns `points`."""

    fraction: float = Field(gt=0)
    points: float = Field(ge=0)


class SpeedGoal(Record):
    """What is asked on one class of device. Bands are listed from the highest fraction down.

    `minimum` adds an absolute rate (GB/s or GFLOPS, as the metric says) for devices whose name
    contains the key. `baseline` says whether the naive kernel must miss full points here: on a CPU it
    can be as fast as the model solution.
    """

    sizes: Sizes
    bands: tuple[Band, ...] = Field(min_length=1)
    baseline: Literal["fails", "passes"] = "fails"
    minimum: dict[str, float] = {}

    @property
    def points(self) -> float:
        """Points of the highest band."""
        return self.bands[0].points


class Performance(Record):
    """`bytes` is the least a correct kernel can move, `flop` what it must compute; with `flop`, rates are GFLOPS."""

    bytes: Expression
    flop: Expression | None = None
    classes: dict[DeviceClass, SpeedGoal]

    @property
    def unit(self) -> str:
        """Unit in which this assignment reports rates."""
        return "GB/s" if self.flop is None else "GFLOPS"


class Assignment(Record):
    """One assignment, checked as a whole when it is read.

    `allow` names constructs that its submissions may use although they are forbidden as a rule (forbidden.py).
    """

    name: str
    folder: Path
    reference: Path

    title: str
    kernel: str
    aliases: tuple[str, ...] = ()
    constants: dict[str, str | int]
    sizes: tuple[str, ...]
    buffers: dict[str, Buffer]
    launches: tuple[Launch, ...] = Field(min_length=1)
    baseline: Launch
    correctness: Correctness
    sanitizer: Sanitizer | None = None
    memory: Memory | None = None
    performance: Performance
    allow: tuple[Construct, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "Assignment":
        cases = [case.name for case in self.correctness.cases]
        memory = [check.name for check in self.memory.checks] if self.memory else []
        if len(set(cases)) != len(cases) or len(set(memory)) != len(memory):
            raise ValueError("two cases have the same name, or two memory checks; give each its own")
        if not any(launch.kernel == self.kernel for launch in self.student_launches):
            raise ValueError(f"no launch runs {self.kernel}; add one, or correct `kernel`")
        for launch in (*self.launches, self.baseline):
            for arg in launch.args:
                if arg not in self.buffers and arg not in self.sizes:
                    raise ValueError(
                        f"the launch of {launch.kernel} has the argument {arg}, which is no buffer and no size"
                    )
        for goal in self.performance.classes.values():
            fractions = [band.fraction for band in goal.bands]
            if fractions != sorted(set(fractions), reverse=True):
                raise ValueError("the bands of a speed goal must be listed from the highest fraction down")
        for sizes in (
            *(case.sizes for case in self.correctness.cases),
            *(goal.sizes for goal in self.performance.classes.values()),
            *([self.sanitizer.sizes] if self.sanitizer else []),
            *([self.memory.sizes] if self.memory else []),
        ):
            self._evaluates(sizes)
        return self

    def _evaluates(self, sizes: Sizes) -> None:
        """Every expression has a value at these sizes; raises ValueError that says which has not."""
        if set(sizes) != set(self.sizes):
            raise ValueError(f"a case must give the sizes {', '.join(self.sizes)} and no other, not {sizes}")
        if any(size < 1 for size in sizes.values()):
            raise ValueError(f"sizes must be at least 1, not {sizes}")
        names = self.names(sizes)
        try:
            for buffer in self.buffers.values():
                self.shape(buffer, sizes)
            for launch in (*self.launches, self.baseline):
                for size in (
                    *launch.global_size,
                    *launch.local_size,
                    *(launch.extent or ()),
                    launch.optional_local or 0,
                ):
                    evaluate_int(size, names)
            for check in self.memory.checks if self.memory else ():
                evaluate(check.at_most, names)
            evaluate(self.correctness.tolerance.factor, names)
            evaluate(self.performance.bytes, names)
            evaluate(self.performance.flop or 0, names)
        except InputError as error:
            raise ValueError(str(error)) from error

    @property
    def student_launches(self) -> tuple[Launch, ...]:
        """The steps that run the student's kernels."""
        return tuple(launch for launch in self.launches if launch.solution_of is None)

    @property
    def has_surroundings(self) -> bool:
        """Whether the student's kernels are part of a larger program, with steps that are ours."""
        return len(self.launches) > len(self.student_launches)

    @property
    def is_watched(self) -> bool:
        """Whether anything is asked that a simulator must tell."""
        return self.sanitizer is not None or self.memory is not None

    @property
    def points(self) -> float:
        """Points of all checks together (the same on every device class)."""
        watched = self.sanitizer.points if self.sanitizer else 0
        counted = sum(check.points for check in self.memory.checks) if self.memory else 0
        timed = max(goal.points for goal in self.performance.classes.values())
        return self.correctness.points + watched + counted + timed

    @property
    def definitions(self) -> dict[str, str]:
        """The constants as macros."""
        return {name: str(value) for name, value in self.constants.items()}

    @cached_property
    def sha256(self) -> str:
        """Hash of every file of both folders, so that a result says what it was graded against."""
        digest = hashlib.sha256()
        for folder in (self.folder, self.reference):
            for path in sorted(path for path in folder.iterdir() if path.is_file()):
                digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
        return digest.hexdigest()

    @property
    def measured_sha256(self) -> str:
        """Hash of what measurements rest on: everything but words for people, points, and what is asked of figures.

        Results under the same one can be scored anew without running anything (rescoring.py).
        """
        fields = self.model_dump_json(exclude=SCORED, exclude_computed_fields=True)
        own = (self.source(BASELINE_FILE), self.source(ORACLE_FILE))
        measured = (fields, *own, *sorted(self.model_solutions().items()))
        return hashlib.sha256(repr(measured).encode()).hexdigest()

    def names(self, sizes: Sizes) -> dict[str, object]:
        """What expressions may refer to: the constants and the sizes."""
        return {**self.constants, **sizes}

    def shape(self, buffer: Buffer, sizes: Sizes) -> tuple[int, ...]:
        """Shape of a buffer at the given sizes."""
        return tuple(evaluate_int(extent, self.names(sizes)) for extent in buffer.shape)

    def extent(self, launch: Launch, sizes: Sizes) -> tuple[int, ...] | None:
        """How many work-items of each dimension have something to do, where the launch says so."""
        if launch.extent is None:
            return None
        return tuple(evaluate_int(extent, self.names(sizes)) for extent in launch.extent)

    def model_solutions(self) -> dict[str, str]:
        """Source texts of the kernels in `launches`: our own as `reference`, others by their assignment."""
        others = {launch.solution_of for launch in self.launches if launch.solution_of}
        sources = {name: self.reference.parent / name / MODEL_FILE for name in sorted(others)}
        sources["reference"] = self.reference / MODEL_FILE
        return {name: _read(path) for name, path in sources.items()}

    @property
    def skeleton(self) -> str:
        """The kernels.cl that students start from."""
        return _read(self.folder / MODEL_FILE)

    def source(self, file_name: str) -> str:
        """Text of a file of the reference folder."""
        return _read(self.reference / file_name)


SCORED: Any = {
    "folder": True,
    "reference": True,
    "title": True,
    "correctness": {"points": True},
    "sanitizer": {"points": True},
    "memory": {"checks": True},
    "performance": {"classes": {"__all__": {"bands": True, "minimum": True, "baseline": True}}},
}
"""Fields of an assignment that change no measurement."""

MODEL_FILE, BASELINE_FILE, ORACLE_FILE = "kernels.cl", "baseline.cl", "oracle.py"


class Course(Record):
    """Where the assignments of a course and their references are kept."""

    assignments: Path
    reference: Path

    def names(self) -> list[str]:
        """Names of all assignments, sorted."""
        if not self.assignments.is_dir():
            raise InputError(
                f"{self.assignments} is not a folder; name the folder of the assignments with --course DIR."
            )
        return sorted(path.parent.name for path in self.assignments.glob("*/assignment.yaml"))

    def load(self, name: str) -> Assignment:
        """Read and check one assignment; raises InputError that names the file, the field and the remedy."""
        names = self.names()
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names) or 'none'}."
            raise InputError(f"there is no assignment {name!r}; {hint}")
        path = self.assignments / name / "assignment.yaml"
        for file_name in (MODEL_FILE, BASELINE_FILE, ORACLE_FILE):
            if not (self.reference / name / file_name).is_file():
                raise InputError(f"{self.reference / name / file_name} is missing; every assignment needs it.")
        return _parse(path, {"name": name, "folder": path.parent, "reference": self.reference / name})


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}.") from error


def _parse(path: Path, place: dict[str, Any]) -> Assignment:
    try:
        fields = yaml.safe_load(_read(path))
    except yaml.YAMLError as error:
        raise InputError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(fields, dict):
        raise InputError(f"{path}: must hold fields such as `title:` and `kernel:`, but holds {type(fields).__name__}.")
    try:
        return Assignment.model_validate({**fields, **place})
    except ValidationError as error:
        # an unknown field is often a missing one misspelt: name it first
        first, *others = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        more = f" (and {len(others)} more)" if others else ""
        raise InputError(f"{path}: {_describe(first)}{more}") from error


REMEDIES = {
    "missing": "add it",
    "extra_forbidden": "remove it, or correct its spelling",
}


def _describe(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    message = error["msg"].removeprefix("Value error, ")
    remedy = REMEDIES.get(error["type"])
    text = f"{where}: {message}" if where else message
    return f"{text}; {remedy}." if remedy else f"{text}."
