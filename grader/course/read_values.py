"""Values that the worker reads from arrays just before a launch: elements such as `rows[n]` or `counts[0]`.

An argument by value may be an element of an array, and so may the number of work-items of a launch. A kernel may have
written it, so it may be any number. The worker bounds the number of work-items (worker/opencl/sequence.py).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.course.by_value import Value
from grader.course.elements import ELEMENTS
from grader.course.launches import Buffer, Launch, Scalar
from grader.course.places import Contradiction
from grader.course.program import Fill, Program, launches_in, steps_in, swaps_in

ELEMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*\[(.+)\]\s*")


@dataclass(frozen=True)
class ElementOf:
    """An element of an array. `index` is an expression. The elements of all dimensions are counted together."""

    array: str
    index: str


def element_of(value: Value | None) -> ElementOf | None:
    """Return the element that a value names, or None if it is a number or an expression."""
    found = ELEMENT.fullmatch(value) if isinstance(value, str) else None
    return None if found is None else ElementOf(*found.groups())


def elements_of(launch: Launch, scalars: Mapping[str, Scalar]) -> Iterator[ElementOf]:
    """Yield the elements that a launch needs."""
    for value in (*(scalars[arg].value for arg in launch.args if arg in scalars), launch.items):
        element = element_of(value)
        if element is not None:
            yield element


def unreadable(
    scalars: Mapping[str, Scalar], launches: Mapping[str, Launch], buffers: Mapping[str, Buffer]
) -> Iterator[Contradiction]:
    """Yield each value that cannot be read from the array that it names. The keys of `launches` are paths."""
    for name, scalar in scalars.items():
        for words in _unreadable(name, scalar, buffers):
            yield Contradiction(f"scalars.{name}", words)
    for place, launch in launches.items():
        if launch.items is not None:
            yield from (Contradiction(f"{place}.items", words) for words in _uncountable(launch, buffers))


def _unreadable(name: str, scalar: Scalar, buffers: Mapping[str, Buffer]) -> Iterator[str]:
    """Yield a message if a scalar cannot be read from the array that it names."""
    element = element_of(scalar.value)
    if element is None:
        return
    what = f"the scalar {name} is an element of {element.array}"
    if element.array not in buffers:
        yield f"{what}, which is not a buffer; correct the name"
    elif buffers[element.array].image is not None:
        yield f"{what}, which is an image; use an array"
    elif buffers[element.array].type != scalar.type:
        yield f"{what}, whose elements have type {buffers[element.array].type}, not {scalar.type}; use one type"


def _uncountable(launch: Launch, buffers: Mapping[str, Buffer]) -> Iterator[str]:
    """Yield a message if a launch cannot take its number of work-items from the array that it names."""
    element, what = element_of(launch.items), f"`items` of the launch of {launch.kernel} is {launch.items}"
    if element is None:
        yield f"{what}, which is not an element of an array; write one such as count[0]"
    elif element.array not in buffers:
        yield f"{what}, but {element.array} is not a buffer; correct the name"
    else:
        kind = ELEMENTS.get(buffers[element.array].type)
        if buffers[element.array].image is not None or kind is None or kind.is_floating or kind.lanes > 1:
            yield f"{what}, but {element.array} is not an array of whole numbers; use one, such as an array of uint"


def unwritten(
    scalars: Mapping[str, Scalar], program: Program, launches: Mapping[str, Launch], buffers: Mapping[str, Buffer]
) -> Iterator[Contradiction]:
    """Yield each launch that reads an element of an array that no step writes, or of a swapped array. The keys
    of `launches` are their paths.
    """
    steps = program or tuple(launches.values())
    filled = {step.fill for step in steps_in(steps) if isinstance(step, Fill)}
    written = filled.union(arg for launch in launches_in(steps) for arg in launch.args)
    moved = {name for pair in swaps_in(steps) for name in pair}
    read = ((place, each.array) for place, launch in launches.items() for each in elements_of(launch, scalars))
    for place, array in read:
        if array in moved:
            words = f"a launch reads an element of {array}, which changes places; use an array that does not"
            yield Contradiction(place, words)
        elif array in buffers and buffers[array].data is None and array not in written:
            words = f"a launch reads an element of {array}, which no kernel writes; pass it to one, or add `data`"
            yield Contradiction(place, words)
