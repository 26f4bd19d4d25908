"""Classes of devices: which stations may grade an assignment.

A station is of the class of its device, `cpu` or `gpu`, or of one that its operator names; an assignment whose course
names a class waits for a station of that class, and any other is graded by whichever station is free.
"""

from collections.abc import Mapping

from grader.service.course.assignments import AssignmentCache
from grader.service.errors import NotFoundError


def classes_of(cache: AssignmentCache) -> dict[str, str]:
    """The class that each assignment asks for; empty for any. One that could never be read asks for none: its gradings
    say why.
    """
    return {name: _class_of(cache, name) for name in cache.names()}


def elsewhere(classes: Mapping[str, str], own: str) -> frozenset[str]:
    """The assignments that a station of this class leaves to others."""
    return frozenset(name for name, wanted in classes.items() if wanted not in {"", own})


def _class_of(cache: AssignmentCache, name: str) -> str:
    try:
        return cache.assignment(name).policies.device_class or ""
    except NotFoundError:
        return ""
