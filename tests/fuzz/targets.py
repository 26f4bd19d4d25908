"""Fuzzing targets by name."""

from . import answers, archives, course, names, replies, source
from .search import Target

TARGETS: dict[str, Target] = {
    "source": source.TARGET,
    "replies": replies.TARGET,
    "answers": answers.TARGET,
    "archives": archives.TARGET,
    "course": course.TARGET,
    "names": names.TARGET,
}
