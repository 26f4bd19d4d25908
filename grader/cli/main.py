"""The entry point. Only this module turns errors into exit codes.

0 every check passed
1 graded, but some check failed
2 usage or input error
3 not graded or not completely, which is not the student's fault
4 nothing failed, but the course's machine decides some checks
"""

import atexit
import gc
import logging
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from grader.cli.exit_codes import BAD_INPUT, INTERRUPTED, UNGRADED
from grader.cli.wrapping import fitted
from grader.common.errors import (
    InputError,
    InterruptedGradingError,
    SetupError,
    UngradedError,
    UnreachableError,
    WatchEndedError,
)
from grader.common.interrupts import interrupt_on
from grader.protocol.text import showable

if TYPE_CHECKING:
    from grader.execution.sandbox.forkserver import ForkServer


def main() -> None:
    """Run the command that the user has typed."""
    atexit.register(gc.freeze)  # otherwise, Python searches for garbage before it exits, which takes 0.1 s
    logging.captureWarnings(capture=True)  # a warning of a library must not appear between the lines of a report
    logging.getLogger("py.warnings").addHandler(logging.NullHandler())
    stopping = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the exception stops every worker as it passes through
    interrupt_on(stopping, lambda number: InterruptedGradingError(f"interrupted by {_signal_in_words(number)}."))
    try:
        with fork_server_for(sys.argv[1:]) as server:
            from grader.cli.app import app

            app(prog_name="grader", obj=server)
    except InputError as error:
        _complain(str(error), BAD_INPUT)
    except UnreachableError as error:
        _complain(str(error), UNGRADED)
    except UngradedError as error:
        _complain(f"not graded: {error}", UNGRADED)
    except SetupError as error:
        _complain(f"not set up: {error}", UNGRADED)
    except WatchEndedError as end:
        sys.exit(end.code)
    except InterruptedGradingError as error:
        _complain(str(error), INTERRUPTED)
    except Exception:  # noqa: BLE001 - a fault of grader must not lead to the exit code of a failed check
        print(showable(traceback.format_exc()), file=sys.stderr, end="")
        _complain("this is a fault in grader itself; please report the lines above.", UNGRADED)


def _signal_in_words(number: int) -> str:
    """Return the keys that send this signal from a terminal, or the name of the signal."""
    return "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name


def _complain(message: str, code: int) -> NoReturn:
    """Print a message without control characters, and exit. File names are chosen by strangers, and a terminal obeys
    control characters.
    """
    print(fitted(f"grader: {message}", sys.stderr), file=sys.stderr)
    sys.exit(code)


@contextmanager
def fork_server_for(words: Sequence[str]) -> "Iterator[ForkServer | None]":
    """Yield a fork server if the command line shows that the command will run processes as workers, otherwise None. The
    server ends with the block. It starts before the commands are imported, because it takes as long to start as that
    import.
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


if __name__ == "__main__":
    main()
