"""Roots of a forest: the data, and the truth that results are compared with. It must not share code with a kernel."""

import numpy as np

from grader.oracle import Truth

DEPTH = 1000
"""Nodes of a tree, which is a chain."""


def inputs(generator, _data, n, **_):
    """Make the links of chains of nodes in random order. The first node of a chain is its root.

    `generator` is a generator of NumPy, `_data` is "random" or "integers" as in the case. Arrays of the kind `made` come
    from here.
    """
    order, place = generator.permutation(n), np.arange(n)
    link = np.empty(n, dtype=np.uint32)
    link[order] = order[np.where(place % DEPTH == 0, place, place - 1)]
    return {"link": link}


def expected(link, **_):
    """Return the truth: the root of each node. One link after the other is followed, all nodes at once."""
    root = link
    while (root != link[root]).any():
        root = link[root]
    return {"next": Truth(value=root)}


def mistakes(link, **_):
    """Return the links as common mistakes make them, likeliest first. The words explain a result that equals one."""
    results = {
        "the repetition ends after the first jump, as if nothing had changed": link[link],
        "a link is copied, not followed": link,
    }
    return {words: {"next": Truth(value=value)} for words, value in results.items()}
