"""Edits of a single token: an operator, a variable, an array, a number or a function.

All edits are compiled together, so as many as possible should compile. Therefore a variable is replaced only with
variables of its type.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.course.elements import ELEMENTS
from grader.grading.search.edits.sites import DIVISIONS, Edit, Site
from grader.grading.source.outline import Variable

OTHERS = {
    "<": ("<=",),
    "<=": ("<",),
    ">": (">=",),
    ">=": (">",),
    "==": ("!=",),
    "!=": ("==",),
    "&&": ("||",),
    "||": ("&&",),
    "+": ("-", "*"),
    "-": ("+",),
    "*": ("/",),
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
"""For each operator, the operators with which it is most often confused."""

RARE_OTHERS = {
    "<": (">", ">="),
    "<=": (">=", ">"),
    ">": ("<", "<="),
    ">=": ("<=", "<"),
    "==": ("<", ">"),
    "!=": ("<", ">"),
    "*": ("+",),
}
"""For each operator, the operators with which it is sometimes confused."""

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
"""Groups of functions that are often confused with each other."""

WORK_ITEM_FUNCTIONS = frozenset({*ALIKE[0], *ALIKE[1]})
"""Functions whose argument is a dimension."""

NUMBERS = frozenset(name for each in ELEMENTS.values() if each.lanes == 1 for name in each.names)
"""Types of single numbers, which OpenCL converts to each other."""

COMPONENTS = ("x", "y", "z", "w")

VECTOR = re.compile(r"[234]$")
"""Pattern of the number of components at the end of a type's name. Larger vectors also have the four components in
COMPONENTS.
"""

MOST_DIGITS = 9
"""Number of digits from which a number cannot be a size, an index or a constant of a loop."""

DIMENSIONS = 2
"""Number of dimensions that the kernel itself may use. In a batch, the third dimension selects the edit."""


def operators(site: Site) -> Iterator[Edit]:
    """Replace an operator with another, or remove a sign."""
    text = site.token.text
    if text in {"-", "!"} and not site.is_binary:
        yield site.replaced("")
        return
    yield from _replaced(site, OTHERS)
    if text == "/" and (site.index is not None or site.divides_integers):
        yield site.replaced("%")
    if text == "=" and site.region.role == "statement" and site.index is None:
        yield site.replaced("+=")


def other_operators(site: Site) -> Iterator[Edit]:
    """Replace an operator with one that is less often confused with it."""
    yield from _replaced(site, RARE_OTHERS)


def _replaced(site: Site, table: Mapping[str, tuple[str, ...]]) -> Iterator[Edit]:
    text = site.token.text
    others = table.get(text, ()) if site.is_binary or text not in {"&", "*", "+", "-", "!"} else ()
    if site.moves_a_pointer:
        others = tuple(other for other in others if other in {"+", "-"})
    yield from (site.replaced(other) for other in others if other not in DIVISIONS or site.divides_safely)


def numbers(site: Site) -> Iterator[Edit]:
    """Replace a whole number with the next larger or smaller one, and a real number with 0, 1 or its negative."""
    token = site.token
    value = _whole_number(site)
    if value is not None:
        yield from _in_place_of_a_number(site, (value + 1, value - 1))
    elif token.kind == "number":
        yield from (site.replaced(other) for other in ("0.0f", "1.0f", f"-{token.text}"))


def multiples(site: Site) -> Iterator[Edit]:
    """Replace a whole number with its double or its half."""
    value = _whole_number(site)
    if value is not None and value > 2:
        yield from _in_place_of_a_number(site, (2 * value, value // 2))


def _whole_number(site: Site) -> int | None:
    digits = site.token.text.rstrip("uUlL")
    is_whole = site.token.kind == "number" and digits.isdigit() and len(digits) < MOST_DIGITS
    return int(digits) if is_whole else None


def _in_place_of_a_number(site: Site, others: Sequence[int]) -> Iterator[Edit]:
    most = DIMENSIONS - 1 if site.text(-1) == "(" and site.text(-2) in WORK_ITEM_FUNCTIONS else max(others)
    yield from (site.replaced(str(other)) for other in others if (1 if site.is_divisor else 0) <= other <= most)


def arrays(site: Site) -> Iterator[Edit]:
    """Replace an array with another of the same kind. Their address spaces may differ only if an element is accessed
    directly.
    """
    mine = site.variable
    if mine is None or not mine.subscripts:
        return
    is_taken = site.text(1) == "[" and site.text(-1) != "&"
    is_read = is_taken and not _is_stored(site)
    for other in site.region.visible:
        is_alike = (other.type, other.subscripts) == (mine.type, mine.subscripts) and other.name != mine.name
        fits = is_taken or other.space == mine.space
        if is_alike and fits and (is_read or mine.constant or not other.constant):
            yield site.replaced(other.name)


def arrays_of_other_types(site: Site) -> Iterator[Edit]:
    """Replace the array in an access to an element with an array whose elements have another type of number."""
    mine = site.variable
    if mine is None or mine.type not in NUMBERS or site.text(1) != "[" or site.text(-1) == "&":
        return
    for other in site.region.visible:
        is_alike = other.type in NUMBERS - {mine.type} and other.subscripts == mine.subscripts
        if is_alike and not (_is_stored(site) and other.constant):
            yield site.replaced(other.name)


def _is_stored(site: Site) -> bool:
    """True if the statement assigns to the variable or to the element of the array at this site."""
    return site.number == site.region.first and site.region.role in {"statement", "step"}


def sizes(site: Site) -> Iterator[Edit]:
    """Replace a size with another size."""
    return _variables(site, lambda mine, other: mine.is_size and other.is_size)


def alike(site: Site) -> Iterator[Edit]:
    """Replace a variable that is no size with another one."""
    return _variables(site, lambda mine, other: not mine.is_size and not other.is_size)


def unlike(site: Site) -> Iterator[Edit]:
    """Replace a size with an index, or an index with a size."""
    return _variables(site, lambda mine, other: mine.is_size is not other.is_size)


def _variables(site: Site, fits: Callable[[Variable, Variable], bool]) -> Iterator[Edit]:
    mine = site.variable
    if mine is None or mine.subscripts:
        return
    for other in site.region.visible:
        is_other = other.name != mine.name and not other.subscripts and other.space == mine.space and fits(mine, other)
        same_type = other.is_integer if mine.is_integer else other.type == mine.type
        may_stand = not (site.is_changed and other.constant) and (other.is_size or not site.is_divisor)
        if is_other and same_type and may_stand:
            yield site.replaced(other.name)


def functions(site: Site) -> Iterator[Edit]:
    """Replace a function with one with which it is often confused."""
    group = next((group for group in ALIKE if site.token.text in group), ())
    yield from (site.replaced(other) for other in group if other != site.token.text)


def components(site: Site) -> Iterator[Edit]:
    """Replace a component of a vector with another component that the vector has."""
    if site.text(-1) != "." or site.token.text not in COMPONENTS:
        return
    vector = site.variables.get(site.text(-2))
    width = VECTOR.search(vector.type) if vector is not None else None
    has = COMPONENTS[: int(width[0])] if width else COMPONENTS
    yield from (site.replaced(other) for other in has if other != site.token.text)
