"""The command with which the user calls this grader, for messages that suggest a command."""

import shlex
import shutil
import sys
from pathlib import Path


def command(*words: str) -> str:
    """Return a command line with these words. It begins with `grader` if the shell finds this grader under that name,
    and with its full path otherwise.
    """
    return " ".join((_program(), *map(shlex.quote, words)))


def _program() -> str:
    ours = Path(sys.executable).with_name("grader")
    found = shutil.which("grader")
    if found is not None and ours.exists() and Path(found).samefile(ours):
        return "grader"
    return shlex.quote(str(ours)) if ours.exists() else f"{shlex.quote(sys.executable)} -m grader.cli.main"
