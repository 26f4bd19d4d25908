"""`grader show`: what an assignment asks for, in words."""

from collections.abc import Iterator

from grader.assignment import Assignment, Launch
from grader.diagnosis import sizes_in_words
from grader.signature import expected_signature


def describe(assignment: Assignment) -> str:
    """The contract, the cases and the points, as text."""
    return "\n".join(_lines(assignment)) + "\n"


def _lines(assignment: Assignment) -> Iterator[str]:
    yield f"{assignment.title} ({assignment.name}), {assignment.points:g} points"
    yield ""
    for launch in assignment.student_launches:
        yield f"  {expected_signature(assignment, launch)}"
        yield f"      global {_extent(launch.global_size)}, local {_extent(launch.local_size)}"
        yield from _extras(assignment, launch)
    yield f"  constants: {', '.join(f'{name}={value}' for name, value in assignment.constants.items())}"
    yield ""
    yield f"  correctness, {assignment.correctness.points:g} points"
    for case in assignment.correctness.cases:
        yield f"      {case.name}: {sizes_in_words(case.sizes)}, {case.data} data"
    for kind, goal in assignment.performance.classes.items():
        yield f"  performance on a {kind} at {sizes_in_words(goal.sizes)}"
        for band in goal.bands:
            yield f"      {band.points:g} points from {100 * band.fraction:g} % of the model solution's speed"
        for device, rate in goal.minimum.items():
            yield f"      on {device} at least {rate:g} {assignment.performance.unit}"


def _extent(sizes: tuple[str | int, ...]) -> str:
    return "(" + ", ".join(str(size) for size in sizes) + ")"


def _extras(assignment: Assignment, launch: Launch) -> Iterator[str]:
    if launch.optional_local is not None:
        yield f"      a last parameter `__local real *` of {launch.optional_local} elements is supplied if declared"
    if launch.kernel == assignment.kernel and assignment.aliases:
        yield f"      also accepted as {', '.join(assignment.aliases)}"
