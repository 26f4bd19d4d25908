"""How the program ends, as the number that CI files and scripts know it by."""

PASSED, FAILED, BAD_INPUT, UNGRADED, ELSEWHERE = range(5)
"""Every check passed; graded, some check failed; usage or input error; not graded or not all of it, which is not the
student's fault; nothing failed, but the course's machine decides some of it."""

INTERRUPTED = 130
"""As a shell reports a program that Ctrl-C has ended."""
