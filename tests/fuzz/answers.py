"""What a station of a cluster answers: a result in which one place is changed, and any page.

Whatever is stored of it is of the bytes that were sent, for that assignment, with the seed that was given, and worth no
more than there is to earn.
"""

import json
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from puppets import Puppets, handin, outcome_of, plan_of, silent
from pydantic import ValidationError

from grader.batch import Plan, grade_all
from grader.reports import REPORTS
from grader.result import Result
from grader.station import Graded
from grader.store import Store

from .names import _page
from .replies import VALUES
from .search import Target
from .source import _assignment, repeated

SIZES = tuple(1024 * 2**power for power in range(7))
"""To 64 KiB."""


@cache
def _plan() -> Plan:
    return plan_of([_assignment("coalsTransp")], handin("ada"))


@cache
def _fields() -> dict[str, Any]:
    """An answer as it should be."""
    (item,) = _plan().items.values()
    errand = _plan().errand(item)
    return json.loads(REPORTS["json"](outcome_of(errand, _assignment("coalsTransp").sha256).result))


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from _places(each, (*path, key))


RECIPES = st.fixed_dictionaries(
    {
        "place": st.deferred(lambda: st.sampled_from([list(place) for place in _places(_fields())])),
        "value": st.one_of(VALUES, st.sampled_from([999.0, "blockMMM", "<fuzz>"])),
        "page": st.sampled_from(["", "<p>x</p>", "<fuzz onfuzz=1>", "\x1b[31m"]),
        "before": st.just(""),
        "again": st.sampled_from(["x", "<fuzz>", "\n"]),
        "after": st.just(""),
    }
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What is answered; nothing where it is no result at all, which a station cannot send."""

    graded: Graded | None


def make(recipe: dict[str, Any], size: int) -> Answer:
    """The answer that a recipe makes; its page grows."""
    fields = deepcopy(_fields())
    *way, last = recipe["place"]
    at = fields
    for step in way:
        at = at[step]
    at[last] = recipe["value"]
    try:
        result = Result.model_validate_json(json.dumps(fields))
    except (ValidationError, ValueError):
        return Answer(graded=None)
    return Answer(graded=Graded(result=result, page=recipe["page"] + repeated(recipe, size)))


def _stored(answer: Answer) -> None:
    if answer.graded is None:
        return
    plan, assignment = _plan(), _assignment("coalsTransp")
    (item,) = plan.items.values()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        grade_all(plan, Puppets(answers={item.handins[0].data: [answer.graded] * 3}), store, silent)
        stored, page = store.load(item.key), store.page(item.key)
    if stored is None:
        return
    errand = plan.errand(item)
    assert stored.assignment == assignment.name, "another assignment's result"
    assert stored.provenance.submission_sha256 == errand.sha256, "a result of other bytes"
    assert stored.provenance.seed == errand.seed, "a result of another seed"
    assert stored.points <= stored.max_points <= assignment.points, "more points than there are"
    assert stored.points == sum(check.points for check in stored.checks), "points that no check gives"
    assert all(0 <= check.points <= check.max_points for check in stored.checks), "more points than a check has"
    _page(page)


TARGET = Target(recipes=RECIPES, make=make, steps={"storing": _stored}, sizes=SIZES)
