"""Operators of mutation, as testers say, turned round: each makes the opposite of a mistake that people make, such as
another comparison, one more or one less, another variable, a term too many or too few, the wrong array.

What they make must compile as often as possible, since it is compiled together with all others: so variables are
exchanged for others of their type.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from grader.grading.search.outline import INTEGER, Region, Variable
from grader.grading.search.places import DIVISIONS, Edit, Place

OTHERS = {
    "<": ("<=", ">", ">="),
    "<=": ("<", ">=", ">"),
    ">": (">=", "<", "<="),
    ">=": (">", "<=", "<"),
    "==": ("!=", "<", ">"),
    "!=": ("==", "<", ">"),
    "&&": ("||",),
    "||": ("&&",),
    "+": ("-", "*"),
    "-": ("+",),
    "*": ("+", "/"),
    "/": ("*",),
    "%": ("/",),
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|",),
    "|": ("&",),
    "+=": ("-=", "="),
    "-=": ("+=", "="),
    "*=": ("+=", "/=", "="),
    "/=": ("*=", "-="),
    "<<=": (">>=",),
    ">>=": ("<<=",),
    "++": ("--",),
    "--": ("++",),
}
"""Operators that are taken for each other."""

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})

ALIKE = (
    ("get_global_id", "get_local_id", "get_group_id"),
    ("get_global_size", "get_local_size", "get_num_groups"),
    ("fmin", "fmax"),
    ("min", "max"),
    ("sin", "cos"),
    ("exp", "exp2"),
    ("floor", "ceil", "round"),
    ("atomic_min", "atomic_max"),
    ("atomic_add", "atomic_sub"),
)
"""Functions that are taken for each other."""

REAL = frozenset({"float", "double"})

COMPONENTS = ("x", "y", "z", "w")

Operator = Callable[[Place], Iterator[Edit]]


# --- one token for another --------------------------------------------------------------------


def _operators(place: Place) -> Iterator[Edit]:
    text = place.token.text
    if text in {"-", "!"} and not place.is_binary:
        yield place.replaced("")
        return
    others = OTHERS.get(text, ()) if place.is_binary or text not in {"&", "*", "+"} else ()
    if place.moves_a_pointer:
        others = tuple(other for other in others if other in {"+", "-"})
    yield from (place.replaced(other) for other in others if other not in DIVISIONS or place.divides_safely)
    if text == "/" and place.index is not None:
        yield place.replaced("%")
    if text == "=" and place.region.role == "statement" and place.index is None:
        yield from (place.replaced(other) for other in ("+=", "-="))


def _numbers(place: Place) -> Iterator[Edit]:
    """One more, one less, half and twice as much; 0 and 1 for real numbers."""
    token = place.token
    digits = token.text.rstrip("uUlL")
    if token.kind != "number":
        return
    if digits.isdigit() and len(digits) < 9:
        value = int(digits)
        others = [value + 1, value - 1, *([2 * value, value // 2] if value > 2 else [])]
        yield from (place.replaced(str(other)) for other in others if other >= (1 if place.is_divisor else 0))
    else:
        yield from (place.replaced(other) for other in ("0.0f", "1.0f", f"-{token.text}"))


def _arrays(place: Place) -> Iterator[Edit]:
    """Another array of the same kind; one of another space only where an element is taken at once."""
    mine = place.variable
    if mine is None or not mine.subscripts:
        return
    is_taken = place.text(1) == "[" and place.text(-1) != "&"
    is_read = is_taken and place.number != place.region.first
    for other in place.region.visible:
        is_alike = (other.type, other.subscripts) == (mine.type, mine.subscripts) and other.name != mine.name
        fits = is_taken or other.space == mine.space
        if is_alike and fits and (is_read or mine.constant or not other.constant):
            yield place.replaced(other.name)


def _alike(place: Place) -> Iterator[Edit]:
    """Another variable of the same kind: a size for a size, an index for an index."""
    return _variables(place, lambda mine, other: mine.is_size is other.is_size)


def _unlike(place: Place) -> Iterator[Edit]:
    """A size for an index, or the other way round."""
    return _variables(place, lambda mine, other: mine.is_size is not other.is_size)


def _variables(place: Place, fits: Callable[[Variable, Variable], bool]) -> Iterator[Edit]:
    mine = place.variable
    if mine is None or mine.subscripts:
        return
    for other in place.region.visible:
        is_other = other.name != mine.name and not other.subscripts and other.space == mine.space and fits(mine, other)
        same_type = other.is_integer if mine.is_integer else other.type == mine.type
        may_stand = not (place.is_changed and other.constant) and (other.is_size or not place.is_divisor)
        if is_other and same_type and may_stand:
            yield place.replaced(other.name)


def _functions(place: Place) -> Iterator[Edit]:
    group = next((group for group in ALIKE if place.token.text in group), ())
    yield from (place.replaced(other) for other in group if other != place.token.text)


def _components(place: Place) -> Iterator[Edit]:
    vector = place.variables.get(place.text(-2))
    width = vector.type[-1] if vector is not None else "4"
    has = COMPONENTS[: int(width)] if width in "234" else COMPONENTS
    if place.text(-1) == "." and place.token.text in COMPONENTS:
        yield from (place.replaced(other) for other in has if other != place.token.text)


# --- more and less ----------------------------------------------------------------------------

SUM_ENDS = frozenset(
    {*COMPARISONS, "&&", "||", "?", ":", ",", "=", "+=", "-=", "*=", "/=", "<<", ">>", "&", "|", "^", "+", "-"}
)
"""What a term of a sum cannot go beyond."""

PRODUCT_ENDS = SUM_ENDS | {"*", "/", "%"}
GUARD_ENDS = frozenset({"&&", "||", "?", ":", ",", "="})


def _one_off(place: Place) -> Iterator[Edit]:
    """An index or a bound that is one more or one less."""
    if place.token.text == "]" and place.index is not None:
        yield from (place.inserted(f"{sign} 1") for sign in "+-")
    elif place.token.text in COMPARISONS:
        yield from (place.replaced(f"{place.token.text} {one} +") for one in ("1", "-1"))


def _terms_too_many(place: Place) -> Iterator[Edit]:
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


def _terms_too_few(place: Place) -> Iterator[Edit]:
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


def _factors_too_few(place: Place) -> Iterator[Edit]:
    """A variable in an index that a size multiplies."""
    mine = place.variable
    if place.index is not None and mine and mine.is_integer and "*" not in {place.text(-1), place.text(1)}:
        sizes = (each for each in place.region.visible if each.is_size)
        yield from (place.replaced(f"{place.token.text} * {each.name}") for each in sizes)


def _guards_too_few(place: Place) -> Iterator[Edit]:
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


def _exchanged_subscripts(place: Place) -> Iterator[Edit]:
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


def _exchanged_variables(place: Place) -> Iterator[Edit]:
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


def _exchanged_operands(place: Place) -> Iterator[Edit]:
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


def _wholes(place: Place) -> Iterator[Edit]:
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


def _types(place: Place) -> Iterator[Edit]:
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


OPERATORS: tuple[Operator, ...] = (
    _types,
    _operators,
    _arrays,
    _alike,
    _numbers,
    _one_off,
    _exchanged_subscripts,
    _terms_too_many,
    _exchanged_operands,
    _functions,
    _components,
    _wholes,
    _exchanged_variables,
    _unlike,
    _terms_too_few,
    _factors_too_few,
    _guards_too_few,
)
"""The likeliest first."""
