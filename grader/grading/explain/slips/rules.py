"""Registry of the rules that find a mistake in the source. The first rule that applies counts.

A rule states only facts: about the text, the launch, or what the simulator saw.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.grading.explain.slips import dimensions, groups, guard, inputs, local_words, macros, rows, sums
from grader.grading.explain.slips.launch import Launch
from grader.grading.explain.slips.slip import Slip


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A kind of mistake. `find` returns the mistake in a launch of a kernel with wrong results, or None if the rule
    does not apply.
    """

    name: str
    needs: str
    find: Callable[[Launch], Slip | None]


RULES: tuple[Rule, ...] = (
    Rule(name="redefined macro", needs="the source and the launch", find=macros.redefined_macro),
    Rule(name="exchanged dimensions", needs="all indexes and the launch", find=dimensions.dimensions),
    Rule(name="other group size", needs="the index of a store and the launch", find=groups.other_group_size),
    Rule(name="fixed row length", needs="an index and the launch", find=rows.fixed_row_length),
    Rule(name="tree", needs="a step of a tree that was seen outside or in a race", find=sums.tree_without_condition),
    Rule(name="guard", needs="an access outside, its index and its guards", find=guard.guard),
    Rule(name="strict guard", needs="the only store of an array and its guards", find=guard.too_strict),
    Rule(name="words not stored", needs="a read of unset words, and all stores", find=local_words.unstored_words),
    Rule(name="unread inputs", needs="all accesses", find=inputs.unread_inputs),
    Rule(name="overwritten sum", needs="a loop", find=sums.overwritten_sum),
)


def first_slip(launches: Sequence[Launch]) -> Slip | None:
    """Return the mistake that the first applicable rule finds; None if no rule applies."""
    found = (rule.find(launch) for rule in RULES for launch in launches)
    return next((slip for slip in found if slip is not None), None)
