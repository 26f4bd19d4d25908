"""Measures of the paths that work-items take: branches, divergence, idle lanes, and the busiest work-item."""

from collections import Counter
from operator import attrgetter, itemgetter

from grader.grading.checks.memory_behaviour.reading import Reading, in_digits
from grader.grading.checks.memory_behaviour.traffic import place
from grader.results.metrics import Access, Branch, ImageUse, Profile
from grader.results.verdicts import Reason

NO_BRANCH = Branch(line=0, reached=0, diverged=0)
"""Default for a kernel without branches."""


def divergence(counted: Profile) -> Reading:
    """Number of times that the work-items of a warp take different paths at a branch."""
    worst = max(counted.branches, key=attrgetter("diverged"), default=NO_BRANCH)
    if not worst.diverged:
        what = "the work-items of a warp never diverge"
        return Reading(value=0.0, reason=Reason.WARP_DIVERGENCE, what=what, help="")
    where = f"line {worst.line}" if worst.line else "a line that the file hides from the simulator"
    return Reading(
        value=counted.diverged,
        reason=Reason.WARP_DIVERGENCE,
        what=f"the work-items of a warp take different branches {counted.diverged:,} times, most often in {where} "
        f"({worst.diverged:,} times)",
        help="Make conditions the same for neighbouring work-items.",
    )


def mostly_idle(counted: Profile) -> Reading:
    """Number of requests to global memory, local memory and images in which fewer than half of the lanes of a warp take
    part.
    """
    if not counted.mostly_idle:
        what = "at least half of a warp's work-items take part in every memory request"
        return Reading(value=0.0, reason=Reason.WARP_DIVERGENCE, what=what, help="")
    requests, active = Counter[int](), Counter[int]()
    used: list[Access | ImageUse] = [each for each in counted.accesses if each.space != "constant"]
    for each in (*used, *counted.images):
        requests[each.line] += each.mostly_idle
        active[each.line] += each.active
    ((line, most),) = requests.most_common(1)
    return Reading(
        value=counted.mostly_idle,
        reason=Reason.WARP_DIVERGENCE,
        what=f"fewer than half of a warp's work-items take part in {counted.mostly_idle:,} memory requests, most often "
        f"in {place(line)} ({most:,} times, with {in_digits(active[line] / most)} of {counted.warp} at a time)",
        help="Divide that work among neighbouring work-items of the group, for example in a tree.",
        tree_for=line,
    )


def busiest(counted: Profile) -> Reading:
    """Number of words of memory that the busiest work-item of each launch accesses, added up over all launches."""
    total = sum(counted.busiest.values())
    kernel, most = max(counted.busiest.items(), key=itemgetter(1), default=("", 0))
    what = f"the busiest work-item of `{kernel}` accesses {total:,} words of memory"
    if most < total:
        what = f"the busiest work-items, one per launch, access {total:,} words of memory in total"
        what += f", most of them in `{kernel}` ({most:,})"
    return Reading(
        value=total,
        reason=Reason.WARP_DIVERGENCE,
        what=what if total else "no work-item accesses memory",
        help="Share the work among more work-items.",
    )


def branches(counted: Profile) -> Reading:
    """Number of times that warps reach a branch. The condition of a loop is a branch."""
    worst = max(counted.branches, key=attrgetter("reached"), default=NO_BRANCH)
    total = sum(each.reached for each in counted.branches)
    where = f", most often in {place(worst.line)} ({worst.reached:,} times)" if total else ""
    return Reading(
        value=total,
        reason=Reason.BRANCHES,
        what=f"warps reach a branch {total:,} times{where}",
        help="Do the work of several iterations of the loop in one, and test its condition once for them.",
    )
