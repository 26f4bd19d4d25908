"""The commands for those who write assignments."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

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
from grader.schema import Schema, schema_text
from grader.selftest import examine_assignment
from grader.settings import load_settings


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


def schema(which: Annotated[Schema, typer.Argument(help="Which file.")]) -> None:
    """Print the JSON schema of the JSON report or of assignment.yaml."""
    typer.echo(schema_text(which))
