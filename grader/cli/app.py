"""The commands of the command line."""

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from grader.cli.commands import assignments, authoring, course, export, lti, machine, remote, service
from grader.cli.commands import grade as submission
from grader.cli.commands import run as driving
from grader.cli.help import Command, CommandGroup
from grader.cli.options import flat
from grader.common.phrases import first_sentence

app = typer.Typer(
    cls=CommandGroup,
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
    "invite": service.invite,
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
PLATFORMS: dict[str, Callable[..., None]] = {
    "add": lti.add,
    "list": lti.list_platforms,
    "check": lti.check,
    "invite": lti.invite,
    "rotate": lti.rotate,
}


def _add(name: str, command: Callable[..., None], to: typer.Typer) -> None:
    """Add a command. The list of commands shows the first sentence of its docstring in full."""
    described = inspect.getdoc(command) or ""
    to.command(name, cls=Command, short_help=first_sentence(" ".join(described.split())))(flat(command))


for name, command in COMMANDS.items():
    _add(name, command, app)
exports = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="Make files for other systems.")
for name, command in EXPORTS.items():
    _add(name, command, exports)
app.add_typer(exports, name="export")
learning_platforms = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="Register learning platforms (LTI).")
for name, command in PLATFORMS.items():
    _add(name, command, learning_platforms)
app.add_typer(learning_platforms, name="lti")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("grader"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
