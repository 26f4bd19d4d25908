"""Search for recipes on which a target's steps fail, and try kept recipes again."""

import json
import re
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from zlib import crc32

from cost_growth import QUICK, THOROUGH, TRACED, OverrunError, Series, limited, peaks, times
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.strategies import SearchStrategy

from grader.common.errors import GraderError

SEEDS = Path(__file__).parent / "seeds"

BATCH = 100
"""Recipes per run of hypothesis."""

SHRINKING = 10.0
"""Seconds that hypothesis may spend on making a recipe smaller."""

OFTEN = 8
"""One in this many recipes is examined thoroughly."""

OUR_CODE = "/grader/"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A kind of input from outside.

    `recipes` describe inputs, `make` makes an input of about the given number of bytes from a recipe, and `steps` are
    the steps of the judge that process it. Each of `sizes` is twice the previous one. An input of the first size is
    always checked completely, however long that takes.
    """

    recipes: SearchStrategy[Any]
    make: Callable[[Any, int], Any]
    steps: Mapping[str, Callable[[Any], object]]
    sizes: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A violation that a step committed.

    `what` is equal for violations that probably have the same cause, and `words` give all details.
    """

    step: str
    what: str
    words: str


class FoundError(Exception):
    """Carries a finding through hypothesis, which reports only exceptions."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.words)
        self.finding = finding


@dataclass(frozen=True, kw_only=True)
class Searched:
    """Number of tried recipes, and each finding with its recipe."""

    cases: int
    seconds: float
    found: Mapping[tuple[str, str], tuple[Any, Finding]]


def examine(target: Target, recipe: Any, steps: Iterable[str], enough: float = THOROUGH) -> Iterator[Finding | None]:
    """Yield for each of these steps its violation or None. Larger inputs are tried until one takes `enough` seconds."""
    make = cache(partial(target.make, recipe))
    return (_examine(name, target, make, enough) for name in steps)


def _examine(name: str, target: Target, make: Callable[[int], Any], enough: float) -> Finding | None:
    step, sizes = _refusing(target.steps[name]), target.sizes
    try:
        least = make(sizes[0])
        with limited():
            step(least)
        if least == make(sizes[-1]):  # the input does not grow with the size
            return None
        time_taken = times(step, make, sizes, enough)
        small = [size for size, seconds in time_taken.costs if seconds <= TRACED]
        memory = peaks(step, make, small)
    except (Exception, OverrunError) as error:  # noqa: BLE001 - any exception of a step is a finding
        return Finding(step=name, what=_origin(error), words="".join(traceback.format_exception(error, limit=-6)))
    for what, series, unit in (("time", time_taken, "s"), ("memory", memory, "B")):
        if series.is_steep:
            return Finding(step=name, what=what, words=_in_words(what, series, unit))
    return None


def _refusing(step: Callable[[Any], object]) -> Callable[[Any], object]:
    """Return the step, but accept grader's own errors as valid answers."""

    def run(made: Any) -> None:
        try:
            step(made)
        except GraderError:
            return

    return run


def _origin(error: Exception) -> str:
    """Return the kind of the exception, the function that raised it, and the innermost function of grader.

    For an assertion of the fuzzers, return the constant beginning of its text.
    """
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, AssertionError):
        return re.split(r"[^\w ]", str(error))[0] or f"AssertionError {frames[-1].name} {frames[-1].lineno}"
    ours = [frame.name for frame in frames if OUR_CODE in frame.filename]
    return " ".join((type(error).__name__, *dict.fromkeys((frames[-1].name, *ours[-1:]))))


def _in_words(what: str, series: Series, unit: str) -> str:
    figures = ", ".join(f"{size:,} B: {cost:.3g} {unit}" for size, cost in series.costs)
    return f"{what} grows as the {series.exponent:.1f}th power of the size: {figures}"


def search(target: Target, seconds: float, seed: int, tell: Callable[[Any, Finding], None]) -> Searched:
    """Try recipes for some time. Each fault is found once, and `tell` gets it after its recipe has been made small."""
    start = time.monotonic()
    found: dict[tuple[str, str], tuple[Any, Finding]] = {}
    spent = dict.fromkeys(target.steps, 0.0)
    cases = 0
    while time.monotonic() < start + seconds:
        turn = _Turn(target, found, spent, start + seconds)
        hit = turn.run(seed)
        cases += turn.cases
        seed += 1
        if hit is not None:
            recipe, finding = hit
            found[finding.step, finding.what] = hit
            tell(recipe, finding)
    return Searched(cases=cases, seconds=time.monotonic() - start, found=found)


class _Turn:
    """One run of hypothesis. It ends with its batch, with its time or with a new finding.

    Hypothesis repeats a failing recipe and expects it to fail again, so the result of each recipe is remembered.
    """

    def __init__(
        self, target: Target, known: Mapping[tuple[str, str], object], spent: dict[str, float], end: float
    ) -> None:
        self._target, self._known, self._spent, self._end = target, known, spent, end
        self._tried: dict[str, Finding | None] = {}
        self._steps: tuple[str, ...] = ()
        self._enough = 0.0
        self._last: tuple[Any, Finding] | None = None

    @property
    def cases(self) -> int:
        """Number of recipes that were tried."""
        return len(self._tried)

    def run(self, seed: int) -> tuple[Any, Finding] | None:
        """Return the smallest recipe of a new finding with the finding, or None."""
        quiet = settings(
            max_examples=BATCH,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        try:
            seeded(seed)(quiet(given(self._target.recipes)(self._try)))()
        except FoundError:
            return self._last
        return None

    def _try(self, recipe: Any) -> None:
        key = json.dumps(recipe, sort_keys=True)
        if key not in self._tried:
            if time.monotonic() > self._end:
                return
            enough = self._enough or (QUICK if crc32(key.encode()) % OFTEN else THOROUGH)
            self._tried[key] = self._first(recipe, enough)
            if self._tried[key] is not None and not self._enough:
                self._enough, self._end = enough, time.monotonic() + SHRINKING
        finding = self._tried[key]
        if finding is None:
            return
        self._steps, self._last = (finding.step,), (recipe, finding)
        raise FoundError(finding)

    def _first(self, recipe: Any, enough: float) -> Finding | None:
        """Return the first new finding. While a recipe is made smaller, only findings of its step count.

        All steps get an equal share of the time rather than of the recipes, because fast steps find the most faults.
        """
        fair = sum(self._spent.values()) / len(self._spent)
        steps = self._steps or tuple(name for name, spent in self._spent.items() if spent <= fair)
        findings = examine(self._target, recipe, steps, enough)
        for step in steps:
            start = time.thread_time()
            finding = next(findings)
            self._spent[step] += time.thread_time() - start
            if finding is not None and (step, finding.what) not in self._known:
                return finding
        return None


# --- kept findings ----------------------------------------------------------------------------


def kept(name: str) -> list[Path]:
    """Return the files of a target's kept findings. Each contains a recipe, the step and the violation."""
    return sorted((SEEDS / name).glob("*.json"))


def again(target: Target, path: Path) -> list[Finding]:
    """Run the step of a kept finding again, and return its violations."""
    fields = json.loads(path.read_text("utf-8"))
    return list(filter(None, examine(target, fields["recipe"], [fields["step"]])))


def keep(name: str, recipe: Any, finding: Finding) -> Path:
    """Write a finding to a file that is named after it, and return its path."""
    words = "-".join(f"{finding.step} {finding.what}".lower().replace("_", " ").split())
    path = SEEDS / name / f"{words}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = {"step": finding.step, "found": finding.what, "recipe": recipe}
    path.write_text(json.dumps(fields, indent=1) + "\n", "utf-8")
    return path
