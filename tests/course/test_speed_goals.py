"""speed_goals.py: the goal for the class of a device, and the error if an assignment has none."""

import pytest
from courses import course_of
from samples import DEVICE

from grader.common.errors import InputError
from grader.common.record import replace
from grader.course.speed_goals import device_class, model_speed, speed_goal

GPU = replace(DEVICE, type="gpu", name="A card")


@pytest.fixture
def small(tmp_path):
    """An assignment with a goal only for CPUs."""
    return course_of(tmp_path).load("small")


@pytest.mark.parametrize(("kind", "expected"), [("cpu", "cpu"), ("gpu", "gpu"), ("accelerator", "gpu")])
def test_every_device_but_a_cpu_has_the_goals_of_a_gpu(kind, expected):
    """Devices that are not CPUs are graded with the goals for GPUs."""
    assert device_class(replace(DEVICE, type=kind)) == expected


def test_the_goal_is_that_of_the_class_of_the_device(small):
    """The goal belongs to the device's class. It is relative to the model solution, whose speed is 1."""
    cpu = replace(DEVICE, type="cpu")
    assert speed_goal(small, cpu) == small.speed_goals.classes["cpu"]
    assert model_speed(small, cpu) == 1.0


def test_a_device_without_a_goal_is_an_error_that_names_the_missing_field(small):
    """The error names the file, the device and the field to add."""
    with pytest.raises(
        InputError, match=r"assignment.yaml: has no speed goal for the device A card; add performance.classes.gpu"
    ):
        speed_goal(small, GPU)
