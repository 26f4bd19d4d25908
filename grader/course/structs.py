"""Structs as element types: their fields, their layout by the rules of C, and their definition in OpenCL C.

This module does not import NumPy, which is slow to load.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from pydantic import Field

from grader.common.errors import InputError
from grader.common.record import Record
from grader.course.elements import BY_NAME, ELEMENTS, SCALARS, WORD_BYTES, Element, ElementType, Size
from grader.course.places import Contradiction

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")

KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool
global local constant private generic kernel pipe uniform __global __local __constant __private __kernel
read_only write_only read_write image1d_t image2d_t image3d_t sampler_t event_t
size_t ptrdiff_t intptr_t uintptr_t uint32_t real
"""
RESERVED = frozenset(KEYWORDS.split())
"""Keywords of OpenCL C (specification of version 1.2, section 6.1.9), and types that it or the course defines."""


def is_name(word: str) -> bool:
    """Return True if OpenCL C allows this name for a field or a struct."""
    is_identifier = word.isascii() and IDENTIFIER.fullmatch(word) is not None
    return is_identifier and word not in RESERVED and word not in BY_NAME


class StructFields(Record):
    """A struct as assignment.yaml states it."""

    fields: dict[str, ElementType] = Field(min_length=1)
    """Types of the fields by name, in the order of the struct: numbers, vectors or other structs."""

    packed: bool = False
    """True for a struct without padding (`__attribute__((packed))`)."""

    def contradictions(self, name: str, structs: Mapping[str, "StructFields"]) -> Iterator[Contradiction]:
        """Yield each name or type that the struct called `name` cannot have. `structs` has all structs by name."""
        if not is_name(name):
            words = f"a struct cannot have the name {name}, which is a type, a keyword or not valid; choose another"
            yield Contradiction(f"structs.{name}", words)
        for field, kind in self.fields.items():
            place = f"structs.{name}.fields.{field}"
            if not is_name(field):
                words = f"the struct {name} has the field {field}, which is a type, a keyword or not valid; rename it"
                yield Contradiction(place, words)
            if kind not in ELEMENTS and kind not in structs:
                yield Contradiction(
                    place,
                    f"the field {field} of the struct {name} has the type {kind}; write one of {', '.join(SCALARS)}, "
                    "a vector of them such as float4, or a name from `structs`",
                )


@dataclass(frozen=True)
class StructField:
    """A number or a vector in a struct, with its offset in bytes from the beginning of the struct."""

    name: str
    """Name of the field. If the field is in an inner struct, its path, such as `box.width`."""
    element: Element
    type: str
    """Name of the type in OpenCL C."""
    offset: int


@dataclass(frozen=True, kw_only=True)
class Struct:
    """A struct with its layout. Its properties do not depend on the values of elements."""

    name: str

    members: tuple[StructField, ...]
    """All numbers and vectors, including those of inner structs."""

    stated: StructFields

    alignment: int
    """The address of each element is a multiple of this number of bytes."""

    bytes: int
    """Size of an element with the padding at its end."""

    lanes = 1
    shape = ()

    @property
    def inner(self) -> tuple[str, ...]:
        """Names of the structs that are types of its fields."""
        return tuple(kind for kind in self.stated.fields.values() if kind not in ELEMENTS)

    @property
    def unit(self) -> Size:
        """Size of the patterns that fill the bands around an array."""
        return next(unit for unit in (4, 2, 1) if self.bytes % unit == 0)

    @property
    def spelling(self) -> str:
        """Name in the course's files."""
        return self.name

    @property
    def names(self) -> frozenset[str]:
        """Names by which drivers report the type of a parameter."""
        return frozenset({self.name, f"struct {self.name}"})

    def pattern(self, value: float) -> int:
        """Bits of one unit in an array that is filled with this value, which must be 0."""
        if value != 0:
            raise InputError(f"an array of {self.name} can be filled only with 0.")
        return 0

    @property
    def poison(self) -> int:
        """Bits of a unit in the bands around outputs."""
        return _word(self.unit).poison

    @property
    def input_poison(self) -> int:
        """Bits of a unit in the bands around inputs."""
        return _word(self.unit).input_poison

    @cached_property
    def unwritten(self) -> bytearray:
        """Content of an element that no kernel has written: the poison of each field, and zeros between fields."""
        content = bytearray(self.bytes)
        for member in self.members:
            element = member.element
            pattern = element.poison.to_bytes(element.unit, "little") * (element.bytes // element.unit)
            content[member.offset : member.offset + element.bytes] = pattern
        return content

    @property
    def tag(self) -> str:
        """The definition of `struct NAME` in OpenCL C."""
        return f"{self._specifier};"

    @property
    def definition(self) -> str:
        """The definition of both `NAME` and `struct NAME` in OpenCL C."""
        return f"typedef {self._specifier} {self.name};"

    @property
    def _specifier(self) -> str:
        attribute = "__attribute__((packed)) " if self.stated.packed else ""
        types = {kind: f"struct {kind}" for kind in self.inner}
        fields = " ".join(f"{types.get(kind, kind)} {field};" for field, kind in self.stated.fields.items())
        return f"struct {attribute}{self.name} {{ {fields} }}"


def self_containing(structs: Mapping[str, StructFields]) -> Iterator[Contradiction]:
    """Yield a field because of which a struct contains itself."""
    try:
        _order(structs)
    except CycleError as error:
        kind, name, *_ = error.args[1]
        field = next(field for field, each in structs[name].fields.items() if each == kind)
        what = f"the field {field} of the struct {name} has the type {kind}"
        yield Contradiction(f"structs.{name}.fields.{field}", f"{what}, so {name} contains itself; choose another type")


def all_laid_out(structs: Mapping[str, StructFields]) -> dict[str, Struct]:
    """Return the structs with their layouts. Each struct follows the structs that it contains, as OpenCL C requires."""
    found: dict[str, Struct] = {}
    for name in _order(structs):
        found[name] = laid_out(name, structs[name], found)
    return found


def _order(structs: Mapping[str, StructFields]) -> tuple[str, ...]:
    """Return the names of the structs, in their order if none contains another. Raises CycleError."""
    contained = {name: [kind for kind in each.fields.values() if kind in structs] for name, each in structs.items()}
    return tuple(TopologicalSorter(contained).static_order())


def laid_out(name: str, stated: StructFields, structs: Mapping[str, Struct]) -> Struct:
    """Return the struct with its layout. A vector of three takes as much space as one of four. `structs` contains the
    types of its fields that are structs.
    """
    members: list[StructField] = []
    end, alignment = 0, 1
    for field, kind in stated.fields.items():
        element = structs[kind] if kind in structs else ELEMENTS[kind]
        step = 1 if stated.packed else _alignment(element)
        offset = _rounded(end, step)
        members.extend(_members(field, kind, element, offset))
        end, alignment = offset + element.bytes, max(alignment, step)
    return Struct(name=name, members=tuple(members), stated=stated, alignment=alignment, bytes=_rounded(end, alignment))


def _alignment(element: Element | Struct) -> int:
    return element.alignment if isinstance(element, Struct) else element.bytes


def _members(field: str, kind: str, element: Element | Struct, offset: int) -> Iterator[StructField]:
    """Yield the numbers and vectors of a field that begins at this offset."""
    if isinstance(element, Element):
        yield StructField(name=field, element=element, type=kind, offset=offset)
        return
    for member in element.members:
        yield replace(member, name=f"{field}.{member.name}", offset=offset + member.offset)


def _rounded(size: int, step: int) -> int:
    return -(-size // step) * step


def _word(unit: int) -> Element:
    """Return the type whose poison fills the bands around arrays of structs, which is float if its size fits."""
    return ELEMENTS["float" if unit == WORD_BYTES else {2: "ushort", 1: "uchar"}[unit]]
