"""Finds inputs that a kernel never reads, and results that it stores never, or only in part. The observations of the
simulator show which conditions keep all work-items from these accesses.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from math import prod

from grader.common.phrases import listed, quoted
from grader.grading.explain.simulator.oclgrind import GLOBAL, was_cut_off
from grader.grading.explain.simulator.source_lines import FEW, lines_in_words
from grader.grading.explain.slips.indexes import IndexedAccess, accesses, in_words
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.grading.source.stores import stores


def unread_inputs(launch: SimulatedLaunch) -> Slip | None:
    """Explain wrong results by inputs that no work-item reads in the simulator, at any of its sizes, although
    work-items store results.
    """
    read = {each.array for each in launch.seen.accesses if each.space == GLOBAL and not each.writes}
    read |= {array for array, writes in launch.elsewhere if not writes}
    named = {each.name for each in launch.seen.arrays if each.space == GLOBAL}
    unread = sorted((launch.inputs & named) - read)
    is_stored = any(each.writes and each.space == GLOBAL for each in launch.seen.accesses)
    if not unread or not is_stored or was_cut_off(launch.seen):
        return None
    lines = {line for line, text in launch.text.lines if text in unread}
    inputs = listed((f"`{name}`" for name in unread), "and")
    what = f"{inputs} {'is' if len(unread) == 1 else 'are'} never read"
    cause = "an input is never read"
    if not lines:
        kernel, line = launch.seen.kernel, launch.text.line
        return Slip(
            message=f"line {line}: {kernel} does not use {inputs}.", help=f"Read {inputs} in {kernel}.", cause=cause
        )
    load, happens = ("load", "happens") if len(lines) == 1 else ("loads", "happen")
    where = f" in {lines_in_words(lines)}" if len(lines) <= FEW else ""
    body = launch.text.function.body
    tests = blocking(launch, [each for each in range(*body) if launch.text.outline.code[each].text in unread])
    if where and 1 <= len(tests) <= FEW:
        check = f"Check the {_condition(tests)}."
        return Slip(message=f"{what}: {_kept_from(tests, load, lines)}.", help=check, cause=cause)
    return Slip(
        message=f"{what}: the {load}{where} never {happens}.",
        help=f"Check the conditions and the loops around {'it' if len(lines) == 1 else 'them'}.",
        cause=cause,
    )


def unstored_results(launch: SimulatedLaunch) -> Slip | None:
    """Explain results that are missing because no work-item stores them in the simulator, at any of its sizes."""
    seen = {each.array for each in launch.seen.accesses if each.space == GLOBAL and each.writes}
    seen |= {each.image for each in launch.seen.images if each.writes}
    seen |= {array for array, writes in launch.elsewhere if writes}
    if was_cut_off(launch.seen):
        return None
    for array in sorted({each.name for each in launch.seen.arrays if each.space == GLOBAL} - launch.inputs - seen):
        places = stores(launch.text.outline, launch.text.function, array)
        lines = {launch.text.outline.code[each].line for each in places}
        tests = blocking(launch, places)
        if 1 <= len(lines) <= FEW and tests:
            store = "store" if len(lines) == 1 else "stores"
            later = frozenset(line for name, line in launch.unset_later if name == array)
            what = (
                f"{launch.seen.kernel} never writes {quoted(array)}" if later else f"{quoted(array)} is never written"
            )
            return Slip(
                message=f"{what}: {_kept_from(tests, store, lines)}.",
                help=f"Check the {_condition(tests)}.",
                cause="the results are never stored",
                explains=later,
            )
    return None


def too_few_elements(launch: SimulatedLaunch) -> Slip | None:
    """Explain elements that no work-item stores, because the index of the only store of their array stays too small.
    An index that contains the row length has another mistake.
    """
    for store in _only_stores(launch):
        shape, index = launch.shapes[store.array], (store.place + 2, launch.text.outline.pairs[store.place + 1])
        value = launch.values.of(index)
        most = None if value is None else value.most(launch.largest)
        elements = prod(map(launch.value, shape))
        text = launch.written(launch.text.outline.between(*launch.values.bare(index)))
        has_rows = len(shape) == 2 and in_words(shape[1]) not in text.split()
        if has_rows and most is not None and most < elements - 1:
            size = in_words(shape[0] * shape[1])
            return Slip(
                message=f"line {store.line} stores in {quoted(store.array)} at index `{text}`, so it stores nothing "
                f"after `{store.array}[{most}]`, but {quoted(store.array)} has `{size}` elements.",
                help=f"Multiply the row by `{in_words(shape[1])}`, and add the column.",
                cause="the index of a store stays too small",
            )
    return None


def _only_stores(launch: SimulatedLaunch) -> Iterator[IndexedAccess]:
    """Yield the stores to arrays that the kernel names nowhere else."""
    names = [text for _, text in launch.text.lines]
    return (each for each in accesses(launch) if each.writes and names.count(each.array) == 1)


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


def _kept_from(tests: Collection[int], access: str, lines: Collection[int]) -> str:
    """A clause such as "the condition in line 4 keeps all work-items from the store in line 7". Many conditions are not
    listed.
    """
    if len(tests) > FEW:
        return f"the {access} in {lines_in_words(lines)} never {'happens' if len(lines) == 1 else 'happen'}"
    keep = "condition in {} keeps" if len(tests) == 1 else "conditions in {} keep"
    return f"the {keep.format(lines_in_words(tests))} all work-items from the {access} in {lines_in_words(lines)}"


def _condition(tests: Collection[int]) -> str:
    """The noun, in the plural if there are several lines."""
    return "condition" if len(tests) == 1 else "conditions"
