"""The kernels of a suite side by side: the points of each, its rate, and how the rate compares with the others."""

from collections.abc import Iterator
from dataclasses import dataclass

from grader.common.phrases import share, three_digits
from grader.results.check import Check
from grader.results.metrics import Performance
from grader.results.result import Result

HEADINGS = ("rate", "of model", "of first", "FLOP/byte")
NOT_KNOWN = "-"


@dataclass(frozen=True, kw_only=True)
class PartStanding:
    """A kernel among the others. Figures that were not measured are None.

    `times_first` is its rate divided by the rate of the suite's first kernel. `intensity` is the number of FLOP per
    byte of requested global memory, counted in the simulator.
    """

    part: str
    points: float
    max_points: float
    performance: Performance | None
    times_first: float | None
    intensity: float | None

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The figures in words, in the order of HEADINGS."""
        timed = self.performance
        fraction = None if timed is None else timed.fraction_of_reference
        return (
            NOT_KNOWN if timed is None else f"{three_digits(timed.rate.median)} {timed.unit}",
            NOT_KNOWN if fraction is None else share(fraction.median),
            NOT_KNOWN if self.times_first is None else f"{three_digits(self.times_first)} x",
            NOT_KNOWN if self.intensity is None else three_digits(self.intensity),
        )


def standings_of(result: Result) -> tuple[PartStanding, ...]:
    """Return one entry for each kernel of a suite, in the order of the suite. Empty for an assignment of one kernel."""
    parts = dict.fromkeys(check.part for check in result.checks if check.part)
    timed = {part: _timed(part, result) for part in parts}
    return tuple(
        PartStanding(
            part=part,
            points=sum(check.points for check in _of(part, result)),
            max_points=sum(check.max_points for check in _of(part, result)),
            performance=timed[part],
            times_first=_times(timed[part], next(iter(timed.values()))),
            intensity=_intensity(part, result),
        )
        for part in parts
    )


def in_words(standing: PartStanding) -> str:
    """Return a line with the points and the known figures of speed."""
    figures = (f"{cell} {SAYS[number]}".rstrip() for number, cell in enumerate(standing.cells) if cell != NOT_KNOWN)
    return f"{standing.part}: {', '.join((f'{standing.points:g} of {standing.max_points:g} points', *figures))}"


SAYS = ("", "of the model solution's rate", "the first kernel's", "FLOP per byte asked for")
"""Words that follow the cells in a sentence."""


def _of(part: str, result: Result) -> Iterator[Check]:
    return (check for check in result.checks if check.part == part)


def _timed(part: str, result: Result) -> Performance | None:
    return next((check.performance for check in _of(part, result) if check.performance is not None), None)


def _times(own: Performance | None, first: Performance | None) -> float | None:
    """Return one rate divided by another, if their units are equal."""
    if own is None or first is None or own.unit != first.unit:
        return None
    return own.rate.median / first.rate.median


def _intensity(part: str, result: Result) -> float | None:
    profile = result.profiles.get(part)
    return profile.intensity if profile is not None and profile.flop else None
