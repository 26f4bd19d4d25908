"""Grades one version of a file for `grader grade`, writes its reports, and shows the part that students may see."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol

import typer
from rich.console import Console

from grader.cli.exit_codes import ELSEWHERE, PASSED, UNGRADED
from grader.cli.faults import noted
from grader.cli.progress import verdicts
from grader.cli.remote import sign_in_file
from grader.cli.result_codes import exit_code
from grader.cli.saves import EVERY, Saves
from grader.cli.wrapping import fitted, wrapped
from grader.common.errors import GraderError, InterruptedGradingError, SavedAgainError, WatchEndedError
from grader.common.interrupts import interrupted_when
from grader.common.optional import Fault, OptionalWork
from grader.course.rubric import Kind
from grader.course.submissions.submission import FILE_NAME, Submission, parse_submission
from grader.course.suite import Coursework
from grader.grading.grade import grade_coursework
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Progress
from grader.protocol.text import showable
from grader.reports.since import since
from grader.reports.words import score_in_words
from grader.results.check import Check
from grader.results.result import Result, Ungraded
from grader.results.verdicts import Reason
from grader.results.withholding import View


class Draw(Protocol):
    """A report for the terminal, either brief or complete."""

    def __call__(self, result: Result, /, *, width: int, color: bool) -> str:
        """Return the text of the report."""


@dataclass(frozen=True, kw_only=True)
class Grading:
    """Parameters of a grading, and the functions that draw its report and write its files. All gradings of one command
    share a seed.

    `arguments` is the text to append to other commands so that they use the same submission.
    """

    coursework: Coursework
    arguments: str
    seed: int
    view: View
    draw: Draw
    write: Callable[[Result | Ungraded], tuple[Fault, ...]]

    def grade(self, submission: Submission, environment: GradingEnvironment, progress: Progress) -> Result:
        """Grade a submission, and return the part of the result that is shown."""
        return self.view(
            grade_coursework(self.coursework, submission, self.seed, environment, progress), self.coursework
        )

    def tell(self, result: Result) -> tuple[Fault, ...]:
        """Write the files and print the report. Print and return the faults for files that could not be written."""
        lost = self.write(result)
        show(result, self.draw)
        for fault in lost:
            typer.echo(fitted(f"grader: {fault.sentence}", sys.stderr), err=True)
        return lost

    def advise(self, result: Result) -> None:
        """Print the next step, if one is obvious."""
        step = next_step(result, self.coursework.skeleton, self.arguments)
        if step is not None:
            typer.echo(wrapped(f"Next: {showable(step)}", Console().width))


def show(result: Result, draw: Draw) -> None:
    """Print the report. If it cannot be made, print only the points."""
    typer.echo(_report(result, draw), nl=False)


def _report(result: Result, draw: Draw) -> str:
    console = Console()
    with OptionalWork("the report") as work:
        return draw(result, width=console.width, color=console.is_terminal)
    score = score_in_words(result.points, result.max_points, result.unchecked, result.hidden_points)
    return f"{showable(result.title)}: {score}.\n{work.fault.sentence}\n"


def follow(grading: Grading, path: Path, environment: GradingEnvironment) -> NoReturn:
    """Grade the file now and after each save, until the user interrupts the command. Raises WatchEndedError with the
    exit code of the last report, or KeyboardInterrupt if there has been no report yet.
    """
    saves, last, code = Saves(path, _note_lack), None, PASSED
    try:
        for data in saves.contents():
            result = _graded(grading, path, data, saves, environment)
            environment.workers.note_idle_device()
            if result is not None:
                code = UNGRADED if grading.tell(result) else exit_code(result)
                if last is not None:
                    _tell_changes(last, result)
                grading.advise(result)
                typer.echo(f"waiting until {showable(path.name)} is saved; press Ctrl-C to stop.")
                last = result
    except InterruptedGradingError as interrupt:
        if last is None:
            raise
        typer.echo()  # otherwise, the prompt of the shell would follow the terminal's ^C on the same line
        raise WatchEndedError(code) from interrupt
    raise AssertionError("unreachable: a file has no last content")


def _note_lack(words: str) -> None:
    """Say why there is nothing to grade, and that the command still watches."""
    typer.echo(fitted(f"grader: {showable(words)}. Still watching; press Ctrl-C to stop.", sys.stderr), err=True)


def _tell_changes(before: Result, after: Result) -> None:
    typer.echo(wrapped(_changes(before, after), Console().width))


def _changes(before: Result, after: Result) -> str:
    with OptionalWork("what has changed") as work:
        return since(before, after)
    return work.fault.sentence


def _graded(grading: Grading, path: Path, data: bytes, saves: Saves, environment: GradingEnvironment) -> Result | None:
    """Return the result for a saved content, or None if it cannot be graded or the file was saved again meanwhile."""
    again = SavedAgainError(f"{path.name} was saved again.")
    try:
        with (
            noted(grading.write, grading.coursework.name, path),
            verdicts(grading.coursework, time.monotonic()) as progress,
            interrupted_when(saves.is_saved_again, again, EVERY),
        ):
            return grading.grade(parse_submission(path, data), environment, progress)
    except SavedAgainError:
        return None
    except GraderError as error:
        typer.echo(fitted(f"grader: {error}", sys.stderr), err=True)
        return None


def next_step(result: Result, skeleton: str, arguments: str) -> str | None:
    """Return a sentence about the next step, or None. `arguments` is the text to append to other commands so that they
    use the same submission. `skeleton` is the file with which students start.
    """
    first = result.first_cause
    if first is not None and result.source.strip() == skeleton.strip():
        return f"this is still the skeleton: write your kernel in {FILE_NAME}, and grade it again."
    if first is not None:
        return _about(first, arguments)
    if any(left.reason is Reason.NO_SIMULATOR for left in result.unchecked):
        return "`grader setup` installs the simulator."
    if exit_code(result) in {PASSED, ELSEWHERE} and sign_in_file.path().is_file():
        return f"`grader submit{arguments}` hands this kernel in."
    return None


def _about(first: Check, arguments: str) -> str | None:
    """Return the sentence about a failed check, or None if its message already says what to do."""
    if first.reason is Reason.KERNEL_MISSING:
        return None
    if first.kind is Kind.CORRECTNESS and not first.lines:
        return f"`grader explain{arguments}` searches longer for the wrong line."
    if first.kind is Kind.MEMORY:
        return f"`grader profile{arguments}` shows the memory accesses of each line."
    if first.kind is Kind.PERFORMANCE:
        return f"`grader run{arguments}` times this kernel as often as you like, also with other sizes and constants."
    return None
