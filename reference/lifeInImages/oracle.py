"""Generations of the Game of Life on a torus, with one pixel for each cell."""

import numpy as np

from grader.oracle import Truth

ALIVE = 0.4
"""Share of living cells at the start. About a tenth of them changes from one generation to the next."""


def inputs(generator, data, height, width, **_):
    """Return a field of 0 and 1, which has no pattern."""
    return {"now": (generator.random((height, width), dtype=np.float32) < ALIVE).astype(np.uint8)}


def expected(now, generations, **_):
    """The field after as many generations, height x width."""
    return {"next": Truth(value=_after(generations, now))}


def mistakes(now, generations, **_):
    """Other pixels outside the image, other neighbours, other rules."""
    made = {
        "pixels outside the image count as dead cells, so the field is not a torus": {"outside": "constant"},
        "pixels outside the image are read as the nearest pixel of the image": {"outside": "edge"},
        "the cell itself is counted as a neighbour": {"weights": [[1, 1, 1], [1, 1, 1], [1, 1, 1]]},
        "the neighbours at the four corners are left out": {"weights": [[0, 1, 0], [1, 0, 1], [0, 1, 0]]},
        "the neighbours above and below are left out": {"weights": [[0, 0, 0], [1, 0, 1], [0, 0, 0]]},
        "a dead cell with two living neighbours comes alive": {"born": (2, 3)},
        "a living cell with two living neighbours dies": {"stays": (3,)},
        "a living cell with three living neighbours dies": {"stays": (2,)},
        "a living cell with four living neighbours stays alive": {"stays": (2, 3, 4)},
        "no dead cell comes alive": {"born": ()},
    }
    return {words: {"next": Truth(value=_after(generations, now, **rule))} for words, rule in made.items()}


NEIGHBOURS = [[1, 1, 1], [1, 0, 1], [1, 1, 1]]
"""How often the cells around a cell count, and the cell itself."""


def _after(generations, now, outside="wrap", weights=NEIGHBOURS, born=(3,), stays=(2, 3)):
    """Return the field after as many generations. `outside` is the mode of np.pad for pixels outside the image."""
    (height, width), cells = now.shape, now
    lives = np.isin(np.arange(10), born), np.isin(np.arange(10), stays)
    for _ in range(generations):
        padded = np.pad(cells, 1, mode=outside)
        alive = np.zeros_like(cells)
        for dy, row in enumerate(weights):
            for dx, weight in enumerate(row):
                if weight:
                    alive += padded[dy : dy + height, dx : dx + width]
        cells = np.where(cells, lives[1][alive], lives[0][alive]).astype(np.uint8)
    return cells
