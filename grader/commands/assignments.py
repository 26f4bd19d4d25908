"""The commands for the assignments of a course, and for the files that describe them and their results."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

from grader.assignment import Assignment
from grader.commands.options import (
    FAILED,
    PASSED,
    CourseOption,
    DeviceOption,
    GpuOption,
    SandboxOption,
    docker_settings,
)
from grader.commands.progress import progress_line
from grader.describing import describe
from grader.result import Result
from grader.selftest import examine_assignment
from grader.settings import load_settings
from grader.starter import start


def init(
    name: Annotated[str, typer.Argument(help="Name of the assignment.")],
    folder: Annotated[Path, typer.Argument(help="Folder to fill; it is made if it is not there.")],
    course: CourseOption = None,
) -> None:
    """Start an assignment: a skeleton, the handout, and files that grade it in GitLab or GitHub."""
    settings = load_settings({"course": course})
    for path in start(settings.places.load(name), settings.course / "student_template", folder):
        typer.echo(path)


def list_assignments(course: CourseOption = None) -> None:
    """List the assignments."""
    places = load_settings({"course": course}).places
    for name in places.names():
        typer.echo(f"{name:<14} {places.load(name).title}")


def show(name: Annotated[str, typer.Argument(help="Name of the assignment.")], course: CourseOption = None) -> None:
    """Show what an assignment asks for."""
    typer.echo(describe(load_settings({"course": course}).places.load(name)), nl=False)


def selftest(
    names: Annotated[list[str] | None, typer.Argument(help="Assignments; all if none is named.")] = None,
    sandbox: SandboxOption = None,
    gpu: GpuOption = None,
    device: DeviceOption = None,
    course: CourseOption = None,
) -> None:
    """Check on this device that model solutions pass, with a margin, and that skeletons and baselines do not."""
    settings = load_settings({"sandbox": sandbox, "docker": docker_settings(gpu), "device": device, "course": course})
    loaded = [settings.places.load(name) for name in names or settings.places.names()]
    assignments = [part for coursework in loaded for part in coursework.parts]
    console = Console(highlight=False)
    broken = 0
    for assignment in assignments:
        with progress_line() as progress, settings.open_bench(settings.choose_sandbox(trusted=True)) as bench:
            statements = list(examine_assignment(assignment, bench, progress))
        for statement in statements:
            broken += not statement.holds
            verdict = Text("holds ", style="green") if statement.holds else Text("BROKEN", style="bold red")
            console.print(Text.assemble(verdict, f"  {assignment.called}: {statement.claim} ({statement.seen})"))
    raise typer.Exit(FAILED if broken else PASSED)


class Schema(StrEnum):
    """The files that have a published schema."""

    RESULT = "result"
    ASSIGNMENT = "assignment"


def schema(which: Annotated[Schema, typer.Argument(help="Which file.")]) -> None:
    """Print the JSON schema of the JSON report or of assignment.yaml."""
    records: dict[Schema, type[BaseModel]] = {Schema.RESULT: Result, Schema.ASSIGNMENT: Assignment}
    record = records[which]
    typer.echo(json.dumps(record.model_json_schema(), indent=2))
