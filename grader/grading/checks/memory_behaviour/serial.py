"""Kernels that are not parallel: a single work-item of the launch, or of each warp, accesses global memory."""

from dataclasses import dataclass

from grader.course.elements import WORD_BYTES
from grader.course.submissions.scan import scan
from grader.results.metrics import Profile
from grader.results.verdicts import Reason

CONCERNED = frozenset({Reason.UNCOALESCED, Reason.WARP_DIVERGENCE})
"""Reasons that follow if nothing is parallel."""


@dataclass(frozen=True, kw_only=True)
class Serial:
    """Sentence about work-items that do nothing, without a full stop, and the next step."""

    sentence: str
    help: str


def serial(counted: Profile, source: str) -> Serial | None:
    """Explain why nothing is parallel; None if several work-items access memory together.

    The line comes from the simulator: when one work-item is left, no further condition diverges. If exactly one warp
    diverges, the other warps do nothing.
    """
    used = counted.accesses_in("global")
    is_serial = all(each.active == each.mostly_idle and each.active * WORD_BYTES == each.bytes for each in used)
    is_serial &= all(each.active == each.mostly_idle == each.times for each in counted.images)
    if not used or not is_serial or counted.work_items is None:
        return None
    if counted.work_items == 1:
        lines = [each.line for each in scan(source).statements if each.what == "global"]
        launch = f"line {lines[0]} launches" if len(lines) == 1 else "the launch has"
        return Serial(sentence=f"{launch} only 1 work-item, so nothing runs in parallel", help=SHARE)
    lines = [each.line for each in counted.branches if each.diverged and each.line]
    if not lines:
        return None
    where = f"line {lines[0]} lets" if len(set(lines)) == 1 else "the conditions let"
    if counted.diverged == 1:
        most = f"only 1 of {counted.work_items:,} work-items work, so nothing runs in parallel"
        return Serial(sentence=f"{where} {most}", help=SHARE)
    return Serial(sentence=f"{where} only 1 of the {counted.warp} work-items of a warp work", help=SHARE_IN_GROUP)


SHARE = "Launch a work-item for each part of the work. Let each work-item do only its own part, by get_global_id."

SHARE_IN_GROUP = "Divide this work among all work-items of the group."
