"""Adds up the counts of a profile over the launches of a program, so that reports do not list each launch."""

from collections.abc import Callable, Hashable, Iterable
from operator import attrgetter
from typing import TypeVar

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
    return replace(
        launches[0],
        requests=sum(each.requests for each in launches),
        mostly_idle=sum(each.mostly_idle for each in launches),
        active=sum(each.active for each in launches),
        bytes=sum(each.bytes for each in launches),
        unused=sum(each.unused for each in launches),
        sectors=sum(each.sectors for each in launches),
        fewest=sum(each.fewest for each in launches),
        conflicts=max(each.conflicts for each in launches),
        worst=max(each.worst for each in launches),
        stride=max(launches, key=attrgetter("requests")).stride,
    )


def _image_use(launches: list[ImageUse]) -> ImageUse:
    return replace(
        launches[0],
        times=sum(each.times for each in launches),
        mostly_idle=sum(each.mostly_idle for each in launches),
        active=sum(each.active for each in launches),
    )


def _branch(launches: list[Branch]) -> Branch:
    return replace(
        launches[0],
        reached=sum(each.reached for each in launches),
        diverged=sum(each.diverged for each in launches),
    )
