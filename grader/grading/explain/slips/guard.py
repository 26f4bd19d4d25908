"""Explains an access past the end of an array by its guard, which is missing, is incomplete, is off by one, or tests a
different size.

An index that is a row times the row length plus a column is inside the array if both are less than their sizes.
Therefore if an access is outside and the guards limit one of the two correctly, the other one is too large.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from grader.common.phrases import capital, listed, quoted
from grader.grading.explain.simulator.source_lines import lines_in_words
from grader.grading.explain.slips.indexes import Coordinate, IndexedAccess, accesses, in_words
from grader.grading.explain.slips.launch import Outside, SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.grading.source.guards import Guard
from grader.grading.source.origins import arrays_behind
from grader.grading.source.polynomial import constant


@dataclass(frozen=True, kw_only=True)
class GuardedCoordinate:
    """A coordinate that may be too large, and the guards of its access. `near` is the guard that allows slightly too
    large values, and `other` is the guard that compares it with a different size. `others` are the guards that test
    something else.
    """

    access: IndexedAccess
    coordinate: Coordinate
    near: Guard | None
    other: Guard | None
    others: tuple[Guard, ...]

    @property
    def is_untested(self) -> bool:
        """True if no guard tests the coordinate."""
        return self.near is None and self.other is None


def guard(launch: SimulatedLaunch) -> Slip | None:
    """Explain the first access past the end of an array."""
    if not launch.outside:
        return None
    first, *later = launch.outside
    tested = _tested(launch, first)
    if not tested:
        return None
    if all(each.is_untested for each in tested):
        return _unguarded(launch, first, tested, later) or _incomplete(launch, tested)
    return _other_size(launch, tested) or _too_far(launch, tested)


def too_strict(launch: SimulatedLaunch) -> Slip | None:
    """Explain elements that are never stored because the guard of the only store to their array excludes them."""
    stores = [each for each in accesses(launch) if each.writes]
    for store in stores:
        if [each.array for each in stores].count(store.array) == 1:
            for coordinate in store.coordinates:
                for each in launch.guards.at(store.place):
                    if each.room is not None and coordinate.value in each.values:
                        found = _left_out(launch, store, coordinate, each)
                        if found is not None:
                            return found
    return None


def _left_out(launch: SimulatedLaunch, store: IndexedAccess, coordinate: Coordinate, guard: Guard) -> Slip | None:
    assert guard.room is not None
    limit = guard.room + coordinate.value
    excess = (limit - coordinate.size).number
    wanted = f"`{launch.written(coordinate.text)} < {coordinate.limit}`"
    kind = "loop" if guard.is_loop else "guard"
    if excess is not None and excess < 0:
        last = f"the last {coordinate.unit}" if excess == -1 else f"the last {-excess} {coordinate.units}"
        last = last if coordinate.unit != "index" else last.replace("index", "element")
        return Slip(
            message=f"the {kind} in line {guard.line} leaves out {last} of {quoted(store.array)}.",
            help=f"Test {wanted} instead.",
            cause=f"a {kind} leaves out the last elements",
        )
    if excess is None and limit.atoms <= launch.sizes.keys() and launch.value(limit) < launch.value(coordinate.size):
        return Slip(
            message=f"the {kind} in line {guard.line} compares `{launch.written(guard.left)}` with "
            f"`{launch.written(guard.right)}`, but {quoted(store.array)} has `{coordinate.limit}` {coordinate.units}.",
            help=f"Test {wanted} instead.",
            cause=f"a {kind} compares an index with the wrong size",
        )
    return None


def _tested(launch: SimulatedLaunch, outside: Outside) -> list[GuardedCoordinate]:
    """The coordinates of the accesses in a line that may be too large; empty if a guard or an index cannot
    be analysed. An index that depends on the elements of an array may be too large because they are wrong, unless
    the array is an input.
    """
    if arrays_behind(launch.text.outline.text, launch.seen.kernel, outside.line, outside.array) - launch.inputs:
        return []
    found: list[GuardedCoordinate] = []
    for access in accesses(launch):
        if (access.line, access.array, access.writes) != (outside.line, outside.array, outside.writes):
            continue
        guards = launch.guards.at(access.place)
        if not access.coordinates:
            return []
        for coordinate in access.coordinates:
            tested = _of_coordinate(launch, access, coordinate, guards)
            if tested is None:
                return []
            found += tested
    return found


class Bearing(Enum):
    """The effect of a guard on a coordinate."""

    UNREADABLE = "it cannot be read"
    ENOUGH = "it keeps the coordinate below its size"
    NEAR = "it lets the coordinate get a little too far"
    OTHER_SIZE = "it compares the coordinate with another size"
    NONE = "it tests something else"


def _of_coordinate(
    launch: SimulatedLaunch, access: IndexedAccess, coordinate: Coordinate, guards: Sequence[Guard]
) -> list[GuardedCoordinate] | None:
    """The coordinate with its guards; empty if it is always less than its size, None if a guard cannot be analysed."""
    bearings = {each: _bearing(launch, coordinate, each) for each in guards}
    most = coordinate.value.most(launch.largest)
    near = next((each for each in guards if bearings[each] is Bearing.NEAR), None)
    other = next((each for each in guards if bearings[each] is Bearing.OTHER_SIZE), None)
    is_below = other is None and most is not None and most < launch.value(coordinate.size)
    if coordinate.value.atoms <= launch.sizes.keys() or is_below or Bearing.ENOUGH in bearings.values():
        return []
    if Bearing.UNREADABLE in bearings.values():
        return None
    others = tuple(each for each in guards if each not in {near, other} and not each.is_loop)
    return [GuardedCoordinate(access=access, coordinate=coordinate, near=near, other=other, others=others)]


def _bearing(launch: SimulatedLaunch, coordinate: Coordinate, guard: Guard) -> Bearing:
    if guard.room is None:
        return Bearing.UNREADABLE if guard.names & _names(launch, coordinate) else Bearing.NONE
    excess = (guard.room - (coordinate.size - coordinate.value)).number
    if excess is not None:
        return Bearing.ENOUGH if excess <= 0 else Bearing.NEAR
    limit = guard.room + coordinate.value
    if limit.atoms <= launch.sizes.keys():
        return Bearing.OTHER_SIZE if coordinate.value in guard.values else Bearing.UNREADABLE
    ids = coordinate.value.atoms & (launch.largest.keys() - launch.sizes.keys())
    is_about_it = coordinate.value.atoms & guard.room.atoms and not (guard.is_loop and ids - guard.room.atoms)
    is_unknown = limit.atoms - launch.largest.keys() - coordinate.value.atoms
    return Bearing.UNREADABLE if is_about_it and is_unknown else Bearing.NONE


def _names(launch: SimulatedLaunch, coordinate: Coordinate) -> set[str]:
    """The variables in the text of a coordinate."""
    return {*coordinate.value.atoms, *coordinate.text.replace("(", " ").replace(")", " ").split()} - {
        *launch.sizes,
        "+",
        "*",
    }


def _unguarded(
    launch: SimulatedLaunch, first: Outside, tested: Sequence[GuardedCoordinate], later: Sequence[Outside]
) -> Slip | None:
    """Report that an access is not guarded, if no condition applies to it, together with other accesses that are not
    guarded.
    """
    if any(each.others for each in tested):
        return None
    found = {first: tested}
    for each in later:
        alike = _tested(launch, each)
        if alike and all(one.is_untested and not one.others for one in alike):
            found[each] = alike
    lines = {each.line for each in found}
    multiplied = any(_is_multiplied(launch, one.access) for alike in found.values() for one in alike)
    staged = any(_is_staged_for_a_sum(launch, one.access) for alike in found.values() for one in alike)
    return Slip(
        message=f"{lines_in_words(lines)} {'has' if len(lines) == 1 else 'have'} no guard.",
        help=f"{_advice(launch, found)}.{STAGE if staged else ''}{FACTOR if multiplied else ''}",
        cause="an access has no guard",
        explains=frozenset(lines),
    )


def _advice(launch: SimulatedLaunch, found: Mapping[Outside, Sequence[GuardedCoordinate]]) -> str:
    """The conditions that all these accesses need. Equal conditions are mentioned once."""
    wanted = {each: _wanted(launch, tested) for each, tested in found.items()}
    if len(found) > 1 and len(set(wanted.values())) == 1:
        return f"Run {lines_in_words({each.line for each in found})} only if {wanted.popitem()[1]}"
    parts = (
        f"{'write' if each.writes else 'read'} {quoted(each.array)} only if {condition}"
        for each, condition in sorted(wanted.items(), key=lambda pair: pair[0].line)
    )
    return capital("; ".join(dict.fromkeys(parts)))


STAGE = " Store 0 in place of the other words."

FACTOR = " A factor of 0 does not help: NaN times 0 is NaN."


def _is_multiplied(launch: SimulatedLaunch, access: IndexedAccess) -> bool:
    """True if the accessed word is multiplied by the result of a comparison."""
    code, closing = launch.text.outline.code, launch.text.outline.pairs[access.place + 1]
    after = [token.text for token in code[closing + 1 : closing + 3]]
    last = launch.text.outline.pairs.get(closing + 2, closing)
    return after == ["*", "("] and any(token.text in {"<", "<=", ">", ">="} for token in code[closing:last])


def _is_staged_for_a_sum(launch: SimulatedLaunch, access: IndexedAccess) -> bool:
    """True if an access loads a word into local memory in a kernel that computes sums."""
    code = launch.text.outline.code
    statements = [each for each in launch.values.regions if each.role == "statement"]
    is_staged = any(each.first < access.place < each.last and launch.is_local(each.target) for each in statements)
    return is_staged and any(code[each.first + 1].text == "+=" for each in statements)


def _incomplete(launch: SimulatedLaunch, tested: Sequence[GuardedCoordinate]) -> Slip | None:
    """Report that a guard tests other variables than the coordinate."""
    others = {each for one in tested for each in one.others}
    guards = [each for each in others if each.room is not None and not each.room.atoms <= launch.sizes.keys()]
    if not guards:
        return None
    line = max(each.used for each in guards)
    texts = dict.fromkeys(f"`{launch.written(each.coordinate.text)}`" for each in tested)
    access = tested[0].access
    units = listed(dict.fromkeys(each.coordinate.unit for each in tested), "and")
    limits = {each.coordinate.size for each in tested}
    rest = ", or correct the index" if any(limits & {*each.values} for each in guards) else ", too"
    return Slip(
        message=f"the guard in line {line} does not test {listed(texts, 'and')}, the {units} of "
        f"{quoted(access.array)}.",
        help=f"Test {_wanted(launch, tested)}{rest}.{STAGE if _is_staged_for_a_sum(launch, access) else ''}",
        cause="a guard does not test all indexes",
        explains=frozenset({access.line}),
    )


def _other_size(launch: SimulatedLaunch, tested: Sequence[GuardedCoordinate]) -> Slip | None:
    """Report that a guard compares a coordinate with a different size than its own."""
    wrong = [each for each in tested if each.other is not None]
    if not any(_exceeds(launch, each) for each in wrong):
        return None
    access = tested[0].access
    compared: list[str] = []
    limits: list[str] = []
    for each in wrong:
        assert each.other is not None
        size = launch.written(each.other.right)
        compared.append(f"`{launch.written(each.other.left)}` with `{size}`")
        limits.append(f"`{each.coordinate.limit}` {each.coordinate.units}")
    lines = {each.other.line for each in wrong if each.other is not None}
    return Slip(
        message=f"the guard in {lines_in_words(lines)} compares {listed(compared, 'and')}, but "
        f"{quoted(access.array)} has {listed(limits, 'and')}.",
        help=f"Test {_wanted(launch, wrong)} instead.",
        cause="a guard compares an index with the wrong size",
        explains=frozenset({access.line}),
    )


def _exceeds(launch: SimulatedLaunch, tested: GuardedCoordinate) -> bool:
    """True if the guard allows the coordinate to reach its size in this launch."""
    assert tested.other is not None
    assert tested.other.room is not None
    limit = launch.value(tested.other.room + tested.coordinate.value)
    return limit > launch.value(tested.coordinate.size)


def _too_far(launch: SimulatedLaunch, tested: Sequence[GuardedCoordinate]) -> Slip | None:
    """Report that a guard allows a coordinate to reach its size."""
    near = [each for each in tested if each.near is not None]
    if len(near) != len(tested):
        return None
    access = tested[0].access
    reached = []
    for each in near:
        assert each.near is not None
        reached.append(f"`{launch.written(each.coordinate.text)}` reach `{each.coordinate.limit}`")
    lines = {each.near.line for each in near if each.near is not None}
    if any(each.near is not None and each.coordinate.value not in each.near.values for each in near):
        return _another_index(launch, near)
    ends = dict.fromkeys(
        f"the last {each.coordinate.unit} of {quoted(access.array)} is `{_last(each)}`" for each in near
    )
    return Slip(
        message=f"the guard in {lines_in_words(lines)} lets {listed(reached, 'and')}, but {listed(ends, 'and')}.",
        help=f"Test {_wanted(launch, near)} instead.",
        cause="a guard lets an index reach its size",
        explains=frozenset({access.line}),
    )


def _another_index(launch: SimulatedLaunch, near: Sequence[GuardedCoordinate]) -> Slip | None:
    """Report that an index is larger than the value that its guard tests."""
    each = next(each for each in near if each.near is not None and each.coordinate.value not in each.near.values)
    assert each.near is not None
    access, text = each.access, launch.written(each.coordinate.text)
    tested = each.near.left if each.near.values[0] and each.near.values[0].atoms >= each.coordinate.value.atoms else ""
    if not tested:
        return None
    does = "writes" if access.writes else "reads"
    return Slip(
        message=f"line {access.line} {does} at {each.coordinate.unit} `{text}`, but the guard in line {each.near.used} "
        f"tests `{launch.written(tested)}`.",
        help="Use the same value in the index and in the guard.",
        cause="an index is larger than what its guard tests",
        explains=frozenset({access.line}),
    )


def _last(tested: GuardedCoordinate) -> str:
    return in_words(tested.coordinate.size - constant(1))


def _wanted(launch: SimulatedLaunch, tested: Sequence[GuardedCoordinate]) -> str:
    """The conditions that keep these coordinates inside the array."""
    wanted = (f"`{launch.written(each.coordinate.text)} < {each.coordinate.limit}`" for each in tested)
    return listed(dict.fromkeys(wanted), "and")
