"""Finds indexes that do not fit the dimensions of the launch: a kernel uses them the other way round, is written for
groups of another size, or has a number in place of the row length of an array.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from grader.common.phrases import listed, quoted
from grader.grading.explain.simulator.source_lines import lines_in_words
from grader.grading.explain.slips.indexes import Coordinate, IndexedAccess, accesses, in_words, terms
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.grading.source.polynomial import Polynomial, atom, constant

IDS_LINES = 6
"""Maximum number of lines with ids that a message lists. Most kernels have at most one line for each id of a tile."""

IDS = ("get_global_id", "get_local_id", "get_group_id")


@dataclass(frozen=True, kw_only=True)
class Along:
    """A coordinate that runs along a dimension of the launch. `own` is the dimension whose extent is the size of the
    coordinate.
    """

    access: IndexedAccess
    coordinate: Coordinate
    dimension: int
    own: int


def dimensions(launch: SimulatedLaunch) -> Slip | None:
    """Explain elements that no work-item can store because the kernel exchanges the dimensions of rows and columns. The
    rule applies if all indexes that contain ids use the wrong dimension. In addition, some elements must be beyond the
    largest id, which proves that the results are wrong.
    """
    found = list(_along(launch))
    stored = next((each.access for each in found if each.access.writes), None)
    if len(launch.items) < 2 or stored is None or any(each.dimension == each.own for each in found):
        return None
    both = sorted((each for each in found if each.access is stored), key=lambda each: each.own)
    if [each.own for each in both] != [0, 1] or not any(_is_short(launch, each) for each in both):
        return None
    lines = {line for line, text in launch.text.lines if text in IDS}
    first, second = (f"{each.coordinate.units} (`{each.coordinate.limit}`)" for each in both)
    users = f"{lines_in_words(lines)} {'exchanges' if len(lines) == 1 else 'exchange'}"
    return Slip(
        message=f"{users if len(lines) <= IDS_LINES else 'the kernel exchanges'} dimensions 0 and 1. "
        f"Dimension 0 of this launch runs along the {first} of {quoted(stored.array)}, dimension 1 along its {second}.",
        help="Exchange 0 and 1 in all calls of get_global_id, get_local_id and get_group_id.",
        cause="the kernel uses the dimensions of the launch the other way round",
        explains=_consequences(launch),
    )


def exchanged_groups(launch: SimulatedLaunch) -> Slip | None:
    """Explain loads that use the group's id of another dimension than the stores do.

    The rule needs a row or a column that the loads never reach, because it proves that the results are wrong.
    """
    found = list(_along(launch))
    wrong = [each for each in found if each.dimension != each.own]
    if len(launch.items) < 2 or any(each.access.writes for each in wrong) or len(wrong) == len(found):
        return None
    if not any(_is_short(launch, each) for each in wrong):
        return None
    lines = {each.access.line for each in wrong}
    uses = dict.fromkeys(
        f"get_group_id({each.dimension}) for the {each.coordinate.units} of {quoted(each.access.array)}"
        for each in wrong
    )
    runs = [
        f"{'dimension' if number else 'Dimension'} {number} {'' if number else 'of this launch '}runs along "
        f"`{in_words(size)}`"
        for number, size in enumerate(launch.extent)
        if size is not None
    ]
    return Slip(
        message=f"{lines_in_words(lines)} {'uses' if len(lines) == 1 else 'use'} {listed(uses, 'and')}. "
        f"{listed(runs, 'and')}.",
        help="Exchange 0 and 1 in these calls of get_group_id or get_global_id.",
        cause="the kernel uses the dimensions of the launch the other way round",
        explains=_consequences(launch) | lines,
    )


def one_group_id(launch: SimulatedLaunch) -> Slip | None:
    """Explain stores whose row and column use the group's id of the same dimension. Groups that differ only in the
    other dimension then store the same elements, so others are never stored.
    """
    found = [each for each in _along(launch) if each.access.writes]
    right = {(each.access.place, each.dimension) for each in found if each.dimension == each.own}
    for each in found:
        groups = launch.items[each.own] // launch.group[each.own]
        if each.dimension == each.own or (each.access.place, each.dimension) not in right or groups < 2:
            continue
        array, units, others = quoted(each.access.array), each.coordinate.units, _other_units(each.coordinate)
        line = _line(launch, each.access, each.coordinate)
        return Slip(
            message=f"line {line} uses dimension {each.dimension} of the launch for the {units} of "
            f"{array}, as for its {others}, so only some blocks of {array} are stored. Dimension {each.own} runs "
            f"along the {units} (`{each.coordinate.limit}`).",
            help=f"Use dimension {each.own} for the {units}.",
            cause="the kernel uses one dimension of the launch for rows and columns",
            explains=_consequences(launch) | {each.access.line},
        )
    return None


def _other_units(coordinate: Coordinate) -> str:
    return "rows" if coordinate.unit == "column" else "columns"


def one_local_id(launch: SimulatedLaunch) -> Slip | None:
    """Explain why a group loads only the diagonal of its tile: the same local id selects the row and the column."""
    if len(launch.group) != 2 or min(launch.group) < 2:
        return None
    staged = [each for each in launch.values.regions if each.role == "statement" and launch.is_local(each.target)]
    for access in accesses(launch):
        if access.writes or not any(each.first < access.place < each.last for each in staged):
            continue
        used = [_local_ids(each) for each in access.coordinates]
        if len(used) == 2 and used[0] == used[1] and len(used[0]) == 1:
            (own,) = used[0]
            return Slip(
                message=f"line {access.line} uses get_local_id({own}) for the row and for the column of "
                f"{quoted(access.array)}, so a group loads only the diagonal of its tile.",
                help=f"Use get_local_id({1 - own}) for one of the two. Check both ids where they are defined.",
                cause="the kernel uses the dimensions of the launch the other way round",
                explains=_consequences(launch) | {access.line},
            )
    return None


def _local_ids(coordinate: Coordinate) -> set[int]:
    """Dimensions of the local ids that a coordinate depends on."""
    return {number for number in (0, 1) if f"get_local_id({number})" in coordinate.value.atoms}


def _consequences(launch: SimulatedLaunch) -> frozenset[int]:
    """Lines that access an array out of bounds, and lines that use words of local memory that were never set."""
    unset = (line for each in launch.seen.unset for line in (each.line, each.used_line))
    return frozenset(each.line for each in launch.outside) | frozenset(unset)


def _along(launch: SimulatedLaunch) -> Iterator[Along]:
    """Yield the coordinates that contain the id of a group, if exactly one dimension of the launch has their size as
    its extent.
    """
    names = {f"get_group_id({number})": number for number in range(len(launch.extent))}
    for access in accesses(launch):
        for each in access.coordinates:
            used = [names[atom] for atom in each.value.atoms if atom in names]
            own = [number for number, size in enumerate(launch.extent) if size == each.size]
            if len(used) == 1 and len(own) == 1:
                yield Along(access=access, coordinate=each, dimension=used[0], own=own[0])


def _is_short(launch: SimulatedLaunch, along: Along) -> bool:
    """True if no work-item of the launch reaches the last row or column of the array."""
    most = along.coordinate.value.most(launch.largest)
    return most is not None and most < launch.value(along.coordinate.size) - 1


def other_group_size(launch: SimulatedLaunch) -> Slip | None:
    """Explain elements that no work-item stores because the distance between two groups is too large or too small."""
    stores = [each for each in accesses(launch) if each.writes]
    alone = (each for each in stores if [other.array for other in stores].count(each.array) == 1)
    found = (_of_coordinate(launch, store, each) for store in alone for each in store.coordinates)
    return next(filter(None, found), None)


def _of_coordinate(launch: SimulatedLaunch, store: IndexedAccess, coordinate: Coordinate) -> Slip | None:
    """Compare the distance between two groups with the size of a group, if the coordinate consists only of
    the two ids.
    """
    dimensions = range(len(launch.group))
    for number, other in product(dimensions, dimensions):
        group, local = (f"get_group_id({other})",), (f"get_local_id({number})",)
        step, size = coordinate.value.terms.get(group), launch.group[number]
        if step is None or step == size or coordinate.value.terms != {group: step, local: 1}:
            continue
        most, elements = coordinate.value.most(launch.largest), launch.value(coordinate.size)
        has_gaps = step > size and elements > size
        if has_gaps or (most is not None and most < elements - 1):
            line = _line(launch, store, coordinate)
            right = next((name for name in sorted(launch.stated) if launch.constants[name] == str(size)), str(size))
            return Slip(
                message=f"line {line} gives each group {step} {coordinate.units}, but a group of this launch has "
                f"{size} work-items in dimension {number}.",
                help=f"Multiply the id of the group by {right}.",
                cause="the kernel is written for groups of another size",
                explains=frozenset({store.line, *(each.line for each in launch.outside)}),
            )
    return None


def _line(launch: SimulatedLaunch, access: IndexedAccess, coordinate: Coordinate) -> int:
    """The line that computes a coordinate if it is a variable with one value, otherwise the line of the access."""
    places = launch.values.changes.get(coordinate.text, [])
    return launch.text.outline.code[places[0]].line if len(places) == 1 else access.line


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
