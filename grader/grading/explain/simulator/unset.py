"""Explains uses of values that were never set, with the line that reads them and the line that should have written
them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grader.common.optional import OptionalWork
from grader.common.phrases import quoted
from grader.grading.explain.problem import EXPLANATION
from grader.grading.explain.simulator.conditions import guards
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.messages import without_line
from grader.grading.explain.simulator.oclgrind import GLOBAL, LOCAL
from grader.grading.explain.simulator.source_lines import FEW, called_in, lines_in_words, told_to_decide, writers
from grader.grading.source.outline import Function, Outline
from grader.grading.source.reading import outline
from grader.grading.source.stores import store_lines, stores, targets
from grader.protocol.observation import SeenKernel, SeenUnset
from grader.protocol.tokens import Token
from grader.results.findings import Finding, Place
from grader.results.verdicts import Reason


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
    named, stored = quoted(name), quoted(unset.array or "an array")
    if not (unset.line and unset.used_line):
        what = f"it uses {named} before anything is written there."
        help_ = without_line(scene)
        return Finding(reason=Reason.UNINITIALISED, message=what, help=help_, places=(), times=unset.times)
    if unset.space == GLOBAL and (storeless := _kernel_without_store(name, launches, scene)):
        return _of_a_missing_store(unset, storeless)
    use = {
        "stored": f"the result is stored in {stored} in line {unset.used_line}",
        "condition": f"the condition in line {unset.used_line} depends on it",
        "address": f"an index in line {unset.used_line} depends on it",
    }[unset.how]
    if unset.space == LOCAL:
        what, cause = _of_local_words(name, unset.line, _reading(unset, launches), scene)
    elif unset.space == GLOBAL:
        what = _read_of_global_words(name, unset.line, launches, scene)
        cause = _of_global_words(name, launches, scene)
    else:
        what = f"line {unset.line} reads {named}, which {_without_a_value(unset, launches[-1], scene)}"
        cause = f"Give {named} a value where it is declared, such as 0."
    words = f"{scene.item(unset.global_id)} of {scene.group(unset.group)} reads {quoted(name)}"
    places = [Place(line=unset.line, text=scene.text(unset.line), words=words)]
    if unset.used_line != unset.line:
        places.append(Place(line=unset.used_line, text=scene.text(unset.used_line), words=use.partition(" in line")[0]))
    message = f"{what}; {use}."
    return Finding(reason=Reason.UNINITIALISED, message=message, help=cause, places=tuple(places), times=unset.times)


def _without_a_value(unset: SeenUnset, launch: SeenKernel, scene: Scene) -> str:
    """A clause about a variable without a value. It names the line that declares the variable, if this is the only
    variable with its name.
    """
    seen = outline(scene.expanded, [launch.kernel])
    bodies = [range(*each.body) for each in seen.functions] if seen else []
    places = next((body for body in bodies if seen and unset.line in _lines(seen, body)), range(0))
    lines = [seen.code[place].line for place in places if seen and _is_declared(seen, place, unset.name)]
    is_elsewhere = len(lines) == 1 and lines[0] < unset.line
    return f"line {lines[0]} declares without a value" if is_elsewhere else "has no value yet"


def _lines(seen: Outline, body: range) -> range:
    return range(seen.code[body.start].line, seen.code[body.stop].line + 1)


def _is_declared(seen: Outline, place: int, name: str) -> bool:
    """True if a variable with this name is declared at this token, without a value."""
    before, token, after = seen.code[place - 1 : place + 2]
    return token.text == name and before.kind == "name" and before.text not in LEAVES and after.text in {";", ","}


LEAVES = frozenset({"return", "goto"})
"""Words that are not types but that may come before a name."""


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


@dataclass(frozen=True, kw_only=True)
class _Storeless:
    """A kernel whose output `array` does not occur in its body. `line` contains its name, and `is_empty` is true if the
    body contains no code.
    """

    kernel: str
    array: str
    line: int
    is_empty: bool


def _kernel_without_store(name: str, launches: Sequence[SeenKernel], scene: Scene) -> _Storeless | None:
    """The last earlier kernel that has an array as an output and does not use it. None if a kernel writes the array."""
    *before, launch = launches
    if any(writers(called_in(each, launch, name), GLOBAL, each) for each in launches):
        return None
    found = (_storeless(each.kernel, called_in(each, launch, name), scene) for each in reversed(before))
    return next(filter(None, found), None)


def _storeless(kernel: str, array: str, scene: Scene) -> _Storeless | None:
    """The kernel, if this array is one of its outputs and does not occur in its body. An output is a parameter whose
    elements are not constant.
    """
    seen = outline(scene.expanded, [kernel])
    function = next((each for each in seen.functions if each.name == kernel), None) if seen else None
    if seen is None or function is None:
        return None
    declared = [token.text for token in _parameter(seen, function, array)]
    body = seen.code[function.body[0] + 1 : function.body[1]]
    if "*" not in declared or "const" in declared[: declared.index("*")] or any(each.text == array for each in body):
        return None
    line = seen.code[function.parameters[0] - 1].line
    return _Storeless(kernel=kernel, array=array, line=line, is_empty=not body)


def _parameter(seen: Outline, function: Function, array: str) -> Sequence[Token]:
    """The tokens of the parameter with this name; none if there is no such parameter."""
    opening, closing = function.parameters
    begin = opening + 1
    for place in (*range(begin, closing), closing):
        if seen.code[place].text == "," or place == closing:
            if seen.code[place - 1].text == array:
                return seen.code[begin:place]
            begin = place + 1
    return ()


def _of_a_missing_store(unset: SeenUnset, storeless: _Storeless) -> Finding:
    """The finding about an earlier kernel that does not store its output. It marks only this kernel, because the line
    that reads the output may be right.
    """
    array = quoted(storeless.array)
    alias = "" if unset.name == storeless.array else f" as {quoted(unset.name)}"
    kernel = f"the kernel {quoted(storeless.kernel)} in line {storeless.line}"
    help_ = f"Store its results in {array}."
    if storeless.is_empty:
        help_ = "Write the body of this kernel. It is still empty."
    return Finding(
        reason=Reason.UNINITIALISED,
        message=f"{kernel} stores nothing in {array}, which line {unset.line} reads{alias}.",
        help=help_,
        places=(),
        times=unset.times,
    )


def _reading(unset: SeenUnset, launches: Sequence[SeenKernel]) -> SeenKernel:
    """The launch that reads the unset word: the last one, or the first of the earlier ones whose result it uses."""
    for launch in (launches[-1], *launches):
        if any((each.line, each.array) == (unset.line, unset.name) and not each.writes for each in launch.accesses):
            return launch
    return launches[-1]


def _of_local_words(name: str, reader: int, launch: SeenKernel, scene: Scene) -> tuple[str, str]:
    """The mistake and the next step of a read of unset local memory. Other lines fill this memory, or the line itself
    if it adds to the old value.
    """
    what = f"line {reader} reads words of {quoted(name)} that no work-item has written"
    lines = writers(name, LOCAL, launch)
    if not lines:
        return what, f"No line wrote to {quoted(name)}. Check the name of the array in which you store the values."
    others = lines - {reader}
    if not others:
        return what, f"Line {reader} adds to words of {quoted(name)}. Give each of them a value first, such as 0."
    around = {line for other in others for line in guards(scene.expanded, launch.kernel, other)}
    if len(others) == len(around) == 1:
        stores, guard = lines_in_words(others), lines_in_words(around)
        stored = f"{stores} stores to {quoted(name)} only if the condition in {guard} is true"
        return f"{stored}, but line {reader} reads words that no work-item has written", FILL
    missed = _unreached(launch, others, scene)
    written = f"Not all words of {quoted(name)} are written in {lines_in_words(others)}.{missed} {FILL}"
    decided = told_to_decide("How much is written", scene, launch.kernel, others)
    return what, " ".join(filter(None, (written, decided)))


FILL = "If a word has no element to load, store the value that the exercise wants there, often 0."


def _read_of_global_words(name: str, reader: int, launches: Sequence[SeenKernel], scene: Scene) -> str:
    """The mistake of a read of unset global memory. If an earlier kernel fills it in one line inside one condition,
    this condition leaves words out.
    """
    *before, launch = launches
    for other in reversed(before if not writers(name, GLOBAL, launch) else []):
        called = called_in(other, launch, name)
        lines = writers(called, GLOBAL, other)
        around = {each for line in lines for each in guards(scene.expanded, other.kernel, line)}
        if len(lines) == len(around) == 1:
            stores, guard = lines_in_words(lines), lines_in_words(around)
            stored = f"{stores} stores to {quoted(called)} only if the condition in {guard} is true"
            return f"{stored}, but line {reader} reads words of {quoted(name)} that nothing has written"
        if lines:
            break
    return f"line {reader} reads {quoted(name)} before anything is written there"


def _of_global_words(name: str, launches: Sequence[SeenKernel], scene: Scene) -> str:
    """The cause of a read of unset global memory. If the reading kernel does not write the array, an earlier kernel
    must fill it.
    """
    *before, launch = launches
    if not before or writers(name, GLOBAL, launch):
        return "An output does not start at zero: add up in a variable, then store that."
    for other in reversed(before):
        called = called_in(other, launch, name)
        lines = writers(called, GLOBAL, other)
        if lines:
            is_called = f"{quoted(name)} is the argument {quoted(called)} of an earlier launch. "
            same = "" if called == name else is_called
            where = f"{lines_in_words(lines)}{_callers(other, called, lines, scene)}"
            written = f"{other.kernel} writes {quoted(called)} in {where}, but not every word that is read here."
            return f"{same}{written}{_unreached(other, lines, scene)}"
    for other in reversed(before):
        unreached = store_lines(scene.expanded, other.kernel, name)
        if unreached:
            where = lines_in_words(unreached)
            return f"{other.kernel} writes {quoted(name)} only in {where}, which no work-item reaches."
    return f"No earlier kernel writes to {quoted(name)}."


def _callers(launch: SeenKernel, array: str, lines: Collection[int], scene: Scene) -> str:
    """A clause about the lines in which a kernel passes an array to the functions that store to it; "" if the kernel
    itself stores, or if there are many such lines.
    """
    seen = outline(scene.expanded, [launch.kernel])
    own = next((each for each in seen.functions if each.name == launch.kernel), None) if seen else None
    if seen is None or own is None or any(line in _lines(seen, range(*own.body)) for line in lines):
        return ""
    passed = {token.line for token in seen.code[slice(*own.body)] if token.text == array}
    return f", called from {lines_in_words(passed)}" if 1 <= len(passed) <= FEW else ""


def _unreached(launch: SeenKernel, lines: Collection[int], scene: Scene) -> str:
    """A sentence about stores that no work-item gets to, in the functions whose other stores fill an array; "" if all
    are reached or if there are many.
    """
    seen = outline(scene.expanded, [launch.kernel])
    if seen is None:
        return ""
    reached = {each.line for each in launch.accesses}
    missed: set[int] = set()
    for function in seen.functions:
        names = {seen.code[each].text for each in targets(seen, function) if seen.code[each].line in lines}
        missed |= {seen.code[each].line for name in names for each in stores(seen, function, name)} - reached
    if not 1 <= len(missed) <= FEW:
        return ""
    tests = {test for line in missed for test in guards(scene.expanded, launch.kernel, line)}
    behind = f", behind the condition in {lines_in_words(tests)}" if len(tests) == 1 else ""
    return f" No work-item gets to the {'store' if len(missed) == 1 else 'stores'} in {lines_in_words(missed)}{behind}."
