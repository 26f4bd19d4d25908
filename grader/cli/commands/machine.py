"""The commands for the machine that grades."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.cli.machine.doctor import examine
from grader.cli.machine.setup import check, steps
from grader.cli.options import PASSED, UNGRADED, CourseOption, DeviceOption, GpuOption, SandboxOption, bench_settings
from grader.cli.progress import progress_line
from grader.grading.device_lock import exclusive
from grader.grading.settings import load_settings
from grader.grading.timing.calibration import calibrate as measure_device
from grader.grading.timing.device_profile import DeviceProfile, save_profile
from grader.reports.words import seconds_in_words, three_digits
from grader.results.metrics import Interval


def devices(sandbox: SandboxOption = None, gpu: GpuOption = None) -> None:
    """List the OpenCL devices."""
    settings = load_settings(bench_settings(sandbox, gpu, 0))
    with settings.open_bench(settings.sandbox_for_ours()) as bench, bench.worker() as worker:
        worker.ready()
        for device in worker.devices:
            typer.echo(f"{device.index}  {device.name}  ({device.type}, {device.platform}, {device.version})")


def calibrate(sandbox: SandboxOption = None, gpu: GpuOption = None, device: DeviceOption = None) -> None:
    """Measure what the device can do, and keep it: gradings draw their rooflines and judge what is too fast by it."""
    settings = load_settings(bench_settings(sandbox, gpu, device))
    name = settings.sandbox_for_ours()
    with progress_line() as progress, settings.open_bench(name) as bench, bench.worker() as worker:
        progress("waiting for the device")
        with exclusive(worker.ready(), bench.locks):
            profile = measure_device(worker, name, progress)
    path = save_profile(profile, settings.profiles)
    console = Console(highlight=False)
    console.print(Text(f"{profile.device.name} ({profile.device.platform}, driver {profile.device.driver})"))
    console.print(_table(profile))
    typer.echo(path)


def _table(profile: DeviceProfile) -> Table:
    """A row for each figure: its median, and the interval that it lies in."""
    table = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "left"):
        table.add_column(justify=justify, overflow="fold")

    def row(what: str, measured: Interval, in_words: Callable[[float], str]) -> None:
        table.add_row(what, in_words(measured.median), f"{in_words(measured.low)} to {in_words(measured.high)}")

    row("copy, read and written", profile.copy_bandwidth, lambda rate: f"{three_digits(rate)} GB/s")
    row("fp32, multiply and add", profile.fp32_rate, lambda rate: f"{three_digits(rate)} GFLOPS")
    row("local memory, read", profile.local_bandwidth, lambda rate: f"{three_digits(rate)} GB/s")
    row("an empty kernel, there and back", profile.launch, seconds_in_words)
    row("an empty kernel on the device", profile.launch_on_device, seconds_in_words)
    clock = profile.device.clock
    table.add_row("clock, by the driver at most", f"{clock} MHz" if clock else "not said")
    if profile.clocks is not None:
        table.add_row(
            "clock while computing", f"{profile.clocks.processors} MHz", f"memory {profile.clocks.memory} MHz"
        )
    return table


def setup(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what is missing and where it comes from.")
    ] = False,
) -> None:
    """Install what this machine lacks to grade: an OpenCL driver, the simulator. Safe to repeat."""
    settings = load_settings({"sandbox": "process"})
    open_bench = partial(settings.open_bench, "process")
    missing = False
    for step in steps(open_bench, settings.constraints):
        missing = True
        typer.echo(f"missing: {step.what}\n         from {step.source}")
        if not dry_run:
            step.carry_out(typer.echo)
    if not (dry_run and missing):
        for line in check(open_bench):
            typer.echo(line)


def doctor(
    sandbox: SandboxOption = None,
    gpu: GpuOption = None,
    course: CourseOption = None,
    device: DeviceOption = None,
) -> None:
    """Say whether this machine can grade, and what to do if not."""
    settings = load_settings(bench_settings(sandbox, gpu, device, course))
    name = settings.sandbox_for_ours()
    console = Console(highlight=False)
    problems = 0
    for finding in examine(name, lambda: settings.open_bench(name), settings.places):
        verdict = ("needs", "bold red") if finding.remedy else ("ok   ", "green")
        console.print(Text.assemble(verdict, f"  {finding.topic}: {finding.found}"))
        if finding.remedy:
            problems += 1
            console.print(Text(f"       {finding.remedy}"))
    raise typer.Exit(UNGRADED if problems else PASSED)
