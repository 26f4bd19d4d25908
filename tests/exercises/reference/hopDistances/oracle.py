"""The distances from each source, by a search with a set of reached nodes."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, nodes, LINKS, **_):
    """Return links to the node before, and to two nodes at most eight numbers away, so that a search takes many
    iterations and reaches all nodes.
    """
    numbers = np.arange(nodes)
    near = [numbers + generator.integers(-8, 9, nodes) for _ in range(LINKS - 1)]
    return {"links": np.stack([numbers - 1, *near], axis=1) % nodes}


def expected(links, sources, **_):
    """Return a row of distances for each source."""
    return {"distances": Truth(value=_distances(links, sources))}


def mistakes(links, sources, **_):
    """Return the distances if only the first search starts correctly."""
    first = _distances(links, 1)
    return {"all sources have the distances of source 0": {"distances": Truth(value=np.repeat(first, sources, axis=0))}}


def _distances(links, sources):
    rows = np.full((sources, len(links)), -1)
    for source, row in enumerate(rows):
        row[source] = distance = 0
        while (found := (row < 0) & (row[links] == distance).any(axis=1)).any():
            distance += 1
            row[found] = distance
    return rows
