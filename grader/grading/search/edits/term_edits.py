"""Edits that add or remove a term of a sum, a factor of a product, or a part of a condition."""

from collections.abc import Iterable, Iterator

from grader.grading.search.edits.sites import COMPARISONS, Edit, Site

FURTHER = {"<": ("-1",), "<=": ("1",), ">": ("1",), ">=": ("-1",)}
"""Amounts by which a bound is moved in the direction that replacing the comparison does not cover."""

SUM_ENDS = frozenset(
    {*COMPARISONS, "&&", "||", "?", ":", ",", "=", "+=", "-=", "*=", "/=", "<<", ">>", "&", "|", "^", "+", "-"}
)
"""Tokens that end a term of a sum."""

PRODUCT_ENDS = SUM_ENDS | {"*", "/", "%"}
GUARD_ENDS = frozenset({"&&", "||", "?", ":", ",", "="})


def one_off(site: Site) -> Iterator[Edit]:
    """Add one to an index or a bound, or subtract one from it."""
    if site.token.text == "]" and site.index is not None:
        yield from (site.inserted(f"{sign} 1") for sign in "+-")
    elif site.token.text in COMPARISONS:
        yield from (site.replaced(f"{site.token.text} {one} +") for one in FURTHER.get(site.token.text, ("1", "-1")))


def terms_too_many(site: Site) -> Iterator[Edit]:
    """Remove a term of a sum, a factor of a product, or a part of a condition."""
    ends = {"+": SUM_ENDS, "-": SUM_ENDS, "*": PRODUCT_ENDS, "/": PRODUCT_ENDS, "%": PRODUCT_ENDS}
    ends |= {"&&": GUARD_ENDS, "||": GUARD_ENDS}
    text = site.token.text
    if text not in ends or not site.is_binary or site.number + 1 >= site.region.last:
        return
    yield site.edit(site.number, _end(site, ends[text]), "")
    if text != "-":
        yield site.edit(_begin(site, ends[text]), site.number + 1, "")


def _begin(site: Site, breaks: frozenset[str]) -> int:
    """Number of the first token of the operand before an operator."""
    first = site.number
    while first > site.region.first and site.outline.code[first - 1].text not in breaks | {"(", "["}:
        first = site.outline.openings.get(first - 1, first - 1)
    return first


def _end(site: Site, breaks: frozenset[str]) -> int:
    """Number of the token after the operand that follows an operator. The operand includes its sign."""
    last = site.number + (2 if site.text(1) in {"-", "!", "+"} else 1)
    while last < site.region.last and site.outline.code[last].text not in breaks | {")", "]"}:
        last = site.outline.pairs.get(last, last) + 1
    return last


def terms_too_few(site: Site) -> Iterator[Edit]:
    """Add a term to a sum in an index. It is a term of another index, such as `row * width`, or the next number in a
    series such as a[4 * i], a[4 * i + 1], a[4 * i + 2].
    """
    if _ends_a_sum(site):
        visible = {each.name for each in site.region.visible if each.is_integer}
        terms = [each for each in site.outline.terms if each.names <= visible]
        numbers = sorted({int(each.text) for each in terms if each.text.isdigit()} - {0})
        texts = [each.text for each in terms if len(each.names) > 1 or not each.text.isalnum()]
        yield from _with_one_more(site, [*texts, *(str(number + 1) for number in numbers)])


def terms_of_the_array(site: Site) -> Iterator[Edit]:
    """Add a term to a sum in an index: a term of another index of the same array, or its neighbour in a series, such as
    `2 * n` between `n` and `3 * n`.
    """
    if site.index is not None and _ends_a_sum(site):
        visible = {each.name for each in site.region.visible if each.is_integer}
        terms = site.outline.terms_of_arrays.get(site.index[2], ())
        texts = [each.text for each in terms if each.names <= visible]
        yield from _with_one_more(
            site, dict.fromkeys([*texts, *(near for text in texts for near in _neighbours(text))])
        )


def _neighbours(term: str) -> Iterator[str]:
    """Yield the neighbours of a term in a series of numbers or of multiples."""
    number, times, rest = term.partition(" * ")
    if number.isdecimal():
        yield from (f"{each}{times}{rest}" for each in (int(number) - 1, int(number) + 1) if each > 1 or not times)


def terms_of_own_guards(site: Site) -> Iterator[Edit]:
    """Add a term to a sum in an index, if the same expression compares this term, as in `i + k < n ? a[i] : 0`."""
    if _ends_a_sum(site):
        yield from _with_one_more(site, [each for each in site.compared_beside if _is_integer(site, each)])


def terms_of_guards(site: Site) -> Iterator[Edit]:
    """Add a term to a sum in an index: a term that a condition or a loop compares before."""
    if _ends_a_sum(site):
        yield from _with_one_more(site, [each for each in site.compared if _is_integer(site, each)])


def rows_of_guards(site: Site) -> Iterator[Edit]:
    """Add a row to an index of an array that the host passes: a variable that a condition or a loop compares before,
    times a size.
    """
    if site.index is not None and site.token.text == "]" and _is_given(site, site.index[2]):
        sizes = sorted(each.name for each in site.region.visible if each.is_size)
        rows = [each for each in site.compared if _is_integer(site, each) and each.isidentifier()]
        yield from _with_one_more(site, [f"{row} * {size}" for row in rows for size in sizes])


def variables_too_few(site: Site) -> Iterator[Edit]:
    """Add a variable to a sum in an index."""
    if _ends_a_sum(site):
        yield from _with_one_more(site, sorted(each.name for each in site.region.visible if each.is_integer))


def factors_too_few(site: Site) -> Iterator[Edit]:
    """Multiply a variable in an index by a size."""
    mine = site.variable
    if site.index is not None and mine and mine.is_integer and "*" not in {site.text(-1), site.text(1)}:
        sizes = (each for each in site.region.visible if each.is_size)
        yield from (site.replaced(f"{site.token.text} * {each.name}") for each in sizes)


def strides_too_few(site: Site) -> Iterator[Edit]:
    """Add a product to a sum in an index. It is a variable times a factor of the array's other indexes, such as its
    width.
    """
    if site.index is not None and _ends_a_sum(site):
        strides = site.outline.strides.get(site.index[2], frozenset()) & site.variables.keys()
        factors = (each.name for each in site.region.visible if each.is_integer and not each.is_size)
        yield from _with_one_more(site, [f"{factor} * {stride}" for factor in factors for stride in sorted(strides)])


def _with_one_more(site: Site, terms: Iterable[str]) -> Iterator[Edit]:
    """Yield the sum that ends here with an additional term, for each of these terms that it does not contain."""
    opening = site.outline.openings[site.number]
    has = {each.text for each in site.outline.terms_of(opening + 1, site.number)}
    yield from (site.inserted(f"+ {term}") for term in terms if term not in has)


def _ends_a_sum(site: Site) -> bool:
    """True if the token closes an index, or closes brackets within an index."""
    opening = site.outline.openings.get(site.number, 0)
    is_sum = site.token.text == "]" or (site.token.text == ")" and site.outline.code[opening - 1].kind != "name")
    return site.index is not None and is_sum


def _is_integer(site: Site, term: str) -> bool:
    """True if all variables of a term are visible integers, and not only sizes."""
    names = [word for word in term.split() if word.isidentifier()]
    variables = [site.variables[name] for name in names if name in site.variables]
    is_known = len(variables) == len(names) and all(each.is_integer for each in variables)
    return is_known and not all(each.is_size for each in variables)


def _is_given(site: Site, array: str) -> bool:
    """True if the host passes an array."""
    variable = site.variables.get(array)
    return variable is not None and variable.parameter
