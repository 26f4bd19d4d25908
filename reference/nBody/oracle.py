"""The accelerations of all bodies by gravity, as products of matrices with one row and one column per body."""

import numpy as np

from grader.oracle import Truth

BLOCK = 512
"""Bodies at a time: the matrices of all pairs would not fit into memory."""


def inputs(generator, data, n, **_):
    """Return bodies in a cube from -1 to 1, with masses from 0.5 to 2."""
    places = generator.uniform(-1, 1, (n, 3))
    masses = generator.uniform(0.5, 2, (n, 1))
    return {"positions": np.concatenate([places, masses], axis=1).astype(np.float32)}


def expected(positions, softening, **_):
    """Three numbers per body, and a fourth one that may be anything.

    A coordinate of a term is at most mass / (distance^2 + softening), as the whole term. The magnitude adds this up.
    """
    return _truth(positions, softening)


def mistakes(positions, softening, n, WG, **_):
    """Other powers of the distance, other masses, and tiles that are left out."""
    whole = n // WG * WG  # first body of the last, partial tile
    last = (n - 1) // WG * WG  # first body of the last tile
    light = positions.copy()
    light[:, 3] = 1
    unlike = positions[:, 3:]
    return {
        "the bodies repel each other: the difference of places has the wrong sign": _truth(
            positions, softening, sign=-1
        ),
        "the masses are left out": _truth(light, softening),
        "the mass of the body itself is used, not the mass of the other body": _truth(light, softening, factor=unlike),
        "the mass of the body itself is a factor, as in a force": _truth(positions, softening, factor=unlike),
        "the difference is divided by the square of the distance, not by its third power": _truth(
            positions, softening, power=1
        ),
        "the difference is divided by the distance, not by its third power": _truth(positions, softening, power=0.5),
        "the softening is added twice": _truth(positions, 2 * softening),
        "the last, ragged tile of bodies is left out": _truth(positions, softening, others=slice(whole)),
        "only the last tile of bodies counts, as if the sum restarted in every tile": _truth(
            positions, softening, others=slice(last, None)
        ),
        "only the first tile of bodies counts": _truth(positions, softening, others=slice(WG)),
        "the first body is left out": _truth(positions, softening, others=slice(1, None)),
        "the last body is left out": _truth(positions, softening, others=slice(n - 1)),
    }


def _truth(positions, softening, others=slice(None), power=1.5, sign=1, factor=1):
    """Return the accelerations by these other bodies, with another power of the square of distances.

    The sum of w * (b - a) is the product of w and b, minus a times the sum of w. Doubles lose no digit that matters.
    """
    bodies = positions.astype(np.float64)
    places, masses = bodies[others, :3], bodies[others, 3]
    one = np.ones((len(places), 1))
    products = np.concatenate([-2 * places, one, np.square(places).sum(axis=1)[:, None] + softening], axis=1)
    value, magnitude = np.zeros(bodies.shape), np.zeros(bodies.shape)
    for start in range(0, len(bodies), BLOCK):
        own = bodies[start : start + BLOCK, :3]
        squares = (
            np.concatenate([own, np.square(own).sum(axis=1)[:, None], np.ones((len(own), 1))], axis=1) @ products.T
        )
        roots = np.sqrt(squares)
        pulls = masses / (squares * roots if power == 1.5 else squares**power)
        value[start : start + BLOCK, :3] = pulls @ places - own * pulls.sum(axis=1)[:, None]
        magnitude[start : start + BLOCK] = np.einsum("ij,ij->i", pulls, roots)[:, None]
    compared = np.broadcast_to(np.arange(4) < 3, bodies.shape)
    return {"accelerations": Truth(value=sign * factor * value, magnitude=magnitude, defined=compared)}
