"""Finds the conditions that keep all work-items from a line, according to the simulator."""

from collections import Counter
from collections.abc import Collection, Iterable

from grader.grading.explain.simulator.source_lines import FEW, lines_in_words
from grader.grading.explain.slips.launch import SimulatedLaunch


def blocking(launch: SimulatedLaunch, places: Iterable[int]) -> set[int]:
    """The lines of the conditions that keep all work-items from these tokens, which no work-item reaches. If the
    observations do not show which conditions do so, returns the lines of all conditions that may do so.
    """
    return {line for place in places for line in _before(launch, place)}


def _before(launch: SimulatedLaunch, place: int) -> set[int]:
    """The lines of the conditions that may keep all work-items from a token.

    A condition that work-items have evaluated does not keep all of them from the next one. Therefore the last evaluated
    condition does so, or the next one, which the compiler may have evaluated. Work-items pass the last one if it is a
    single comparison that had both results. A loop whose condition never changed has had no iteration, because the
    launch has ended.
    """
    guards = launch.guards.at(place)
    used = Counter(guard.used for guard in guards)
    loops = {guard.used for guard in guards if guard.is_loop}
    tests = sorted(used)
    branches = {each.line: each for each in launch.seen.branches}
    number = next((number for number, line in enumerate(tests) if line not in branches), len(tests))
    suspects = set(tests[number : number + 1])
    last = tests[number - 1] if number else None
    if last is not None and last in loops and branches[last].constant:
        return {last}
    if last is not None and (branches[last].constant or used[last] > 1):
        suspects.add(last)
    return suspects or set(tests)


def kept_from(tests: Collection[int], access: str, lines: Collection[int]) -> str:
    """A clause such as "the condition in line 4 keeps all work-items from the store in line 7". Many conditions are not
    listed.
    """
    if len(tests) > FEW:
        return f"the {access} in {lines_in_words(lines)} never {'happens' if len(lines) == 1 else 'happen'}"
    keep = "condition in {} keeps" if len(tests) == 1 else "conditions in {} keep"
    return f"the {keep.format(lines_in_words(tests))} all work-items from the {access} in {lines_in_words(lines)}"


def in_number(noun: str, of: Collection[int]) -> str:
    """The noun, in the plural if there are several lines."""
    return noun if len(of) == 1 else f"{noun}s"
