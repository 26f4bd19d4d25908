"""schema_key.py: a key has the number of an edit and the limits of its launch."""

from grader.grading.search.mutants.schema_key import key


def test_a_key_holds_the_edit_its_words_and_its_iterations():
    """A key contains the number of the edit, the number of words and the number of iterations. All three fit into 64
    bits, even for huge arrays.
    """
    assert key(7, words=5, iterations=100) == (100 * 2**24 + 5) * 2**16 + 7
    assert key(7, 2**40, 2**40) == 2**64 - 2**16 + 7
