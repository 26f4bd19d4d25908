"""Explains races in local memory: which barrier is missing, or that none is."""

from collections.abc import Collection, Iterable

from grader.grading.explain.simulator import oclgrind
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import Entity
from grader.protocol.observation import SeenKernel, SeenMessage


def local_race(array: str, entities: list[Entity], seen: SeenKernel, scene: Scene) -> tuple[str, str]:
    """Which of the two comes first. It is the write, if it stands above without a barrier between, or if the read found
    words that no work-item had written. Otherwise it is the read, and the write belongs to the next step. Where
    barriers stand on both ways, none is missing.
    """
    write, read = entities
    if read.line == write.line and write.line in _stored_by_all(seen):
        what = (
            f"line {read.line}: work-items of a group read and write the same element of {array}, and nothing says in "
        )
        return f"{what}which order.", LOCK if scene.is_in_a_lock([read.line]) else OWN_ELEMENT
    if read.line in _stored_by_all(seen):
        what = f"line {read.line}: all work-items of a group write the same element, each made of words of {array} "
        what += f"that others still change in line {write.line}."
        return what, "Let one work-item of the group write it, one that may read those words."
    loop = scene.loop_around({write.line, read.line})
    there, back = _way(loop, write.line, read.line), _way(loop, read.line, write.line)
    early, late = not any(map(scene.has_barrier_in, there)), not any(map(scene.has_barrier_in, back))
    what = f"line {read.line} reads words of {array} that another work-item writes in line {write.line}."
    if _is_unset(array, read, seen) or (early and (write.line < read.line or not late)):
        return what, _wrong_fence(array, there, scene) or MISSING.format(write.line, "any work-item reads")
    what = f"line {write.line} overwrites words of {array} that another work-item still reads in line {read.line}."
    if late and (loop or write.line != read.line):
        missing = MISSING.format(read.line, f"the next step writes {array} again")
        braces = BRACES if loop and scene.is_without_braces(loop) else ""
        return what, _wrong_fence(array, back, scene) or missing + braces
    return what, "There is no place for a barrier between them: check both indices, and which work-items get there."


OWN_ELEMENT = "Let each work-item use an element of its own, and add them up after a barrier."

LOCK = (
    "Atomic functions of OpenCL 1.2 order no other accesses, so a lock does not protect this line. Let each work-item "
    "use an element of its own, and combine them after a barrier."
)
"""Section 6.12.11 of OpenCL C 1.2: the functions are atomic, and order no accesses to other words."""

NO_BARRIER = "A barrier(CLK_LOCAL_MEM_FENCE) is missing"
MISSING = NO_BARRIER + " between them: after line {}, before {}."

BRACES = " The body of the loop then needs braces."
"""Added if the barrier would come after a loop whose body is one statement."""


def _wrong_fence(array: str, way: Iterable[range], scene: Scene) -> str | None:
    """Advice about a barrier on the way that orders global memory only; None if no such barrier is on the way."""
    line = scene.global_barrier_in(way)
    if line is None:
        return None
    return (
        f"The barrier in line {line} orders global memory only, but {array} is in local memory: write "
        "barrier(CLK_LOCAL_MEM_FENCE) there."
    )


def _way(loop: range | None, start: int, end: int) -> tuple[range, ...]:
    """The lines from one to the other, which in a loop may lie in its next turn."""
    if start < end:
        return (range(start + 1, end),)
    return (range(start + 1, loop.stop), range(loop.start, end)) if loop else ()


def unparted(array: str, lines: Collection[int], scene: Scene) -> str | None:
    """What two lines lack that write the same element: a barrier, here or on the way into a loop's next turn; or the
    index, where they do not have the same. None where barriers part them, or they are one line.
    """
    first, last = min(lines), max(lines)
    if first == last:
        return None
    if not scene.has_barrier(first, last):
        if wrong := _wrong_fence(array, [range(first + 1, last)], scene):
            return wrong
        if scene.index_in(first, array) == scene.index_in(last, array):
            return f"{NO_BARRIER} between lines {first} and {last}."
        return f"Lines {first} and {last} need the same index, or a barrier(CLK_LOCAL_MEM_FENCE) between them."
    loop = scene.loop_around({first, last})
    back = _way(loop, last, first)
    if loop and not any(map(scene.has_barrier_in, back)):
        return _wrong_fence(array, back, scene) or MISSING.format(last, f"the next step writes {array} again")
    return None


def _stored_by_all(seen: SeenKernel) -> set[int]:
    """Lines in which the work-items of a warp write one and the same element."""
    return {each.line for each in seen.accesses if each.writes and each.stride == 0}


def _is_unset(array: str, read: Entity, seen: SeenKernel) -> bool:
    """Whether the read found words that no work-item had written."""
    return any(each.name == array and each.line == read.line for each in seen.unset)


def is_past_a_barrier(message: SeenMessage, seen: SeenKernel, scene: Scene) -> bool:
    """Whether a race in local memory only is one because words are read that nobody has written: a barrier stands
    between the write and the read below it, so that those are the words of another step.
    """
    if not (oclgrind.RACE.match(message.text) and oclgrind.is_local(message)):
        return False
    match sorted(oclgrind.entities(message), key=lambda each: not each.writes):
        case [write, read] if not read.writes:
            array = oclgrind.target(message, seen).array
            return _is_unset(array, read, seen) and scene.has_barrier(write.line, read.line)
    return False
