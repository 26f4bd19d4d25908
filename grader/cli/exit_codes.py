"""Exit codes of the program, which CI files and scripts use."""

PASSED, FAILED, BAD_INPUT, UNGRADED, ELSEWHERE = range(5)
"""Exit codes for, in this order: every check passed; graded, but some check failed; usage or input error; not graded or
not completely, which is not the student's fault; nothing failed, but the course's machine decides some checks.
"""

INTERRUPTED = 130
"""Exit code that shells report for a program that Ctrl-C has ended."""
