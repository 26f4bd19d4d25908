"""Finds results that a kernel stores never, or only in part."""

from collections.abc import Iterator
from math import prod

from grader.common.phrases import quoted
from grader.grading.explain.simulator.oclgrind import GLOBAL, was_cut_off
from grader.grading.explain.simulator.source_lines import FEW
from grader.grading.explain.slips.blocking import blocking, in_number, kept_from
from grader.grading.explain.slips.indexes import IndexedAccess, accesses, in_words
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.grading.source.stores import stores


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
                message=f"{what}: {kept_from(tests, store, lines)}.",
                help=f"Check the {in_number('condition', tests)}.",
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
