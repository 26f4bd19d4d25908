"""Measures of amounts: words, pixels, requests and operations of all work-items."""

from operator import attrgetter, itemgetter
from typing import Literal

from grader.course.elements import WORD_BYTES
from grader.grading.checks.memory_behaviour.reading import Reading
from grader.grading.checks.memory_behaviour.traffic import (
    ArrayTraffic,
    are_updated_in_place,
    excess_in_words,
    in_words,
    place,
    traffic,
    worst_of,
)
from grader.results.metrics import Profile
from grader.results.verdicts import Reason


def words_used(counted: Profile, does: Literal["reads", "writes"]) -> Reading:
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


def _remedy(counted: Profile, worst: ArrayTraffic) -> str:
    """Advice against too many reads, most of them of this array."""
    made = {each.array for each in counted.accesses_in("global") if each.does == "writes"}
    read_back = sum(each.bytes for each in counted.accesses_in("global") if each.array in made and each.does == "reads")
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


def image_uses(counted: Profile, does: Literal["reads", "writes"]) -> Reading:
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


def local_requests(counted: Profile) -> Reading:
    """Number of times that warps read or write local memory."""
    used = counted.accesses_in("local")
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


def private_words(counted: Profile) -> Reading:
    """Number of words that the variables of a work-item take up at a time, in the kernel in which they take up most."""
    kernel, most = max(counted.private.items(), key=itemgetter(1), default=("", 0))
    words = -(-most // WORD_BYTES)
    return Reading(
        value=words,
        reason=Reason.EXTRA_TRAFFIC,
        what=f"the variables of a work-item of `{kernel}` have {words:,} words" if most else "no kernel has variables",
        help="Keep few words in private arrays at a time. A large private array lies in the device's memory, "
        "not in registers.",
    )


def operations(counted: Profile) -> Reading:
    """Number of floating-point operations of all work-items."""
    return Reading(
        value=counted.flop,
        reason=Reason.EXTRA_WORK,
        what=f"the work-items do {counted.flop:,} floating-point operations",
        help="End a loop as soon as its result is decided, and keep results that are needed again.",
    )
