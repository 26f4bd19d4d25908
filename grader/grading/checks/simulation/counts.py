"""Counts of memory accesses and branches in the simulator. They depend only on the source and the sizes, so they are
equal on a laptop and on a server.

Reads of arrays that an assignment has in constant memory count apart from reads of global memory. The simulator keeps
the arguments of a kernel in global memory, even if a parameter is `__constant`. The judge knows which arguments are in
constant memory, because the assignment decides it. A kernel could store its own values in such an array. So if any
launch writes to it, it counts as global memory in all launches.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import Sizes
from grader.course.rubric import Memory
from grader.execution.client import Worker
from grader.grading.checks.simulation.model_run import model_at
from grader.grading.checks.simulation.simulated_run import Simulated, SimulatedRun, Subject, run_at, seen_in
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.oclgrind import CONSTANT, GLOBAL, LOCAL
from grader.protocol.messages import Simulation
from grader.protocol.observation import SeenAccess, SeenKernel, SeenPixels
from grader.results.metrics import Access, Branch, ImageUse, Need, Profile

NUMBER = 1
"""Number of this simulated run, from which its inputs are derived."""

SPACES: dict[int, Literal["global", "constant", "local"]] = {GLOBAL: "global", CONSTANT: "constant", LOCAL: "local"}
"""Names of the address spaces."""


@dataclass(frozen=True, kw_only=True)
class Counted:
    """The counts of a kernel, and the run in which it was counted."""

    profile: Profile
    run: Simulated


def memory_run(subject: Subject, asked: Memory) -> SimulatedRun:
    """Return the run for the counts. The order of work-items does not change the counts of a right kernel, unless it
    retries operations, as a lock does.
    """
    return run_at(subject, asked.sizes, NUMBER, "mixed")


def count_memory(run: SimulatedRun, simulation: Simulation) -> Counted | Problem:
    """Run the submission once in the simulator and count; return a Problem if it did not finish."""
    seen = seen_in(run)
    if isinstance(seen, Problem):
        return seen
    profile = _profile(run.subject.task.assignment, seen, simulation)
    launched = replace(profile, work_items=_work_items(run.subject.built.task.assignment, run.trial.sizes))
    return Counted(profile=launched, run=seen)


def _work_items(assignment: Assignment, sizes: Sizes) -> int:
    """Number of work-items of the largest launch."""
    return max(prod(assignment.items(each, each.global_size, sizes)) for each in assignment.student_launches)


def needs(run: SimulatedRun, ours: Worker) -> tuple[Need, ...]:
    """Traffic of the model solution at the sizes of the run; none in a student kit. `ours` simulates it."""
    seen = model_at(run, NUMBER, ours)
    if seen is None:
        return ()
    asked = Counter[tuple[str, Literal["reads", "writes"]]]()
    for each in _accesses(seen):
        if each.space == "global":
            asked[each.array, each.does] += each.bytes
    return tuple(Need(array=array, does=does, bytes=number) for (array, does), number in asked.items())


def _profile(assignment: Assignment, seen: Simulated, simulation: Simulation) -> Profile:
    """The counts of all launches together."""
    accesses = tuple(_accesses(seen))
    used = [each for each in accesses if each.space == "global"]
    return Profile(
        sizes=seen.sizes,
        **simulation.model_dump(),
        accesses=accesses,
        branches=tuple(
            Branch(line=each.line, reached=each.reached, diverged=each.diverged)
            for kernel in seen.kernels
            for each in kernel.branches
        ),
        flop=sum(kernel.flop for kernel in seen.kernels),
        read=sum(each.bytes for each in used if each.does == "reads"),
        written=sum(each.bytes for each in used if each.does == "writes"),
        moved=sum(each.sectors for each in used) * simulation.sector,
        compulsory=assignment.least_traffic(seen.sizes),
        images=tuple(_image_use(each) for kernel in seen.kernels for each in kernel.images),
        busiest=_busiest(seen),
        private=_private(seen),
    )


def _busiest(seen: Simulated) -> dict[str, int]:
    """Words of the busiest work-item of each launch, added up for each kernel."""
    words = Counter[str]()
    for launched in seen.kernels:
        words[launched.kernel] += launched.busiest
    return dict(words)


def _private(seen: Simulated) -> dict[str, int]:
    """Bytes of private memory of a work-item, the most in any launch of each kernel."""
    most: dict[str, int] = {}
    for launched in seen.kernels:
        most[launched.kernel] = max(launched.private, most.get(launched.kernel, 0))
    return most


def _image_use(seen: SeenPixels) -> ImageUse:
    does: Literal["reads", "writes"] = "writes" if seen.writes else "reads"
    return ImageUse(**seen.model_dump(exclude={"writes"}), does=does)


def _accesses(seen: Simulated) -> Iterator[Access]:
    """Yield the accesses of all launches, with reads of arrays in constant memory apart."""
    for kernel in with_constant_arrays(seen.kernels, seen.constants):
        yield from map(_access, kernel.accesses)


def _access(seen: SeenAccess) -> Access:
    counts = seen.model_dump(exclude={"space", "writes"})
    return Access(**counts, space=SPACES[seen.space], does="writes" if seen.writes else "reads")


def with_constant_arrays(
    kernels: Sequence[SeenKernel], constants: Sequence[Mapping[str, int]]
) -> tuple[SeenKernel, ...]:
    """Move reads of arrays in constant memory to that address space, in the records of all launches.

    `constants` has the bytes of these arrays for each launch, by their names in the kernel.
    """
    pairs = list(zip(kernels, constants, strict=True))
    written = {buffer for kernel in kernels for buffer in _written(kernel)}
    return tuple(_moved(kernel, set(_read_only(kernel, own, written))) for kernel, own in pairs)


def _written(kernel: SeenKernel) -> Iterator[int]:
    """Numbers of the arrays in global memory that a launch writes."""
    names = {each.array for each in kernel.accesses if each.writes and each.space == GLOBAL}
    yield from (each.buffer for each in kernel.arrays if each.space == GLOBAL and each.name in names)


def _read_only(kernel: SeenKernel, constants: Mapping[str, int], written: set[int]) -> Iterator[str]:
    """Names of the arrays that are in constant memory in a launch."""
    for each in kernel.arrays:
        if each.space == GLOBAL and constants.get(each.name) == each.size and each.buffer not in written:
            yield each.name


def _moved(kernel: SeenKernel, names: set[str]) -> SeenKernel:
    if not names:
        return kernel
    return kernel.model_copy(update={"accesses": tuple(_in_space(each, names) for each in kernel.accesses)})


def _in_space(access: SeenAccess, names: set[str]) -> SeenAccess:
    is_constant = access.space == GLOBAL and access.array in names
    return access.model_copy(update={"space": CONSTANT}) if is_constant else access
