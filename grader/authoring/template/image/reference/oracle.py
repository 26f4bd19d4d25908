"""Means of pixels: the truth that results are compared with. It must not share code with a kernel."""

import numpy as np

from grader.oracle import Truth


def expected(source, **_):
    """Return the truth. `source` has the shape [height, width, 4], and its channels are numbers from 0 to 255 (uint8).

    The rule `absolute` needs no magnitude. The values must be numbers that the type can hold.
    """
    return {"target": _pixels(_mean(source))}


def mistakes(source, **_):
    """Return the images that common mistakes produce, the likeliest first. The keys explain equal results."""
    results = {
        "pixels outside the image are taken to be black": _mean(source, "constant"),
        "pixels outside the image are taken from its other side": _mean(source, "wrap"),
        "the pixels are copied as they are": source,
    }
    return {words: {"target": _pixels(result)} for words, result in results.items()}


def _mean(source, outside="edge"):
    """Return means of nine pixels. `outside` is the way in which pixels outside the image are filled in."""
    height, width, _ = source.shape
    wide = np.pad(source.astype(np.float64), ((1, 1), (1, 1), (0, 0)), outside)
    return sum(wide[y : y + height, x : x + width] for y in range(3) for x in range(3)) / 9


def _pixels(means):
    return Truth(value=np.rint(means))
