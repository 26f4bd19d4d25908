"""Whose code may run where: one's own in a process, anybody else's in a container."""

import os
from pathlib import Path

from grader.errors import InputError


def choose_sandbox(chosen: str | None, *, trusted: bool) -> str:
    """The sandbox for code that is or is not trusted; raises InputError for a choice that would run strangers' code."""
    if chosen == "process" and not trusted:
        raise InputError(
            "in the sandbox `process`, other people's code would run with your rights: use --sandbox docker, or say "
            "--trust-submissions if you know every line of it."
        )
    return chosen or ("process" if trusted else "docker")


def is_own(path: Path) -> bool:
    """Whether the file belongs to the user who grades it."""
    return path.stat().st_uid == os.geteuid()
