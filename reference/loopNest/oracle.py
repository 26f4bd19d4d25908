"""Gains of each tank from each day to the last: differences of the levels in a loop nest's temporary."""

import numpy as np

from grader.mistakes import by_columns, stored_with_row_length, with_row_length
from grader.oracle import Truth


def expected(inflow, **_):
    """inflow and gains are days x tanks.

    A level errs by at most u times the sum of the levels up to it: each addition rounds to a level, or to less than
    nothing, which becomes nothing exactly; and the larger of two numbers errs no more than they do. The errors of two
    levels of a tank share those up to the earlier one, so a gain errs by u times the sum of all levels, and its own.
    """
    levels = _levels(inflow)
    return {"gains": _truth(_gains(levels), levels)}


def mistakes(inflow, days, tanks, **_):
    """Recurrences with a wrong start or a wrong step, gains over other days, and arrays indexed in two ways."""
    levels = _levels(inflow)
    raw = inflow.astype(np.float64)
    unbounded = np.cumsum(raw, axis=0)
    made = {
        "the level of day 0 is its inflow, even where that is below 0": _gains(_levels(inflow[1:], first=raw[:1])),
        "the level of day 0 is 0, whatever flows in": _gains(_levels(inflow[1:], first=np.zeros((1, tanks)))),
        "levels fall below 0, as if a tank could hold less than nothing": _gains(unbounded),
        "levels stop at 0, but sums go on from below 0": _gains(np.maximum(unbounded, 0)),
        "a level is not carried from day to day, so that each is its day's inflow alone": _gains(np.maximum(raw, 0)),
        "gains are those since day 0, not those until the last day": levels - levels[:1],
        "gains are those from a day to the next": np.concatenate(
            [np.diff(levels, axis=0), np.full((1, tanks), np.nan)]
        ),
        "levels are compared with the second to last day": levels[-2:][:1] - levels,
        "gains are levels, not differences of levels": levels,
        "levels are stored tank by tank, at [t * days + d], and read day by day": _gains(levels.T.reshape(days, tanks)),
        "levels are stored day by day, and read tank by tank, at [t * days + d]": _gains(by_columns(levels)),
        "inflow is read tank by tank, at [t * days + d]": _gains(_levels(by_columns(inflow))),
        "rows of inflow are taken to be days long, not tanks": _gains(_levels(with_row_length(inflow, days))),
        "rows of gains are taken to be days long, not tanks": stored_with_row_length(_gains(levels), days),
    }
    return {words: {"gains": _truth(gains, levels)} for words, gains in made.items()}


def _levels(inflow, first=None):
    """Return rows of levels, one per day, after the first row if it is known."""
    rows = [] if first is None else list(first)
    level = rows[-1] if rows else np.zeros(inflow.shape[1])
    for row in inflow.astype(np.float64):
        level = np.maximum(level + row, 0)
        rows.append(level)
    return np.array(rows)


def _gains(levels):
    return levels[-1] - levels


def _truth(gains, levels):
    return Truth(value=gains, magnitude=levels.sum(axis=0) + np.abs(gains))
