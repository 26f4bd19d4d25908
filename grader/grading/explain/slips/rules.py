"""Registry of the rules that find a mistake in the source. The first rule that applies is used. A rule states only
facts about the text, the launch, or the observations of the simulator. A mistake of a kernel also shows in lines of
later kernels.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import GLOBAL
from grader.grading.explain.slips import dimensions, guard, local_words, macros, missing_accesses, sums
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.grading.source.origins import arrays_behind
from grader.protocol.observation import SeenKernel


@dataclass(frozen=True, kw_only=True)
class SlipRule:
    """A kind of mistake. `find` returns the mistake in a launch of a kernel with wrong results, or None if the rule
    does not apply.
    """

    name: str
    needs: str
    find: Callable[[SimulatedLaunch], Slip | None]


RULES: tuple[SlipRule, ...] = (
    SlipRule(name="redefined macro", needs="the source and the launch", find=macros.redefined_macro),
    SlipRule(name="exchanged dimensions", needs="all indexes and the launch", find=dimensions.dimensions),
    SlipRule(name="exchanged groups", needs="the indexes and the launch", find=dimensions.exchanged_groups),
    SlipRule(name="one group id", needs="the index of a store and the launch", find=dimensions.one_group_id),
    SlipRule(name="one local id", needs="the index of a load into local memory", find=dimensions.one_local_id),
    SlipRule(name="other group size", needs="the index of a store and the launch", find=dimensions.other_group_size),
    SlipRule(name="fixed row length", needs="an index and the launch", find=dimensions.fixed_row_length),
    SlipRule(name="tree", needs="a step of a tree, seen outside or in a race", find=sums.tree_without_condition),
    SlipRule(name="guard", needs="an access outside, its index and its guards", find=guard.guard),
    SlipRule(name="strict guard", needs="the only store of an array and its guards", find=guard.too_strict),
    SlipRule(name="words not stored", needs="a read of unset words, and all stores", find=local_words.unstored_words),
    SlipRule(name="results not stored", needs="all accesses, and all stores", find=missing_accesses.unstored_results),
    SlipRule(
        name="too few elements", needs="the index of a store and the launch", find=missing_accesses.too_few_elements
    ),
    SlipRule(name="unread inputs", needs="all accesses", find=missing_accesses.unread_inputs),
    SlipRule(name="overwritten sum", needs="a loop", find=sums.overwritten_sum),
)


def first_slip(launches: Sequence[SimulatedLaunch]) -> Slip | None:
    """Return the mistake that the first applicable rule finds; None if no rule applies. The mistake also explains
    findings of the simulator in later kernels, in lines that depend on results of the wrong kernel.
    """
    for rule in RULES:
        for launch in launches:
            slip = rule.find(launch)
            if slip is not None:
                return replace(slip, explains=slip.explains | misplaced_later(launch))
    return None


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
