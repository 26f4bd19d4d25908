"""Commands that users run by hand: `run` times kernels at any size, `profile` counts memory accesses, and `explain`
explains mistakes.
"""
