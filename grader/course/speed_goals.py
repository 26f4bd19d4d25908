"""Selects the speed goal of an assignment, which depends on the class of the device."""

from grader.common.errors import InputError
from grader.course.assignment import Assignment
from grader.course.criteria import DeviceClass, SpeedGoal
from grader.course.folders import ASSIGNMENT_FILE
from grader.protocol.messages import DeviceFacts


def device_class(device: DeviceFacts) -> DeviceClass:
    """Return the class of the device, which selects the speed goal: "cpu" for a CPU driver, "gpu" for every other
    device.
    """
    return "cpu" if device.type == "cpu" else "gpu"


def speed_goal(assignment: Assignment, device: DeviceFacts) -> SpeedGoal:
    """Return the speed goal for this device. Raises InputError if the assignment has none for its class or does not
    check speed.
    """
    kind = device_class(device)
    goal = assignment.speed_goals.classes.get(kind)
    if goal is None:
        path = assignment.folder / ASSIGNMENT_FILE
        raise InputError(f"{path}: has no speed goal for the device {device.name}; add performance.classes.{kind}.")
    return goal


def model_speed(assignment: Assignment, device: DeviceFacts) -> float | None:
    """Return the speed of the model solution, as a multiple of the speed of the program that is timed for comparison.

    It is 1 if the model solution itself is timed. A student kit times the baseline instead. Then the result is the
    yardstick of the speed goal, or None if the goal has no yardstick.
    """
    return 1.0 if assignment.kit is None else speed_goal(assignment, device).yardstick
