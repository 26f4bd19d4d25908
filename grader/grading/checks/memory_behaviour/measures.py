"""Measures of memory behaviour. Each takes a value from a profile, describes it, and gives advice for the case that it
is too large.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Literal

from grader.course.criteria import Measure
from grader.course.elements import WORD_BYTES
from grader.grading.checks.memory_behaviour.traffic import (
    ArrayTraffic,
    are_updated_in_place,
    excess_in_words,
    in_words,
    place,
    traffic,
    worst_of,
)
from grader.results.check import Reason
from grader.results.metrics import Access, Branch, ImageUse, Profile


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A measured value, with the reason, the description and the help to report if it exceeds the limit. The help may
    have to be adapted to the source (`remedies.fitted`) if it advises to make the rows of the array `lengthens` longer,
    or to do the work in line `tree_for` as a tree. `excess` names the array that causes the excess, if it is known.
    """

    value: float
    reason: Reason
    what: str
    help: str
    excess: str = ""
    lengthens: str = ""
    tree_for: int = 0


def _coalescing(counted: Profile) -> Reading:
    """Sum of the task's least traffic and all unused bytes, divided by the least traffic. Accesses without unused bytes
    do not compensate for accesses with unused bytes.
    """
    if not counted.unused:
        what = "every byte of the moved sectors is used, which is a ratio of 1"
        return Reading(value=1.0, reason=Reason.UNCOALESCED, what=what, help="")
    least = max(1, counted.compulsory)
    ratio = 1 + counted.unused / least
    worst = max(_global(counted), key=attrgetter("unused"))
    moved, wasted = (in_digits(total / worst.requests) for total in (worst.sectors, worst.unused))
    return Reading(
        value=ratio,
        reason=Reason.UNCOALESCED,
        what=f"{_use(worst)}: a warp moves {_sectors(moved)} of {counted.sector} bytes at a time, but does not use "
        f"{wasted} bytes of them. The least traffic is {least:,} bytes. Together with the {counted.unused:,} unused "
        f"bytes, it is {in_digits(ratio)} times as large",
        help=_closer(worst),
    )


def _closer(access: Access) -> str:
    """Advice against sectors with many unused bytes."""
    if access.stride is not None and 0 < abs(access.stride) <= WORD_BYTES:
        return (
            "Neighbouring work-items access neighbouring words here, but not all work-items of a warp do so together."
        )
    return "Work-items that are neighbours in get_local_id(0) should access neighbouring words of a row."


def _sectors(digits: str) -> str:
    """Describe a mean number of sectors."""
    return f"{digits} {'sector' if digits == '1' else 'sectors'}"


def _use(access: Access) -> str:
    """Describe an access in the source, and the distance between the accesses of neighbouring work-items."""
    return f"{place(access.line)} {access.does} `{access.array}`{_apart(access)}"


def _bank_conflicts(counted: Profile) -> Reading:
    """Maximum number of words of one bank in a request to local memory. Words of one vector do not conflict and count
    as one.
    """
    local = [each for each in counted.accesses if each.space == "local"]
    if not local:
        return Reading(value=0.0, reason=Reason.BANK_CONFLICT, what="no local memory is used", help="")
    worst = max(local, key=attrgetter("conflicts"))
    words = 1 + worst.conflicts
    if words == 1:
        what = "the words of local memory that a warp uses at a time lie in different banks, 1 in each"
        return Reading(value=1.0, reason=Reason.BANK_CONFLICT, what=what, help="")
    return Reading(
        value=words,
        reason=Reason.BANK_CONFLICT,
        what=f"{_use(worst)}: {in_digits(words)} words of a warp lie in one of the {counted.banks} banks, "
        "which serves them one after another",
        help=_other_banks(worst),
        lengthens="" if _is_near(worst) else worst.array,
    )


NEAR = 4 * WORD_BYTES
"""Largest distance in bytes at which words of neighbouring work-items are assumed to be in one row."""


def _is_near(access: Access) -> bool:
    return access.stride is not None and abs(access.stride) <= NEAR


def _other_banks(access: Access) -> str:
    """Advice against words in one bank."""
    if _is_near(access):
        return f"Work-items that are neighbours in get_local_id(0) should use neighbouring words of {access.array}."
    return f"Make the rows of {access.array} one word longer: then the words of a column lie in different banks."


def _words(counted: Profile, does: Literal["reads", "writes"]) -> Reading:
    """Number of words of global memory that all work-items together request."""
    total = counted.read if does == "reads" else counted.written
    arrays = traffic(counted, does)
    if not arrays:
        return Reading(value=0.0, reason=Reason.EXTRA_TRAFFIC, what=f"the kernel {does} no global memory", help="")
    worst = worst_of(arrays)
    return Reading(
        value=total / WORD_BYTES,
        reason=Reason.EXTRA_TRAFFIC,
        what=f"the kernel {does} {_total(total // WORD_BYTES, in_words(arrays))}",
        excess=excess_in_words(worst),
        help=_remedy(counted, worst) if does == "reads" else "Store a result once, when it is complete.",
    )


def _total(words: int, of_arrays: str) -> str:
    """Describe the words of all arrays. One array is described only once."""
    alone = f"{words:,} of "
    if of_arrays.startswith(alone):
        return f"{words:,} words of {of_arrays.removeprefix(alone)}"
    return f"{words:,} words of global memory, {of_arrays}"


def _words_moved(counted: Profile) -> Reading:
    """Number of words of global memory in all moved sectors. Therefore uncoalesced accesses count in proportion to
    their share of the traffic. A few of them can be right, for example if each work-item reads the diagonal element of
    its row.
    """
    total = counted.moved / WORD_BYTES
    worst = max(_global(counted), key=lambda each: each.sectors - each.fewest, default=None)
    if worst is None or worst.sectors == worst.fewest:
        return Reading(
            value=total,
            reason=Reason.EXTRA_TRAFFIC,
            what=f"the kernel moves sectors with {in_digits(total)} words of global memory",
            help="The kernel uses all these words. Access fewer words.",
        )
    each, fewest = (in_digits(sectors / worst.requests) for sectors in (worst.sectors, worst.fewest))
    return Reading(
        value=total,
        reason=Reason.UNCOALESCED,
        what=f"{_use(worst)}: a warp moves {_sectors(each)} of {counted.sector} bytes at a time, but {fewest} would be "
        f"enough. All these sectors have {in_digits(total)} words of global memory",
        help=_closer(worst),
    )


def _images(counted: Profile, does: Literal["reads", "writes"]) -> Reading:
    """Number of pixels of images that all work-items together read or write, counted once for each call."""
    used = [each for each in counted.images if each.does == does]
    total, one = sum(each.times for each in used), does.removesuffix("s")
    if not used:
        return Reading(value=0.0, reason=Reason.EXTRA_TRAFFIC, what=f"the kernel does not {one} any image", help="")
    worst = max(used, key=attrgetter("times"))
    here = f"`{worst.image}` in {place(worst.line)}"
    return Reading(
        value=total,
        reason=Reason.EXTRA_TRAFFIC,
        what=f"work-items {one} {total:,} pixels of images, and {worst.times:,} of them are pixels of {here}"
        if len(used) > 1
        else f"work-items {one} {total:,} pixels of {here}",
        help=f"Read each pixel of `{worst.image}` as few times as possible: keep it in a variable or in local memory."
        if does == "reads"
        else "Store a pixel once, when it is complete.",
    )


def _remedy(counted: Profile, worst: ArrayTraffic) -> str:
    """Advice against too many reads, most of them of this array."""
    made = {each.array for each in _global(counted) if each.does == "writes"}
    read_back = sum(each.bytes for each in _global(counted) if each.array in made and each.does == "reads")
    is_read_back = worst.array in made if counted.needed else read_back >= NOTABLE * counted.read
    if is_read_back:
        own = are_updated_in_place(counted, {worst.array} if counted.needed else made)
        shared = "" if own else ", or in local memory if its group shares it"
        return f"Do not read back what a work-item wrote itself. Keep it in a variable{shared}."
    return (
        f"Read each word of {worst.array} only once: into a variable, or into local memory if several work-items need "
        "it."
    )


NOTABLE = 0.25
"""Minimum share of words that are read back, among all words read, at which the advice is not to read them back. With a
smaller share, the excess has another cause.
"""


def _divergence(counted: Profile) -> Reading:
    """Number of times that the work-items of a warp take different paths at a branch."""
    worst = max(counted.branches, key=attrgetter("diverged"), default=Branch(line=0, reached=0, diverged=0))
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


def _mostly_idle(counted: Profile) -> Reading:
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


def _local_requests(counted: Profile) -> Reading:
    """Number of times that warps read or write local memory."""
    used = [each for each in counted.accesses if each.space == "local"]
    if not used:
        return Reading(value=0.0, reason=Reason.EXTRA_TRAFFIC, what="no local memory is used", help="")
    worst = max(used, key=attrgetter("requests"))
    total, where = sum(each.requests for each in used), place(worst.line)
    return Reading(
        value=total,
        reason=Reason.EXTRA_TRAFFIC,
        what=f"warps access local memory {total:,} times, most often in {where} ({worst.requests:,} times)",
        help="Share the work of a group among its work-items, for example in a tree. Each step of a tree needs half as "
        "many work-items.",
        tree_for=worst.line,
    )


def _branches(counted: Profile) -> Reading:
    """Number of times that warps reach a branch. The condition of a loop is a branch."""
    worst = max(counted.branches, key=attrgetter("reached"), default=Branch(line=0, reached=0, diverged=0))
    total = sum(each.reached for each in counted.branches)
    where = f", most often in {place(worst.line)} ({worst.reached:,} times)" if total else ""
    return Reading(
        value=total,
        reason=Reason.BRANCHES,
        what=f"warps reach a branch {total:,} times{where}",
        help="Do the work of several iterations of the loop in one, and test its condition once for them.",
    )


def _operations(counted: Profile) -> Reading:
    """Number of floating-point operations of all work-items."""
    return Reading(
        value=counted.flop,
        reason=Reason.EXTRA_WORK,
        what=f"the work-items do {counted.flop:,} floating-point operations",
        help="End a loop as soon as its result is decided, and keep results that are needed again.",
    )


MEASURES: dict[Measure, Callable[[Profile], Reading]] = {
    "coalescing": _coalescing,
    "bank conflicts": _bank_conflicts,
    "words read": partial(_words, does="reads"),
    "words written": partial(_words, does="writes"),
    "words moved": _words_moved,
    "image reads": partial(_images, does="reads"),
    "image writes": partial(_images, does="writes"),
    "divergence": _divergence,
    "requests of mostly idle warps": _mostly_idle,
    "requests to local memory": _local_requests,
    "branches": _branches,
    "floating-point operations": _operations,
}
"""The functions of all measures. Each measure is a count or grows with one, so useless extra work does
not reduce it.
"""


def _global(counted: Profile) -> list[Access]:
    return [each for each in counted.accesses if each.space == "global"]


def _apart(access: Access) -> str:
    if access.stride is None:
        return ""
    if access.stride == 0:
        return " with neighbouring work-items at the same word"
    return f" with neighbouring work-items {abs(access.stride)} bytes apart"


def in_digits(value: float) -> str:
    """Format a value: as a whole number from 1000 on, with three digits below."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
