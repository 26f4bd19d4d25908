"""Explains the simulator's findings with the lines, the work-items, and the usual cause."""

from collections.abc import Sequence

from grader.grading.explain.simulator import images
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.messages import of_message
from grader.grading.explain.simulator.oclgrind import (
    BOTH_WRITE,
    INDEX,
    INVALID,
    LOCAL,
    PRIVATE,
    RACE,
    entities,
    spot,
    target,
)
from grader.grading.explain.simulator.races import is_past_a_barrier
from grader.grading.explain.simulator.unset import first_uses, of_unset
from grader.protocol.observation import SeenKernel, SeenMessage
from grader.results.findings import Finding
from grader.results.verdicts import Reason

LIMIT = 8
"""Maximum number of reported findings. The first cause comes first, and the rest are mostly its consequences."""


def findings(seen: SeenKernel, scene: Scene, before: Sequence[SeenKernel] = ()) -> tuple[Finding, ...]:
    """Findings about all mistakes in a launch, the first cause first, without repetition. `before` are the earlier
    launches.

    A message is dropped only if another finding concerns the same mistake. The plugin has already removed harmless
    messages. Oclgrind reports two writes as a race only if their values differ, so the inputs determine which of these
    races it sees first. Therefore they come after races of a write and a read.
    """
    launches = (*before, seen)
    outside = {line for each in seen.messages if _is_outside(each) for line in _lines_beyond(each, scene)}
    messages = (
        each
        for each in seen.messages
        if not _is_clearer_elsewhere(each, seen, scene)
        and not is_past_a_barrier(each, seen, scene)
        and not (RACE.match(each.text) and _lines_beyond(each, scene) & outside)
    )
    heard = sorted(messages, key=lambda each: BOTH_WRITE.match(each.text) is not None)
    told = [each for message in heard for each in of_message(message, launches, scene)]
    raced = {place.line for each in told if each.reason is Reason.DATA_RACE for place in each.places}
    uses = [each for each in first_uses(seen.unset) if each.space == PRIVATE or each.line not in raced]
    wild = [of_unset(each, launches, scene) for each in uses if each.how == "address" and each.space != LOCAL]
    other = [of_unset(each, launches, scene) for each in uses if each.how != "address" or each.space == LOCAL]
    found: dict[tuple[Reason, str], Finding] = {}
    for each in [*wild, *sorted([*told, *other], key=_first_cause)]:
        found.setdefault((each.reason, each.message), each)
    return tuple(found.values())[:LIMIT]


def _is_outside(message: SeenMessage) -> bool:
    return INVALID.match(message.text) is not None or images.OUTSIDE.match(message.text) is not None


def _lines_beyond(message: SeenMessage, scene: Scene) -> set[int]:
    """Lines that work-items beyond the edge execute. If they access an array outside its bounds in such a line, their
    races in this line have the same cause, which is a missing guard.
    """
    return {each.line for each in entities(message) if scene.is_beyond(each.global_id)}


def _is_clearer_elsewhere(message: SeenMessage, seen: SeenKernel, scene: Scene) -> bool:
    """True if another message about the same place is more specific. A pixel outside an image has the address of a
    pixel in another row, so writing it also looks like a race.
    """
    here = spot(message)
    others = [each.text for each in seen.messages if spot(each) == here != ()]
    is_outside = any(map(images.OUTSIDE.match, others))
    if RACE.match(message.text):
        return is_outside and scene.is_image(target(message, seen).array)
    return INVALID.match(message.text) is not None and (is_outside or any(map(INDEX.match, others)))


CAUSALITY = (
    Reason.TIME_LIMIT,
    Reason.BARRIER_DIVERGENCE,
    Reason.INPUT_CHANGED,
    Reason.OUT_OF_BOUNDS,
    Reason.DATA_RACE,
    Reason.UNINITIALISED,
    Reason.CRASH,
)
"""Reasons in the order of causality. For example, a missed barrier causes races, and a race causes reads of words that
have not been written yet. An address that was computed from an unset value comes before all of them.
"""


def _first_cause(found: Finding) -> tuple[int, bool]:
    """Sort key that puts causes before consequences. Races that a barrier would end come last among races, because the
    barrier would not end the others.
    """
    return CAUSALITY.index(found.reason), found.barrier is not None
