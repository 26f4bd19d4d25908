"""Prints lines for the operator from a process that does not have another way to report."""

import sys


def say(line: str) -> None:
    """Print a line on standard error, which is the journal if systemd has started the service."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - see above
