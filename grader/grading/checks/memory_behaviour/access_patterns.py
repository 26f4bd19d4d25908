"""Measures of access patterns: sectors of global memory and banks of local memory that a warp needs at a time."""

from operator import attrgetter

from grader.course.elements import WORD_BYTES
from grader.grading.checks.memory_behaviour.reading import Reading, in_digits
from grader.grading.checks.memory_behaviour.traffic import place
from grader.results.metrics import Access, Profile
from grader.results.verdicts import Reason


def coalescing(counted: Profile) -> Reading:
    """Sum of the task's least traffic and all unused bytes, divided by the least traffic. Accesses without unused bytes
    do not compensate for accesses with unused bytes.
    """
    if not counted.unused:
        what = "every byte of the moved sectors is used, which is a ratio of 1"
        return Reading(value=1.0, reason=Reason.UNCOALESCED, what=what, help="")
    least = max(1, counted.compulsory)
    ratio = 1 + counted.unused / least
    worst = max(counted.accesses_in("global"), key=attrgetter("unused"))
    moved, wasted = (in_digits(total / worst.requests) for total in (worst.sectors, worst.unused))
    return Reading(
        value=ratio,
        reason=Reason.UNCOALESCED,
        what=f"{_use(worst)}: a warp moves {_sectors(moved)} of {counted.sector} bytes at a time, but does not use "
        f"{wasted} bytes of them. The least traffic is {least:,} bytes. Together with the {counted.unused:,} unused "
        f"bytes, it is {in_digits(ratio)} times as large",
        help=_closer(worst),
    )


def words_moved(counted: Profile) -> Reading:
    """Number of words of global memory in all moved sectors. Therefore uncoalesced accesses count in proportion to
    their share of the traffic. A few of them can be right, for example if each work-item reads the diagonal element of
    its row.
    """
    total = counted.moved / WORD_BYTES
    worst = max(counted.accesses_in("global"), key=lambda each: each.sectors - each.fewest, default=None)
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


def bank_conflicts(counted: Profile) -> Reading:
    """Maximum number of words of one bank in a request to local memory. Words of one vector do not conflict and count
    as one.
    """
    local = counted.accesses_in("local")
    if not local:
        return Reading(value=0.0, reason=Reason.BANK_CONFLICT, what="no local memory is used", help="")
    worst = max(local, key=attrgetter("conflicts"))
    words = 1 + worst.conflicts
    if words == 1:
        what = "a warp uses at most 1 word of each bank of local memory at a time"
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


def _use(access: Access) -> str:
    """Describe an access in the source, and the distance between the accesses of neighbouring work-items."""
    return f"{place(access.line)} {access.does} `{access.array}`{_apart(access)}"


def _apart(access: Access) -> str:
    if access.stride is None:
        return ""
    if access.stride == 0:
        return " with neighbouring work-items at the same word"
    return f" with neighbouring work-items {abs(access.stride)} bytes apart"


def _sectors(digits: str) -> str:
    """Describe a mean number of sectors."""
    return f"{digits} {'sector' if digits == '1' else 'sectors'}"


def _closer(access: Access) -> str:
    """Advice against sectors with many unused bytes."""
    if access.stride is not None and 0 < abs(access.stride) <= WORD_BYTES:
        return (
            "Neighbouring work-items access neighbouring words here, but not all work-items of a warp do so together."
        )
    return "Work-items that are neighbours in get_local_id(0) should access neighbouring words of a row."
