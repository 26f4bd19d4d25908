"""Structs as element types: their fields, their layout by the rules of C, and their definition in OpenCL C.

This module does not import NumPy, which is slow to load.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pydantic import Field

from grader.common.errors import InputError
from grader.common.record import Record
from grader.course.elements import BY_NAME, ELEMENTS, SCALARS, WORD_BYTES, Element, NumberType, Size
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

    fields: dict[str, NumberType] = Field(min_length=1)
    """Types of the fields by name, in the order of the struct: numbers or vectors."""

    packed: bool = False
    """True for a struct without padding (`__attribute__((packed))`)."""

    def contradictions(self, name: str) -> Iterator[Contradiction]:
        """Yield each name or type that the struct called `name` cannot have."""
        if not is_name(name):
            words = f"a struct cannot have the name {name}, which is a type, a keyword or not valid; choose another"
            yield Contradiction(f"structs.{name}", words)
        for field, kind in self.fields.items():
            place = f"structs.{name}.fields.{field}"
            if not is_name(field):
                words = f"the struct {name} has the field {field}, which is a type, a keyword or not valid; rename it"
                yield Contradiction(place, words)
            if kind not in ELEMENTS:
                yield Contradiction(
                    place,
                    f"the field {field} of the struct {name} has the type {kind}; write one of {', '.join(SCALARS)}, "
                    "or a vector of them such as float4 (a field cannot be a struct)",
                )


@dataclass(frozen=True)
class StructField:
    """A field of a struct, with its offset in bytes from the beginning of the struct."""

    name: str
    element: Element
    type: str
    """Name of the type in OpenCL C."""
    offset: int


@dataclass(frozen=True)
class Struct:
    """A struct with its layout. Its properties do not depend on the values of elements."""

    name: str
    members: tuple[StructField, ...]
    packed: bool

    lanes = 1
    shape = ()

    @property
    def alignment(self) -> int:
        """Alignment: the address of each element is a multiple of this number of bytes."""
        return 1 if self.packed else max(member.element.bytes for member in self.members)

    @property
    def bytes(self) -> int:
        """Size of an element with the padding at its end."""
        last = self.members[-1]
        return _rounded(last.offset + last.element.bytes, self.alignment)

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
        attribute = "__attribute__((packed)) " if self.packed else ""
        fields = " ".join(f"{member.type} {member.name};" for member in self.members)
        return f"struct {attribute}{self.name} {{ {fields} }}"


def laid_out(name: str, stated: StructFields) -> Struct:
    """Return the struct with its layout. A vector of three takes as much space as one of four."""
    members: list[StructField] = []
    end = 0
    for field, kind in stated.fields.items():
        element = ELEMENTS[kind]
        offset = end if stated.packed else _rounded(end, element.bytes)
        members.append(StructField(name=field, element=element, type=kind, offset=offset))
        end = offset + element.bytes
    return Struct(name=name, members=tuple(members), packed=stated.packed)


def _rounded(size: int, step: int) -> int:
    return -(-size // step) * step


def _word(unit: int) -> Element:
    """Return the type whose poison fills the bands around arrays of structs, which is float if its size fits."""
    return ELEMENTS["float" if unit == WORD_BYTES else {2: "ushort", 1: "uchar"}[unit]]
