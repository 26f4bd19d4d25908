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
import signal
import sys
import traceback
from typing import NoReturn

from grader.cli.exit_codes import BAD_INPUT, INTERRUPTED, UNGRADED
from grader.cli.fork_server import fork_server_for
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


if __name__ == "__main__":
    main()
