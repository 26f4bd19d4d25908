"""Building blocks of `mistakes` in an assignment's oracle.py. This import path stays, even if its module moves."""

from grader.course.truth.mistakes import (
    by_columns,
    cut_to_half,
    rounded_to_half,
    stored_with_row_length,
    with_row_length,
    with_stale_words,
    with_tiles_turned,
)

__all__ = [
    "by_columns",
    "cut_to_half",
    "rounded_to_half",
    "stored_with_row_length",
    "with_row_length",
    "with_stale_words",
    "with_tiles_turned",
]
