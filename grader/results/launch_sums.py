"""Adds up the counts of a profile over the launches of a program, so that reports do not list each launch."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from grader.common.record import replace
from grader.results.metrics import Access, Branch, ImageUse, Profile

T = TypeVar("T")


def over_launches(profile: Profile) -> Profile:
    """Return the profile with one record for each expression and for each line with conditions, in the order of their
    first execution.
    """
    return replace(
        profile,
        accesses=_grouped(profile.accesses, attrgetter("line", "column", "array", "space", "does"), _access),
        images=_grouped(profile.images, attrgetter("line", "column", "image", "does"), _image_use),
        branches=_grouped(profile.branches, attrgetter("line"), _branch),
    )


def _grouped(records: Iterable[T], key: Callable[[T], Hashable], added: Callable[[list[T]], T]) -> tuple[T, ...]:
    groups: dict[Hashable, list[T]] = {}
    for each in records:
        groups.setdefault(key(each), []).append(each)
    return tuple(map(added, groups.values()))


def _access(launches: list[Access]) -> Access:
    """Return the sums, the largest ratios, and the stride of the launch with the most requests."""
    counts = ("requests", "mostly_idle", "active", "bytes", "unused", "sectors", "fewest")
    return replace(
        launches[0],
        **_sums(launches, counts),
        conflicts=max(each.conflicts for each in launches),
        worst=max(each.worst for each in launches),
        stride=max(launches, key=attrgetter("requests")).stride,
    )


def _image_use(launches: list[ImageUse]) -> ImageUse:
    return replace(launches[0], **_sums(launches, ("times", "mostly_idle", "active")))


def _branch(launches: list[Branch]) -> Branch:
    return replace(launches[0], **_sums(launches, ("reached", "diverged")))


def _sums(launches: Sequence[object], counts: Iterable[str]) -> dict[str, Any]:
    return {name: sum(getattr(each, name) for each in launches) for name in counts}
