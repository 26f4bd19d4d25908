"""The length of the gradient at each pixel, computed from sums of differences."""

import numpy as np

from grader.oracle import Truth


def expected(grey, **_):
    """Return the lengths, which are 0 at the border and at most 255."""
    return {"edges": _framed(np.hypot(*_gradient(grey)), grey.shape)}


def mistakes(grey, **_):
    """Return lengths that overflow a byte, that use only one direction, or that are computed without a root."""
    gx, gy = _gradient(grey)
    made = {
        "lengths above 255 are not cut off": np.hypot(gx, gy).astype(np.int64) % 256,
        "only gx counts": np.abs(gx),
        "only gy counts": np.abs(gy),
        "the absolute values of gx and gy are added": np.abs(gx) + np.abs(gy),
    }
    return {words: {"edges": _framed(length, grey.shape)} for words, length in made.items()}


def _gradient(grey):
    """Return the horizontal and the vertical derivative of the inner pixels."""
    wide = grey.astype(np.float64)
    across, down = wide[:, 2:] - wide[:, :-2], wide[2:] - wide[:-2]
    gx = across[:-2] + 2 * across[1:-1] + across[2:]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    return gx, gy


def _framed(lengths, shape):
    whole = np.zeros(shape)
    if min(shape) > 2:
        whole[1:-1, 1:-1] = np.minimum(np.rint(lengths), 255)
    return Truth(value=whole)
