"""The launches of an assignment as written in assignment.yaml: kernels, their arguments, and repetition."""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from grader.common.record import Record
from grader.course.by_value import Value
from grader.course.elements import Element, ElementType
from grader.course.expressions import Expression
from grader.course.images import FORMATS, FormatName
from grader.course.structs import Struct
from grader.course.tolerance import Tolerance

DataKind = Literal["numbers", "integers", "bits", "zeros", "made"]
Role = Literal["input", "output", "updated", "scratch"]
Space = Literal["global", "constant"]


class Buffer(Record):
    """An array in global memory, or an image. With `data`, the judge fills it; otherwise, launches fill it."""

    shape: tuple[Expression, ...]
    """Number of elements along each dimension. The elements of the last dimension are contiguous."""

    type: ElementType = "float"
    """Type of the elements: a type of numbers, of vectors, or a struct. `float` is called `real` in the kernels."""

    image: FormatName | None = None
    """Format of the pixels if the array is an image. It determines `type`. In NumPy, an image has the shape
    [height, width] or [depth, height, width], with one more dimension if it has several channels."""

    data: DataKind | None = None
    """Kind of data. `numbers` are uniform in [-1, 1), for int from -32768 to 32767, and for uint up to 65535.
    `integers` are whole numbers from -8 to 8 (uint: 0 to 16). `bits` are bit patterns of finite numbers, for kernels
    that only move data. `zeros` are all zero. `made` data come from the function `inputs` in oracle.py.
    """

    tolerance: Tolerance | None = None
    """Rule by which this array counts as right, instead of the one of `correctness`."""

    role: Role | None = None
    """Role in the launches. An `input` (default with data) must not change. An `output` (default without data) must
    equal the oracle's array. `updated` arrays have data and must become the oracle's array. `scratch` arrays may change
    and are not checked.
    """

    space: Space = "global"
    """Memory that the exercise means for this array. Kernels should declare an input in `constant` memory as
    `__constant`. Then its reads do not count as reads of global memory. This is the assignment's decision, because
    otherwise a kernel could hide its reads by declaring arrays as `__constant`.
    """

    @model_validator(mode="before")
    @classmethod
    def _with_type_of_format(cls, fields: Any) -> Any:
        """Fill in the type of an image's elements."""
        stated = fields.get("image") if isinstance(fields, dict) else None
        if not isinstance(stated, str) or stated not in FORMATS:
            return fields
        element = FORMATS[stated].type
        if fields.get("type", element) != element:
            raise ValueError("the format of an image determines its type; leave out `type`")
        return {**fields, "type": element}

    @property
    def part(self) -> Role:
        """The role, or the default if no role is given."""
        return self.role or ("output" if self.data is None else "input")

    def contradictions(self, element: Element | Struct) -> Iterator[str]:
        """Yield the contradictions between the fields, for elements of this type."""
        if self.data is None and self.part in {"input", "updated"}:
            yield f"is {self.part} but has no data; add `data`"
        if self.data is not None and self.part == "output":
            yield "has data, so it is not an output; call it updated"
        if self.data == "bits" and (isinstance(element, Struct) or element.dtype != "float32"):
            yield "cannot have the data bits, which are for floats; choose another kind"
        if self.space == "constant" and (self.part != "input" or self.image is not None):
            yield "is no array that kernels only read, as constant memory requires; leave out `space`"
        if self.image is not None:
            yield from self._impossible_image()

    def _impossible_image(self) -> Iterator[str]:
        """Yield the fields of an image that grader does not support."""
        if len(self.shape) not in {2, 3}:
            yield "is an image, so its shape must be [height, width], or [depth, height, width] for a 3D image"
        if self.part == "updated":
            yield "is an image, which a kernel cannot read and write; use two images, an input and an output"
        if self.data == "bits":
            yield "is an image, and devices may change bit patterns when they read one; choose other data than bits"

    @property
    def is_deep(self) -> bool:
        """True for a 3D image."""
        return self.image is not None and len(self.shape) == 3

    @property
    def is_judged(self) -> bool:
        """True if the oracle must provide the right values of this array."""
        return self.part in {"output", "updated"}


class Scalar(Record):
    """An argument that is passed by value, in addition to the sizes, which are uint."""

    type: ElementType = "float"
    """Type of the kernel's parameter."""

    value: Value
    """A number, or an expression over sizes and constants. A vector has a list of them, or one value for all its
    numbers. A struct has a mapping from its fields to their values. Or an element of an array, such as `rows[n]`, which
    is read before each launch.
    """


class LocalArray(Record):
    """An argument in local memory: `__local real *name`."""

    shape: tuple[Expression, ...]
    """Number of elements along each dimension."""

    type: ElementType = "float"
    """Type of the elements."""


class Launch(Record):
    """One kernel launch."""

    model_config = ConfigDict(populate_by_name=True)

    kernel: str
    """Name of the kernel."""

    args: tuple[str, ...]
    """Buffers, sizes, scalars, local arrays and samplers, in the order of the kernel's parameters."""

    global_size: tuple[Expression, ...] = Field(alias="global")
    """Number of work-items in each dimension."""

    local_size: tuple[Expression, ...] = Field(alias="local")
    """Number of work-items of a work-group in each dimension."""

    items: str | None = None
    """An element of an array of whole numbers, such as `count[0]`, which an earlier kernel wrote: the number of
    work-items in the first dimension. It is rounded up to whole work-groups, at least one, and at most `global`.
    """

    optional_local: Expression | None = None
    """Number of elements of a trailing `__local real *` parameter. The kernel may declare it or leave it out."""

    extent: tuple[Expression, ...] | None = None
    """Number of work-items that do work, in each dimension. The others only fill up the last work-group."""

    solution_of: str | None = None
    """Name of another assignment. The launch then runs the model solution of that assignment, before or after the
    student's steps.
    """

    def of_sizes(self, global_size: tuple[Expression, ...], local_size: tuple[Expression, ...]) -> "Launch":
        """Return a copy with other sizes and without an extent, so that all work-items may do work."""
        # replace() does not work here, because mypy knows these two fields only by their names in YAML
        return self.model_copy(update={"global_size": global_size, "local_size": local_size, "extent": None})


class Until(Record):
    """Condition that ends the repetition: the sum of an array is small after an iteration."""

    sum: str
    """Buffer of floats whose elements are summed."""

    below: str | float
    """Bound on the sum. The repetition ends when the sum is below it."""


class Repeat(Record):
    """Repetition of the whole sequence of launches."""

    times: Expression
    """Maximum number of iterations, often a size such as `iterations`."""

    swap: tuple[tuple[str, str], ...] = ()
    """Pairs [old, new] of arrays that are swapped after each iteration. At the end, the last result is in `new`."""

    until: Until | None = None
    """Convergence test."""


class Choices(Record):
    """Choices that are left to students, who state them in a comment in kernels.cl.

    grading/checks/compilation/choices.py reads the comment.
    """

    constants: dict[str, tuple[int, ...]] = Field(default={})
    """Allowed values of each constant. If a student states no value, the value in `constants` is used."""

    launches: tuple[str, ...] = ()
    """Kernels whose global and local sizes students must state. `launches` contains the model solution's sizes for
    them.
    """
