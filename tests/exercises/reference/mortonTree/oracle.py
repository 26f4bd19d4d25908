"""Morton keys of 63 bits, computed bit by bit, and the tree of their common prefixes, split from the root down."""

import numpy as np

from grader.oracle import Truth

BITS = 21


def inputs(generator, data, n, **_):
    """Return particles in the unit cube. With `integers`, they lie in few cells, so that many keys are equal."""
    places = generator.random((n, 3), dtype=np.float32)
    if data == "integers":
        places = np.floor(places * 4) / 4
    masses = generator.uniform(1, 2, n)
    return {"particles": np.column_stack([places, masses]).astype(np.float32), "order": np.arange(n)}


def expected(particles, **_):
    """Return the sorted keys and the tree. `check` judges the order."""
    keys = np.sort(_keys(particles))
    return {"keys": Truth(value=keys), "children": Truth(value=_children(keys))}


def states(particles, **_):
    """Yield the keys after the first launch."""
    yield {"keys": Truth(value=_keys(particles))}


def check(got, particles, n, **_):
    """Accept any order of the particles in which their keys do not decrease."""
    order = got["order"]
    if order.max() >= n or np.bincount(order, minlength=n).max() > 1:
        return "order does not contain each particle once."
    keys = _keys(particles)[order]
    falls = np.flatnonzero(keys[1:] < keys[:-1])
    if falls.size:
        return f"the particle order[{falls[0]}] has a larger key than the particle order[{falls[0] + 1}]."
    return None


def mistakes(particles, **_):
    """Return sorted keys with the axes exchanged, or with the upper bits cut off."""
    made = {
        "x and z are exchanged": _keys(particles[:, [2, 1, 0]]),
        "only the lower 32 bits of the keys are right": _keys(particles) & np.uint64(2**32 - 1),
    }
    return {words: {"keys": Truth(value=np.sort(keys))} for words, keys in made.items()}


def _keys(particles):
    cells = (particles[:, :3].astype(np.float64) * 2**BITS).astype(np.uint64)
    keys = np.zeros(len(cells), dtype=np.uint64)
    for bit in range(BITS):
        for axis in range(3):
            keys |= (cells[:, axis] >> np.uint64(bit) & np.uint64(1)) << np.uint64(3 * bit + 2 - axis)
    return keys


def _children(keys):
    """Split ranges of keys from the root down. A child has the number of the end of its range at which its parent was
    split.
    """
    words = [(int(key) << 32) + place for place, key in enumerate(keys)]
    children = np.zeros((len(words) - 1, 2), dtype=np.int64)
    waiting = [(0, len(words) - 1, 0)]
    while waiting:
        first, last, number = waiting.pop()
        top = (words[first] ^ words[last]).bit_length() - 1    # the highest bit in which keys of the range differ
        split = next(each for each in range(first, last) if words[each + 1] >> top & 1)
        children[number] = split, split + 1
        waiting += [(first, split, split)] if split > first else []
        waiting += [(split + 1, last, split + 1)] if last > split + 1 else []
    return children
