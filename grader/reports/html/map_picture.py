"""The picture of an error map, made of layers of cells, one for each kind of cell."""

from dataclasses import dataclass

from grader.common.phrases import count
from grader.results.findings import ErrorMap

CELLS = {"#": "all wrong", "+": "some wrong", "o": "never written", ".": "right"}

MAP_WIDTH, CELL_WIDTHS = 420, (9, 30)
"""Sizes in pixels: the width of a map, and the smallest and largest width of a cell."""


@dataclass(frozen=True, kw_only=True)
class Layer:
    """The cells of one kind in an error map: the sign, its meaning, the number of cells, and an SVG path that draws
    them.
    """

    sign: str
    words: str
    cells: int
    path: str


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An error map as layers of cells. A cell is one unit wide; `cell` is its size in pixels if there is room."""

    rows: int
    columns: int
    cell: int
    layers: tuple[Layer, ...]

    @property
    def label(self) -> str:
        """The counts in words, for readers who cannot see the picture."""
        return ", ".join(f"{count(layer.cells, 'block')} {layer.words}" for layer in self.layers if layer.cells)


def picture_of(error_map: ErrorMap) -> Picture:
    """Return the map as a grid for drawing."""
    rows, columns = len(error_map.cells), max((len(row) for row in error_map.cells), default=0)
    paths: dict[str, list[str]] = {sign: [] for sign in CELLS}
    for y, row in enumerate(error_map.cells):
        for x, sign in enumerate(row):
            paths.get(sign, paths["."]).append(f"M{x} {y}h1v1h-1z")
    least, most = CELL_WIDTHS
    return Picture(
        rows=rows,
        columns=columns,
        cell=min(most, max(least, MAP_WIDTH // max(1, columns))),
        layers=tuple(
            Layer(sign=sign, words=words, cells=len(paths[sign]), path="".join(paths[sign]))
            for sign, words in CELLS.items()
        ),
    )
