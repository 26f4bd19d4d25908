"""The commands for the machine that grades."""

import sys
from functools import partial
from itertools import chain
from shutil import get_terminal_size
from typing import Annotated

import typer

from grader.cli.exit_codes import PASSED, UNGRADED
from grader.cli.options import DeviceOption, EnvironmentOptions, GpuOption, SandboxOption
from grader.cli.wrapping import wrapped

INDENT = " " * 3
"""Indentation of continuation lines, which is the width of a device's number and the space after it."""

HANGING = " " * 9
"""Indentation of continuation lines, which is the width of "missing: "."""


def devices(sandbox: SandboxOption = None, gpu: GpuOption = None) -> None:
    """List the OpenCL devices."""
    from grader.grading.settings import load_settings

    settings = load_settings(EnvironmentOptions(sandbox=sandbox, gpu=gpu, device=0).settings())
    with settings.open_environment(settings.sandbox_for_ours()) as environment, environment.worker() as worker:
        worker.ready()
        for device in worker.devices:
            line = f"{device.index}  {device.name}  ({device.type}, {device.platform}, {device.version})"
            typer.echo(wrapped(line, get_terminal_size().columns, INDENT) if sys.stdout.isatty() else line)


def calibrate(sandbox: SandboxOption = None, gpu: GpuOption = None, device: DeviceOption = None) -> None:
    """Measure and store the limits of the device.

    Gradings use them to draw rooflines and to detect impossible speeds.
    """
    from rich.console import Console
    from rich.text import Text

    from grader.cli.machine.profile_table import profile_table
    from grader.cli.progress import progress_line
    from grader.grading.device_lock import exclusive
    from grader.grading.settings import load_settings
    from grader.grading.timing.calibration import calibrate as measure_device
    from grader.grading.timing.device_profile import save_profile

    settings = load_settings(EnvironmentOptions(sandbox=sandbox, gpu=gpu, device=device).settings())
    name = settings.sandbox_for_ours()
    with progress_line() as progress, settings.open_environment(name) as environment, environment.worker() as worker:
        progress("waiting for the device")
        with exclusive(worker.ready(), environment.locks):
            profile = measure_device(worker, name, progress)
    path = save_profile(profile, settings.profiles)
    console = Console(highlight=False)
    console.print(Text(f"{profile.device.name} ({profile.device.platform}, driver {profile.device.driver})"))
    console.print(profile_table(profile))
    typer.echo(path)


def setup(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what is missing and where it would come from.")
    ] = False,
) -> None:
    """Install the OpenCL driver and the simulator if they are missing. Can be repeated safely."""
    from grader.cli.machine.setup import check, steps
    from grader.grading.settings import load_settings

    settings = load_settings({"sandbox": "process"})
    open_environment = partial(settings.open_environment, "process")
    missing = False
    for step in steps(open_environment, settings.constraints):
        missing = True
        echo_wrapped(f"missing: {step.what}")
        echo_wrapped(f"         from {step.source}")
        if not dry_run:
            step.carry_out(echo_wrapped)
    if not (dry_run and missing):
        for line in check(open_environment):
            echo_wrapped(line)


def echo_wrapped(line: str) -> None:
    """Print a line of `grader setup`, wrapped at the width of the terminal."""
    typer.echo(wrapped(line, get_terminal_size().columns, HANGING))


def doctor(where: EnvironmentOptions) -> None:
    """Check if this machine can grade. If it cannot, show what to do."""
    from rich.console import Console

    from grader.cli.machine.doctor import containers, examine, print_fact
    from grader.grading.settings import load_settings

    settings = load_settings(where.settings())
    name = settings.sandbox_for_ours()
    console = Console(highlight=False)
    problems = 0
    examined = examine(name, lambda: settings.open_environment(name), settings.places)
    for fact in chain(examined, containers(settings)):
        problems += bool(fact.remedy)
        print_fact(fact, console)
    raise typer.Exit(UNGRADED if problems else PASSED)
