"""Registry of the rules that find a mistake in the source. The first rule that applies is used. A rule states only
facts about the text, the launch, or the observations of the simulator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grader.grading.explain.slips import dimensions, groups, guard, inputs, local_words, macros, outputs, rows, sums
from grader.grading.explain.slips.consequences import misplaced_later
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip


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
    SlipRule(name="other group size", needs="the index of a store and the launch", find=groups.other_group_size),
    SlipRule(name="fixed row length", needs="an index and the launch", find=rows.fixed_row_length),
    SlipRule(name="tree", needs="a step of a tree, seen outside or in a race", find=sums.tree_without_condition),
    SlipRule(name="guard", needs="an access outside, its index and its guards", find=guard.guard),
    SlipRule(name="strict guard", needs="the only store of an array and its guards", find=guard.too_strict),
    SlipRule(name="words not stored", needs="a read of unset words, and all stores", find=local_words.unstored_words),
    SlipRule(name="results not stored", needs="all accesses, and all stores", find=outputs.unstored_results),
    SlipRule(name="too few elements", needs="the index of a store and the launch", find=outputs.too_few_elements),
    SlipRule(name="unread inputs", needs="all accesses", find=inputs.unread_inputs),
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
