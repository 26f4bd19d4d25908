"""Finds sums that a loop overwrites, and steps of a sum by a tree in which too many work-items add."""

from collections.abc import Iterator

from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.grading.source.outline import Region
from grader.grading.source.values import Span


def overwritten_sum(launch: SimulatedLaunch) -> Slip | None:
    """Explain wrong results by a variable that each iteration of a loop sets again, and that only code after the loop
    reads. Such a loop computes only its last value.
    """
    return next(filter(None, (_overwritten(launch, each) for each in launch.values.regions)), None)


def _overwritten(launch: SimulatedLaunch, statement: Region) -> Slip | None:
    code, values, name = launch.text.outline.code, launch.values, statement.target
    changes = values.changes.get(name, [])
    is_set = statement.role == "statement" and code[statement.first + 1].text == "=" and len(changes) == 2
    loop = min(_loops(launch, statement.first), key=lambda each: len(range(*each)), default=None) if is_set else None
    if loop is None or loop[0] <= changes[0] or launch.is_array(name):
        return None
    read = [each for each in range(*values.function.body) if code[each].text == name and each not in changes]
    is_read_here = any(loop[0] <= each <= loop[1] for each in read)
    is_read_later = any(each > loop[1] for each in read)
    used = {token.text for token in code[statement.first + 2 : statement.last]}
    is_chosen = any(
        each.first in range(*loop) and statement.first in range(*launch.guards.statement(each))
        for each in values.regions
        if each.role == "condition"
    )
    if is_read_here or not is_read_later or not used & _changed(launch, loop) or is_chosen:
        return None
    line = code[statement.first].line
    return Slip(
        message=f"line {line} sets `{name}` again in each iteration, so only the last value counts.",
        help="Write `+=` to add up all values.",
        cause="a sum is overwritten in each iteration",
    )


def _loops(launch: SimulatedLaunch, place: int) -> Iterator[Span]:
    """Yield the loops around a token, from the condition to the end of the statement."""
    for each in launch.values.regions:
        if each.role == "loop condition" and each.first <= place <= launch.guards.statement(each)[1]:
            yield each.first, launch.guards.statement(each)[1]


def _changed(launch: SimulatedLaunch, loop: Span) -> frozenset[str]:
    """The variables that are changed in a loop."""
    changes = launch.values.changes.items()
    return frozenset(name for name, places in changes if any(loop[0] <= place <= loop[1] for place in places))


def tree_without_condition(launch: SimulatedLaunch) -> Slip | None:
    """Explain accesses outside an array in local memory by a step of a sum by a tree that every work-item executes.
    The step adds the word that is `width` words further on, where `width` is a variable of the loop.
    """
    lines = {place for message in launch.seen.messages for place in launch.lines_of(message)}
    for each in launch.values.regions:
        line = launch.text.outline.code[each.first].line
        if each.role == "statement" and line in lines and (step := _step(launch, each)) is not None:
            own, width = step
            return Slip(
                message=f"line {line} has no condition, so too many work-items add.",
                help=f"Let only work-items with `{own} < {width}` add.",
                cause="too many work-items add in a step of a tree",
                explains=frozenset({line}),
            )
    return None


def _step(launch: SimulatedLaunch, statement: Region) -> tuple[str, str] | None:
    """The index and the distance of a step such as `a[me] += a[me + width]`, if it has no condition."""
    outline, values = launch.text.outline, launch.values
    code = outline.code
    indexes = [
        (each + 2, outline.pairs[each + 1])
        for each in range(statement.first, statement.last - 1)
        if code[each].text == statement.target and code[each + 1].text == "["
    ]
    loops = list(_loops(launch, statement.first))
    if len(indexes) < 2 or not loops or not launch.is_local(statement.target):
        return None
    own, other = values.of(indexes[0]), values.of(indexes[-1])
    if own is None or other is None or not own.atoms or not own.atoms <= launch.largest.keys():
        return None
    width = other - own
    (name,) = width.atoms if len(width.atoms) == 1 else ("",)
    is_of_loop = any(name in _changed(launch, each) for each in loops) and width.terms == {(name,): 1}
    if not is_of_loop or any(not each.is_loop for each in launch.guards.at(statement.first)):
        return None
    return outline.between(*indexes[0]), name
