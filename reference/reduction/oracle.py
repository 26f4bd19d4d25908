"""total = the sum of A, added up in two launches of one kernel: by GROUPS work-groups, and by one."""

import numpy as np

from grader.oracle import Truth


def expected(A, **_):
    """A has n words, total has one.

    Of thousands of such sums, added up one word after the other, none erred by more than 3*u*sum|a|: roundings are as
    random as the partial sums that they are proportional to. Trees err less.
    """
    return {"total": _truth(A.astype(np.float64).sum(), A)}


def mistakes(A, WG, GROUPS, **_):
    """Words that are never added, and sums that the tree leaves out. Both launches make the mistake."""

    def of_words(chosen):
        return lambda words, groups: _shares(chosen(words, groups * WG), groups, WG).sum(axis=1)

    def of_items(chosen):
        return lambda words, groups: _shares(words, groups, WG)[:, chosen].sum(axis=1)

    made = {
        "every work-item adds one word only, so that those beyond the first grid of work-items are left out": of_words(
            lambda words, grid: words[:grid]
        ),
        "the words beyond the last whole grid of work-items are left out": of_words(
            lambda words, grid: words[: words.size // grid * grid]
        ),
        "work-items advance by WG words, not by a whole grid, so several add the same word": _overlapping(WG),
        "the first word is left out": of_words(lambda words, _: words[1:]),
        "the last word is left out": of_words(lambda words, _: words[:-1]),
        "only the sum of work-item 0 counts, as if there were no tree": of_items(slice(1)),
        "the tree lacks its first step: the upper half of the work-items is left out": of_items(slice(WG // 2)),
        "the tree lacks its last step: work-items with odd numbers are left out": of_items(slice(0, WG, 2)),
        "the tree has its first step only": of_items(slice(0, WG, WG // 2)),
    }
    results = {words: sums(sums(A.astype(np.float64), GROUPS), 1)[0] for words, sums in made.items()}
    return {words: {"total": _truth(value, A)} for words, value in results.items()}


def _truth(value, A):
    return Truth(value=np.array([value]), magnitude=np.array([np.abs(A.astype(np.float64)).sum()]))


def _shares(words, groups, items):
    """Return the words that each work-item adds up, a whole grid apart, as groups x items."""
    steps = -(-words.size // (groups * items))
    padded = np.zeros(steps * groups * items)
    padded[: words.size] = words
    return padded.reshape(steps, groups, items).sum(axis=0)


def _overlapping(step):
    """Return a function for the sums of groups that add all words from their first word on."""
    return lambda words, groups: np.array([words[group * step :].sum() for group in range(groups)])
