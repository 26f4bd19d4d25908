"""The entry point, and the one place where errors become exit codes.

0 every check passed - 1 graded, some check failed - 2 usage or input error - 3 not graded or not all of it, which is
not the student's fault - 4 nothing failed, but the course's machine decides some of it
"""

import atexit
import gc
import logging
import signal
import sys
import traceback
from typing import NoReturn

from grader.cli.exit_codes import BAD_INPUT, INTERRUPTED, UNGRADED
from grader.cli.head_start import head_start
from grader.common.errors import InputError, InterruptedGradingError, SetupError, UngradedError
from grader.common.interrupts import interrupt_on
from grader.protocol.text import showable


def main() -> None:
    """Run the command that the words ask for."""
    atexit.register(gc.freeze)  # or Python looks through all of its objects for garbage, a tenth of a second, and ends
    logging.captureWarnings(capture=True)  # a library's warning must not appear between a report's lines
    logging.getLogger("py.warnings").addHandler(logging.NullHandler())
    stopping = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # which stop every worker on the way out
    interrupt_on(stopping, lambda number: InterruptedGradingError(f"interrupted by {signal.Signals(number).name}."))
    try:
        with head_start(sys.argv[1:]) as server:
            from grader.cli.app import app

            app(prog_name="grader", obj=server)
    except InputError as error:
        _complain(str(error), BAD_INPUT)
    except UngradedError as error:
        _complain(f"not graded: {error}", UNGRADED)
    except SetupError as error:
        _complain(f"not set up: {error}", UNGRADED)
    except InterruptedGradingError as error:
        _complain(str(error), INTERRUPTED)
    except Exception:  # noqa: BLE001 - a fault of ours must not end with the exit code of a failed check
        print(showable(traceback.format_exc()), file=sys.stderr, end="")
        _complain("this is a fault in grader itself; please report the lines above.", UNGRADED)


def _complain(message: str, code: int) -> NoReturn:
    """One line, whatever is in it: names of files come from strangers, and a terminal obeys what it is shown."""
    print(f"grader: {' '.join(showable(message).splitlines())}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
