"""Lists the lines from which a wrong result may come: writes of the array, reads of other arrays, and loops."""

from collections.abc import Collection, Iterable, Iterator

from grader.common.phrases import quoted
from grader.common.record import replace
from grader.grading.explain.diagnosis.evidence import Use
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import GLOBAL
from grader.grading.source.origins import deciding_lines
from grader.protocol.observation import SeenKernel
from grader.results.check import Check
from grader.results.findings import lines_named
from grader.results.verdicts import Reason

EXPLAINED = frozenset({Reason.WRONG_OUTPUT, Reason.NOT_WRITTEN})
"""Reasons of a correctness check that describe only the results, not the source."""


WHEREABOUTS = "Follow one element by hand: "
"""Beginning of the list of all lines that use an array. These lines are not necessarily the cause."""


def whereabouts(kernels: Iterable[SeenKernel], scenes: Iterable[Scene]) -> str:
    """A sentence about the lines of several launches, such as "Follow one element by hand: line 31 writes `C`; line 20
    reads `A`."; "" if the launches use no lines, or all arrays in the same line. The lines of a kernel are listed once,
    even if its launches reach different lines. If there are several kernels, the sentence names them.
    """
    launches: dict[str, SeenKernel] = {}
    told: dict[str, str] = {}
    for seen, scene in zip(kernels, scenes, strict=True):
        earlier = launches.get(seen.kernel)
        launches[seen.kernel] = seen if earlier is None else _together(earlier, seen)
        told[seen.kernel] = lines_used(launches[seen.kernel], scene)
    if len(launches) > 1:
        told = {name: words and f"in {quoted(name)}, {words}" for name, words in told.items()}
    words = "; ".join(filter(None, told.values()))
    lines = lines_named(words)
    is_one_line = len(lines) > 1 and len({*lines}) == 1
    return f"{WHEREABOUTS}{words}." if words and not is_one_line else ""


def _together(one: SeenKernel, other: SeenKernel) -> SeenKernel:
    """Merge the accesses, pixels and branches of two launches of a kernel into one launch."""
    both = ("accesses", "images", "branches")
    return one.model_copy(update={name: getattr(one, name) + getattr(other, name) for name in both})


FEW = 3
"""Maximum number of lines in a list of lines to look at. A longer list does not help."""


def writers(array: str, space: int, seen: SeenKernel) -> set[int]:
    """The lines of a launch that write an array."""
    return {
        each.line for each in seen.accesses if each.writes and (each.array, each.space) == (array, space) and each.line
    }


def called_in(other: SeenKernel, launch: SeenKernel, name: str) -> str:
    """The name under which another launch uses an array of this launch."""
    buffers = {each.buffer for each in launch.arrays if (each.space, each.name) == (GLOBAL, name)}
    return next((each.name for each in other.arrays if each.space == GLOBAL and each.buffer in buffers), name)


def told_to_decide(what: str, scene: Scene, kernel: str, lines: Iterable[int]) -> str:
    """Sentence of the form "... depends on lines 9 and 14".

    It is empty if no condition determines which elements these lines access, or if too many lines do.
    """
    deciding = {each for line in lines for each in deciding_lines(scene.expanded, kernel, line)}
    return f"{what} depends on {lines_in_words(deciding)}." if 1 <= len(deciding) <= FEW else ""


def lines_of(use: Use, kernels: Iterable[SeenKernel]) -> str:
    """A sentence such as "line 31 reads `A`."; "" if no launch uses the array in this way, or if many lines do."""
    lines = {
        each.line
        for seen in kernels
        for each in seen.accesses
        if (each.array, each.writes, each.space) == (use.array, use.writes, GLOBAL) and each.line
    }
    if not 1 <= len(lines) <= FEW:
        return ""
    return f"{_used_in(lines, use.array, writes=use.writes)}."


def lines_used(seen: SeenKernel, scene: Scene) -> str:
    """Words about lines with writes, reads or loops, such as "line 31 writes `C`; line 20 reads `A`"; "" if there are
    none.
    """
    parts = [*_uses(seen, writes=True), *_uses(seen, writes=False)]
    loops = {branch.line for branch in seen.branches if scene.is_loop(branch.line)}
    if loops:
        parts.append(f"{'loops are' if len(loops) > 1 else 'a loop is'} in {lines_in_words(loops)}")
    return "; ".join(parts)


def locate(check: Check, words: str) -> Check:
    """The check. If its message describes only the results and its help is empty, `words` become its help."""
    return replace(check, help=words) if check.reason in EXPLAINED and not check.help else check


def _uses(seen: SeenKernel, *, writes: bool) -> Iterator[str]:
    used: dict[str, set[int]] = {}
    arrays = {array.name for array in seen.arrays if array.space == GLOBAL}
    accesses = ((each.array, each.line) for each in seen.accesses if each.space == GLOBAL and each.writes is writes)
    pixels = ((each.image, each.line) for each in seen.images if each.writes is writes)
    for name, line in (*accesses, *pixels):
        if name in arrays and line:
            used.setdefault(name, set()).add(line)
    for name in sorted(used):
        yield _used_in(used[name], name, writes=writes)


def _used_in(lines: Collection[int], array: str, *, writes: bool) -> str:
    """Clause such as "lines 4 and 6 read `A`"."""
    does = "write" if writes else "read"
    return f"{lines_in_words(lines)} {does}{'' if len(lines) > 1 else 's'} {quoted(array)}"


def lines_in_words(numbers: Collection[int]) -> str:
    """Describe line numbers in ascending order, as in "line 12" or "lines 12, 13 and 20"."""
    *others, last = sorted(numbers)
    return f"lines {', '.join(map(str, others))} and {last}" if others else f"line {last}"
