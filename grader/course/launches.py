"""What an assignment launches: kernels, their arguments, and how often; as assignment.yaml writes it."""

from collections.abc import Iterator
from typing import Literal

from pydantic import ConfigDict, Field

from grader.common.record import Record
from grader.course.expressions import Expression

ELEMENT_BYTES = 4
"""Bytes of an element and of a scalar argument: all types below have 32 bits."""

ElementType = Literal["float", "int", "uint"]
DataKind = Literal["numbers", "integers", "bits", "zeros", "made"]
Role = Literal["input", "output", "updated", "scratch"]


class Buffer(Record):
    """An array in global memory. With `data` the judge fills it; without, launches do."""

    shape: tuple[Expression, ...]
    """Elements along each dimension, the last of them contiguous."""

    type: ElementType = "float"
    """Of an element; `float` is the `real` of the kernels."""

    data: DataKind | None = None
    """What it is filled with. `numbers`: uniform in [-1, 1), int from -32768 to 32767, uint up to 65535. `integers`:
    whole numbers from -8 to 8 (uint: 0 to 16). `bits`: bit patterns of finite numbers, for kernels that only
    move data. `zeros`. `made`: by the function `inputs` of oracle.py."""

    role: Role | None = None
    """`input` (if it has data): must not change. `output` (if it has none): must be what the oracle says. `updated`:
    has data, and must become what the oracle says. `scratch`: may change, and nobody looks at it."""

    @property
    def part(self) -> Role:
        """The role that it has, also where none is written."""
        return self.role or ("output" if self.data is None else "input")

    def contradictions(self) -> Iterator[str]:
        """What cannot be meant."""
        if self.data is None and self.part in {"input", "updated"}:
            yield f"is {self.part} but has no data; add it"
        if self.data is not None and self.part == "output":
            yield "has data, so it is no output; call it updated"
        if self.data == "bits" and self.type != "float":
            yield "cannot have the data bits, which are for floats; choose another kind"

    @property
    def is_judged(self) -> bool:
        """Whether the oracle must say what is in it."""
        return self.part in {"output", "updated"}


class Scalar(Record):
    """An argument passed by value, beside the sizes, which are uint."""

    type: ElementType = "float"
    """Of the kernel's parameter."""

    value: str | float
    """A number, or an expression over sizes and constants."""


class LocalArray(Record):
    """An argument in local memory: `__local real *name`."""

    shape: tuple[Expression, ...]
    """Elements along each dimension."""

    type: ElementType = "float"
    """Of an element."""


class Launch(Record):
    """One kernel launch."""

    model_config = ConfigDict(populate_by_name=True)

    kernel: str
    """Name of the kernel."""

    args: tuple[str, ...]
    """Buffers, sizes, scalars and local arrays, in the order of the kernel's parameters."""

    global_size: tuple[Expression, ...] = Field(alias="global")
    """Work-items in each dimension."""

    local_size: tuple[Expression, ...] = Field(alias="local")
    """Work-items of a work-group in each dimension."""

    optional_local: Expression | None = None
    """Elements of a trailing `__local real *` parameter, which the kernel may declare or leave out."""

    extent: tuple[Expression, ...] | None = None
    """How many work-items of each dimension have something to do; those beyond are there to fill the last group."""

    solution_of: str | None = None
    """Makes it a step of ours: it runs the model solution of that assignment, before or after the student's steps."""

    def of_sizes(self, global_size: tuple[Expression, ...], local_size: tuple[Expression, ...]) -> "Launch":
        """The same with other sizes, all of whose work-items may have something to do."""
        # not by replace(), since mypy knows these two by the names that they have in YAML
        return self.model_copy(update={"global_size": global_size, "local_size": local_size, "extent": None})


class Until(Record):
    """When to stop repeating: after the turn in which a sum is small."""

    sum: str
    """A buffer of floats, whose words are added up."""

    below: str | float
    """The sum at which it is enough."""


class Repeat(Record):
    """How often the launches are repeated, as a whole."""

    times: Expression
    """Turns, at most; often a size, such as `iterations`."""

    swap: tuple[tuple[str, str], ...] = ()
    """Pairs [old, new] of arrays that change places after each turn; at the end, the last result is in `new`."""

    until: Until | None = None
    """A convergence test."""


class Choices(Record):
    """What is left to students, who state it in a comment of kernels.cl (grading/checks/choices.py)."""

    constants: dict[str, tuple[int, ...]] = Field(default={})
    """Values that a constant may be given; where none is stated, it is the one in `constants`."""

    launches: tuple[str, ...] = ()
    """Kernels whose global and local sizes must be stated; those in `launches` are the model solution's."""
