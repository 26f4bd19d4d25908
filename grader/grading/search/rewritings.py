"""More than one token: a term or a guard too many or too few, what is exchanged, a whole expression, a type."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from grader.grading.search.outline import INTEGER, Region, Variable
from grader.grading.search.places import DIVISIONS, Edit, Place

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})

REAL = frozenset({"float", "double"})

# --- more and less ----------------------------------------------------------------------------

SUM_ENDS = frozenset(
    {*COMPARISONS, "&&", "||", "?", ":", ",", "=", "+=", "-=", "*=", "/=", "<<", ">>", "&", "|", "^", "+", "-"}
)
"""What a term of a sum cannot go beyond."""

PRODUCT_ENDS = SUM_ENDS | {"*", "/", "%"}
GUARD_ENDS = frozenset({"&&", "||", "?", ":", ",", "="})


def one_off(place: Place) -> Iterator[Edit]:
    """An index or a bound that is one more or one less."""
    if place.token.text == "]" and place.index is not None:
        yield from (place.inserted(f"{sign} 1") for sign in "+-")
    elif place.token.text in COMPARISONS:
        yield from (place.replaced(f"{place.token.text} {one} +") for one in ("1", "-1"))


def terms_too_many(place: Place) -> Iterator[Edit]:
    """A sum without one of its terms, a product without one of its factors, a condition without one of its parts."""
    ends = {"+": SUM_ENDS, "-": SUM_ENDS, "*": PRODUCT_ENDS, "/": PRODUCT_ENDS, "%": PRODUCT_ENDS}
    ends |= {"&&": GUARD_ENDS, "||": GUARD_ENDS}
    text = place.token.text
    if text not in ends or not place.is_binary or place.number + 1 >= place.region.last:
        return
    yield place.edit(place.number, _end(place, ends[text]), "")
    if text != "-":
        yield place.edit(_begin(place, ends[text]), place.number + 1, "")


def _begin(place: Place, breaks: frozenset[str]) -> int:
    """Where the operand before an operator begins."""
    first = place.number
    while first > place.region.first and place.outline.code[first - 1].text not in breaks | {"(", "["}:
        first = place.outline.openings.get(first - 1, first - 1)
    return first


def _end(place: Place, breaks: frozenset[str]) -> int:
    """Where the operand behind an operator ends; a sign belongs to it."""
    last = place.number + (2 if place.text(1) in {"-", "!", "+"} else 1)
    while last < place.region.last and place.outline.code[last].text not in breaks | {")", "]"}:
        last = place.outline.pairs.get(last, last) + 1
    return last


def terms_too_few(place: Place) -> Iterator[Edit]:
    """A sum in an index with one more term: a variable, or a product that the text makes, such as `row * width`."""
    code = place.outline.code
    opening = place.outline.openings.get(place.number, 0)
    is_sum = place.token.text == "]" or (place.token.text == ")" and code[opening - 1].kind != "name")
    if place.index is None or not is_sum:
        return
    used = {token.text for token in code[opening : place.number]}
    visible = {each.name for each in place.region.visible if each.is_integer}
    terms = [(name,) for name in sorted(visible - used)]
    products = [pair for pair in place.outline.products if visible.issuperset(pair) and not used.issuperset(pair)]
    yield from (place.inserted(f"+ {' * '.join(term)}") for term in (*products, *terms))


def factors_too_few(place: Place) -> Iterator[Edit]:
    """A variable in an index that a size multiplies."""
    mine = place.variable
    if place.index is not None and mine and mine.is_integer and "*" not in {place.text(-1), place.text(1)}:
        sizes = (each for each in place.region.visible if each.is_size)
        yield from (place.replaced(f"{place.token.text} * {each.name}") for each in sizes)


def guards_too_few(place: Place) -> Iterator[Edit]:
    """A condition with one more part: that a variable of the kernel's own is less than a size."""
    if place.region.role != "condition" or place.token.text not in COMPARISONS:
        return
    visible = [each for each in place.region.visible if each.is_integer]
    sizes = [each.name for each in visible if each.is_size]
    for each in visible:
        if not each.is_size:
            yield from (_also(place, f"{each.name} < {size}") for size in sizes)


def _also(place: Place, guard: str) -> Edit:
    region = place.region
    whole = place.outline.between(region.first, region.last)
    return place.edit(region.first, region.last, f"({whole}) && {guard}")


# --- exchanges --------------------------------------------------------------------------------


def exchanged_subscripts(place: Place) -> Iterator[Edit]:
    """a[j][i] for a[i][j]."""
    pairs, code = place.outline.pairs, place.outline.code
    if place.token.text != "[" or code[place.number - 1].kind != "name":
        return
    second = pairs[place.number] + 1
    if second < place.region.last and code[second].text == "[":
        inner = [place.outline.between(opening + 1, pairs[opening]) for opening in (place.number, second)]
        inside = Place(
            outline=place.outline,
            region=place.region,
            number=place.number,
            index=(place.number, pairs[place.number], code[place.number - 1].text),
        )
        yield inside.edit(place.number, pairs[second] + 1, f"[{inner[1]}][{inner[0]}]")


def exchanged_variables(place: Place) -> Iterator[Edit]:
    """Two variables in each other's places: all of a region, or of one index."""
    if place.number == place.region.first and place.region.role != "step":
        yield from _exchanged(place, place.region.first, place.region.last)
    if place.token.text == "]" and place.index is not None:
        yield from _exchanged(place, place.index[0] + 1, place.number)


def _exchanged(place: Place, first: int, last: int) -> Iterator[Edit]:
    tokens = place.outline.code[first:last]
    names = {each.text for each in tokens if each.kind == "name"} & place.variables.keys()
    integers = sorted(name for name in names - {place.region.target} if place.variables[name].is_integer)
    if any(each.text in DIVISIONS for each in tokens):
        return
    for one, other in combinations(integers, 2):
        turned = {one: other, other: one}
        yield place.edit(first, last, _joined(turned.get(each.text, each.text) for each in tokens))


def exchanged_operands(place: Place) -> Iterator[Edit]:
    """B - a for a - b."""
    if place.token.text not in {"-", "/", "%"} or not place.is_binary:
        return
    first, last = place.number - 1, place.number + 2
    if place.token.text in DIVISIONS and not place.text(-1).isdigit():
        return
    if last <= place.region.last and all(each.kind in {"name", "number"} for each in place.outline.code[first:last:2]):
        yield place.edit(first, last, f"{place.text(1)} {place.token.text} {place.text(-1)}")


def _joined(texts: Iterable[str]) -> str:
    return " ".join(texts)


# --- whole regions ----------------------------------------------------------------------------


def wholes(place: Place) -> Iterator[Edit]:
    """A condition that always or never holds, another first value, another sign, no statement at all."""
    region = place.region
    if place.number != region.first:
        return
    whole = place.outline.between(region.first, region.last)
    match region.role:
        case "condition":
            others = ["1", "0"]
        case "value" if place.variable is None or not place.variable.subscripts or place.text(1) == "[":
            others = ["0", *([] if whole.isalnum() else [f"-({whole})"])]
        case "statement":
            others = [""]
        case _:
            others = []
    yield from (place.edit(region.first, region.last, other) for other in others)


def types(place: Place) -> Iterator[Edit]:
    """A real type for a whole number that is given real ones."""
    region, number = place.region, place.token.text
    if region.role == "type" and INTEGER.fullmatch(number):
        ends = min(each.body[1] for each in place.outline.functions if each.body[1] > region.first)
        after = (each for each in place.outline.regions if region.first < each.first < ends)
        given = (each for each in after if each.target == region.target and each.role != "type")
        reals = {real.type for each in given for real in _reals(place, each)}
        yield from (place.replaced(real) for real in sorted(reals))


def _reals(place: Place, region: Region) -> Iterator[Variable]:
    """The real numbers that an expression is made of."""
    variables = {each.name: each for each in region.visible}
    tokens = place.outline.code[region.first : region.last]
    used = (variables[token.text] for token in tokens if token.text in variables)
    return (each for each in used if each.type in REAL)
