"""Starts a fork server before the commands are imported, because it takes as long to start as that import."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.execution.sandbox.forkserver import ForkServer


@contextmanager
def fork_server_for(words: Sequence[str]) -> "Iterator[ForkServer | None]":
    """Yield a fork server if the command line shows that the command will run processes as workers, otherwise None. The
    server ends with the block.
    """
    if not _mean_processes(words):
        yield None
        return
    from grader.execution.sandbox.forkserver import ForkServer

    with closing(ForkServer.ours()) as server:
        server.begin()
        yield server


def _mean_processes(words: Sequence[str]) -> bool:
    """True if the command will run processes as workers. The settings are read later and may decide otherwise, in which
    case the server stays unused.
    """
    if not words or words[0] != "grade" or "--help" in words:
        return False
    sandbox = _named(words) or os.environ.get("GRADER_SANDBOX")
    if sandbox:
        return sandbox in {"process", "user"}
    from grader.grading.trust import was_started

    with suppress(
        OSError, RuntimeError
    ):  # a name that is too long, or a loop of links, is reported when the file is read
        return any(was_started(path if path.is_dir() else path.parent) for path in map(Path, words[1:] or ["."]))
    return False


def _named(words: Sequence[str]) -> str:
    """Return the sandbox that the command line requests, or "" if it does not request one."""
    named = ""
    for word, next_word in pairwise((*words, "")):
        if word == "--sandbox":
            named = next_word
        elif word.startswith("--sandbox="):
            named = word.partition("=")[2]
    return named
