"""The commands for the machine that grades."""

import typer
from rich.console import Console
from rich.text import Text

from grader.commands.options import (
    PASSED,
    UNGRADED,
    CourseOption,
    DeviceOption,
    GpuOption,
    SandboxOption,
    docker_settings,
)
from grader.doctor import examine
from grader.settings import load_settings


def devices(sandbox: SandboxOption = None, gpu: GpuOption = None) -> None:
    """List the OpenCL devices."""
    settings = load_settings({"sandbox": sandbox, "docker": docker_settings(gpu), "device": 0})
    with settings.open_bench(settings.choose_sandbox(trusted=True)) as bench, bench.worker() as worker:
        worker.ready()
        for device in worker.devices:
            typer.echo(f"{device.index}  {device.name}  ({device.type}, {device.platform}, {device.version})")


DOCTOR_WORDS = {
    (False, True): ("ok   ", "green"),
    (False, False): ("ok   ", "green"),
    (True, True): ("needs", "bold red"),
    (True, False): ("lacks", "yellow"),
}
"""By whether there is a remedy, and whether grading needs it."""


def doctor(
    sandbox: SandboxOption = None,
    gpu: GpuOption = None,
    course: CourseOption = None,
    device: DeviceOption = None,
) -> None:
    """Say whether this machine can grade, and what to do if not."""
    settings = load_settings({"sandbox": sandbox, "docker": docker_settings(gpu), "course": course, "device": device})
    name = settings.choose_sandbox(trusted=True)
    console = Console(highlight=False)
    problems = 0
    for finding in examine(name, lambda: settings.open_bench(name), settings.places):
        verdict = DOCTOR_WORDS[bool(finding.remedy), finding.needed]
        console.print(Text.assemble(verdict, f"  {finding.topic}: {finding.found}"))
        if finding.remedy:
            problems += finding.needed
            console.print(Text(f"       {finding.remedy}"))
    raise typer.Exit(UNGRADED if problems else PASSED)
