"""An assignment as its two folders describe it: assignments/NAME/ for all to see, reference/NAME/ for the grader.

assignments/NAME/  assignment.yaml   kernels.cl (skeleton)        README.md (the handout)
reference/NAME/    kernels.cl (model solution)   baseline.cl (naive)   oracle.py (NumPy)
"""

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from grader.errors import InputError
from grader.expressions import Expression, evaluate, evaluate_int
from grader.forbidden import Construct
from grader.record import Record
from grader.rubric import Correctness, DeviceClass, Memory, Performance, Sanitizer, Sizes

ELEMENT_BYTES = 4
"""Bytes of a buffer element and of a size argument: all exercises of the course use float and uint."""


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

    model_config = ConfigDict(populate_by_name=True)

    kernel: str
    args: tuple[str, ...]
    global_size: tuple[Expression, ...] = Field(alias="global")
    local_size: tuple[Expression, ...] = Field(alias="local")
    optional_local: Expression | None = None
    extent: tuple[Expression, ...] | None = None
    solution_of: str | None = None


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
            unknown = sorted(goal.constants.keys() - self.constants.keys())
            if unknown:
                raise ValueError(f"a speed goal has the constant {unknown[0]}, which `constants` does not name")
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

    def timed_on(self, kind: DeviceClass) -> "Assignment":
        """The same with the constants that are timed on a class of devices."""
        return self.model_copy(update={"constants": {**self.constants, **self.performance.classes[kind].constants}})

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
        return {name: read_text(path) for name, path in sources.items()}

    @property
    def skeleton(self) -> str:
        """The kernels.cl that students start from."""
        return read_text(self.folder / MODEL_FILE)

    def source(self, file_name: str) -> str:
        """Text of a file of the reference folder."""
        return read_text(self.reference / file_name)


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


def read_text(path: Path) -> str:
    """The text of a file of a course; raises InputError that names the file and the reason."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}.") from error
