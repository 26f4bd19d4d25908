"""Feasibility of a computation at some sizes: every expression has a usable value."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from grader.common.errors import InputError
from grader.common.phrases import sizes_in_words
from grader.course.by_value import numbers_in
from grader.course.computation import Computation
from grader.course.criteria import Sizes
from grader.course.elements import ELEMENTS, Element
from grader.course.expressions import Expression, evaluate, evaluate_int
from grader.course.launches import Buffer, Launch, LocalArray
from grader.course.read_values import elements_of
from grader.course.run_sequence import FillAt, LaunchAt, RunSequence
from grader.course.structs import Struct
from grader.protocol.steps import TURNS


def check_feasible(computation: Computation, limits: Iterable[str | float], sizes: Sizes) -> None:
    """Evaluate every expression of a computation, and the limits of its checks, at these sizes. Raises ValueError with
    the first expression that cannot be used.
    """
    if set(sizes) != set(computation.sizes):
        raise ValueError(f"a case must specify the sizes {', '.join(computation.sizes)} and no others, not {sizes}")
    if any(size < 1 for size in sizes.values()):
        raise ValueError(f"sizes must be at least 1, not {sizes_in_words(sizes)}")
    try:
        names = computation.names(sizes)
        _check_positive(_amounts(computation), names, sizes)
        for sequence in (computation.sequence(sizes), computation.baseline_sequence(sizes)):
            _check_sequence(computation, sequence, sizes)
        for number in (*_numbers(computation), *limits):
            evaluate(number, names)
        _check_constant(computation, sizes)
    except InputError as error:
        raise ValueError(str(error).rstrip(".")) from error


def _amounts(computation: Computation) -> Iterator[Expression]:
    """Yield the expressions that must be positive whole numbers."""
    arrays: tuple[Buffer | LocalArray, ...] = (*computation.buffers.values(), *computation.local.values())
    yield from (extent for array in arrays for extent in array.shape)
    yield from [computation.repeat.times] if computation.repeat else []


def _numbers(computation: Computation) -> Iterator[str | float]:
    """Yield the expressions that may be any numbers."""
    yield from (number for name in computation.stated_scalars for number in numbers_in(computation.scalars[name].value))
    yield from (buffer.tolerance.amount for buffer in computation.buffers.values() if buffer.tolerance)
    yield from [computation.repeat.until.below] if computation.repeat and computation.repeat.until else []


def _check_positive(amounts: Iterable[Expression], names: Mapping[str, object], sizes: Sizes) -> None:
    """Raise ValueError if an expression that must be a positive whole number is not one."""
    for amount in amounts:
        if evaluate_int(amount, names) < 1:
            raise ValueError(f'"{amount}" is less than 1 at {sizes_in_words(sizes)}')


def _check_sequence(computation: Computation, sequence: RunSequence, sizes: Sizes) -> None:
    """Raise ValueError or InputError if a launch, a fill, a scalar or a repetition is impossible."""
    for step in sequence.steps:
        if isinstance(step, FillAt):
            _check_fit(
                f"a fill of {step.buffer}", computation.element(computation.buffers[step.buffer].type), step.value
            )
    if not sequence.launches:
        raise InputError(
            f"the program launches no kernel at {sizes_in_words(sizes)}; choose larger sizes, or change its loops."
        )
    for launch in sequence.launches:
        _check_launch(computation, launch)
    for name in computation.stated_scalars:
        with _explaining(f"the scalar {name} at {sizes_in_words(sizes)}"):
            computation.content(name, sizes)
    if sequence.repeat is not None:
        times = evaluate_int(sequence.repeat.times, computation.names(sizes))
        if not 1 <= times <= TURNS:
            raise InputError(
                f"a repetition has {times:,} iterations at {sizes_in_words(sizes)}; state from 1 to {TURNS:,}."
            )


def _check_launch(computation: Computation, step: LaunchAt) -> None:
    """Raise ValueError if a size of the launch is impossible, and InputError if a number does not fit into uint."""
    names = computation.names(step.sizes)
    _check_positive(_amounts_of(step.launch), names, step.sizes)
    for element in elements_of(step.launch, computation.scalars):
        computation.index_of(element, step.sizes)
    for name in (*step.sizes, *computation.values):
        _check_fit(f"{name} at {sizes_in_words(step.sizes)}", ELEMENTS["uint"], evaluate_int(name, names))


def _amounts_of(launch: Launch) -> Iterator[Expression]:
    """Expressions of a launch that must be positive whole numbers."""
    yield from (*launch.global_size, *launch.local_size, *(launch.extent or ()))
    yield from [launch.optional_local] if launch.optional_local is not None else []


def _check_constant(computation: Computation, sizes: Sizes) -> None:
    """Raise ValueError if an array in constant memory is too large for some device."""
    for name, buffer in computation.buffers.items():
        size = computation.bytes_of(name, sizes)
        if buffer.space == "constant" and size > CONSTANT_BYTES:
            raise ValueError(
                f"the buffer {name} has {size:,} bytes at {sizes_in_words(sizes)}, but constant memory has "
                f"{CONSTANT_BYTES:,}; make it smaller, or leave out `space`"
            )


def _check_fit(what: str, element: Element | Struct, value: float) -> None:
    """Raise InputError if a value does not fit the type in which kernels get it."""
    with _explaining(what):
        element.pattern(value)


@contextmanager
def _explaining(what: str) -> Iterator[None]:
    """Add the location and the next step to the message about a value that does not fit its type."""
    try:
        yield
    except InputError as error:
        reason = str(error).removesuffix(".")
        raise InputError(f"{what}: {reason}; change the expression or the type.") from error


CONSTANT_BYTES = 2**16
"""Bytes of constant memory that every device has for one argument (OpenCL 3.0 specification, table of device queries,
CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)."""
