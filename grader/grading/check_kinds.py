"""Registry of the kinds of checks.

Each kind has a section in the rubric of an assignment (course/rubric.py) and a module that makes its checks. The
correctness cases and the timed rounds have phases of their own. The checks of all other kinds are made after the shown
cases.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from grader.course.assignment import Assignment
from grader.course.rubric import AskedCheck, Correctness, Kind, Memory, Sanitizer, Section, SpeedGoals
from grader.course.speed_goals import device_class
from grader.grading.checks import correctness, memory, sanitizer
from grader.grading.checks.simulation.simulator_runs import Tested, Watched
from grader.grading.timing import performance
from grader.protocol.messages import DeviceFacts
from grader.results.check import Check, full_marks
from grader.results.result import Result

Observe = Callable[[Tested, Watched], Watched]
"""Function that makes the checks of one kind. It receives the checks of earlier kinds, and returns them together with
its own.
"""


@dataclass(frozen=True, kw_only=True)
class CheckKind:
    """A kind of check.

    `rescored` returns the checks of a stored result as the current version of the assignment scores them. `observe`
    makes the checks after the cases. It is None if they are made in a separate phase.
    """

    section: type[Section]
    rescored: Callable[[Result, Assignment], Iterable[Check]]
    observe: Observe | None = None


CHECK_KINDS = (
    CheckKind(section=Correctness, rescored=correctness.rescored),
    CheckKind(section=Sanitizer, rescored=sanitizer.rescored, observe=sanitizer.observe),
    CheckKind(section=Memory, rescored=memory.rescored, observe=memory.observe),
    CheckKind(section=SpeedGoals, rescored=performance.rescored),
)


def observers(assignment: Assignment) -> Iterator[tuple[Section, Observe]]:
    """Yield the sections whose checks are made after the cases, each with the function that makes them."""
    made = {kind.section: kind.observe for kind in CHECK_KINDS if kind.observe is not None}
    return ((section, made[type(section)]) for section in assignment.sections if type(section) in made)


def unobserved_checks(assignment: Assignment, device: DeviceFacts) -> Iterator[Check]:
    """Yield the checks that are made after the cases, as if they had passed. They do not include the check of speed."""
    return (check for section, _ in observers(assignment) for check in checks_of(section, device))


def checks_of(section: Section, device: DeviceFacts) -> Iterator[Check]:
    """Yield the checks of a section as if they had passed."""
    return map(full_marks, section.asked(device_class(device)))


def untimed_checks(assignment: Assignment, device: DeviceFacts) -> tuple[Check, ...]:
    """Return the check of speed as if it had passed; empty if the assignment does not check speed."""
    return () if assignment.performance is None else (performance.unmeasured(assignment, device),)


def left_out(assignment: Assignment) -> Iterator[Check]:
    """Yield the hidden checks that a student kit omits, one for each kind, as if they had passed."""
    return (
        full_marks(AskedCheck(kind=Kind(kind), label="hidden", points=points))
        for kind, points in assignment.left_out.items()
    )


def rescored_checks(result: Result, assignment: Assignment) -> Iterator[Check]:
    """Yield all checks except the build check, as this version of the assignment scores them."""
    return chain.from_iterable(kind.rescored(result, assignment) for kind in CHECK_KINDS)
