"""The commands for one submission."""

import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.cli.exit_codes import FAILED, PASSED, UNGRADED
from grader.cli.options import (
    CourseOption,
    EnvironmentOptions,
    GradingOptions,
    OptionTable,
    SandboxOption,
    SeedOption,
    SubmissionOptions,
)
from grader.reports import REPORTS

if TYPE_CHECKING:
    from grader.common.optional import Fault
    from grader.results.result import Result, Ungraded

PATIENT = 60.0
"""Seconds that the search may take in a command that only explains."""

VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Show every check with all values and logs.")]
WatchOption = Annotated[bool, typer.Option("--watch", help="Grade the file again after each save, until Ctrl-C.")]


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Report files to write, by the name of the format."""

    files: Annotated[
        dict[str, Path],
        OptionTable(
            options={name: Annotated[Path | None, typer.Option(help=each.help)] for name, each in REPORTS.items()}
        ),
    ]

    def write(self, outcome: "Result | Ungraded") -> tuple["Fault", ...]:
        """Write the report files. Return the faults for files that could not be written."""
        from grader.common.files import write_whole
        from grader.common.optional import OptionalWork

        lost = []
        for name, path in self.files.items():
            with OptionalWork(f"the file {path}") as work:
                write_whole(path, REPORTS[name](outcome))
                continue
            lost.append(work.fault)
        return tuple(lost)


def grade(
    submitted: SubmissionOptions,
    reports: ReportOptions,
    how: GradingOptions,
    where: EnvironmentOptions,
    *,
    context: typer.Context,
    watch: WatchOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Grade one submission for one assignment.

    Runs in a container. Without one, only folders made by `grader init` run, with your rights.
    """
    from grader.course.submissions.submission import read_submission

    start = time.monotonic()
    with _keeping_all() as keeping, ThreadPoolExecutor(1) as beside:
        reading = beside.submit(read_submission, submitted.file)  # runs while the modules below are imported
        from grader.cli.faults import noted, told_at_the_end
        from grader.common.files import check_outputs
        from grader.course.submissions.submission import check_seed, fresh_seed
        from grader.grading.settings import load_settings

        settings = load_settings({**where.settings(), **how.settings()})
        coursework, submission = settings.places.load(submitted.name), reading.result()
        seed = fresh_seed() if how.seed is None else check_seed(how.seed)
        check_outputs([*reports.files.values()], submission.path)
        submissions = inf if watch else len(coursework.parts)
        with (
            told_at_the_end(),
            noted(reports.write, coursework.name, submission.path),
            settings.open_for_user(settings.sandbox_for(submission.path), context.obj, submissions) as environment,
        ):
            from grader.cli.grading import Grading, follow
            from grader.cli.progress import verdicts
            from grader.cli.result_codes import exit_code
            from grader.reports.terminal import render, render_in_full
            from grader.results.withholding import released, withheld

            keeping.close()
            view = released if how.release else withheld
            grading = Grading(
                coursework=coursework,
                arguments=submitted.repeated(where.course),
                seed=seed,
                view=view,
                draw=render_in_full if verbose else render,
                write=reports.write,
            )
            if watch:
                follow(grading, submission.path, environment)
            with verdicts(coursework, start) as progress:
                result = grading.grade(submission, environment, progress)
            lost = grading.tell(result)  # the user does not have to wait until the last worker has ended
            grading.advise(result)
    raise typer.Exit(UNGRADED if lost else exit_code(result))


@contextmanager
def _keeping_all() -> Iterator[ExitStack]:
    """Disable garbage collection until the stack is closed, because imported objects never become garbage."""
    gc.disable()
    with ExitStack() as until:
        until.callback(gc.enable)
        yield until


def explain(
    submitted: SubmissionOptions,
    where: EnvironmentOptions,
    *,
    seed: SeedOption = None,
    search: Annotated[
        float, typer.Option(min=0, help="Seconds to search for the line that causes a wrong result.")
    ] = PATIENT,
) -> None:
    """Explain what is wrong with a submission, and in which line. Nothing is timed.

    This takes longer than `grader grade`, because it searches longer for mistakes that no rule explains.
    """
    from rich.console import Console

    from grader.cli.faults import told_at_the_end
    from grader.cli.progress import progress_line
    from grader.course.submissions.submission import check_seed, fresh_seed, read_submission
    from grader.grading.by_hand.explanation import explain_coursework
    from grader.grading.settings import load_settings
    from grader.reports.explanation import render

    settings = load_settings({**where.settings(), "search": {"seconds": search}})
    coursework, submission = settings.places.load(submitted.name), read_submission(submitted.file)
    inputs, console = fresh_seed() if seed is None else check_seed(seed), Console()
    environment_of = settings.open_environment(settings.sandbox_for(submission.path))
    with told_at_the_end():
        with environment_of as environment, progress_line() as progress:
            explanation = explain_coursework(coursework, submission, inputs, environment, progress)
        typer.echo(render(explanation, width=console.width, color=console.is_terminal), nl=False)
    raise typer.Exit(FAILED if explanation.failed else PASSED)


def profile(submitted: SubmissionOptions, sandbox: SandboxOption = None, course: CourseOption = None) -> None:
    """Show the memory accesses of each line, counted in a simulator."""
    from rich.console import Console

    from grader.cli.progress import progress_line
    from grader.course.submissions.submission import fresh_seed, read_submission, tasks_of
    from grader.grading.by_hand.profiling import profile_submission
    from grader.grading.checks.simulation.counts import Counted
    from grader.grading.settings import load_settings
    from grader.reports.annotated import render

    settings = load_settings({"sandbox": sandbox, "course": course})
    coursework, submission = settings.places.load(submitted.name), read_submission(submitted.file)
    name = settings.sandbox_for(submission.path)
    console, right = Console(), True
    with settings.open_environment(name) as environment:
        for task in tasks_of(coursework, submission, fresh_seed()):
            with progress_line() as progress:
                counted = profile_submission(task, environment, progress)
            typer.echo(render(task, counted, width=console.width, color=console.is_terminal), nl=False)
            right &= isinstance(counted, Counted) and counted.run.problem is None
    raise typer.Exit(PASSED if right else FAILED)
