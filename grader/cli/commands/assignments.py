"""The commands for the assignments of a course."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import CourseOption


def init(
    name: Annotated[str, typer.Argument(help="Name of the assignment.")],
    folder: Annotated[Path, typer.Argument(help="Folder to fill; it is made if it is not there.")],
    course: CourseOption = None,
) -> None:
    """Start an assignment: a skeleton, the handout, and files that grade it in GitLab or GitHub."""
    from grader.authoring.scaffold import start
    from grader.grading.settings import load_settings
    from grader.grading.trust import note_started

    settings = load_settings({"course": course})
    for path in start(settings.places.load(name), settings.student_template, settings.report_guide, folder):
        typer.echo(path)
    note_started(folder)


def list_assignments(course: CourseOption = None) -> None:
    """List the assignments."""
    from grader.grading.settings import load_settings

    places = load_settings({"course": course}).places
    for name in places.names():
        typer.echo(f"{name:<17} {places.load(name).title}")


def show(name: Annotated[str, typer.Argument(help="Name of the assignment.")], course: CourseOption = None) -> None:
    """Show what an assignment asks for."""
    from grader.authoring.show import describe
    from grader.grading.settings import load_settings

    typer.echo(describe(load_settings({"course": course}).places.load(name)), nl=False)
