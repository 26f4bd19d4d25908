"""Edits of more than one token. They add or remove a term or a guard, exchange parts, or replace a whole expression or
a type.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations

from grader.course.elements import ELEMENTS
from grader.grading.search.edits.sites import ASSIGNMENTS, DIVISIONS, Edit, Site
from grader.grading.source.outline import INTEGER, Region

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})

FURTHER = {"<": ("-1",), "<=": ("1",), ">": ("1",), ">=": ("-1",)}
"""Amounts by which a bound is moved in the direction that replacing the comparison does not cover."""

REAL = frozenset(name for each in ELEMENTS.values() if each.is_floating for name in each.names)

SCALAR = frozenset(name for each in ELEMENTS.values() if each.is_floating and each.lanes == 1 for name in each.names)
"""Real types whose comparison can be a condition. A comparison of vectors does not compile as a condition."""

CONSTANTS = frozenset({"true", "false"})

# --- more and less ----------------------------------------------------------------------------

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


def variables_too_few(site: Site) -> Iterator[Edit]:
    """Add a variable to a sum in an index."""
    if _ends_a_sum(site):
        yield from _with_one_more(site, sorted(each.name for each in site.region.visible if each.is_integer))


def _ends_a_sum(site: Site) -> bool:
    """True if the token closes an index, or closes brackets within an index."""
    opening = site.outline.openings.get(site.number, 0)
    is_sum = site.token.text == "]" or (site.token.text == ")" and site.outline.code[opening - 1].kind != "name")
    return site.index is not None and is_sum


def _with_one_more(site: Site, terms: Iterable[str]) -> Iterator[Edit]:
    """Yield the sum that ends here with an additional term, for each of these terms that it does not contain."""
    opening = site.outline.openings[site.number]
    has = {each.text for each in site.outline.terms_of(opening + 1, site.number)}
    yield from (site.inserted(f"+ {term}") for term in terms if term not in has)


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


def guards_too_few(site: Site) -> Iterator[Edit]:
    """Add a comparison to a condition or before a `?`, by which a variable that the kernel declares is less than a
    size.
    """
    visible = [each for each in site.region.visible if each.is_integer]
    sizes = [each.name for each in visible if each.is_size]
    guards = (f"{each.name} < {size}" for each in visible if not each.is_size for size in sizes)
    if site.region.role == "condition" and site.token.text in COMPARISONS:
        yield from (_also(site, guard) for guard in guards)
    elif site.token.text == "?":
        yield from (site.inserted(f"&& {guard}") for guard in guards)


def guards_for_constants(site: Site) -> Iterator[Edit]:
    """Replace a constant condition with a comparison (of a variable with a size, of two real numbers, or of a variable
    with 0) or with one or two Boolean variables.
    """
    region = site.region
    names = {token.text for token in site.outline.code[region.first : region.last] if token.kind == "name"}
    if region.role != "condition" or site.number != region.first or names - CONSTANTS:
        return
    own = [each for each in region.visible if not each.subscripts and not each.parameter]
    pairs = [(each, size) for each in own if each.is_integer for size in region.visible if size.is_size]
    pairs += [(one, other) for one in own for other in own if one.type == other.type and one.type in SCALAR]
    for one, other in pairs:
        if one.name != other.name:
            signs = ("<", ">=") if one.is_integer else ("<",)
            yield from (site.edit(region.first, region.last, f"{one.name} {sign} {other.name}") for sign in signs)
    truths = [each.name for each in own if each.type == "bool"]
    zeros = (f"{each.name} == 0" for each in own if each.is_integer)
    others = (*truths, *map(" && ".join, combinations(truths, 2)), *zeros)
    yield from (site.edit(region.first, region.last, other) for other in others)


def _also(site: Site, guard: str) -> Edit:
    region = site.region
    whole = site.outline.between(region.first, region.last)
    return site.edit(region.first, region.last, f"({whole}) && {guard}")


# --- exchanges --------------------------------------------------------------------------------


def exchanged_subscripts(site: Site) -> Iterator[Edit]:
    """Replace a[i][j] with a[j][i], also in a[k][i][j]."""
    pairs, code = site.outline.pairs, site.outline.code
    if site.token.text != "[" or (code[site.number - 1].kind != "name" and code[site.number - 1].text != "]"):
        return
    second = pairs[site.number] + 1
    if second < site.region.last and code[second].text == "[":
        first = site.number
        while code[first - 1].text == "]":
            first = site.outline.openings[first - 1]
        inner = [site.outline.between(opening + 1, pairs[opening]) for opening in (site.number, second)]
        inside = Site(
            outline=site.outline,
            region=site.region,
            number=site.number,
            index=(site.number, pairs[site.number], code[first - 1].text),
            guards=site.guards,
        )
        yield inside.edit(site.number, pairs[second] + 1, f"[{inner[1]}][{inner[0]}]")


def exchanged_variables(site: Site) -> Iterator[Edit]:
    """Exchange two variables, everywhere in a region or in one index."""
    if site.number == site.region.first and site.region.role != "step":
        yield from _exchanged(site, site.region.first, site.region.last)
    if site.token.text == "]" and site.index is not None:
        yield from _exchanged(site, site.index[0] + 1, site.number)


def _exchanged(site: Site, first: int, last: int) -> Iterator[Edit]:
    tokens = site.outline.code[first:last]
    names = {each.text for each in tokens if each.kind == "name"} & site.variables.keys()
    integers = sorted(name for name in names - {site.region.target} if site.variables[name].is_integer)
    if any(each.text in DIVISIONS for each in tokens):
        return
    for one, other in combinations(integers, 2):
        turned = {one: other, other: one}
        yield site.edit(first, last, _joined(turned.get(each.text, each.text) for each in tokens))


def exchanged_operands(site: Site) -> Iterator[Edit]:
    """Replace a - b with b - a."""
    if site.token.text not in {"-", "/", "%"} or not site.is_binary:
        return
    first, last = site.number - 1, site.number + 2
    if site.token.text in DIVISIONS and not site.text(-1).isdigit():
        return
    if last <= site.region.last and all(each.kind in {"name", "number"} for each in site.outline.code[first:last:2]):
        yield site.edit(first, last, f"{site.text(1)} {site.token.text} {site.text(-1)}")


def _joined(texts: Iterable[str]) -> str:
    return " ".join(texts)


# --- whole regions ----------------------------------------------------------------------------


def wholes(site: Site) -> Iterator[Edit]:
    """Replace a condition with a constant, replace an initial value with 0 or its negative, or remove a statement."""
    region = site.region
    if site.number != region.first:
        return
    whole = site.outline.between(region.first, region.last)
    match region.role:
        case "condition":
            others = ["1", "0"]
        case "value" if not _makes_a_pointer(site):
            others = ["0", *([] if whole.isalnum() else [f"-({whole})"])]
        case "statement":
            others = [""]
        case _:
            others = []
    yield from (site.edit(region.first, region.last, other) for other in others)


def _makes_a_pointer(site: Site) -> bool:
    """True if the variable with this initial value is a pointer, which does not have a sign and would end the process
    if it were 0.
    """
    region = site.region
    after = (each for each in site.outline.regions if each.first > region.first)
    return any(each.subscripts for later in after for each in later.visible if each.name == region.target)


def types(site: Site) -> Iterator[Edit]:
    """Replace an integer type with a floating-point type, for a variable that gets floating-point values, or for an
    array in whose scope such variables are visible.
    """
    region, number = site.region, site.token.text
    if region.role == "type" and INTEGER.fullmatch(number):
        ends = min(each.body[1] for each in site.outline.functions if each.body[1] > region.first)
        after = (each for each in site.outline.regions if region.first < each.first < ends)
        given = (each for each in after if each.role != "type" and _gives_a_value(site, each, region.target))
        reals = {real for each in given for real in _reals(site, each)}
        if site.variables[region.target].subscripts:
            reals |= {each.type for each in region.visible if each.type in REAL}
        yield from (site.replaced(real) for real in sorted(reals))


def _gives_a_value(site: Site, region: Region, name: str) -> bool:
    """True if an expression gives the variable a value, also in a chain such as `a[i] = name = 0`."""
    code = site.outline.code
    places = range(region.first, region.last - 1)
    is_set = any(code[each].text == name and code[each + 1].text in ASSIGNMENTS for each in places)
    return region.target == name or is_set


def _reals(site: Site, region: Region) -> Iterator[str]:
    """Yield the real types of the variables that an expression uses; of a vector, the type of its components."""
    variables = {each.name: each for each in region.visible}
    tokens = site.outline.code[region.first : region.last]
    used = (variables[token.text] for token in tokens if token.text in variables)
    return (component for each in used if (component := each.type.rstrip("23468")) in REAL)
