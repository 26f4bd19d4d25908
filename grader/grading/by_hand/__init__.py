"""What a user runs by hand: kernels timed at any size (driver.py), accesses counted line by line (profiling.py)."""
