"""Finds kernels that are written for a different group size than the launch has."""

from itertools import product

from grader.grading.explain.slips.indexes import Coordinate, IndexedAccess, accesses
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip


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


def _line(launch: SimulatedLaunch, store: IndexedAccess, coordinate: Coordinate) -> int:
    """The line that computes a coordinate if it is a variable with one value, otherwise the line of the store."""
    places = launch.values.changes.get(coordinate.text, [])
    return launch.text.outline.code[places[0]].line if len(places) == 1 else store.line
