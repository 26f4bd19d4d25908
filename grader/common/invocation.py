"""The command with which the user calls this grader, for messages that suggest a command."""

import shlex
import shutil
import sys
from pathlib import Path


def command(*words: str) -> str:
    """Return a command line with these words. It begins with `grader` if the shell finds this grader under that name,
    and with its path otherwise. The path is relative if it is below the working directory. In a student kit, it is the
    path of the kit's own script.
    """
    return " ".join((_program(), *map(shlex.quote, words)))


def _program() -> str:
    ours = Path(sys.executable).with_name("grader")
    found = shutil.which("grader")
    if found is not None and ours.exists() and Path(found).samefile(ours):
        return "grader"
    if not ours.exists():
        return f"{shlex.quote(sys.executable)} -m grader.cli.main"
    of_kit = ours.parents[2] / "grader"
    return shlex.quote(_below_here(of_kit if of_kit.is_file() else ours))


def _below_here(path: Path) -> str:
    """Return a path relative to the working directory if it is below that directory, or the full path otherwise."""
    if not path.is_relative_to(Path.cwd()):
        return str(path)
    return f"./{path.relative_to(Path.cwd())}"
