"""`grader export`: makes the files that another system or a student needs for grading."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import CourseOption, NamesArgument

NameArgument = Annotated[str, typer.Argument(help="Name of the assignment.")]
OutOption = Annotated[Path, typer.Option(help="Folder to fill; created if missing.")]


def gradescope(
    name: NameArgument,
    out: Annotated[Path, typer.Option(help="The zip file to write.")],
    course: CourseOption = None,
) -> None:
    """Make an autograder for Gradescope. It contains the model solution, so do not show it to students."""
    from grader.common.files import check_writable, write_whole
    from grader.grading.settings import load_settings
    from grader.lms.bundle import RUN, SETUP, Platform, autograder, zipped

    settings = load_settings({"course": course})
    settings.places.require_solutions()
    files = autograder(Platform.GRADESCOPE, settings.places.load(name), settings.constraints)
    check_writable(out)
    write_whole(out, zipped(files, executable=frozenset({SETUP, RUN})))
    typer.echo(out)


def gitlab(name: NameArgument, out: OutOption, course: CourseOption = None) -> None:
    """Make a project that grades in GitLab. It contains the model solution, so do not show it to students."""
    from grader.common.files import write_new
    from grader.grading.settings import load_settings
    from grader.lms.bundle import Platform, autograder

    settings = load_settings({"course": course})
    settings.places.require_solutions()
    for path in write_new(autograder(Platform.GITLAB, settings.places.load(name), settings.constraints), out):
        typer.echo(path)


def kit(
    out: OutOption,
    names: NamesArgument = None,
    url: Annotated[str, typer.Option(help="Address from which students clone the kit in their pipelines.")] = "",
    course: CourseOption = None,
) -> None:
    """Make a kit for students to install: this grader and the assignments, without model solutions and hidden
    checks.
    """
    from grader.common.errors import InputError
    from grader.common.files import write_new
    from grader.grading.settings import load_settings
    from grader.lms.kit import COMMAND, student_kit

    settings = load_settings({"course": course})
    places = settings.places
    places.require_solutions()
    courseworks = [places.load(name) for name in dict.fromkeys(names or places.names())]
    if not courseworks:
        raise InputError(f"{places.assignments} contains no assignment; `grader new NAME` starts one.")
    files = student_kit(courseworks, settings.student_template, settings.report_guide, settings.constraints, url)
    for path in write_new(files, out, executable=frozenset({COMMAND})):
        typer.echo(path)
