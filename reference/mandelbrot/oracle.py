"""Iterations of z = z*z + c until |z| > 2, for each pixel of an image."""

from functools import lru_cache

import numpy as np

from grader.mistakes import stored_with_row_length
from grader.oracle import Truth

ROWS_AT_ONCE = 64
"""Rows that are computed together, so that their numbers stay in the cache."""


def expected(height, width, limit, left, top, stepX, stepY, **_):
    """Counts has height x width whole numbers. Floats may give other numbers for pixels at the edge of the set."""
    return {"counts": Truth(value=_image(height, width, limit, left, top, stepX, stepY))}


def mistakes(height, width, limit, left, top, stepX, stepY, **_):
    """Another test for the end of the loop, another recurrence, or other pixels."""
    place = (left, top, stepX, stepY)
    right = _image(height, width, limit, *place)
    made = {
        "the count is one too small, as if it began after the first iteration": right - 1,
        "the count is one too large": right + 1,
        "points that never leave the circle count as 0, not as `limit`": np.where(right == limit, 0, right),
        "the loop ends only where |z|^2 > 16, as if |z| were compared with 4": _image(
            height, width, limit, *place, largest=16
        ),
        "the loop ends as soon as |z|^2 > 2": _image(height, width, limit, *place, largest=2),
        "the new real part of z is used for its imaginary part": _image(height, width, limit, *place, then=_in_place),
        "the factor 2 of the imaginary part is left out": _image(height, width, limit, *place, then=_without_factor),
        "the squares are added, not subtracted, in the real part": _image(height, width, limit, *place, then=_added),
        "the image is upside down": right[::-1],
        "the image is reversed from left to right": right[:, ::-1],
        "c belongs to the corner of a pixel, not to its centre": _image(
            height, width, limit, left - stepX / 2, top - stepY / 2, stepX, stepY
        ),
        "rows and columns are swapped in c": _image(width, height, limit, *place).T,
        "rows of counts are taken to be `height` long, not `width`": stored_with_row_length(right, height),
    }
    return {words: {"counts": Truth(value=value)} for words, value in made.items()}


def _next(x, y, re, im):
    return x * x - y * y + re, 2 * x * y + im


def _in_place(x, y, re, im):
    x = x * x - y * y + re
    return x, 2 * x * y + im


def _without_factor(x, y, re, im):
    return x * x - y * y + re, x * y + im


def _added(x, y, re, im):
    return x * x + y * y + re, 2 * x * y + im


@lru_cache(maxsize=4)  # the image of timed runs is the same in every round
def _image(height, width, limit, left, top, stepX, stepY, largest=4, then=_next):
    """Return the counts, with another largest |z|^2 or another next z if a mistake has one."""
    re = left + (np.arange(width) + 0.5) * stepX
    im = top + (np.arange(height) + 0.5) * stepY
    rows = [
        _counts(*np.meshgrid(re, im[first : first + ROWS_AT_ONCE]), limit, largest, then)
        for first in range(0, height, ROWS_AT_ONCE)
    ]
    return np.concatenate(rows).astype(np.int64)


def _counts(re, im, limit, largest, then):
    """Return the counts for points c. Points whose orbit has left the circle are dropped from the iteration."""
    shape, counts = re.shape, np.full(re.size, limit)
    left = np.flatnonzero(~_never_leaves(re, im).reshape(-1)) if then is _next else np.arange(re.size)
    re, im = re.reshape(-1)[left], im.reshape(-1)[left]
    x, y = np.zeros_like(re), np.zeros_like(im)
    with np.errstate(over="ignore", invalid="ignore"):
        for count in range(limit):
            stays = x * x + y * y <= largest
            if not stays.all():
                counts[left[~stays]] = count
                left, x, y, re, im = left[stays], x[stays], y[stays], re[stays], im[stays]
            x, y = then(x, y, re, im)
    return counts.reshape(shape)


def _never_leaves(re, im):
    """True for points in the two largest parts of the set, a cardioid and a circle: their orbits need no iteration."""
    square = (re - 0.25) ** 2 + im**2
    cardioid = square * (square + re - 0.25) <= 0.25 * im**2
    return cardioid | ((re + 1) ** 2 + im**2 <= 0.0625)
