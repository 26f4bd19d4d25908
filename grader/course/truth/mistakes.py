"""The arrays that result from common mistakes. These are building blocks for the `mistakes` of an oracle.py."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

HALF_MASK = 0xFFFFE000
"""Mask for a float's sign, its exponent, and the part of the mantissa that a half float has (10 of 23 bits)."""


def with_row_length(array: NDArray[Any], length: int) -> NDArray[np.float64]:
    """Return the matrix as read at [i * length + j] instead of [i * columns + j], with NaN past its end."""
    rows, columns = array.shape
    places = np.arange(rows)[:, None] * length + np.arange(columns)
    return np.where(places < array.size, array.reshape(-1)[np.minimum(places, array.size - 1)], np.nan)


def stored_with_row_length(array: NDArray[Any], length: int) -> NDArray[np.float64]:
    """Return the matrix with each element stored at [i * length + j] instead of [i * columns + j].

    The result is NaN where no element is stored, and where several elements are stored in an unknown order.
    """
    rows, columns = array.shape
    places = (np.arange(rows)[:, None] * length + np.arange(columns)).reshape(-1)
    inside = places < array.size
    stored = np.full(array.size, np.nan)
    stored[places[inside]] = array.reshape(-1)[inside]
    stored[np.bincount(places[inside], minlength=array.size) > 1] = np.nan
    return stored.reshape(array.shape)


def by_columns(array: NDArray[Any]) -> NDArray[Any]:
    """Return the matrix as read at [j * rows + i] instead of [i * columns + j]."""
    rows, columns = array.shape
    return array.reshape(columns, rows).T


def with_tiles_turned(array: NDArray[Any], tile: int) -> NDArray[np.float64]:
    """Return the matrix with each tile x tile block transposed in place. Elements beyond the edge are zero."""
    rows, columns = (-(-extent // tile) for extent in array.shape)
    padded = np.zeros((rows * tile, columns * tile))
    padded[: array.shape[0], : array.shape[1]] = array
    turned = padded.reshape(rows, tile, columns, tile).transpose(0, 3, 2, 1).reshape(padded.shape)
    return turned[: array.shape[0], : array.shape[1]]


def with_stale_words(array: NDArray[Any], tile: int, axis: int) -> NDArray[np.float64]:
    """Return the matrix, followed along this axis by the stale words in tiles past its end, which come from the step
    before.

    The stale words are NaN if there was no step before, since the contents of local memory are then unknown.
    """
    extent = array.shape[axis]
    padding = -extent % tile
    if extent > tile:
        stale = np.take(array, np.arange(extent, extent + padding) - tile, axis=axis)
    else:
        stale = np.full((padding, array.shape[1]) if axis == 0 else (array.shape[0], padding), np.nan)
    return np.concatenate([array, stale], axis=axis).astype(np.float64)


def cut_to_half(array: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the numbers without the mantissa bits that a half float lacks."""
    return (array.view(np.uint32) & np.uint32(HALF_MASK)).view(np.float32).astype(np.float64)


def rounded_to_half(array: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the numbers rounded to half floats."""
    return array.astype(np.float16).astype(np.float64)
