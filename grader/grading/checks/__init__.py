"""Checks of one grading, except for speed. Each module makes checks with points from the outputs of a worker."""
