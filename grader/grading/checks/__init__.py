"""The checks of one grading, apart from speed. Each makes checks, with points, of what a worker returned."""
