"""The devices that kernels run on, as the judge sees them."""

from grader.assignment import Assignment, DeviceClass, SpeedGoal
from grader.errors import InputError
from grader.protocol import DeviceFacts


def device_class(device: DeviceFacts) -> DeviceClass:
    """Which speed goals apply: those for a CPU driver, or those for anything that is not one."""
    return "cpu" if device.type == "cpu" else "gpu"


def speed_goal(assignment: Assignment, device: DeviceFacts) -> SpeedGoal:
    """What the assignment asks of this device; raises InputError if it says nothing about its class."""
    kind = device_class(device)
    goal = assignment.performance.classes.get(kind)
    if goal is None:
        path = assignment.folder / "assignment.yaml"
        raise InputError(f"{path}: says nothing about the device {device.name}; add performance.classes.{kind}.")
    return goal
