"""Finds words in local memory that are left without a value by work-items past the end."""

from collections.abc import Iterator

from grader.common.phrases import listed, quoted
from grader.grading.explain.simulator.oclgrind import LOCAL, RACE
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.grading.source.guards import Guard
from grader.grading.source.values import ASSIGNMENTS
from grader.results.verdicts import Reason


def unstored_words(launch: SimulatedLaunch) -> Slip | None:
    """Explain reads of unset words in local memory, if every store to the array is behind a guard with a size. A read
    in a race is left out, because it may come before the store.
    """
    raced = {line for each in launch.seen.messages if RACE.match(each.text) for line in launch.lines_of(each)}
    for unset in launch.seen.unset:
        stores = _stores(launch, unset.name) if unset.space == LOCAL and unset.line not in raced else []
        lines = sorted({guard.used for place in stores for guard in _guards(launch, place)})
        is_sized = all(any(_has_a_size(launch, guard) for guard in _guards(launch, place)) for place in stores)
        if stores and is_sized and _are_all_stores(launch, unset.name):
            what = "the guard in line" if len(lines) == 1 else "the guards in lines"
            return Slip(
                message=f"work-items that {what} {listed(lines, 'and')} {'keeps' if len(lines) == 1 else 'keep'} out "
                f"store nothing in {quoted(unset.name)}.",
                help=f"Let them store a value in {quoted(unset.name)}, too, such as 0.",
                cause="work-items past the end store nothing in local memory",
                explains=frozenset({unset.line, unset.used_line}),
                effects=frozenset({Reason.UNINITIALISED}),
            )
    return None


def _stores(launch: SimulatedLaunch, array: str) -> list[int]:
    """The tokens at which the kernel sets a word of an array, regardless of its old value."""
    return [place for place, sign in _changes(launch, array) if sign == "="]


def _changes(launch: SimulatedLaunch, array: str) -> Iterator[tuple[int, str]]:
    """Yield the tokens at which the kernel assigns to a word of an array, each with the sign of the assignment."""
    outline = launch.text.outline
    for place in range(*launch.text.function.body):
        if outline.code[place].text == array and outline.code[place + 1].text == "[":
            after = outline.pairs[place + 1] + 1
            while outline.code[after].text == "[":
                after = outline.pairs[after] + 1
            if outline.code[after].text in ASSIGNMENTS:
                yield place, outline.code[after].text


def _are_all_stores(launch: SimulatedLaunch, array: str) -> bool:
    """False if the simulator saw a store to the array in a line without an assignment, such as one with vstore4."""
    lines = {launch.text.outline.code[place].line for place, _ in _changes(launch, array)}
    seen = {each.line for each in launch.seen.accesses if each.writes and each.array == array}
    return seen <= lines


def _guards(launch: SimulatedLaunch, place: int) -> list[Guard]:
    return [each for each in launch.guards.at(place) if not each.is_loop]


def _has_a_size(launch: SimulatedLaunch, guard: Guard) -> bool:
    return guard.room is not None and bool(guard.room.atoms & launch.sizes.keys())
