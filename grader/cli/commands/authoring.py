"""The commands for authors of assignments."""

import json
import shlex
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import DEFAULT_JOBS, CourseOption, EnvironmentOptions, JobsOption, NamesArgument
from grader.common.invocation import command


class Schema(StrEnum):
    """Files with a published schema."""

    RESULT = "result"
    ASSIGNMENT = "assignment"
    COURSE = "course"


class Template(StrEnum):
    """Assignments to start from."""

    SAXPY = "saxpy"
    HISTOGRAM = "histogram"
    IMAGE = "image"
    LOOP = "loop"
    SCAN = "scan"


def new(
    name: Annotated[str, typer.Argument(help="Name of the assignment and of its kernel.")],
    template: Annotated[
        Template,
        typer.Option(
            "--from",
            help="`histogram` uses atomics on bytes, `image` uses images, `loop` repeats launches, `scan` has two "
            "kernels.",
        ),
    ] = Template.SAXPY,
    course: CourseOption = None,
) -> None:
    """Start an assignment of your own. It is small and works, and its comments explain how to change it."""
    from grader.authoring.drafting import draft
    from grader.grading.settings import load_settings

    for path in draft(name, load_settings({"course": course}).course_folder, template):
        typer.echo(path)
    option = "" if course is None else f" --course {shlex.quote(str(course))}"
    typer.echo("\nNow edit these files. Their comments explain how. To check them, run\n")
    typer.echo(f"    {command('validate', name)}{option}")


def validate(
    where: EnvironmentOptions,
    names: NamesArgument = None,
    submissions: Annotated[
        Path | None,
        typer.Option(help="Folder of golden submissions, DIR/NAME/CASE/. By default, tests/submissions in the course."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Skip all timing. The last section lists the open questions.")
    ] = False,
    jobs: JobsOption = DEFAULT_JOBS,
) -> None:
    """Check all files of an assignment, and propose its thresholds. Also shows what students will see."""
    from rich.console import Console

    from grader.authoring.drafting import PLACES
    from grader.authoring.extent import FULL, QUICK
    from grader.cli.validation.page import Page, exit_code
    from grader.cli.validation.parallel_gradings import ParallelGradings
    from grader.cli.validation.sections import Sources, print_validation
    from grader.grading.settings import load_settings

    settings = load_settings(where.settings())
    settings.places.require_solutions()
    folder = submissions or settings.course_folder / PLACES["submissions"]
    paths = [settings.places.find(name) for name in names or settings.places.names()]
    settings_json = settings.as_json({**where.settings(), "course": str(settings.course_folder)})
    pages = []
    with closing(ParallelGradings(settings_json, jobs)) as gradings:
        for path in paths:
            page = Page(console=Console(highlight=False))
            with settings.open_environment(settings.sandbox_for_ours()) as environment:
                sources = Sources(
                    course=settings.places,
                    submissions=folder,
                    environment=environment,
                    gradings=gradings,
                    extent=QUICK if quick else FULL,
                )
                print_validation(path.parent.name, sources, page)
            typer.echo(f"\n{path.parent.name}: {page.verdict}")
            pages.append(page)
    raise typer.Exit(exit_code(pages))


def selftest(where: EnvironmentOptions, names: NamesArgument = None) -> None:
    """Check on this device that only model solutions pass.

    Model solutions must pass with a margin. Skeletons and baselines must not pass.
    """
    from rich.console import Console

    from grader.authoring.extent import FULL, NOISY
    from grader.cli.validation.page import Page, exit_code, note
    from grader.cli.validation.sections import print_statements
    from grader.grading.settings import load_settings

    settings = load_settings(where.settings())
    settings.places.require_solutions()
    loaded = [settings.places.load(name) for name in names or settings.places.names()]
    page = Page(console=Console(highlight=False))
    untimed = []
    for assignment in (part for coursework in loaded for part in coursework.parts):
        with settings.open_environment(settings.sandbox_for_ours()) as environment:
            seen = print_statements(assignment, environment, FULL, page, assignment.called)
        if seen.extent == NOISY:
            untimed.append(assignment.name)
            page.console.print(note("unknown", f"{assignment.called}: its speed was not checked."))
    if untimed:
        typer.echo(f"\n{NOISY.why} Stop other programs, and run: grader selftest {' '.join(dict.fromkeys(untimed))}")
    raise typer.Exit(exit_code([page]))


def schema(which: Annotated[Schema, typer.Argument(help="The file whose schema is printed.")]) -> None:
    """Print a JSON schema. It describes the JSON report, assignment.yaml or course.yaml."""
    from grader.authoring.schema import assignment_schema, course_schema, result_schema

    schemas = {Schema.RESULT: result_schema, Schema.ASSIGNMENT: assignment_schema, Schema.COURSE: course_schema}
    typer.echo(json.dumps(schemas[which](), indent=2))
