"""Finds words in local memory that are left without a value by work-items past the end."""

from collections.abc import Iterator

from grader.common.phrases import listed
from grader.grading.explain.simulator.oclgrind import LOCAL
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip


def unstored_words(launch: SimulatedLaunch) -> Slip | None:
    """Explain reads of unset words in local memory, if every store to the array is behind a guard with a size."""
    for unset in launch.seen.unset:
        stores = list(_stores(launch, unset.name)) if unset.space == LOCAL else []
        guards = [_guards_with_sizes(launch, place) for place in stores]
        if stores and all(guards):
            lines = sorted({line for found in guards for line in found})
            what = "the guard in line" if len(lines) == 1 else "the guards in lines"
            return Slip(
                message=f"work-items that {what} {listed(lines, 'and')} {'keeps' if len(lines) == 1 else 'keep'} out "
                f"store nothing in {unset.name}.",
                help=f"Let them store a value in {unset.name}, too, such as 0.",
                cause="work-items past the end store nothing in local memory",
                explains=frozenset({unset.line, unset.used_line}),
            )
    return None


def _stores(launch: SimulatedLaunch, array: str) -> Iterator[int]:
    """Yield the tokens at which the kernel sets a word of an array, regardless of its old value."""
    outline = launch.text.outline
    for place in range(*launch.text.function.body):
        if outline.code[place].text == array and outline.code[place + 1].text == "[":
            after = outline.pairs[place + 1] + 1
            while outline.code[after].text == "[":
                after = outline.pairs[after] + 1
            if outline.code[after].text == "=":
                yield place


def _guards_with_sizes(launch: SimulatedLaunch, place: int) -> set[int]:
    guards = (each for each in launch.guards.at(place) if not each.is_loop and each.room is not None)
    return {each.used for each in guards if each.room and each.room.atoms & launch.sizes.keys()}
