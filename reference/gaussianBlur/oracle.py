"""target = source under a Gaussian mask, with the nearest pixel outside the image."""

import numpy as np

from grader.oracle import Truth

WHITE = 255
"""Number of a pixel's channel in memory that kernels read as 1."""


def inputs(generator, data, R, **_):
    """Weights from a normal distribution of R/2 pixels, whose sum is 1."""
    weights = np.exp(-0.5 * (np.arange(-R, R + 1) / (R / 2)) ** 2)
    return {"weights": (weights / weights.sum()).astype(np.float32)}


def expected(source, weights, **_):
    """source and target are height x width x 4 with numbers from 0 to 255, and between has numbers from 0 to 1."""
    between = _along(1, source / WHITE, weights)
    return {"target": _pixels(_along(0, between, weights)), "between": Truth(value=between)}


def mistakes(source, weights, R, **_):
    """Other pixels past an edge, other weights, and one pass twice or not at all."""
    colours = source / WHITE
    shorter, one_sided = weights.copy(), np.roll(np.append(weights, np.zeros(2 * R)), 2 * R)
    shorter[-1] = 0
    equal = np.full_like(weights, 1 / len(weights))
    right = _along(1, colours, weights)
    made = {
        "pixels outside the image are taken to be black": _both(colours, weights, mode="constant"),
        "pixels outside the image are taken from its other side": _both(colours, weights, mode="wrap"),
        "the last weight is left out": _both(colours, shorter),
        "the pixels start at the pixel itself, not R before": _both(colours, one_sided),
        "all weights are taken to be equal": _both(colours, equal),
        "rows are blurred twice and columns never": (right, _along(1, right, weights)),
        "columns are blurred twice and rows never": (
            _along(0, colours, weights),
            _along(0, _along(0, colours, weights), weights),
        ),
        "rows are never blurred": (colours, _along(0, colours, weights)),
        "columns are never blurred": (right, right),
    }
    return {
        words: {"target": _pixels(target), **({} if between is right else {"between": Truth(value=between)})}
        for words, (between, target) in made.items()
    }


def _pixels(colours):
    """Colours from 0 to 1 as numbers of pixels."""
    return Truth(value=np.rint(np.clip(colours, 0, 1) * WHITE))


def _both(colours, weights, mode="edge"):
    """The images after the first pass and after both."""
    between = _along(1, colours, weights, mode)
    return between, _along(0, between, weights, mode)


def _along(axis, colours, weights, mode="edge"):
    """Sum of weighted pixels along one axis."""
    radius, length = len(weights) // 2, colours.shape[axis]
    wide = np.moveaxis(
        np.pad(colours, [(radius, radius) if each == axis else (0, 0) for each in range(3)], mode), axis, 0
    )
    total = sum(weight * wide[d : d + length] for d, weight in enumerate(weights.astype(np.float64)))
    return np.moveaxis(total, 0, axis)
