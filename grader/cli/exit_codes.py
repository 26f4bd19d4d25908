"""Exit codes of the program. CI files and scripts depend on them."""

PASSED, FAILED, BAD_INPUT, UNGRADED, ELSEWHERE = range(5)
"""Exit codes. In this order, they mean: every check passed; graded, but some check failed; usage or input error; not
graded or not completely, which is not the student's fault; nothing failed, but the course's machine decides some
checks.
"""

INTERRUPTED = 130
"""Exit code that shells report for a program that was ended with Ctrl-C."""
