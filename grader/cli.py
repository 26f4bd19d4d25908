"""The command line: parse, call, print, exit code.

0 every check passed - 1 graded, some check failed - 2 usage or input error - 3 ungraded, our fault
"""

import json as json_text
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

from grader import courses, describing
from grader.assignment import Assignment
from grader.doctor import examine
from grader.errors import InputError, InterruptedGradingError, UngradedError
from grader.exports.gradescope import gradescope_results
from grader.files import check_outputs, write_whole
from grader.grading import Progress, grade_submission, ungraded
from grader.inputs import check_seed, fresh_seed
from grader.interrupts import interrupt_on
from grader.memory import Counted
from grader.options import (
    BAD_INPUT,
    FAILED,
    PASSED,
    UNGRADED,
    CourseOption,
    DeviceOption,
    GpuOption,
    SandboxOption,
    SanitizerOption,
    TrustOption,
    docker_settings,
    watching_settings,
)
from grader.profiling import profile_submission
from grader.reports import REPORTS, annotated
from grader.reports.terminal import render
from grader.result import Result, Ungraded
from grader.selftest import examine_assignment
from grader.settings import load_settings
from grader.starter import start
from grader.submission import read_submission
from grader.task import Task
from grader.trust import is_own

INTERRUPTED = 130
"""As a shell reports a program that Ctrl-C has ended."""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Grades OpenCL kernels: are they right, and are they fast?",
)

WRITERS = {**REPORTS, "gradescope": gradescope_results}
"""What is written, by the option that names its file."""


@app.command()
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
    trust_submissions: TrustOption = False,
    require_sanitizer: SanitizerOption = False,
    device: DeviceOption = None,
    course: CourseOption = None,
) -> None:
    """Grade one submission for one assignment.

    Your own file runs in a process; one that belongs to another user runs in a container.
    """
    given = {"sandbox": sandbox, "docker": docker_settings(gpu), "device": device, "course": course}
    settings = load_settings({**given, "watching": watching_settings(require_sanitizer)})
    wanted = {"junit": junit, "json": json, "html": html, "gradescope": gradescope}
    files = {name: path for name, path in wanted.items() if path is not None}
    task = Task(
        assignment=settings.places.load(assignment),
        submission=read_submission(file),
        seed=fresh_seed() if seed is None else check_seed(seed),
    )
    check_outputs([*files.values()], task.submission.path)
    trusted = trust_submissions or is_own(task.submission.path)
    try:
        with _progress_line() as progress, settings.open_bench(settings.choose_sandbox(trusted=trusted)) as bench:
            result = grade_submission(task, bench, progress)
    except (InputError, InterruptedGradingError):
        raise
    except Exception as error:
        _write_reports(files, ungraded(task.assignment.name, task.submission.path, error))
        raise
    _write_reports(files, result)
    console = Console()
    typer.echo(render(result, width=console.width, color=console.is_terminal), nl=False)
    raise typer.Exit(_exit_code(result))


app.command()(courses.batch)


@app.command()
def profile(
    file: Annotated[Path, typer.Argument(help="The kernels.cl, or a folder that holds it.")],
    assignment: Annotated[str, typer.Option(help="Name of the assignment, as `grader list` shows them.")],
    sandbox: SandboxOption = None,
    trust_submissions: TrustOption = False,
    course: CourseOption = None,
) -> None:
    """Show what each line of a submission asks of memory, counted in a simulator."""
    settings = load_settings({"sandbox": sandbox, "course": course})
    task = Task(assignment=settings.places.load(assignment), submission=read_submission(file), seed=fresh_seed())
    name = settings.choose_sandbox(trusted=trust_submissions or is_own(task.submission.path))
    with _progress_line() as progress, settings.open_bench(name) as bench:
        counted = profile_submission(task, bench, progress)
    console = Console()
    page = annotated.render(task, counted, width=console.width, color=console.is_terminal)
    typer.echo(page, nl=False)
    raise typer.Exit(PASSED if isinstance(counted, Counted) and counted.problem is None else FAILED)


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="Name of the assignment.")],
    folder: Annotated[Path, typer.Argument(help="Folder to fill; it is made if it is not there.")],
    course: CourseOption = None,
) -> None:
    """Start an assignment: a skeleton, the handout, and files that grade it in GitLab or GitHub."""
    settings = load_settings({"course": course})
    for path in start(settings.places.load(name), settings.course / "student_template", folder):
        typer.echo(path)


app.command()(courses.export)


@app.command("list")
def list_assignments(course: CourseOption = None) -> None:
    """List the assignments."""
    places = load_settings({"course": course}).places
    for name in places.names():
        typer.echo(f"{name:<14} {places.load(name).title}")


@app.command()
def show(name: Annotated[str, typer.Argument(help="Name of the assignment.")], course: CourseOption = None) -> None:
    """Show what an assignment asks for."""
    typer.echo(describing.describe(load_settings({"course": course}).places.load(name)), nl=False)


@app.command()
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


@app.command()
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


@app.command()
def selftest(
    names: Annotated[list[str] | None, typer.Argument(help="Assignments; all if none is named.")] = None,
    sandbox: SandboxOption = None,
    gpu: GpuOption = None,
    device: DeviceOption = None,
    course: CourseOption = None,
) -> None:
    """Check on this device that model solutions pass, with a margin, and that skeletons and baselines do not."""
    settings = load_settings({"sandbox": sandbox, "docker": docker_settings(gpu), "device": device, "course": course})
    assignments = [settings.places.load(name) for name in names or settings.places.names()]
    console = Console(highlight=False)
    broken = 0
    for assignment in assignments:
        with _progress_line() as progress, settings.open_bench(settings.choose_sandbox(trusted=True)) as bench:
            statements = list(examine_assignment(assignment, bench, progress))
        for statement in statements:
            broken += not statement.holds
            verdict = Text("holds ", style="green") if statement.holds else Text("BROKEN", style="bold red")
            console.print(Text.assemble(verdict, f"  {assignment.name}: {statement.claim} ({statement.seen})"))
    raise typer.Exit(FAILED if broken else PASSED)


class Schema(StrEnum):
    """The files that have a published schema."""

    RESULT = "result"
    ASSIGNMENT = "assignment"


@app.command()
def schema(which: Annotated[Schema, typer.Argument(help="Which file.")]) -> None:
    """Print the JSON schema of the JSON report or of assignment.yaml."""
    records: dict[Schema, type[BaseModel]] = {Schema.RESULT: Result, Schema.ASSIGNMENT: Assignment}
    record = records[which]
    typer.echo(json_text.dumps(record.model_json_schema(), indent=2))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("grader"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def _exit_code(outcome: Result | Ungraded) -> int:
    if isinstance(outcome, Ungraded):
        return UNGRADED
    return PASSED if outcome.passed else FAILED


def _write_reports(files: dict[str, Path], outcome: Result | Ungraded) -> None:
    for name, path in files.items():
        write_whole(path, WRITERS[name](outcome))


@contextmanager
def _progress_line() -> Iterator[Progress]:
    """A line on a terminal's error stream that says what is being done; nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("starting") as status:
        yield lambda doing: status.update(Text(doing, overflow="ellipsis", no_wrap=True))


def _interrupted(number: int) -> InterruptedGradingError:
    return InterruptedGradingError(f"interrupted by {signal.Signals(number).name}.")


def main() -> None:
    """Entry point: the one place where errors become lines and exit codes."""
    interrupt_on((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), _interrupted)  # stops every worker on the way out
    try:
        app(prog_name="grader")
    except InputError as error:
        _complain(str(error), BAD_INPUT)
    except UngradedError as error:
        _complain(f"not graded: {error}", UNGRADED)
    except InterruptedGradingError as error:
        _complain(str(error), INTERRUPTED)
    except Exception:  # noqa: BLE001 - a fault of ours must not end with the exit code of a failed check
        traceback.print_exc()
        _complain("this is a fault in grader itself; please report the lines above.", UNGRADED)


def _complain(message: str, code: int) -> NoReturn:
    print(f"grader: {message}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
