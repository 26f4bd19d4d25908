"""The commands for one submission."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from grader.cli.options import (
    FAILED,
    PASSED,
    CourseOption,
    DeviceOption,
    GpuOption,
    ReleaseOption,
    SandboxOption,
    SanitizerOption,
    bench_settings,
    exit_code,
    view_of,
    watching_settings,
)
from grader.cli.progress import progress_line
from grader.common.errors import InputError, InterruptedGradingError
from grader.common.files import check_outputs, write_whole
from grader.course.submissions.submission import read_submission
from grader.course.submissions.task import tasks_of
from grader.course.truth.inputs import check_seed, fresh_seed
from grader.grading.by_hand.profiling import profile_submission
from grader.grading.checks.memory import Counted
from grader.grading.grade import grade_coursework, ungraded
from grader.grading.settings import load_settings
from grader.lms.exports.gradescope import gradescope_results
from grader.reports import REPORTS, annotated
from grader.reports.terminal import render
from grader.results.result import Result, Ungraded

WRITERS = {**REPORTS, "gradescope": gradescope_results}
"""What is written, by the option that names its file."""


def grade(
    file: Annotated[Path, typer.Argument(help="The kernels.cl, or a folder that holds it.")],
    assignment: Annotated[str, typer.Option(help="Name of the assignment, as `grader list` shows them.")],
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit XML file.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write everything that was measured.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page for a browser.")] = None,
    gradescope: Annotated[Path | None, typer.Option(help="Write Gradescope's results.json.")] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat a grading with the inputs it had.")] = None,
    sandbox: SandboxOption = None,
    gpu: GpuOption = None,
    require_sanitizer: SanitizerOption = False,
    release: ReleaseOption = False,
    device: DeviceOption = None,
    course: CourseOption = None,
) -> None:
    """Grade one submission for one assignment.

    It runs in a container; where there is none, in a process if `grader init` has made its folder.
    """
    given = bench_settings(sandbox, gpu, device, course)
    settings = load_settings({**given, "watching": watching_settings(require_sanitizer)})
    wanted = {"junit": junit, "json": json, "html": html, "gradescope": gradescope}
    files = {name: path for name, path in wanted.items() if path is not None}
    coursework, submission = settings.places.load(assignment), read_submission(file)
    seed = fresh_seed() if seed is None else check_seed(seed)
    check_outputs([*files.values()], submission.path)
    try:
        with progress_line() as progress, settings.open_bench(settings.sandbox_for(submission.path)) as bench:
            result = grade_coursework(coursework, submission, seed, bench, progress)
    except (InputError, InterruptedGradingError):
        raise
    except Exception as error:
        _write_reports(files, ungraded(coursework.name, submission.path, error))
        raise
    shown = view_of(release=release)(result, coursework)
    _write_reports(files, shown)
    console = Console()
    typer.echo(render(shown, width=console.width, color=console.is_terminal), nl=False)
    raise typer.Exit(exit_code(shown))


def _write_reports(files: dict[str, Path], outcome: Result | Ungraded) -> None:
    for name, path in files.items():
        write_whole(path, WRITERS[name](outcome))


def profile(
    file: Annotated[Path, typer.Argument(help="The kernels.cl, or a folder that holds it.")],
    assignment: Annotated[str, typer.Option(help="Name of the assignment, as `grader list` shows them.")],
    sandbox: SandboxOption = None,
    course: CourseOption = None,
) -> None:
    """Show what each line of a submission asks of memory, counted in a simulator."""
    settings = load_settings({"sandbox": sandbox, "course": course})
    coursework, submission = settings.places.load(assignment), read_submission(file)
    name = settings.sandbox_for(submission.path)
    console, right = Console(), True
    with settings.open_bench(name) as bench:
        for task in tasks_of(coursework, submission, fresh_seed()):
            with progress_line() as progress:
                counted = profile_submission(task, bench, progress)
            typer.echo(annotated.render(task, counted, width=console.width, color=console.is_terminal), nl=False)
            right &= isinstance(counted, Counted) and counted.problem is None
    raise typer.Exit(PASSED if right else FAILED)
