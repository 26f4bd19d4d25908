"""The commands for the assignments of a course."""

import shlex
import sys
from math import inf
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated

import typer

from grader.cli.options import CourseOption
from grader.cli.wrapping import fitted, wrapped
from grader.common.invocation import command

HANGING = " " * 4
"""Additional indentation of the continuation lines of a wrapped line."""

StartArgument = Annotated[str, typer.Argument(help="Name of the assignment, as `grader list` shows it.")]
ShownArgument = Annotated[
    str | None,
    typer.Argument(help="Name of the assignment; needed unless `grader init` made this folder."),
]
StarterArgument = Annotated[
    Path | None,
    typer.Argument(help="Folder to fill; created if missing. By default, a folder with the name of the assignment."),
]


def init(name: StartArgument, folder: StarterArgument = None, course: CourseOption = None) -> None:
    """Start an assignment: a skeleton, the handout, and files for CI.

    The folder records the assignment, so `grader grade` needs no name there. The CI files grade it in GitLab or GitHub.
    """
    from grader.authoring.scaffold import start
    from grader.grading.settings import load_settings
    from grader.grading.trust import note_started

    settings, target = load_settings({"course": course}), folder or Path(name)
    for path in start(settings.places.load(name), settings.student_template, settings.report_guide, target):
        typer.echo(path)
    note_started(target)
    where = "" if target == Path() else f" {shlex.quote(str(target))}"
    option = "" if course is None else f" --course {shlex.quote(str(course))}"
    step = f"Next: read {target / 'HANDOUT.md'}, write your kernel in {target / 'kernels.cl'}, and run"
    typer.echo(f"\n{fitted(step, sys.stdout)}\n")
    typer.echo(f"    {command('grade')}{where}{option}")


def list_assignments(course: CourseOption = None) -> None:
    """List the assignments in the order of the course."""
    from grader.grading.settings import load_settings

    places = load_settings({"course": course}).places
    listed = sorted(map(places.load, places.names()), key=lambda each: each.order or inf)
    width = max((len(each.name) for each in listed), default=0)
    for each in listed:
        typer.echo(f"{each.name:<{width}}  {each.title}")
    if not listed:
        typer.echo(f"{places.assignments} contains no assignment; `grader new NAME` starts one.")
    if listed and listed[0].order is not None:
        typer.echo(
            f"\nThis is the order of the course. To start with the first, run\n\n    {command('init', listed[0].name)}"
        )


def show(name: ShownArgument = None, course: CourseOption = None) -> None:
    """Show what an assignment requires."""
    from grader.authoring.show import describe
    from grader.course.submissions.starter_folder import assignment_of
    from grader.grading.settings import load_settings

    settings = load_settings({"course": course})
    text = describe(settings.places.load(name or assignment_of(Path(), "write `grader show NAME`")))
    for line in text.splitlines():
        typer.echo(wrapped(line, get_terminal_size().columns, " " * (len(line) - len(line.lstrip())) + HANGING))
