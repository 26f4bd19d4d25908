"""Runs that a user starts by hand: kernels timed at any size (run.py), accesses counted line by line (profiling.py)."""
