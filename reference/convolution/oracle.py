"""result = image under a mask, with zeros outside the image."""

import numpy as np

from grader.mistakes import cut_to_half, rounded_to_half, with_row_length
from grader.oracle import Truth


def expected(image, mask, **_):
    """Image and result are height x width, mask is (2R+1) x (2R+1)."""
    return {"result": Truth(value=_under(mask, image), magnitude=_under(np.abs(mask), np.abs(image)))}


def mistakes(image, mask, height, R, TILE, **_):
    """Another order of the mask, a part of it left out, and other pixels past an edge."""
    made = {
        "the mask is used from its end to its start: the signs of i and j are swapped": lambda mask, image: _under(
            mask[::-1, ::-1], image
        ),
        "the mask is used with its rows and columns swapped": lambda mask, image: _under(mask.T, image),
        "the first row and column of the mask are left out": lambda mask, image: _under(
            _without(mask, np.s_[0], np.s_[:, 0]), image
        ),
        "the last row and column of the mask are left out": lambda mask, image: _under(
            _without(mask, np.s_[-1], np.s_[:, -1]), image
        ),
        "the pixel itself (i = j = R) is left out": lambda mask, image: _under(_without(mask, np.s_[R, R]), image),
        "the mask starts at the pixel itself, not R rows and columns before": lambda mask, image: _under(
            mask, image, above=0, below=2 * R
        ),
        "pixels outside the image are taken to be like the nearest pixel": lambda mask, image: _under(
            mask, image, mode="edge"
        ),
        "columns past an edge are read from the row before or after": _without_column_test,
        "pixels of neighbouring tiles, the halo, are taken to be zero": lambda mask, image: _in_tiles(
            mask, image, TILE
        ),
        "rows of image are taken to be `height` long, not `width`": lambda mask, image: _under(
            mask, with_row_length(image, height)
        ),
        "image and mask are rounded to half floats": lambda mask, image: _under(
            rounded_to_half(mask), rounded_to_half(image)
        ),
        "image and mask are cut to the ten bits of mantissa of a half float": lambda mask, image: _under(
            cut_to_half(mask), cut_to_half(image)
        ),
    }
    return {
        words: {"result": Truth(value=result(mask, image), magnitude=result(np.abs(mask), np.abs(image)))}
        for words, result in made.items()
    }


def _without(mask, *parts):
    """Return a copy of the mask with zeros in these parts."""
    changed = mask.copy()
    for part in parts:
        changed[part] = 0
    return changed


def _under(mask, image, above=None, below=None, mode="constant"):
    """Return the sum of products for each pixel. The mask starts `above` rows and columns before the pixel."""
    mask, image = mask.astype(np.float64), image.astype(np.float64)
    above = len(mask) // 2 if above is None else above
    below = len(mask) // 2 if below is None else below
    padded = np.pad(image, ((above, below), (above, below)), mode=mode)
    height, width = image.shape
    total = np.zeros(image.shape)
    for (i, j), weight in np.ndenumerate(mask):
        total += weight * padded[i : i + height, j : j + width]
    return total


def _without_column_test(mask, image):
    """Return the sums if only rows are tested, so that image[row * width + col] is in another row."""
    mask, image = mask.astype(np.float64), image.astype(np.float64)
    radius, (height, width) = len(mask) // 2, image.shape
    rows, columns = np.indices(image.shape)
    total = np.zeros(image.shape)
    for (i, j), weight in np.ndenumerate(mask):
        row = rows + i - radius
        place = row * width + columns + j - radius
        inside = (row >= 0) & (row < height)
        known = inside & (place >= 0) & (place < image.size)
        pixel = np.where(known, image.reshape(-1)[np.clip(place, 0, image.size - 1)], np.where(inside, np.nan, 0))
        total += weight * pixel
    return total


def _in_tiles(mask, image, tile):
    """Return the sums without the products with pixels of other tiles."""
    total = np.zeros(image.shape)
    for row in range(0, image.shape[0], tile):
        for column in range(0, image.shape[1], tile):
            part = np.s_[row : row + tile, column : column + tile]
            total[part] = _under(mask, image[part])
    return total
