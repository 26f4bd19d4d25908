"""Finds a constant number in place of the row length of an array."""

from grader.common.phrases import quoted
from grader.grading.explain.slips.indexes import IndexedAccess, accesses, in_words, terms
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.grading.source.polynomial import Polynomial, atom, constant


def fixed_row_length(launch: SimulatedLaunch) -> Slip | None:
    """Explain wrong results by an index that multiplies the row by a number, although the host passes the row length.

    The row must be the global id of the dimension that runs along the rows of the array.
    """
    rows = {
        size: atom(f"get_group_id({number})") * constant(launch.group[number]) + atom(f"get_local_id({number})")
        for number, size in enumerate(launch.extent)
        if size is not None
    }
    found = (_of_access(launch, each, rows) for each in accesses(launch) if len(launch.shapes[each.array]) == 2)
    return next(filter(None, found), None)


def _of_access(launch: SimulatedLaunch, access: IndexedAccess, rows: dict[Polynomial, Polynomial]) -> Slip | None:
    height, width = launch.shapes[access.array]
    values, pairs = launch.values, launch.text.outline.pairs
    if access.coordinates or width.number is not None or height not in rows or len(rows) < len(launch.extent):
        return None
    for term in terms(launch, values.traced((access.place + 2, pairs[access.place + 1]))):
        factors = [values.of(each) for each in values.split(term, "*")]
        numbers = [each.number for each in factors if each is not None and each.number is not None]
        if len(factors) == 2 and rows[height] in factors and numbers and numbers[0] != launch.value(width):
            return Slip(
                message=f"line {access.line} expects {numbers[0]} elements in each row of {quoted(access.array)}, but "
                f"a row has `{in_words(width)}` elements.",
                help=f"Multiply the row by `{in_words(width)}`.",
                cause="a number is used in place of the row length",
                explains=frozenset(each.line for each in launch.outside),
            )
    return None
