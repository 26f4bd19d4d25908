"""The command line: its commands, and the one place where errors become exit codes.

0 every check passed - 1 graded, some check failed - 2 usage or input error - 3 not graded or not all of it, which is
not the student's fault - 4 nothing failed, but the course's machine decides some of it
"""

import atexit
import gc
import signal
import sys
import traceback
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from grader.cli.commands import assignments, authoring, course, export, machine, remote, service
from grader.cli.commands import grade as submission
from grader.cli.commands import run as driving
from grader.cli.exit_codes import BAD_INPUT, INTERRUPTED, UNGRADED
from grader.cli.options import flat
from grader.common.errors import InputError, InterruptedGradingError, SetupError, UngradedError
from grader.common.interrupts import interrupt_on
from grader.protocol.text import showable

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Grades OpenCL kernels: are they right, and are they fast?",
)

COMMANDS: dict[str, Callable[..., None]] = {
    "grade": submission.grade,
    "batch": course.batch,
    "explain": submission.explain,
    "profile": submission.profile,
    "run": driving.run,
    "init": assignments.init,
    "list": assignments.list_assignments,
    "show": assignments.show,
    "new": authoring.new,
    "validate": authoring.validate,
    "serve": service.serve,
    "station": service.station,
    "migrate": service.migrate,
    "login": remote.login,
    "submit": remote.submit,
    "status": remote.status,
    "logout": remote.logout,
    "devices": machine.devices,
    "calibrate": machine.calibrate,
    "setup": machine.setup,
    "doctor": machine.doctor,
    "selftest": authoring.selftest,
    "schema": authoring.schema,
}
EXPORTS: dict[str, Callable[..., None]] = {
    "gradescope": export.gradescope,
    "gitlab": export.gitlab,
    "kit": export.kit,
}
for name, command in COMMANDS.items():
    app.command(name)(flat(command))
exports = typer.Typer(no_args_is_help=True, help="Make what another system, or a student, needs to grade.")
for name, command in EXPORTS.items():
    exports.command(name)(flat(command))
app.add_typer(exports, name="export")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("grader"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point: the one place where errors become lines and exit codes."""
    atexit.register(gc.freeze)  # or Python looks through all of its objects for garbage, a tenth of a second, and ends
    stopping = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # which stop every worker on the way out
    interrupt_on(stopping, lambda number: InterruptedGradingError(f"interrupted by {signal.Signals(number).name}."))
    try:
        app(prog_name="grader")
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
