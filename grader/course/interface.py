"""Interface of the kernels of an assignment: their name, the macros and structs that they use, and their arguments."""

from collections.abc import Iterator, Mapping
from keyword import iskeyword
from math import prod
from typing import Any

from pydantic import Field, model_validator

from grader.common.errors import InputError
from grader.common.phrases import count, sizes_in_words
from grader.common.record import Record
from grader.course.by_value import content, misfits, number
from grader.course.criteria import Sizes
from grader.course.elements import ELEMENTS, REAL, SCALARS, Element
from grader.course.expressions import Expression, evaluate, evaluate_int
from grader.course.images import FORMATS, Sampler
from grader.course.launches import Buffer, LocalArray, Scalar
from grader.course.places import Contradiction, at, invalid
from grader.course.read_values import ElementOf, element_of
from grader.course.structs import Struct, StructFields, all_laid_out, self_containing
from grader.protocol.steps import ImageSpec


class Interface(Record):
    """Names, types and arguments of the kernels. The methods return values and layouts of arguments at given sizes."""

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

    @model_validator(mode="before")
    @classmethod
    def _with_types_for_real(cls, fields: Any) -> Any:
        return without_real(fields) if isinstance(fields, dict) else fields

    @model_validator(mode="after")
    def _consistent_types(self) -> "Interface":
        for problem in self._misnamed_types():  # the other checks use the types
            raise invalid(problem.place, problem.words)
        for problem in self._misfits():
            raise invalid(problem.place, problem.words)
        return self

    def _misnamed_types(self) -> Iterator[Contradiction]:
        """Yield each struct that is not valid in OpenCL C, and each type that does not exist."""
        for name, stated in self.structs.items():
            yield from stated.contradictions(name, self.structs)
            for word in (name, *stated.fields):
                if word in self.constants:
                    words = f"{word} is a constant, and a name in the struct {name}; rename one"
                    yield Contradiction(f"structs.{name}", words)
        yield from self_containing(self.structs)
        yield from self._keywords()
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

    def _keywords(self) -> Iterator[Contradiction]:
        """Yield each argument of oracle.py whose name cannot be a parameter in Python."""
        for name, place in self._arguments_by_place():
            if iskeyword(name):
                words = f"oracle.py gets {name} as an argument, but `{name}` is a Python keyword; rename it"
                yield Contradiction(place, words)

    def _arguments_by_place(self) -> Iterator[tuple[str, str]]:
        """Yield the names of the arguments of oracle.py, with their paths in the file."""
        yield from ((name, "sizes") for name in self.sizes)
        for field in ("constants", "buffers", "scalars", "values"):
            yield from ((name, f"{field}.{name}") for name in getattr(self, field))

    def _misfits(self) -> Iterator[Contradiction]:
        """Yield each array and each argument by value that contradicts its type."""
        for name, buffer in self.buffers.items():
            for words in buffer.contradictions(self.element(buffer.type)):
                yield Contradiction(f"buffers.{name}", f"the buffer {name} {words}")
        for name in self.stated_scalars:
            scalar = self.scalars[name]
            for words in misfits(self.element(scalar.type), scalar.value):
                yield Contradiction(f"scalars.{name}", f"the scalar {name} {words}")

    def names(self, sizes: Sizes) -> dict[str, object]:
        """Return the names that expressions may use: constants, sizes, and values."""
        names: dict[str, object] = {**self.constants, **sizes}
        for name, value in self.values.items():
            with at(f"values.{name}"):
                names[name] = evaluate_int(value, names)
        return names

    def known(self, sizes: Sizes) -> dict[str, object]:
        """Return the arguments of oracle.py that are numbers: constants, sizes, and scalars of one number."""
        names = self.names(sizes)
        stated = filter(self.is_number, self.stated_scalars)
        scalars = {name: number(name, self.scalars[name].value) for name in stated}
        return {**names, **{name: evaluate(value, names) for name, value in scalars.items()}}

    @property
    def definitions(self) -> dict[str, str]:
        """Constants as macros for building kernels."""
        return {name: str(value) for name, value in self.constants.items()}

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
        return all_laid_out(self.structs)[kind] if kind in self.structs else ELEMENTS[kind]

    def element_of(self, buffer: str) -> Element | Struct:
        """Return the type of the elements of an array."""
        return self.element(self.buffers[buffer].type)

    def numbers_of(self, buffer: str) -> Element:
        """Return the type of an array of numbers or vectors."""
        return ELEMENTS[self.buffers[buffer].type]

    @property
    def laid_out_structs(self) -> tuple[Struct, ...]:
        """The structs with their layouts. Each struct comes after the structs that it contains."""
        return tuple(all_laid_out(self.structs).values())

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


def _unknown(kind: str, others: str) -> str:
    """Return the message about a type that does not exist. `others` names types that are possible besides numbers."""
    if kind.rstrip("0123456789") == REAL:
        return f"`constants` does not define {REAL} as a floating type; write `{REAL}: float` or `{REAL}: double` there"
    return f"there is no type {kind}; write one of {', '.join(SCALARS)}, a vector of them such as float4{others}"


TYPED = ("buffers", "scalars", "local")
"""Sections of assignment.yaml with a field `type` for each name."""


def without_real(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of assignment.yaml with the named type in place of `real`. An exercise changes its precision in
    one line if its arrays have this type. The fields are unchanged if no constant names a floating type.
    """
    constants = fields.get("constants")
    named = constants.get(REAL) if isinstance(constants, dict) else None
    if not isinstance(named, str) or named not in SCALARS or not SCALARS[named].is_floating:
        return dict(fields)
    changed = {section: _each(fields.get(section), lambda each: _typed(each, named)) for section in TYPED}
    changed["structs"] = _each(fields.get("structs"), lambda each: _fielded(each, named))
    return {**fields, **{section: value for section, value in changed.items() if section in fields}}


def _each(named: Any, change: Any) -> Any:
    """Apply a change to each value of a mapping. Anything else is returned unchanged for the validation."""
    return {name: change(value) for name, value in named.items()} if isinstance(named, dict) else named


def _typed(value: Any, named: str) -> Any:
    return {**value, "type": _resolved(value["type"], named)} if isinstance(value, dict) and "type" in value else value


def _fielded(value: Any, named: str) -> Any:
    if not isinstance(value, dict) or "fields" not in value:
        return value
    return {**value, "fields": _each(value["fields"], lambda kind: _resolved(kind, named))}


def _resolved(kind: Any, named: str) -> Any:
    is_real = isinstance(kind, str) and kind.rstrip("0123456789") == REAL
    return f"{named}{kind.removeprefix(REAL)}" if is_real else kind
