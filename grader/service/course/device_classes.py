"""Classes of devices: which stations may grade an assignment.

The class of a station is the class of its device, `cpu` or `gpu`, unless the operator sets another one. If the course
sets a class for an assignment, its gradings wait for a station of that class. Any free station grades the other
assignments.
"""

from collections.abc import Mapping

from grader.service.course.assignments import AssignmentCache
from grader.service.errors import NotFoundError


def classes_of(cache: AssignmentCache) -> dict[str, str]:
    """The device class of each assignment; empty if any station may grade it. It is also empty if the assignment could
    never be read, so that a station takes its gradings and reports the reason.
    """
    return {name: _class_of(cache, name) for name in cache.names()}


def elsewhere(classes: Mapping[str, str], own: str) -> frozenset[str]:
    """The assignments that a station of this class does not grade."""
    return frozenset(name for name, wanted in classes.items() if wanted not in {"", own})


def _class_of(cache: AssignmentCache, name: str) -> str:
    try:
        return cache.assignment(name).policies.device_class or ""
    except NotFoundError:
        return ""
