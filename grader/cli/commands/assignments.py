"""The commands for the assignments of a course."""

from pathlib import Path
from typing import Annotated

import typer

from grader.authoring.scaffold import start
from grader.authoring.show import describe
from grader.cli.options import CourseOption
from grader.grading.settings import load_settings
from grader.grading.trust import note_started


def init(
    name: Annotated[str, typer.Argument(help="Name of the assignment.")],
    folder: Annotated[Path, typer.Argument(help="Folder to fill; it is made if it is not there.")],
    course: CourseOption = None,
) -> None:
    """Start an assignment: a skeleton, the handout, and files that grade it in GitLab or GitHub."""
    settings = load_settings({"course": course})
    for path in start(settings.places.load(name), settings.student_template, settings.report_guide, folder):
        typer.echo(path)
    note_started(folder)


def list_assignments(course: CourseOption = None) -> None:
    """List the assignments."""
    places = load_settings({"course": course}).places
    for name in places.names():
        typer.echo(f"{name:<17} {places.load(name).title}")


def show(name: Annotated[str, typer.Argument(help="Name of the assignment.")], course: CourseOption = None) -> None:
    """Show what an assignment asks for."""
    typer.echo(describe(load_settings({"course": course}).places.load(name)), nl=False)
