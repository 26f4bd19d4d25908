"""Explains uses of values that were never set, with the line that reads them and the line that should have written
them.
"""

from collections.abc import Iterable, Iterator, Sequence

from grader.common.optional import OptionalWork
from grader.grading.explain.problem import EXPLANATION
from grader.grading.explain.simulator.conditions import guards
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.messages import without_line
from grader.grading.explain.simulator.oclgrind import GLOBAL, LOCAL
from grader.grading.explain.simulator.source_lines import lines_in_words, told_to_decide, writers
from grader.protocol.observation import SeenKernel, SeenUnset
from grader.results.check import Finding, Place, Reason


def first_uses(unset: Iterable[SeenUnset]) -> Iterator[SeenUnset]:
    """Yield the first use of each unset value. A use in an address comes before a use in a condition, and that comes
    before a store.
    """
    uses = sorted(unset, key=lambda each: (each.line, each.column, each.name, each.how, each.used_line))
    known: set[tuple[int, int, str]] = set()
    for each in uses:
        key = (each.line, each.column, each.name)
        if key not in known:
            known.add(key)
            yield each


def of_unset(unset: SeenUnset, launches: Sequence[SeenKernel], scene: Scene) -> Finding:
    """The finding about an unset value in the last of these launches."""
    with OptionalWork(EXPLANATION) as work:
        return _explained(unset, launches, scene)
    what, fault = "it uses a value that was never set.", work.fault
    return Finding(reason=Reason.UNINITIALISED, message=what, help="", places=(), times=unset.times, fault=fault)


def _explained(unset: SeenUnset, launches: Sequence[SeenKernel], scene: Scene) -> Finding:
    if unset.name == RETURNED and RETURNED not in scene.text(unset.line):
        return _of_a_missing_return(unset, scene)
    name = unset.name or "a value"
    if not (unset.line and unset.used_line):
        what = f"it uses {name} before anything is written there."
        help_ = without_line(scene)
        return Finding(reason=Reason.UNINITIALISED, message=what, help=help_, places=(), times=unset.times)
    use = {
        "stored": f"the result is stored in {unset.array} in line {unset.used_line}",
        "condition": f"the condition in line {unset.used_line} depends on it",
        "address": f"an index in line {unset.used_line} depends on it",
    }[unset.how]
    if unset.space == LOCAL:
        what = f"line {unset.line} reads words of {name} that no work-item has written; {use}."
        cause = _of_local_words(name, unset.line, launches[-1], scene)
    elif unset.space == GLOBAL:
        what = f"line {unset.line} reads {name} before anything is written there; {use}."
        cause = _of_global_words(name, launches, scene)
    else:
        what = f"line {unset.line} reads {name}, which has no value yet; {use}."
        cause = f"Give {name} a value where it is declared, such as 0."
    words = f"{scene.item(unset.global_id)} of {scene.group(unset.group)} reads {name}"
    places = [Place(line=unset.line, text=scene.text(unset.line), words=words)]
    if unset.used_line != unset.line:
        places.append(Place(line=unset.used_line, text=scene.text(unset.used_line), words=use.partition(" in line")[0]))
    return Finding(reason=Reason.UNINITIALISED, message=what, help=cause, places=tuple(places), times=unset.times)


RETURNED = "retval"
"""clang's name for the return value of a function. If a program has a variable of this name, the line contains the
name.
"""


def _of_a_missing_return(unset: SeenUnset, scene: Scene) -> Finding:
    item = f"{scene.item(unset.global_id)} of {scene.group(unset.group)}"
    return Finding(
        reason=Reason.UNINITIALISED,
        message=f"the function that ends in line {unset.line} ends without `return`, and its value is used.",
        help="Return a value on every path through the function.",
        places=(Place(line=unset.line, text=scene.text(unset.line), words=f"{item} leaves the function"),),
        times=unset.times,
    )


def _of_local_words(name: str, reader: int, launch: SeenKernel, scene: Scene) -> str:
    """The cause of a read of unset local memory. This memory is filled by other lines, or by the line itself if it adds
    to the old value.
    """
    lines = writers(name, LOCAL, launch)
    if not lines:
        return f"No line wrote to {name}. Check the name of the array in which you store the values."
    others = lines - {reader}
    if not others:
        return f"Line {reader} adds to words of {name}. Give each of them a value first, such as 0."
    around = {line for other in others for line in guards(scene.expanded, launch.kernel, other)}
    if len(others) == len(around) == 1:
        stores, guard = lines_in_words(others).capitalize(), lines_in_words(around)
        return f"{stores} stores to {name} only if the condition in {guard} is true. Store 0 for all other work-items."
    written = (
        f"Not all words of {name} are written in {lines_in_words(others)}. Store 0 where there is nothing to load."
    )
    decided = told_to_decide("How much is written", scene, launch.kernel, others)
    return " ".join(filter(None, (written, decided)))


def _of_global_words(name: str, launches: Sequence[SeenKernel], scene: Scene) -> str:
    """The cause of a read of unset global memory. If the reading kernel does not write the array, an earlier kernel
    must fill it.
    """
    *before, launch = launches
    if not before or writers(name, GLOBAL, launch):
        return "An output does not start at zero: add up in a variable, then store that."
    for other in reversed(before):
        called = _called_in(other, launch, name)
        lines = writers(called, GLOBAL, other)
        if lines:
            same = "" if called == name else f"{name} is the array that an earlier launch calls {called}. "
            written = f"{other.kernel} writes {called} in {lines_in_words(lines)}, but not all of what is read here."
            return same + written
    for other in reversed(before):
        unreached = scene.assigned_in(other.kernel, name)
        if unreached:
            return f"{other.kernel} would write {name} in {lines_in_words(unreached)}, but no work-item gets there."
    return f"No kernel before it has written to {name}."


def _called_in(other: SeenKernel, launch: SeenKernel, name: str) -> str:
    """The name under which another launch uses an array of this launch."""
    buffers = {each.buffer for each in launch.arrays if (each.space, each.name) == (GLOBAL, name)}
    return next((each.name for each in other.arrays if each.space == GLOBAL and each.buffer in buffers), name)
