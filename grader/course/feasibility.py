"""Feasibility of a computation at some sizes: every expression has a usable value."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from grader.common.errors import InputError
from grader.common.phrases import count, sizes_in_words
from grader.course.computation import Computation
from grader.course.criteria import Case, Sizes
from grader.course.elements import ELEMENTS, Element
from grader.course.expressions import Expression, evaluate, evaluate_int
from grader.course.launches import Buffer, Launch, LocalArray
from grader.course.places import InvalidFieldError, at
from grader.course.read_values import elements_of
from grader.course.run_sequence import FillAt, LaunchAt, RunSequence
from grader.course.structs import Struct

DIMENSIONS = 3
"""Maximum number of dimensions of a launch."""

CONSTANT_BYTES = 2**16
"""Bytes of constant memory that every device has for one argument (OpenCL 3.0 specification, table of device queries,
CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)."""


def check_feasible(computation: Computation, limits: Iterable[tuple[str, str | float]], sizes: Sizes) -> None:
    """Evaluate every expression of a computation, and the limits of its checks, at these sizes. Each limit comes
    with the path of its field. Raises InputError about the first expression that cannot be used.
    """
    if set(sizes) != set(computation.sizes):
        raise InputError(f"a case must specify the sizes {', '.join(computation.sizes)} and no others, not {sizes}.")
    if any(size < 1 for size in sizes.values()):
        raise InputError(f"sizes must be at least 1, not {sizes_in_words(sizes)}.")
    for name, size in sizes.items():
        _check_fit(f"{name} at {sizes_in_words(sizes)}", ELEMENTS["uint"], size)
    names = computation.names(sizes)
    for place, array in _placed_arrays(computation):
        with at(place):
            _check_amounts(array.shape, names, sizes)
    if computation.repeat is not None:
        with at("repeat"):
            _check_amounts((computation.repeat.times,), names, sizes)
    for name in computation.stated_scalars:
        with at(f"scalars.{name}"), _explaining(f"the scalar {name} at {sizes_in_words(sizes)}"):
            computation.content(name, sizes)
    for field, sequence in {
        "program": computation.sequence(sizes),
        "baseline_program": computation.baseline_sequence(sizes),
    }.items():
        with at(field if getattr(computation, field) else "repeat"):
            _check_sequence(computation, sequence, sizes)
    for place, expression in (*_numbers(computation), *limits):
        with at(place):
            evaluate(expression, names)
    _check_constant(computation, sizes)


def check_alone(computation: Computation, case: Case) -> None:
    """Raise InputError if a case runs a kernel alone that the program does not launch."""
    if case.alone and computation.has_surroundings:
        raise InputError(f"the case {case.name} runs a kernel alone, which launches with solution_of do not allow.")
    if case.alone and case.alone not in {step.launch.kernel for step in computation.sequence(case.sizes).launches}:
        raise InputError(
            f"the case {case.name} runs {case.alone} alone, which the program does not launch at "
            f"{sizes_in_words(case.sizes)}; correct the kernel or the sizes."
        )


def check_launched(computation: Computation, kernels: Iterable[str], sizes: Sizes) -> None:
    """Raise InputError if `performance.kernels` names a kernel that the timed program does not launch."""
    launched = {step.launch.kernel for step in computation.sequence(sizes).launches}
    for kernel in kernels:
        if kernel not in launched:
            raise InvalidFieldError(
                f"performance.kernels.{kernel}",
                f"performance.kernels has {kernel}, which the program does not launch at {sizes_in_words(sizes)}; "
                "correct the kernel or the sizes.",
            )


def _placed_arrays(computation: Computation) -> Iterator[tuple[str, Buffer | LocalArray]]:
    yield from ((f"buffers.{name}", buffer) for name, buffer in computation.buffers.items())
    yield from ((f"local.{name}", array) for name, array in computation.local.items())


def _numbers(computation: Computation) -> Iterator[tuple[str, str | float]]:
    """Yield each expression that may be any number, with the path of its field."""
    for name, buffer in computation.buffers.items():
        if buffer.tolerance:
            yield f"buffers.{name}.tolerance", buffer.tolerance.amount
    if computation.repeat and computation.repeat.until:
        yield "repeat.until", computation.repeat.until.below


def _check_sequence(computation: Computation, sequence: RunSequence, sizes: Sizes) -> None:
    """Raise InputError if a launch or a fill is impossible."""
    for step in sequence.single_steps:
        if isinstance(step, FillAt):
            with at(step.field):
                element = computation.element_of(step.buffer)
                _check_fit(f"a fill of {step.buffer}", element, step.value)
    if not sequence.launches:
        raise InputError(
            f"the program launches no kernel at {sizes_in_words(sizes)}; choose larger sizes, or change its loops."
        )
    for launch in sequence.launches:
        _check_launch(computation, launch)


def _check_launch(computation: Computation, step: LaunchAt) -> None:
    """Raise InputError if a size of the launch is impossible, or if a number does not fit into uint."""
    names = computation.names(step.sizes)
    with at(step.field):
        _check_amounts(_amounts_of(step.launch), names, step.sizes)
        _check_groups(computation, step, names)
        for element in elements_of(step.launch, computation.scalars):
            computation.index_of(element, step.sizes)
    for name in (*step.sizes, *computation.values):
        _check_fit(f"{name} at {sizes_in_words(step.sizes)}", ELEMENTS["uint"], evaluate_int(name, names))


def _check_groups(computation: Computation, step: LaunchAt, names: Mapping[str, object]) -> None:
    """Raise InputError if the work-items of a launch do not form whole work-groups."""
    launch = step.launch
    if len(launch.global_size) != len(launch.local_size) or len(launch.global_size) > DIMENSIONS:
        raise InputError(
            f"the launch of {launch.kernel} has {count(len(launch.global_size), 'dimension')} in `global` and "
            f"{len(launch.local_size)} in `local`; give both the same number, at most {DIMENSIONS}."
        )
    if launch.kernel in computation.choices.launches:
        return  # grading/checks/compilation/choices.py compares sizes that students may choose
    whole, group = ([evaluate_int(each, names) for each in of] for of in (launch.global_size, launch.local_size))
    if any(items % size for items, size in zip(whole, group, strict=True)):
        raise InputError(
            f"the launch of {launch.kernel} has {_by(whole)} work-items at {sizes_in_words(step.sizes)}, which are "
            f"not whole work-groups of {_by(group)}; use ceil_to in `global`."
        )


def _check_constant(computation: Computation, sizes: Sizes) -> None:
    """Raise InputError if an array in constant memory is larger than every device allows."""
    for name, buffer in computation.buffers.items():
        size = computation.bytes_of(name, sizes)
        if buffer.space == "constant" and size > CONSTANT_BYTES:
            raise InvalidFieldError(
                f"buffers.{name}",
                f"the buffer {name} has {size:,} bytes at {sizes_in_words(sizes)}, but constant memory has "
                f"{CONSTANT_BYTES:,}; make it smaller, or leave out `space`.",
            )


def _amounts_of(launch: Launch) -> Iterator[Expression]:
    """Expressions of a launch that must be positive whole numbers."""
    yield from (*launch.global_size, *launch.local_size, *(launch.extent or ()))
    yield from [launch.optional_local] if launch.optional_local is not None else []


def _by(extents: Iterable[int]) -> str:
    return " x ".join(map(str, extents))


def _check_amounts(amounts: Iterable[Expression], names: Mapping[str, object], sizes: Sizes) -> None:
    """Raise InputError if a quantity that must be a positive whole number is not one."""
    for amount in amounts:
        if evaluate_int(amount, names) < 1:
            raise InputError(f'"{amount}" is less than 1 at {sizes_in_words(sizes)}.')


def _check_fit(what: str, element: Element | Struct, value: float) -> None:
    """Raise InputError if a value does not fit the type in which kernels get it."""
    with _explaining(what):
        element.pattern(value)


@contextmanager
def _explaining(what: str) -> Iterator[None]:
    """Add the location and the next step to the message about a value that does not fit its type. A student can choose
    only the sizes, an author can change all three.
    """
    try:
        yield
    except InputError as error:
        reason = str(error).removesuffix(".")
        raise InputError(f"{what}: {reason}; choose other sizes, or change the expression or the type.") from error
