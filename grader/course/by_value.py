"""Values of arguments that kernels get by value: numbers, vectors and structs.

A number stands for itself or, for a vector, for all its numbers. Otherwise, a vector is a list of numbers, and a struct
is a mapping from its fields to their values.
"""

from collections.abc import Iterator, Mapping, Sequence

from grader.common.errors import InputError
from grader.course.elements import Element
from grader.course.expressions import evaluate
from grader.course.structs import Struct

Number = str | float
"""A number, or an expression over sizes and constants."""

Value = Number | tuple[Number, ...] | dict[str, Number | tuple[Number, ...]]
"""A value as assignment.yaml states it."""


def misfits(element: Element | Struct, value: Value) -> Iterator[str]:
    """Yield what is wrong with the form of a value of this type."""
    if isinstance(element, Element):
        if isinstance(value, dict) or (isinstance(value, tuple) and len(value) != element.lanes):
            form = "a number" if element.lanes == 1 else f"a list of {element.lanes} numbers"
            yield f"must be {form} for the type {element.spelling}"
        elif isinstance(value, tuple) and element.lanes == 1:
            yield f"must be a number for the type {element.spelling}"
        return
    names = [member.name for member in element.members]
    if not isinstance(value, dict) or {*value} != {*names}:
        yield f"must be a mapping with the fields {', '.join(names)} of {element.name}"
        return
    for member in element.members:
        yield from (f"{member.name} {why}" for why in misfits(member.element, value[member.name]))


def numbers_in(value: Value) -> Iterator[Number]:
    """Yield all numbers and expressions of a value."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from numbers_in(each)
    elif isinstance(value, tuple):
        yield from value
    else:
        yield value


def content(element: Element | Struct, value: Value, names: Mapping[str, object]) -> bytes:
    """Return the bytes of a value, with zeros as padding. Raises InputError for a number that its type cannot hold."""
    if isinstance(element, Struct):
        assert isinstance(value, Mapping)
        made = bytearray(element.bytes)
        for member in element.members:
            made[member.offset : member.offset + member.element.bytes] = content(
                member.element, value[member.name], names
            )
        return bytes(made)
    stated: Sequence[Number] = value if isinstance(value, tuple) else (value,) * element.lanes  # type: ignore[assignment]
    packed = b"".join(element.pattern(evaluate(each, names)).to_bytes(element.unit, "little") for each in stated)
    return packed.ljust(element.bytes, b"\0")


def number(name: str, value: Value) -> Number:
    """Return the value of an argument of one number."""
    if isinstance(value, str | int | float):
        return value
    raise InputError(f"the scalar {name} is not a number.")
