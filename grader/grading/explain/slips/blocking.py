"""Finds the conditions that keep all work-items from a line, according to the simulator."""

from collections.abc import Collection, Iterable

from grader.grading.explain.simulator.source_lines import FEW, lines_in_words
from grader.grading.explain.slips.launch import SimulatedLaunch


def blocking(launch: SimulatedLaunch, places: Iterable[int]) -> set[int]:
    """The lines of the conditions that keep all work-items from these tokens, which no work-item reaches. If the
    observations do not show which conditions do so, returns the lines of all conditions before the tokens, if any.
    """
    tests = sorted({guard.used for place in places for guard in launch.guards.at(place)})
    branches = {each.line: each for each in launch.seen.branches}
    unsplit = [line for line in tests if line in branches and branches[line].constant]
    unreached = next((line for line in tests if line not in branches), None)
    suspects = [line for line in unsplit if unreached is None or line < unreached]
    if unreached is not None:  # an earlier condition keeps all work-items out, or the compiler has evaluated this one
        suspects.append(unreached)
    return set(suspects[:1]) if len(suspects) == 1 else set(tests)


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
