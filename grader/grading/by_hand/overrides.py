"""Applies the sizes, constants and launch sizes that a user sets by hand.

Values set by hand override the values in assignment.yaml, in its section for the device's class, and in the submission.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from grader.common.errors import InputError
from grader.common.phrases import count
from grader.common.record import replace
from grader.course.assignment import Assignment, ByHand, Chosen
from grader.course.criteria import Case, Sizes
from grader.course.launches import Launch
from grader.course.speed_goals import device_class, speed_goal
from grader.course.submissions.submission import Submission
from grader.grading.checks.compilation.choices import chosen, unfit_launches
from grader.grading.explain.problem import Problem
from grader.protocol.messages import DeviceFacts


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """Values of sizes and constants by name, and the launch sizes of `kernel`. A launch size of None is unchanged."""

    kernel: str
    sizes: Sizes = field(default_factory=dict)
    constants: Mapping[str, str | int] = field(default_factory=dict)
    global_size: tuple[str, ...] | None = None
    local_size: tuple[str, ...] | None = None


def to_run(assignment: Assignment, submission: Submission, wanted: Overrides, device: DeviceFacts) -> ByHand | Problem:
    """Convert the assignment to one that has only the launch by hand, on this device. Its only case has the sizes of
    this launch.

    Sizes and constants come from the timed run, unless the submission states others or the user sets others by hand.
    Raises InputError if they are not valid.
    """
    sizes = {**_usual_sizes(assignment, device), **wanted.sizes}
    settled = settle(assignment.timed_as_chosen(device_class(device)), submission, wanted)
    if isinstance(settled, Problem):
        return settled
    _check(assignment.with_constants(settled.constants), sizes, device)
    launch = replace(
        settled,
        correctness=replace(settled.correctness, cases=(Case(name="by hand", sizes=sizes),)),
        sanitizer=None,
        memory=None,
        performance=None if settled.performance is None else replace(settled.performance, classes={}),
    )
    run = ByHand(Chosen(launch))
    return unfit_launches(run, run.student_launches, device) or run


def _usual_sizes(assignment: Assignment, device: DeviceFacts) -> Sizes:
    """The sizes that are timed on this device. If the assignment does not check speed, returns the sizes of the largest
    shown case.
    """
    if assignment.performance is not None:
        return speed_goal(assignment, device).sizes
    return max((case.sizes for case in assignment.correctness.shown), key=lambda sizes: prod(sizes.values()))


def settle(assignment: Assignment, submission: Submission, wanted: Overrides) -> Chosen | Problem:
    """The assignment after all choices have been applied. Choices by hand override choices of the submission."""
    by_hand = [size for size in (wanted.global_size, wanted.local_size) if size is not None]
    stated = [name for name in assignment.choices.launches if name != wanted.kernel or len(by_hand) < 2]
    as_stated = chosen(_leaving(assignment, stated), submission)
    if isinstance(as_stated, Problem):
        return as_stated
    settled: Assignment = as_stated
    if by_hand:
        launches = tuple(_relaunched(launch, wanted) for launch in settled.launches)
        settled = _leaving(replace(settled, launches=launches), [*stated, wanted.kernel])
    return Chosen(settled.with_constants(wanted.constants))


def _leaving(assignment: Assignment, kernels: Iterable[str]) -> Assignment:
    """The assignment in which students choose the launch sizes of these kernels and of no others."""
    choices = replace(assignment.choices, launches=tuple(dict.fromkeys(kernels)))
    return replace(assignment, choices=choices)


def _relaunched(launch: Launch, wanted: Overrides) -> Launch:
    if launch.solution_of is not None or launch.kernel != wanted.kernel:
        return launch
    global_size, local_size = wanted.global_size or launch.global_size, wanted.local_size or launch.local_size
    if len(global_size) != len(local_size):
        raise InputError(
            f"{launch.kernel} would have {count(len(global_size), 'dimension')} in its global size and "
            f"{len(local_size)} in its local size; give both the same number, with --global and --local."
        )
    return launch.of_sizes(global_size, local_size)


def _check(assignment: Assignment, sizes: Sizes, device: DeviceFacts) -> None:
    """Raise InputError if a value is undefined at these sizes, if there are too many repetitions, or if the arrays do
    not fit.
    """
    assignment.check_at(sizes)
    needed = sum(assignment.bytes_of(buffer, sizes) for buffer in assignment.buffers)
    if needed > device.global_memory:
        raise InputError(
            f"the arrays would take {needed * 1e-9:.1f} GB, but {device.name} has "
            f"{device.global_memory * 1e-9:.1f} GB of memory: use smaller sizes."
        )
