"""Finds the lines of later kernels in which a mistake of an earlier kernel shows."""

from collections.abc import Iterator

from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import GLOBAL
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.source.origins import arrays_behind
from grader.protocol.observation import SeenKernel


def misplaced_later(launch: SimulatedLaunch) -> frozenset[int]:
    """The lines of later launches whose indexes depend on an array that this launch writes, directly or through the
    arrays that other launches compute from it.
    """
    wrong = set(_used(launch.seen, writes=True))
    lines: set[int] = set()
    for seen, scene in launch.later:
        names = {each.name for each in seen.arrays if each.space == GLOBAL and each.buffer in wrong}
        lines |= set(_indexed_by(names, seen, scene))
        if wrong.intersection(_used(seen, writes=False)):
            wrong.update(_used(seen, writes=True))
    return frozenset(lines)


def _used(seen: SeenKernel, *, writes: bool) -> Iterator[int]:
    """Yield the buffers that a launch reads or writes."""
    names = {each.array for each in seen.accesses if each.space == GLOBAL and each.writes is writes}
    return (each.buffer for each in seen.arrays if each.space == GLOBAL and each.name in names)


def _indexed_by(names: set[str], seen: SeenKernel, scene: Scene) -> Iterator[int]:
    """Yield the lines of a launch in which the index of an array depends on one of these arrays."""
    places = {(each.line, each.array) for each in seen.accesses if each.space == GLOBAL and each.line}
    for line, array in places if names else ():
        if names & arrays_behind(scene.expanded, seen.kernel, line, array):
            yield line
