"""Tests of the values that fill unwritten buffers."""

from grader.course import poison
from grader.course.elements import SCALARS


def test_patterns_of_whole_numbers_are_drawn_again_in_each_program():
    """Two draws differ, so that no student can know the pattern of a grading."""
    assert poison._secret_patterns() != poison._secret_patterns()


def test_patterns_differ_from_each_other_and_from_small_numbers_in_all_types():
    """A small number that is stored past the end of a buffer changes the pattern there, also in a type of one byte. An
    input's band differs from an output's.
    """
    for element in SCALARS.values():
        assert element.poison != element.input_poison
        assert min(element.poison, element.input_poison) > 0x80
