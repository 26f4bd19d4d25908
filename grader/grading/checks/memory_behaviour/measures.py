"""Measures of memory behaviour by name. Each takes a value from a profile, describes it, and gives advice for the case
that it is too large.
"""

from collections.abc import Callable
from functools import partial

from grader.course.criteria import Measure
from grader.grading.checks.memory_behaviour.access_patterns import bank_conflicts, coalescing, words_moved
from grader.grading.checks.memory_behaviour.amounts import (
    image_uses,
    local_requests,
    operations,
    private_words,
    words_used,
)
from grader.grading.checks.memory_behaviour.paths import branches, busiest, divergence, mostly_idle
from grader.grading.checks.memory_behaviour.reading import Reading
from grader.results.metrics import Profile

MEASURES: dict[Measure, Callable[[Profile], Reading]] = {
    "coalescing": coalescing,
    "bank conflicts": bank_conflicts,
    "words read": partial(words_used, does="reads"),
    "words written": partial(words_used, does="writes"),
    "words moved": words_moved,
    "image reads": partial(image_uses, does="reads"),
    "image writes": partial(image_uses, does="writes"),
    "divergence": divergence,
    "requests of mostly idle warps": mostly_idle,
    "words of the busiest work-item": busiest,
    "words of private memory": private_words,
    "requests to local memory": local_requests,
    "branches": branches,
    "floating-point operations": operations,
}
"""The functions of all measures. Each measure is a count or grows with one, so useless extra work does not
reduce it.
"""
