"""The key of a launch, which selects an edit of a mutant schema and limits its loops and indexes."""

UNCHANGED = 0
"""Number that selects the unchanged text. Edits are numbered from 1."""

NUMBER_BITS, WORDS_BITS, ITERATIONS_BITS = 16, 24, 24


def key(number: int, words: int, iterations: int) -> int:
    """The key of a launch, which encodes its edit, the number of words of the largest array, and the number of
    iterations that loops may run.
    """
    words, iterations = min(words, 2**WORDS_BITS - 1), min(iterations, 2**ITERATIONS_BITS - 1)
    return ((iterations << WORDS_BITS | words) << NUMBER_BITS) | number
