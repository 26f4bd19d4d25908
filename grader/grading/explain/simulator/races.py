"""Explains races in local memory. Finds the missing barrier, or determines that no barrier is missing."""

from collections.abc import Collection, Sequence

from grader.common.phrases import quoted
from grader.common.record import replace
from grader.grading.explain.simulator import oclgrind
from grader.grading.explain.simulator.conditions import SourceCondition, dividing
from grader.grading.explain.simulator.heard import Words
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import LOCAL, Entity
from grader.protocol.observation import SeenKernel, SeenMessage
from grader.results.findings import AdvisedBarrier


def local_race(array: str, entities: list[Entity], seen: SeenKernel, scene: Scene) -> Words:
    """Explain a race between a write and a read. If the steps of a warp leave out barriers on purpose, the next step
    says that OpenCL does not allow this.
    """
    words = _unordered(array, entities, seen, scene)
    if not scene.is_warp_synchronous(array, {each.line for each in entities}):
        return words
    if words.barrier:  # one barrier does not make the results right, because each step needs its own
        return words._replace(mistake=words.barrier.race, help=f"{WARP_SYNCHRONOUS} {EACH_STEP}", barrier=None)
    if words.help == CANNOT_SEPARATE:
        return words._replace(help=f"{WARP_SYNCHRONOUS} {EACH_STEP}")
    is_moved = words.help.startswith(MOVE.partition("{")[0])
    return words._replace(help=f"{words.help} {WARP_SYNCHRONOUS}") if is_moved else words


def _unordered(array: str, entities: list[Entity], seen: SeenKernel, scene: Scene) -> Words:
    """The mistake and the next step of a race between a write and a read. The write comes first if it is
    above the read without a barrier between them, or if the read found words that no work-item had written. Otherwise
    the read comes first, and the write belongs to the next step of the algorithm. If there are barriers on both paths,
    no barrier is missing.
    """
    write, read = entities
    if read.line == write.line and write.line in stored_by_all(seen):
        what = f"line {read.line}: work-items of a group read and write the same element of {quoted(array)}"
        return Words(f"{what}, in an undefined order.", LOCK if scene.is_in_a_lock([read.line]) else OWN_ELEMENT)
    if read.line in stored_by_all(seen):
        what = f"line {read.line}: all work-items of a group write the same element, computed from words of "
        what += f"{quoted(array)} that other work-items still change in line {write.line}."
        return Words(what, "Let one work-item of the group write it, one that may read those words.")
    loop = scene.loop_around({write.line, read.line})
    there, back = _way(loop, write.line, read.line), _way(loop, read.line, write.line)
    early, late = not any(map(scene.has_barrier_in, there)), not any(map(scene.has_barrier_in, back))
    what = f"line {read.line} reads words of {quoted(array)} that another work-item writes in line {write.line}."
    if _is_unset(array, read, seen) or (early and (write.line < read.line or not late)):
        way = (_last_store(write.line, read.line, seen, scene), read.line)
        missing = _missing(what, way, "any work-item reads", seen, scene)
        return _wrong_fence(array, there, scene) or missing
    what = f"line {write.line} overwrites words of {quoted(array)} that another work-item still reads in line "
    what += f"{read.line}."
    if late and (loop or write.line != read.line):
        other = loop.start if loop and write.line <= read.line else write.line
        missing = _missing(what, (read.line, other), f"the next step writes {quoted(array)} again", seen, scene)
        return _wrong_fence(array, back, scene) or missing
    return Words(what, CANNOT_SEPARATE)


OWN_ELEMENT = "Let each work-item use its own element, and add the elements up after a barrier."

LOCK = (
    "Atomic functions of OpenCL 1.2 order no other accesses, so a lock does not protect this line. Let each work-item "
    "use its own element, and combine the elements after a barrier."
)
"""According to section 6.12.11 of OpenCL C 1.2, the functions are atomic, but they do not order accesses to other
words.
"""

ADD_BARRIER = "Write barrier(CLK_LOCAL_MEM_FENCE)"
"""Beginning of advice that states the line for a barrier."""

BRACES = " The body of the loop then needs braces."
"""Added if the barrier belongs at the end of a loop whose body is a single statement."""


MOVE = (
    "Move the steps out of the `{}` in line {}, each with its own condition. Then add a "
    "barrier(CLK_LOCAL_MEM_FENCE) after each."
)
"""Advice on steps that only some work-items run. A barrier cannot be added there because all work-items
must reach it.
"""

CANNOT_SEPARATE = (
    "A barrier cannot separate the two accesses. Check both indexes, and which work-items run these lines."
)

WARP_SYNCHRONOUS = "Code without barriers within 32 work-items (warp-synchronous) is a race by OpenCL's memory model."
EACH_STEP = (
    "Add barrier(CLK_LOCAL_MEM_FENCE) after each step, outside of conditions. A scan in place needs another one "
    "between the read and the write of a step."
)
"""Advice on such steps."""

WRITE_BARRIER = ADD_BARRIER + " in line {}."


def _missing(what: str, way: tuple[int, int], before: str, seen: SeenKernel, scene: Scene) -> Words:
    """The mistake and the next step if a barrier is missing between two lines. `what` is the race. If only some
    work-items run the first line, the barrier belongs after the statement that divides the work-items. If this
    statement also contains the other line, the barrier separates them only if they belong to different iterations of a
    loop around the statement.
    """
    line, other = way
    around = dividing(scene.expanded, seen.kernel, line)
    if around is not None and other in around.lines and len(around.lines) > 1:
        return _in_next_step(what, around, before, MOVE.format(around.keyword, around.lines[0]), scene)
    after = scene.end_of_loops(around.lines[-1] if around else line, other)
    barrier = AdvisedBarrier(line=after, race=what)
    return _with_barrier(barrier, before, scene.loop_around({line, other}), scene)


def _in_next_step(what: str, around: SourceCondition, before: str, otherwise: str, scene: Scene) -> Words:
    """The mistake and the next step if a statement that divides the work-items contains both lines of a race. No
    barrier can separate them there. If no barrier separates the statement from the next iteration of a loop around it,
    the barrier belongs after the statement.
    """
    loop = _open_loop(around.lines, scene)
    if loop is None:
        return Words(what, otherwise)
    return _with_barrier(AdvisedBarrier(line=around.lines[-1], race=what, otherwise=otherwise), before, loop, scene)


def _with_barrier(barrier: AdvisedBarrier, before: str, loop: range | None, scene: Scene) -> Words:
    """The mistake and the next step if this barrier is missing. If it ends the body of the loop, which is a single
    statement, the body needs braces.
    """
    words = Words(
        f"a barrier is missing after line {barrier.line}: {barrier.race}",
        f"{ADD_BARRIER} after line {barrier.line}, before {before}.",
        barrier=barrier,
    )
    if loop is None or barrier.line < loop.stop - 1 or not scene.is_without_braces(loop):
        return words
    return words._replace(help=words.help + BRACES, barrier=replace(barrier, needs_braces=True))


def _open_loop(lines: range, scene: Scene) -> range | None:
    """The innermost loop around a statement in these lines, if no barrier separates the statement from the next
    iteration; otherwise None.
    """
    loop = scene.loop_outside(lines)
    if loop is None or any(map(scene.has_barrier_in, _way(loop, lines[-1], lines[0]))):
        return None
    return loop


STORES = 50
"""Maximum number of lines with stores that are examined between two lines. A kernel of an assignment has about ten."""


def _last_store(write: int, read: int, seen: SeenKernel, scene: Scene) -> int:
    """The last line after a write that stores to local memory before the read. One barrier after it serves all these
    stores. Lines in a statement that contains the read are left out unless the statement also contains the write.
    """
    loop = scene.loop_around({write, read})
    stores = {each.line for each in seen.accesses if each.writes and each.space == LOCAL}
    between = sorted((each for each in stores if write < each < read), reverse=True)
    for line in between[:STORES]:
        around = dividing(scene.expanded, seen.kernel, line)
        if scene.loop_around({line, read}) == loop and (around is None or read not in around.lines):
            return line
    return write


def _wrong_fence(array: str, way: Sequence[range], scene: Scene) -> Words | None:
    """The mistake and the next step if a barrier between the lines orders only global memory, or if a fence is used in
    place of a barrier; otherwise None.
    """
    line = scene.global_barrier_in(way)
    if line is not None:
        what = f"the barrier in line {line} orders global memory only, but {quoted(array)} is in local memory."
        return Words(what, WRITE_BARRIER.format(line), barrier=AdvisedBarrier(line=line, race=what))
    fence = scene.fence_in(way)
    if fence is not None:
        line, name = fence
        what = f"{name} in line {line} does not wait for other work-items."
        return Words(what, WRITE_BARRIER.format(line), barrier=AdvisedBarrier(line=line, race=what))
    return None


def _way(loop: range | None, start: int, end: int) -> tuple[range, ...]:
    """The lines on the path from one line to another. In a loop, the path may lead through the next iteration."""
    if start < end:
        return (range(start + 1, end),)
    return (range(start + 1, loop.stop), range(loop.start, end)) if loop else ()


def unparted(what: str, array: str, lines: Collection[int], seen: SeenKernel, scene: Scene) -> Words | None:
    """The mistake and the next step if two lines write the same element; None if barriers separate the lines, or if
    both accesses are in one line. `what` is the default description of the mistake. The next step is a barrier, either
    between the lines or on the path into the next iteration of the loop. Lines with different indexes may need the same
    index instead.
    """
    first, last = min(lines), max(lines)
    if first == last:
        return None
    if not scene.has_barrier(first, last):
        return _wrong_fence(array, [range(first + 1, last)], scene) or _between(what, array, (first, last), seen, scene)
    loop = scene.loop_around({first, last})
    back = _way(loop, last, first)
    if loop and not any(map(scene.has_barrier_in, back)):
        words = _missing(what, (last, loop.start), f"the next step writes {quoted(array)} again", seen, scene)
        return _wrong_fence(array, back, scene) or words._replace(mistake=what)
    return None


def _between(what: str, array: str, lines: tuple[int, int], seen: SeenKernel, scene: Scene) -> Words:
    """The mistake and the next step if two lines write an array without a barrier between them."""
    first, last = lines
    around = dividing(scene.expanded, seen.kernel, first)
    advice = None
    if scene.index_in(first, array) != scene.index_in(last, array):
        advice = f"Lines {first} and {last} need the same index, or a barrier(CLK_LOCAL_MEM_FENCE) between them."
    if around is not None and last in around.lines:
        before = f"the next step writes {quoted(array)} again"
        otherwise = advice or MOVE.format(around.keyword, around.lines[0])
        return _in_next_step(what, around, before, otherwise, scene)._replace(mistake=what)
    if advice:
        return Words(what, advice)
    after = scene.end_of_loops(around.lines[-1] if around else first, last)
    advice = f"A barrier(CLK_LOCAL_MEM_FENCE) is missing between lines {first} and {last}."
    return Words(what, advice, barrier=AdvisedBarrier(line=after, race=what))


def stored_by_all(seen: SeenKernel) -> set[int]:
    """Lines in which all work-items of a warp write the same element."""
    return {each.line for each in seen.accesses if each.writes and each.stride == 0}


def _is_unset(array: str, read: Entity, seen: SeenKernel) -> bool:
    """True if the read found words that no work-item had written."""
    return any(each.name == array and each.line == read.line for each in seen.unset)


def is_past_a_barrier(message: SeenMessage, seen: SeenKernel, scene: Scene) -> bool:
    """True if a race in local memory is reported only because the kernel reads words that were never written.

    In this case a barrier separates the write from the read below it, so the words belong to another step.
    """
    if not (oclgrind.RACE.match(message.text) and oclgrind.is_local(message)):
        return False
    match sorted(oclgrind.entities(message), key=lambda each: not each.writes):
        case [write, read] if not read.writes:
            array = oclgrind.target(message, seen).array
            return _is_unset(array, read, seen) and scene.has_barrier(write.line, read.line)
    return False
