"""What takes as long to start as the commands take to be imported is started before them."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.execution.sandbox.forkserver import ForkServer


@contextmanager
def head_start(words: Sequence[str]) -> "Iterator[ForkServer | None]":
    """The fork server of a command that will run processes as workers, as far as its words tell; it ends with the
    block.
    """
    if not _mean_processes(words):
        yield None
        return
    from grader.execution.sandbox.forkserver import ForkServer

    with closing(ForkServer.ours()) as server:
        server.begin()
        yield server


def _mean_processes(words: Sequence[str]) -> bool:
    """The settings decide it, which are read later; where they decide otherwise, the server serves nobody."""
    if not words or words[0] != "grade" or "--help" in words:
        return False
    sandbox = _named(words) or os.environ.get("GRADER_SANDBOX")
    if sandbox:
        return sandbox in {"process", "user"}
    from grader.grading.trust import was_started

    with suppress(OSError, RuntimeError):  # a name that is too long or a ring of links: said when the file is read
        return any(was_started(path if path.is_dir() else path.parent) for path in map(Path, words[1:]))
    return False


def _named(words: Sequence[str]) -> str:
    """The sandbox that the words name; empty if none."""
    named = ""
    for word, next_word in pairwise((*words, "")):
        if word == "--sandbox":
            named = next_word
        elif word.startswith("--sandbox="):
            named = word.partition("=")[2]
    return named
