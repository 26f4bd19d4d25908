"""Fuzz the answers of a cluster's stations: each input is a valid result with one changed value.

An accepted result must belong to the submission that was sent, to the requested assignment and to the requested seed.
It may not give more points than are available, and the judge's page about it may not contain markup from the station.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

from fake_workforce import handin, outcome_of, plan_of
from hypothesis import strategies as st

from grader.batch.station import GradingJob, one_of_several_alike
from grader.batch.workforce.answers import read_answer
from grader.common.errors import WorkerError
from grader.reports import REPORTS
from grader.results.result import Result

from .names import _page
from .replies import VALUES
from .search import Target
from .source import _assignment, repeated

SIZES = tuple(1024 * 2**power for power in range(5))
"""Sizes up to 16 KiB."""


@cache
def job() -> GradingJob:
    """Return a request that matches the result that is changed: it has the same points and the same device."""
    plan = plan_of([_assignment("coalsTransp")], handin("ada"))
    (item,) = plan.items.values()
    asked = plan.job(item)
    answer = outcome_of(asked, asked.assignment_sha256)
    facilities = replace(
        asked.facilities,
        grader=answer.provenance.grader,
        device=one_of_several_alike(answer.provenance.device),
    )
    return replace(asked, max_points=answer.max_points, facilities=facilities)


@cache
def answered() -> dict[str, Any]:
    """Return a valid answer."""
    return outcome_of(job(), job().assignment_sha256).model_dump(mode="json")


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from _places(each, (*path, key))


RECIPES = st.fixed_dictionaries(
    {
        "place": st.deferred(lambda: st.sampled_from([list(place) for place in _places(answered())])),
        "value": st.one_of(VALUES, st.sampled_from([999.0, "blockMMM", "<fuzz>"])),
        "before": st.just(""),
        "again": st.sampled_from(["x", "<fuzz>", "\n"]),
        "after": st.just(""),
    }
)


def make(recipe: dict[str, Any], size: int) -> str:
    """Return the answer that a recipe makes. Its title grows with the size."""
    fields = deepcopy(answered())
    *way, last = recipe["place"]
    at = fields
    for step in way:
        at = at[step]
    at[last] = recipe["value"]
    if isinstance(fields.get("title"), str):
        fields["title"] += repeated(recipe, size)
    return json.dumps(fields)


def _read(answer: str) -> None:
    asked = job()
    try:
        result = read_answer(answer, asked)
    except WorkerError:
        return
    if not isinstance(result, Result):
        return
    assert result.assignment == asked.bundle.name, "another assignment's result"
    assert result.provenance.submission_sha256 == asked.sha256, "a result of other bytes"
    assert result.provenance.seed == asked.seed, "a result of another seed"
    assert result.points <= result.max_points <= asked.max_points, "more points than there are"
    assert result.points == sum(check.points for check in result.checks), "points that no check gives"
    assert all(0 <= check.points <= check.max_points for check in result.checks), "more points than a check has"
    _page(REPORTS["html"](result))


TARGET = Target(recipes=RECIPES, make=make, steps={"reading": _read}, sizes=SIZES)
