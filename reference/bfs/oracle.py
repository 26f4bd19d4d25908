"""Levels of a breadth-first search, and what they are if edges or iterations are left out."""

import numpy as np

from grader.oracle import Truth


def inputs(generator, data, nodes, edges, span, **_):
    """A directed graph whose edges lead to nodes at most `span` numbers away, and a search from node 0.

    Node 0 has at least eight edges, so that the search hardly ever ends at once. The first leads to another node.
    """
    own = min(edges, 8)
    sources = np.sort(np.append(generator.integers(0, nodes, edges - own), np.zeros(own, np.int64)))
    targets = np.abs(sources + generator.integers(-span, span + 1, edges))
    targets = np.where(targets < nodes, targets, 2 * (nodes - 1) - targets)  # turned back at both ends of the numbers
    targets[0] = span
    levels, frontier = np.full(nodes, -1), np.zeros(nodes)
    levels[0], frontier[0] = 0, 1
    return {
        "offsets": np.searchsorted(sources, np.arange(nodes + 1)),
        "neighbours": np.clip(targets, 0, nodes - 1),
        "levels": levels,
        "frontier": frontier,
    }


def expected(offsets, neighbours, nodes, **_):
    """offsets has nodes + 1 uint32, neighbours has one for each edge, levels are nodes int32."""
    return {"levels": Truth(value=_levels(offsets[:-1], offsets[1:], neighbours, nodes))}


def mistakes(offsets, neighbours, nodes, **_):
    """Edges, nodes and iterations that are left out, and wrong numbers."""
    first, end = offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64)
    levels = _levels(first, end, neighbours, nodes)
    numbers = np.arange(nodes)
    made = {
        "only the source has a level": np.where(levels == 0, 0, -1),
        "only the source and its neighbours have levels": np.where(levels <= 1, levels, -1),
        "a neighbour gets the level of its node, not one more": np.where(levels < 0, -1, 0),
        "all nodes but the source have level 1": np.minimum(levels, 1),
        "the levels are one too large, except for the source": np.where(levels > 0, levels + 1, levels),
        "the first neighbour of each node is left out": _levels(np.minimum(first + 1, end), end, neighbours, nodes),
        "the last neighbour of each node is left out": _levels(first, np.maximum(end - 1, first), neighbours, nodes),
        "only the first neighbour of each node is followed": _levels(
            first, np.minimum(first + 1, end), neighbours, nodes
        ),
        "the last node is left out": np.where(numbers == nodes - 1, np.where(levels == 0, 0, -1), levels),
        "nodes that no path reaches have level 0": np.maximum(levels, 0),
    }
    return {words: {"levels": Truth(value=value)} for words, value in made.items()}


def _levels(first, end, neighbours, nodes):
    """Return the levels of a search from node 0. The edges of node v are first[v] to end[v] - 1."""
    first, end = np.asarray(first, np.int64), np.asarray(end, np.int64)
    levels = np.full(nodes, -1)
    levels[0] = level = 0
    reached = np.array([0])
    while reached.size:
        level += 1
        counts = end[reached] - first[reached]
        starts = np.cumsum(counts) - counts
        edges = np.repeat(first[reached] - starts, counts) + np.arange(counts.sum())
        reached = np.unique(neighbours[edges])
        reached = reached[levels[reached] < 0]
        levels[reached] = level
    return levels
