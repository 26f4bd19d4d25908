"""elements.py: the registry of element types agrees with NumPy and with the names that assignment.yaml accepts."""

from typing import get_args

import numpy as np
import pytest

from grader.course.elements import ELEMENTS, WORD_BYTES, ElementType, element_of


def test_the_names_in_the_file_are_the_registrys():
    """The types that assignment.yaml accepts are those in the registry."""
    assert get_args(ElementType) == tuple(ELEMENTS)


@pytest.mark.parametrize("name", ELEMENTS)
def test_a_type_fits_numpy(name):
    """The size, the unit roundoff and the ranges of a type agree with its NumPy type."""
    element, dtype = ELEMENTS[name], np.dtype(ELEMENTS[name].dtype)
    assert element.bytes == dtype.itemsize == WORD_BYTES
    assert element.is_floating is (dtype.kind == "f")
    if element.is_floating:
        assert element.unit_roundoff == np.finfo(dtype).eps / 2
    for bounds in filter(None, (element.numbers, element.integers, element.exact)):
        assert [int(dtype.type(bound)) for bound in bounds] == list(bounds)


def test_both_poisons_of_a_float_are_different_nans():
    """An unwritten float and a float past the end of an input are NaNs with different bits."""
    element = ELEMENTS["float"]
    assert np.isnan(np.array([element.poison, element.input_poison], np.uint32).view(element.dtype)).all()
    assert element.poison != element.input_poison


@pytest.mark.parametrize("name", ELEMENTS)
def test_the_type_of_an_array_is_found_by_its_numpy_type(name):
    """The NumPy type of an array leads to a registry entry with the same properties."""
    found = element_of(np.zeros(1, ELEMENTS[name].dtype).dtype.name)
    assert (found.dtype, found.poison, found.unit_roundoff) == (
        ELEMENTS[name].dtype,
        ELEMENTS[name].poison,
        ELEMENTS[name].unit_roundoff,
    )
