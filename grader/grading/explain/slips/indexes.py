"""Splits the index of an access into its row and its column."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from grader.grading.explain.slips.launch import ACCESSES, SimulatedLaunch
from grader.grading.source.polynomial import Polynomial, constant
from grader.grading.source.values import ASSIGNMENTS, Span


@dataclass(frozen=True, kw_only=True)
class Coordinate:
    """A coordinate of an access: its text, its value, and the size below which it must be. `unit` is "row", "column" or
    "index".
    """

    text: str
    value: Polynomial
    size: Polynomial
    unit: str

    @property
    def units(self) -> str:
        """The plural noun for counting, which is "rows", "columns" or "elements"."""
        return {"row": "rows", "column": "columns"}.get(self.unit, "elements")

    @property
    def limit(self) -> str:
        """The size in words."""
        return in_words(self.size)


@dataclass(frozen=True, kw_only=True)
class IndexedAccess:
    """An access to an array in global memory. `place` is the number of its token. `coordinates` is empty if its index
    cannot be analysed.
    """

    array: str
    place: int
    line: int
    writes: bool
    coordinates: tuple[Coordinate, ...]


def in_words(size: Polynomial) -> str:
    """Return a size as a student would write it."""
    products = []
    for atoms, factor in size.terms.items():
        parts = [*([] if factor == 1 and atoms else [str(factor)]), *atoms]
        products.append(" * ".join(parts))
    return " + ".join(products).replace("+ -", "- ") or "0"


def accesses(launch: SimulatedLaunch) -> Iterator[IndexedAccess]:
    """Yield the accesses in a kernel's own text to its array parameters, up to the limit ACCESSES."""
    return islice(_accesses(launch), ACCESSES)


def _accesses(launch: SimulatedLaunch) -> Iterator[IndexedAccess]:
    outline = launch.text.outline
    for place in range(*launch.text.function.body):
        array = outline.code[place].text
        if array in launch.shapes and outline.code[place + 1].text == "[":
            closing = outline.pairs[place + 1]
            yield IndexedAccess(
                array=array,
                place=place,
                line=outline.code[place].line,
                writes=outline.code[closing + 1].text in ASSIGNMENTS,
                coordinates=_coordinates(launch, launch.shapes[array], (place + 2, closing)),
            )


def _coordinates(launch: SimulatedLaunch, shape: tuple[Polynomial, ...], index: Span) -> tuple[Coordinate, ...]:
    """The coordinates of an index; empty if it is not a row times the row length plus a column."""
    values = launch.values
    if len(shape) == 1:
        value = values.of(index)
        text = launch.text.outline.between(*values.bare(index))
        return () if value is None else (Coordinate(text=text, value=value, size=shape[0], unit="index"),)
    if len(shape) != 2 or shape[1].number is not None:
        return ()
    rows: list[list[Span]] = []
    columns: list[list[Span]] = []
    for term in terms(launch, values.traced(index)):
        factors = values.split(term, "*")
        lengths = [each for each in factors if values.of(each) == shape[1]]
        if len(lengths) == 1 and len(factors) > 1:
            rows.append([each for each in factors if each not in lengths])
        else:
            columns.append([term])
    if len(rows) != 1 or any(len(values.split(term, "-")) > 1 for (term,) in columns):
        return ()
    row, column = _made(launch, rows), _made(launch, columns)
    if row is None or column is None or shape[1].atoms & column[1].atoms:
        return ()
    return (
        Coordinate(text=row[0], value=row[1], size=shape[0], unit="row"),
        Coordinate(text=column[0], value=column[1], size=shape[1], unit="column"),
    )


def terms(launch: SimulatedLaunch, span: Span) -> Iterator[Span]:
    """Yield the terms of a sum, including those inside brackets."""
    parts = launch.values.split(span, "+")
    if len(parts) > 1:
        for part in parts:
            yield from terms(launch, part)
    elif (inner := launch.values.bare(span)) != span:
        yield from terms(launch, inner)
    else:
        yield span


def _made(launch: SimulatedLaunch, terms: list[list[Span]]) -> tuple[str, Polynomial] | None:
    """The text and the value of a sum of products."""
    texts: list[str] = []
    total = constant(0)
    for factors in terms:
        product = constant(1)
        for factor in factors:
            value = launch.values.of(factor)
            if value is None:
                return None
            product *= value
        total += product
        is_one = len(factors) == 1
        spans = [launch.values.bare(each) if is_one else each for each in factors]
        texts.append(" * ".join(launch.text.outline.between(*each) for each in spans))
    return " + ".join(texts) or "0", total
