"""The checks of one grading, except for speed. Each module turns what a worker returned into checks with points."""
