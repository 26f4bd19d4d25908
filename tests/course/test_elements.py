"""elements.py: the registry of element types agrees with NumPy and with the names that assignment.yaml accepts."""

import numpy as np
import pytest

from grader.common.errors import InputError
from grader.course.elements import ELEMENTS, SCALARS, element_of


@pytest.mark.parametrize("name", ELEMENTS)
def test_a_type_fits_numpy(name):
    """The size, the unit roundoff and the ranges of a type agree with its NumPy type."""
    element, dtype = ELEMENTS[name], np.dtype(ELEMENTS[name].dtype)
    assert element.unit == dtype.itemsize
    assert element.bytes == np.zeros(element.shape, dtype).nbytes
    assert element.is_floating is (dtype.kind == "f")
    if element.is_floating:
        assert element.unit_roundoff == np.finfo(dtype).eps / 2
    for bounds in filter(None, (element.numbers, element.integers, element.exact)):
        assert [int(dtype.type(bound)) for bound in bounds] == list(bounds)


@pytest.mark.parametrize("name", SCALARS)
def test_both_poisons_differ(name):
    """An unwritten element, and one past the end of an input, have different bits; for real numbers, both are NaN."""
    element = SCALARS[name]
    poisons = np.array([element.poison, element.input_poison], f"u{element.unit}")
    assert poisons[0] != poisons[1]
    if element.is_floating:
        assert np.isnan(poisons.view(element.dtype)).all()


def test_a_vector_of_three_is_as_large_as_one_of_four():
    """An array of vectors has one more dimension, which for vectors of three has a fourth number."""
    assert (ELEMENTS["float3"].bytes, ELEMENTS["float3"].shape) == (16, (4,))
    assert (ELEMENTS["uchar2"].bytes, ELEMENTS["uchar2"].shape) == (2, (2,))
    assert (ELEMENTS["ulong16"].bytes, ELEMENTS["ulong16"].shape) == (128, (16,))


@pytest.mark.parametrize(
    ("name", "value", "bits"), [("float", 1.0, 0x3F800000), ("char", -1, 0xFF), ("ushort", 258, 258), ("double", 0, 0)]
)
def test_the_bits_of_a_value(name, value, bits):
    """The pattern of a fill has the bits of the value in the element's type."""
    assert ELEMENTS[name].pattern(value) == bits


@pytest.mark.parametrize(("name", "value"), [("uchar", 256), ("uint", -1), ("int", 0.5)])
def test_a_value_that_does_not_fit_is_refused(name, value):
    """A value that the type cannot hold is refused with the value in the message."""
    with pytest.raises(InputError, match=str(value)):
        ELEMENTS[name].pattern(value)


@pytest.mark.parametrize("name", ELEMENTS)
def test_the_type_of_an_array_is_found_by_its_numpy_type(name):
    """The NumPy type of an array leads to a registry entry with the same properties."""
    found = element_of(np.zeros(1, ELEMENTS[name].dtype).dtype.name)
    assert (found.dtype, found.poison, found.unit_roundoff) == (
        ELEMENTS[name].dtype,
        ELEMENTS[name].poison,
        ELEMENTS[name].unit_roundoff,
    )
