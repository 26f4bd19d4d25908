"""The command that times kernels by hand."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.exit_codes import FAILED, PASSED
from grader.cli.options import EnvironmentOptions, SubmissionOptions
from grader.common.errors import InputError


@dataclass(frozen=True, kw_only=True)
class LaunchOptions:
    """Options for the launches. None selects the value that gradings use."""

    kernel: Annotated[str | None, typer.Option(help="The kernel to time, if there are several.")] = None
    size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SIZE",
            help="Sizes, such as n=1024,width=64. By default, those graded for speed or of the largest case.",
        ),
    ] = None
    global_size: Annotated[
        str | None, typer.Option("--global", help="Number of work-items in each dimension, such as 'ceil_to(n, 64),n'.")
    ] = None
    local_size: Annotated[
        str | None,
        typer.Option("--local", help="Number of work-items in each dimension of a group, such as 64 or TILE,TILE."),
    ] = None
    define: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Constants, such as TILE=32.")] = None
    sweep: Annotated[
        str | None, typer.Option(help="Make a table with several values of a size or constant, such as TILE=8,16,32.")
    ] = None


def run(
    submitted: SubmissionOptions,
    launched: LaunchOptions,
    *,
    repeat: Annotated[int, typer.Option(min=1, help="How often each launch is timed.")] = 10,
    check: Annotated[bool, typer.Option("--check", help="Compare the results with the expected results.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Also write the table as a figure to this SVG file.")] = None,
    where: EnvironmentOptions,
) -> None:
    """Time kernels by hand, without grading.

    Times one kernel, one kernel at several sizes, or all kernels of an assignment side by side.
    """
    from rich.console import Console

    from grader.cli.progress import progress_line
    from grader.common.files import check_outputs, write_whole
    from grader.course.submissions.submission import fresh_seed, read_submission
    from grader.grading.by_hand.run import Measured, RunRequest, count_intensities, time_runs
    from grader.grading.by_hand.run_options import Options, read_dimensions, read_sweep, read_values, runs
    from grader.grading.settings import load_settings
    from grader.reports import figure_of_runs
    from grader.reports.timings import body, render

    settings = load_settings(where.settings())
    coursework, submission = settings.places.load(submitted.name), read_submission(submitted.file)
    options = Options(
        kernel=launched.kernel,
        values={**read_values("--size", launched.size or ()), **read_values("--define", launched.define or ())},
        global_size=read_dimensions("--global", launched.global_size),
        local_size=read_dimensions("--local", launched.local_size),
        sweep=read_sweep(launched.sweep),
    )
    planned, swept = runs(coursework, options), options.sweep.name if options.sweep else None
    if plot is not None:
        if len(planned) == 1:
            raise InputError("--plot needs a table with several rows: add --sweep, or time all kernels of a suite.")
        check_outputs([plot], submission.path)
    request = RunRequest(submission=submission, seed=fresh_seed(), repeat=repeat, check=check)
    name = settings.sandbox_for(submission.path)
    with progress_line() as progress, settings.open_environment(name) as environment:
        rows = tuple(time_runs(planned, request, environment, progress))
        if len(rows) > 1 and swept is None:
            timed = [each for each, row in zip(planned, rows, strict=True) if isinstance(row.outcome, Measured)]
            counted = count_intensities(timed, request, environment, progress)
            rows = tuple(replace(row, intensity=counted.get(row.label)) for row in rows)
    if plot is not None:
        write_whole(plot, figure_of_runs(coursework.title, swept or "kernel", rows))
    console = Console()
    page = render(coursework, submission.path, body(rows, swept), width=console.width, color=console.is_terminal)
    typer.echo(page, nl=False)
    raise typer.Exit(FAILED if any(row.problem for row in rows) else PASSED)
