"""Lists the most likely small edits of a text. Each reverses a common mistake, such as a wrong comparison, an
off-by-one error, a wrong variable, an extra or missing term, a wrong array, or a wrong type.
"""

from collections.abc import Callable, Iterator
from itertools import islice

from grader.grading.search.edits import expression_edits, term_edits, token_edits
from grader.grading.search.edits.sites import Edit, Site
from grader.grading.source.guards import Guards
from grader.grading.source.outline import Outline, Region
from grader.grading.source.values import Values

Operator = Callable[[Site], Iterator[Edit]]

OPERATORS: tuple[Operator, ...] = (
    expression_edits.types,
    expression_edits.guards_for_constants,
    term_edits.terms_of_own_guards,
    expression_edits.exchanged_subscripts,
    expression_edits.exchanged_operands,
    token_edits.operators,
    token_edits.numbers,
    token_edits.arrays,
    token_edits.sizes,
    term_edits.terms_too_many,
    term_edits.terms_of_guards,
    term_edits.terms_of_the_array,
    term_edits.rows_of_guards,
    expression_edits.exchanged_variables,
    token_edits.arrays_of_other_types,
    token_edits.other_operators,
    token_edits.multiples,
    expression_edits.wholes,
    expression_edits.guards_too_few,
    term_edits.one_off,
    token_edits.functions,
    token_edits.components,
    term_edits.variables_too_few,
    term_edits.terms_too_few,
    token_edits.alike,
    term_edits.factors_too_few,
    term_edits.strides_too_few,
    token_edits.unlike,
)
"""Operators, the most likely first. An operator that yields few edits comes early, because each of them is more likely
to be right than one of a hundred.
"""

CANDIDATES = 4
"""Number of candidates that are examined for each requested edit. Few of them repeat another edit or cut a call."""


def edits(outline: Outline, most: int) -> tuple[Edit, ...]:
    """The possible edits, at most `most`, the most likely first and without repetition."""
    found: dict[tuple[int, str], Edit] = {}
    sites = list(_all_sites(outline))
    candidates = (edit for operator in OPERATORS for site in sites for edit in operator(site))
    for edit in islice(candidates, CANDIDATES * most):
        region = edit.region
        before, after = outline.between(region.first, edit.first), outline.between(edit.last, region.last)
        key = (region.first, f"{before} {edit.text} {after}")
        if edit.text != outline.between(edit.first, edit.last) and not _cuts_a_call(outline, edit):
            found.setdefault(key, edit)
    return tuple(found.values())[:most]


def _cuts_a_call(outline: Outline, edit: Edit) -> bool:
    """True if an edit rewrites a call of a function that the text defines. Such a call gets an additional argument
    (mutant_schema.py).
    """
    tokens = outline.code[edit.first : edit.last]
    return len(tokens) > 1 and any(token.text in outline.names for token in tokens)


def _all_sites(outline: Outline) -> Iterator[Site]:
    """Yield a site for every token of every region."""
    for function in outline.functions:
        guards = Guards(values=Values(outline=outline, function=function, calls={}))
        for region in guards.values.regions:
            yield from _sites(guards, region)


def _sites(guards: Guards, region: Region) -> Iterator[Site]:
    """Yield a site for every token of a region."""
    outline = guards.values.outline
    open_ones: list[tuple[int, int, str]] = []
    owners: dict[int, str] = {}
    for number in range(region.first, region.last):
        while open_ones and number > open_ones[-1][1]:
            open_ones.pop()
        index = open_ones[-1] if open_ones else None
        yield Site(outline=outline, region=region, number=number, index=index, guards=guards)
        if outline.code[number].text == "[":
            before = outline.code[number - 1]
            owner = before.text if before.kind == "name" else owners.get(number - 1, "an array")
            owners[outline.pairs[number]] = owner
            open_ones.append((number, outline.pairs[number], owner))
