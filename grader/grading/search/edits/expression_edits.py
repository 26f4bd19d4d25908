"""Edits of more than one token. They add a guard, exchange parts, or replace a whole expression or a type."""

from collections.abc import Iterator
from itertools import combinations

from grader.course.elements import ELEMENTS
from grader.grading.search.edits.sites import COMPARISONS, DIVISIONS, Edit, Site
from grader.grading.source.outline import INTEGER, Region
from grader.grading.source.values import ASSIGNMENTS

REAL = frozenset(name for each in ELEMENTS.values() if each.is_floating for name in each.names)

SCALAR = frozenset(name for each in ELEMENTS.values() if each.is_floating and each.lanes == 1 for name in each.names)
"""Real types whose comparison can be a condition. A comparison of vectors does not compile as a condition."""

CONSTANTS = frozenset({"true", "false"})


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
        yield site.edit(first, last, " ".join(turned.get(each.text, each.text) for each in tokens))


def exchanged_operands(site: Site) -> Iterator[Edit]:
    """Replace a - b with b - a."""
    if site.token.text not in {"-", "/", "%"} or not site.is_binary:
        return
    first, last = site.number - 1, site.number + 2
    if site.token.text in DIVISIONS and not site.text(-1).isdigit():
        return
    if last <= site.region.last and all(each.kind in {"name", "number"} for each in site.outline.code[first:last:2]):
        yield site.edit(first, last, f"{site.text(1)} {site.token.text} {site.text(-1)}")


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
