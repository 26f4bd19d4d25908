"""What a user runs by hand: kernels timed at any size (run.py), accesses counted line by line (profiling.py)."""
