"""Memory behaviour: the counts of the simulator, and the assignment's checks of them.

The counts depend only on the source and the sizes, so a laptop and a GPU server get equal counts.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Literal

from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.elements import WORD_BYTES
from grader.course.expressions import evaluate
from grader.course.rubric import Measure, Memory, MemoryCheck
from grader.grading.checks.simulated_run import CUT_OFF, Simulated, SimulatedRun, Subject, run_at, seen_in
from grader.grading.explain.failures import returns_problem, unwrap
from grader.grading.explain.problem import Problem
from grader.protocol.messages import Order, Simulation
from grader.protocol.observation import SeenAccess
from grader.results.metrics import Access, Branch, Profile
from grader.results.result import Check, Kind, Reason, full_marks

NUMBER = 1
"""Number of the simulated run, which determines its inputs."""

SPACES: dict[int, Literal["global", "constant", "local"]] = {1: "global", 2: "constant", 3: "local"}
"""Address spaces, as LLVM numbers them for OpenCL."""

TOLERANCE = 1e-9
"""Relative tolerance of a limit, for the rounding errors of ratios."""


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Counts of a kernel, the problem of its results (None if they are right), and the steps of its longest launch."""

    profile: Profile
    problem: Problem | None
    steps: int


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Measured quantity, with the reason, the words and the cause to report if it exceeds the limit."""

    value: float
    reason: Reason
    what: str
    cause: str


def memory_run(subject: Subject, asked: Memory, order: Order = "mixed") -> SimulatedRun:
    """Return the run that counts. The order changes no counts of a right kernel, unless it retries, as a lock does."""
    return run_at(subject, asked.sizes, NUMBER, order)


@returns_problem
def count_memory(run: SimulatedRun, simulation: Simulation) -> Counted:
    """Run the submission once on the simulator and count; return a Problem if it did not finish."""
    seen = unwrap(seen_in(run))
    return Counted(
        profile=_profile(run.subject.task.assignment, seen, simulation), problem=seen.problem, steps=seen.steps
    )


def _profile(assignment: Assignment, seen: Simulated, simulation: Simulation) -> Profile:
    """Counts of all launches together."""
    accesses = tuple(_access(each) for kernel in seen.kernels for each in kernel.accesses)
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
    )


def check_memory(assignment: Assignment, asked: Memory, counted: Profile | Problem) -> Iterator[Check]:
    """Make the check of each statement of the assignment about memory behaviour; a Problem makes all of them fail.

    If the counted kernel is not the submitted one, because a barrier was added, the first check says so.
    """
    note = "" if isinstance(counted, Problem) else _with_barrier(counted)
    for check, each in zip(uncounted(asked), asked.checks, strict=True):
        if isinstance(counted, Problem):
            yield counted.fail(check)
        else:
            judged = _judged(check, each, evaluate(each.at_most, assignment.names(asked.sizes)), counted)
            yield replace(judged, message=f"{note}{judged.message}")
            note = ""


def uncounted(asked: Memory) -> Iterator[Check]:
    """Checks as if they had passed, for a submission that does not get to run."""
    return (full_marks(Kind.MEMORY, each.points, each.name) for each in asked.checks)


def usable(counted: Counted | Problem) -> Profile | Problem:
    """Return the counts if the results of the kernel were right, otherwise the reason why the counts mean nothing."""
    if isinstance(counted, Problem):
        return _uncounted(counted.message)
    if counted.problem == CUT_OFF:
        return _uncounted("the simulator stopped the kernel before its end.")
    if counted.problem is not None:
        return _uncounted(f"in the simulator, {counted.problem.message}")
    return counted.profile


def _uncounted(why: str) -> Problem:
    """Problem of counts that were not made; another check reports the mistake."""
    return Problem(reason=Reason.NOT_RUN, message=f"not counted: {why}")


def _judged(check: Check, each: MemoryCheck, limit: float, counted: Profile) -> Check:
    """Compare a measure with its limit; the message has both and, above the limit, the way to get below it."""
    reading = MEASURES[each.measure](counted)
    words = f"{reading.what}; the limit is {_number(limit)}."
    if reading.value <= limit * (1 + TOLERANCE):
        return replace(check, message=words)
    return Problem(reason=reading.reason, message=f"{words} {reading.cause}", detail=each.teaches).fail(check)


def _with_barrier(counted: Profile) -> str:
    """Sentence about the barrier that was added; empty without one."""
    if counted.barrier_after is None:
        return ""
    return f"counted with a barrier after line {counted.barrier_after}, which ends the data race; "


# --- what can be measured ---------------------------------------------------------------------


def _coalescing(counted: Profile) -> Reading:
    """Sum of the task's least traffic and all unused bytes, divided by the least traffic.

    Accesses that waste nothing do not compensate for accesses that do.
    """
    if not counted.unused:
        what = "every byte of the moved sectors is used, which is a ratio of 1"
        return Reading(value=1.0, reason=Reason.UNCOALESCED, what=what, cause="")
    least = max(1, counted.compulsory)
    ratio = 1 + counted.unused / least
    worst = max(_global(counted), key=attrgetter("unused"))
    moved, wasted = (_number(total / worst.requests) for total in (worst.sectors, worst.unused))
    return Reading(
        value=ratio,
        reason=Reason.UNCOALESCED,
        what=f"{_use(worst)}: a warp moves {moved} sectors of {counted.sector} bytes at a time and leaves {wasted} "
        f"bytes of them unused. The least traffic is {least:,} bytes; with all {counted.unused:,} unused bytes, it is "
        f"{_number(ratio)} times as large",
        cause=_closer(worst),
    )


def _closer(access: Access) -> str:
    """Advice against sectors with many unused bytes."""
    if access.stride is not None and 0 < abs(access.stride) <= WORD_BYTES:
        return "Neighbouring work-items access neighbouring words here, but only a part of a warp does so at a time."
    return "Work-items that are neighbours in get_local_id(0) should access neighbouring words of a row."


def _use(access: Access) -> str:
    """Words for an access in the source, and the distance between its accesses by neighbouring work-items."""
    return f"{_place(access.line)} {access.does} {access.array}{_apart(access)}"


def _bank_conflicts(counted: Profile) -> Reading:
    """Most words of one bank in a request to local memory; words of one vector do not conflict and count as one."""
    local = [each for each in counted.accesses if each.space == "local"]
    if not local:
        return Reading(value=0.0, reason=Reason.BANK_CONFLICT, what="no local memory is used", cause="")
    worst = max(local, key=attrgetter("conflicts"))
    words = 1 + worst.conflicts
    if words == 1:
        what = "the words of local memory that a warp uses at a time lie in different banks, 1 in each"
        return Reading(value=1.0, reason=Reason.BANK_CONFLICT, what=what, cause="")
    return Reading(
        value=words,
        reason=Reason.BANK_CONFLICT,
        what=f"{_use(worst)}: {_number(words)} words of a warp lie in the same one of {counted.banks} banks and are "
        "served one after another",
        cause=_other_banks(worst),
    )


NEAR = 4 * WORD_BYTES
"""Largest distance in bytes at which words of neighbouring work-items are taken to lie in one row."""


def _other_banks(access: Access) -> str:
    """Advice against words in one bank."""
    if access.stride is not None and abs(access.stride) <= NEAR:
        return f"Work-items that are neighbours in get_local_id(0) should use neighbouring words of {access.array}."
    return f"Make the rows of {access.array} one word longer: then the words of a column lie in different banks."


def _words(counted: Profile, does: Literal["reads", "writes"]) -> Reading:
    """Number of words of global memory that all work-items together ask for."""
    total = counted.read if does == "reads" else counted.written
    used = sorted((each for each in _global(counted) if each.does == does), key=attrgetter("bytes"), reverse=True)
    words = Counter[tuple[str, int]]()
    for each in used:
        words[each.array, each.line] += each.bytes // WORD_BYTES
    if not used:
        return Reading(value=0.0, reason=Reason.EXTRA_TRAFFIC, what=f"it {does} no global memory", cause="")
    most = [f"{number:,} of {array} in {_place(line)}" for (array, line), number in words.most_common(NAMED)]
    return Reading(
        value=total / WORD_BYTES,
        reason=Reason.EXTRA_TRAFFIC,
        what=f"it {does} {total // WORD_BYTES:,} words of global memory, {', '.join(most)}",
        cause=_remedy(counted, used[0]) if does == "reads" else "Store a result once, when it is complete.",
    )


def _words_moved(counted: Profile) -> Reading:
    """Number of words of global memory in the sectors moved, so that uncoalesced accesses count by their share of all.

    A few uncoalesced accesses can be right: a work-item may read one word of its row, such as the diagonal's element.
    """
    total = counted.moved / WORD_BYTES
    what = f"it moves sectors with {_number(total)} words of global memory"
    worst = max(_global(counted), key=lambda each: each.sectors - each.fewest, default=None)
    if worst is None or worst.sectors == worst.fewest:
        return Reading(
            value=total, reason=Reason.EXTRA_TRAFFIC, what=what, cause="All of them are used: access fewer words."
        )
    each, fewest = (_number(sectors / worst.requests) for sectors in (worst.sectors, worst.fewest))
    return Reading(
        value=total,
        reason=Reason.UNCOALESCED,
        what=f"{what}; {_use(worst)}: a warp moves {each} sectors of {counted.sector} bytes at a time where {fewest} "
        "would hold its words",
        cause=_closer(worst),
    )


def _remedy(counted: Profile, most: Access) -> str:
    """Advice against too many reads."""
    made = {each.array for each in _global(counted) if each.does == "writes"}
    read_back = sum(each.bytes for each in _global(counted) if each.array in made and each.does == "reads")
    if read_back >= NOTABLE * counted.read:
        return "Keep in a variable what a work-item wrote itself, instead of reading it back."
    return (
        f"Read each word of {most.array} only once: into a variable, or into local memory if several work-items need "
        "it."
    )


NOTABLE = 0.25
"""Least share of words read back among all words read for which the advice is not to read back. With a smaller share,
the excess lies elsewhere."""

NAMED = 3
"""Number of uses of arrays that a sentence about traffic names, the costliest first."""


def _divergence(counted: Profile) -> Reading:
    """Number of times that work-items of a warp take different ways at a branch."""
    worst = max(counted.branches, key=attrgetter("diverged"), default=Branch(line=0, reached=0, diverged=0))
    if not worst.diverged:
        what = "the work-items of a warp never diverge"
        return Reading(value=0.0, reason=Reason.WARP_DIVERGENCE, what=what, cause="")
    where = f"line {worst.line}" if worst.line else "a line that the file hides from the simulator"
    return Reading(
        value=counted.diverged,
        reason=Reason.WARP_DIVERGENCE,
        what=f"the work-items of a warp diverge {counted.diverged:,} times, most often in {where} "
        f"({worst.diverged:,} times)",
        cause="Make conditions the same for neighbouring work-items.",
    )


def _mostly_idle(counted: Profile) -> Reading:
    """Number of requests to global and local memory in which fewer than half of the lanes of a warp take part."""
    if not counted.mostly_idle:
        what = "at least half of a warp's work-items take part in every memory request"
        return Reading(value=0.0, reason=Reason.WARP_DIVERGENCE, what=what, cause="")
    requests, active = Counter[int](), Counter[int]()
    for each in counted.accesses:
        if each.space != "constant":
            requests[each.line] += each.mostly_idle
            active[each.line] += each.active
    ((line, most),) = requests.most_common(1)
    return Reading(
        value=counted.mostly_idle,
        reason=Reason.WARP_DIVERGENCE,
        what=f"fewer than half of a warp's work-items take part in {counted.mostly_idle:,} memory requests, most often "
        f"in {_place(line)} ({most:,} times, with {_number(active[line] / most)} of {counted.warp} at a time)",
        cause="Divide that work among neighbouring work-items of the group, for example in a tree.",
    )


def _local_requests(counted: Profile) -> Reading:
    """Number of times that warps read or write local memory."""
    used = [each for each in counted.accesses if each.space == "local"]
    if not used:
        return Reading(value=0.0, reason=Reason.EXTRA_TRAFFIC, what="no local memory is used", cause="")
    worst = max(used, key=attrgetter("requests"))
    total, where = sum(each.requests for each in used), _place(worst.line)
    return Reading(
        value=total,
        reason=Reason.EXTRA_TRAFFIC,
        what=f"warps access local memory {total:,} times, most often in {where} ({worst.requests:,} times)",
        cause="Share the work of a group among its work-items, for example as a tree by halves.",
    )


def _branches(counted: Profile) -> Reading:
    """Number of times that warps reach a branch; the condition of a loop is a branch."""
    worst = max(counted.branches, key=attrgetter("reached"), default=Branch(line=0, reached=0, diverged=0))
    total = sum(each.reached for each in counted.branches)
    where = f", most often in {_place(worst.line)} ({worst.reached:,} times)" if total else ""
    return Reading(
        value=total,
        reason=Reason.BRANCHES,
        what=f"warps reach a branch {total:,} times{where}",
        cause="Do the work of several turns of the loop in one, and test its condition once for them.",
    )


MEASURES: dict[Measure, Callable[[Profile], Reading]] = {
    "coalescing": _coalescing,
    "bank conflicts": _bank_conflicts,
    "words read": partial(_words, does="reads"),
    "words written": partial(_words, does="writes"),
    "words moved": _words_moved,
    "divergence": _divergence,
    "requests of mostly idle warps": _mostly_idle,
    "requests to local memory": _local_requests,
    "branches": _branches,
}
"""Functions of the measures. Each measure is a count or grows with one, so useless extra work makes none smaller."""


def _access(seen: SeenAccess) -> Access:
    counts = seen.model_dump(exclude={"space", "writes"})
    return Access(**counts, space=SPACES[seen.space], does="writes" if seen.writes else "reads")


def _global(counted: Profile) -> list[Access]:
    return [each for each in counted.accesses if each.space == "global"]


def _place(line: int) -> str:
    """Words for a line. A copy by a group has no line if several lines copy the array."""
    return f"line {line}" if line else "a copy by the group or a hidden line"


def _apart(access: Access) -> str:
    if access.stride is None:
        return ""
    if access.stride == 0:
        return " with neighbouring work-items at the same word"
    return f" with neighbouring work-items {abs(access.stride)} bytes apart"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
