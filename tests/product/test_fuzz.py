"""fuzz/: earlier findings stay fixed, a search finds no new ones, and it does detect planted faults."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import cost_growth
import pytest
from fuzz import answers, explanations, search
from fuzz.targets import TARGETS
from hypothesis import strategies as st
from project import ROOT

from grader.batch.workforce.answers import read_answer
from grader.common.errors import InputError
from grader.grading.checks.causes import conclusions
from grader.grading.search.edits import token_edits
from grader.results.result import Result

SECONDS = float(os.environ.get("GRADER_FUZZ_SECONDS", "10"))
"""Seconds of search for each target in `make test-all`."""

# Odd archives contain two files with one name on purpose, which would cause a warning.
pytestmark = [pytest.mark.long, pytest.mark.spread, pytest.mark.filterwarnings("ignore:Duplicate name")]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        pytest.param(name, path.stem, marks=[pytest.mark.whole] * (number > 0))
        for name in TARGETS
        for number, path in enumerate(search.kept(name))
    ],
)
def test_what_was_found_once_is_not_found_again(name, kept):
    """Each kept recipe passes the step that once failed for it, at all sizes. `make test` tries one recipe for each
    target.
    """
    assert search.again(TARGETS[name], search.SEEDS / name / f"{kept}.json") == []


@pytest.mark.whole
@pytest.mark.parametrize("name", TARGETS)
def test_nothing_new_is_found(name):
    """A search of each target finds no fault. It has a fixed seed, so that only a change of the code can make it fail.
    Searches by hand use other recipes each time.
    """
    words = [sys.executable, ROOT / "tests" / "fuzz", name, "--seconds", str(SECONDS), "--seed", "0"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=10 * SECONDS + 300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# These measurements depend on the machine's load, so most of these tests run only in `make test-all`.


def test_the_answer_that_is_changed_is_believed_as_it_is():
    """The unchanged answer is accepted. Otherwise the answers that are made from it would all be refused for the wrong
    reason.
    """
    assert isinstance(read_answer(json.dumps(answers.answered()), answers.job()), Result)


def quadratic(text):
    """Take time that is quadratic in the size."""
    return sum(1 for _ in text for _ in text[::4])


def pairs(text):
    """Take memory that is quadratic in the size, and little time."""
    return [bytes(len(text)) for _ in text[::64]]


def linear(text):
    """Take time and memory that are linear in the size."""
    return [character for _ in range(50) for character in text]


def refusing(_):
    raise InputError("no.")


def failing(text):
    return text[:50].index("y")


def endless(_):
    while True:
        pass


def target(step):
    """Return a target with this step, for texts of one letter."""
    return search.Target(
        recipes=st.sampled_from("abc"),
        make=lambda recipe, size: recipe * size,
        steps={"step": step},
        sizes=tuple(256 * 2**power for power in range(6)),
    )


@pytest.mark.whole
@pytest.mark.parametrize(
    ("step", "what"),
    [(quadratic, "time"), (pairs, "memory"), (failing, "ValueError failing"), (endless, "OverrunError overrun")],
)
def test_what_a_step_may_not_do_is_found(step, what, monkeypatch):
    """The search finds time or memory that grows faster than the input, an unexpected exception and an endless loop.
    Only the endless loop has a shorter limit, because the quadratic step takes more than a second on slow machines.
    """
    if step is endless:
        monkeypatch.setattr(cost_growth, "LIMIT", 1.5)
    monkeypatch.setattr(cost_growth, "REPEATS", 2)
    assert [finding.what for finding in search.examine(target(step), "a", ["step"])] == [what]


@pytest.mark.whole
@pytest.mark.parametrize("step", [linear, refusing, len, sorted])
def test_what_a_step_may_do_is_no_finding(step):
    """A cost that is proportional to the input is not a finding, and neither is an InputError."""
    assert list(search.examine(target(step), "a", ["step"])) == [None]


def test_what_is_quadratic_is_found_behind_what_is_linear(monkeypatch):
    """A thorough search tries inputs that are large enough to reveal a small quadratic term behind a linear one. A
    quick search does not. The clock is simulated, so that the machine's load cannot change the result.
    """
    spent = []
    monkeypatch.setattr(cost_growth, "time", SimpleNamespace(thread_time=lambda: sum(spent)))
    step = target(lambda text: spent.append(1e-5 * len(text) + 5e-9 * len(text) ** 2))
    assert list(search.examine(step, "a", ["step"], cost_growth.QUICK)) == [None]
    assert [finding.what for finding in search.examine(step, "a", ["step"], cost_growth.THOROUGH)] == ["time"]


def test_one_steep_doubling_is_a_limit_and_no_growth():
    """A single jump in cost is not growth, because a step may do more work above a certain size. Cost per byte that
    keeps growing is.
    """
    costs = tuple((2**power, 2.0**power * (100 if power > 3 else 1)) for power in range(8))
    assert not cost_growth.Series(costs=costs, least=1, noise=0.01).is_steep
    assert cost_growth.Series(costs=tuple((n, n * cost) for n, cost in costs), least=1, noise=0.01).is_steep


@pytest.mark.whole
def test_a_fault_is_found_once_and_made_small(monkeypatch, tmp_path):
    """A fault is reported once, with the smallest recipe. The kept recipe finds it again until it is fixed."""
    monkeypatch.setattr(search, "SEEDS", tmp_path)
    several = search.Target(
        recipes=st.lists(st.integers(), max_size=9),
        make=lambda recipe, _: recipe,
        steps={"small": lambda numbers: [1 // (number < 100) for number in numbers], "fine": sum},
        sizes=(1,),
    )
    told = []
    done = search.search(several, 2, 1, lambda recipe, finding: told.append(search.keep("x", recipe, finding)))
    assert done.cases > search.BATCH
    assert list(done.found) == [("small", "ZeroDivisionError <listcomp>")]
    assert [json.loads(path.read_text())["recipe"] for path in told] == [[100]]
    assert [finding.what for finding in search.again(several, told[0])] == ["ZeroDivisionError <listcomp>"]


def test_an_explanation_of_whatever_text_and_result_does_not_fail():
    """Explaining 25 mutants and 5 results raises no exception. Searches by hand try 10,000 mutants at a time."""
    tally = explanations.fuzz(mutants=25, results=5, seed=1)
    assert tally.tried == 30
    assert tally.done["edits made"] > 1000
    assert dict(tally.first) == {}


def test_what_an_explanation_raises_is_found_and_what_is_caught_too(monkeypatch):
    """The fuzzer reports exceptions of explanations, also those that grader catches. Otherwise a clean search would
    prove nothing.
    """
    monkeypatch.setattr(token_edits, "OTHERS", None)
    monkeypatch.setattr(conclusions, "explain", lambda *_: 1 / 0)
    tally = explanations.fuzz(mutants=8, results=8, seed=1)
    assert {what.partition(":")[0].partition(" of ")[0] for what in tally.found} == {"edits", "conclusions"}
