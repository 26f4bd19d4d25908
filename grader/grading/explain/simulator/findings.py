"""Explains to students what the simulator saw: which lines, which work-items, and the usual cause."""

from collections.abc import Iterable, Iterator

from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.messages import of_message
from grader.grading.explain.simulator.oclgrind import (
    GLOBAL,
    INDEX,
    INVALID,
    LOCAL,
    PRIVATE,
    RACE,
    Entity,
    entities,
    spot,
)
from grader.grading.explain.simulator.races import NO_BARRIER, is_past_a_barrier
from grader.protocol.observation import MESSAGES, SeenKernel, SeenMessage, SeenUnset
from grader.results.result import Finding, Place, Reason

LIMIT = 8
"""Findings that are reported; the first cause comes first, and the rest are mostly its consequences."""


def findings(seen: SeenKernel, scene: Scene) -> tuple[Finding, ...]:
    """Everything that went wrong in a launch, the first cause first, each once."""
    heard = seen.messages[:MESSAGES]
    indexed = {spot(message) for message in heard if INDEX.match(message.text)}  # which says it better
    messages = (
        each
        for each in heard
        if not (INVALID.match(each.text) and spot(each) in indexed)
        and not _is_swap(each, scene)
        and not is_past_a_barrier(each, seen, scene)
    )
    told = [each for message in messages for each in of_message(message, seen, scene)]
    raced = {place.line for each in told if each.reason is Reason.DATA_RACE for place in each.places}
    uses = [each for each in _first_uses(seen.unset) if each.space == PRIVATE or each.line not in raced]
    wild = [_unset(each, scene) for each in uses if each.how == "address" and each.space != LOCAL]
    other = [_unset(each, scene) for each in uses if each.how != "address" or each.space == LOCAL]
    found: dict[tuple[Reason, str], Finding] = {}
    for each in [*wild, *sorted([*told, *other], key=_first_cause)]:
        found.setdefault((each.reason, each.message), each)
    return tuple(found.values())[:LIMIT]


def _is_swap(message: SeenMessage, scene: Scene) -> bool:
    """Whether a race is between the two halves of a compare-and-swap loop, which makes up for it."""
    match entities(message) if RACE.match(message.text) else []:
        case [Entity(swaps=True) as swap, Entity(swaps=False, writes=False) as read]:
            return scene.swaps_what_was_read(read.line, swap.line)
        case [Entity(swaps=False, writes=False) as read, Entity(swaps=True) as swap]:
            return scene.swaps_what_was_read(read.line, swap.line)
    return False


CAUSALITY = (
    Reason.TIME_LIMIT,
    Reason.BARRIER_DIVERGENCE,
    Reason.INPUT_CHANGED,
    Reason.OUT_OF_BOUNDS,
    Reason.DATA_RACE,
    Reason.UNINITIALISED,
    Reason.CRASH,
)
"""Causes come before consequences: a missed barrier makes races, a race makes reads of words that are not yet
written. An index that was never set comes before them all.
"""


def _first_cause(found: Finding) -> tuple[int, bool]:
    """Causes before consequences; of races, last those that a barrier would end: it ends no other."""
    return CAUSALITY.index(found.reason), found.cause.startswith(NO_BARRIER)


# --- values that were never set ---------------------------------------------------------------


def _first_uses(unset: Iterable[SeenUnset]) -> Iterator[SeenUnset]:
    """The first use of each unset value: an address before a condition before a store."""
    uses = sorted(unset, key=lambda each: (each.line, each.column, each.name, each.how, each.used_line))
    known: set[tuple[int, int, str]] = set()
    for each in uses:
        key = (each.line, each.column, each.name)
        if key not in known:
            known.add(key)
            yield each


def _unset(seen: SeenUnset, scene: Scene) -> Finding:
    name = seen.name or "a value"
    use = {
        "stored": f"the result is stored in {seen.array} in line {seen.used_line}",
        "condition": f"the condition in line {seen.used_line} depends on it",
        "address": f"an index in line {seen.used_line} depends on it",
    }[seen.how]
    if seen.space == LOCAL:
        what = f"line {seen.line} reads words of {name} that no work-item has written; {use}."
        cause = f"Every word that is read must be written first: store a zero in {name} where there is nothing to load."
    elif seen.space == GLOBAL:
        what = f"line {seen.line} reads {name} before anything is written there; {use}."
        cause = "An output does not start at zero: add up in a variable, then store that."
    else:
        what = f"line {seen.line} reads {name}, which has no value yet; {use}."
        cause = f"Give {name} a value where it is declared, such as 0."
    words = f"{scene.item(seen.global_id)} of {scene.group(seen.group)} reads {name}"
    places = [Place(line=seen.line, text=scene.text(seen.line), words=words)]
    if seen.used_line != seen.line:
        places.append(Place(line=seen.used_line, text=scene.text(seen.used_line), words=use.partition(" in line")[0]))
    return Finding(reason=Reason.UNINITIALISED, message=what, cause=cause, places=tuple(places), times=seen.times)
