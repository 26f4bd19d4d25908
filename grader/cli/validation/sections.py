"""Sections of the output of `grader validate`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from rich.console import Console, Group
from rich.text import Text

from grader.authoring.extent import FULL, NOISY, Extent, KernelGradings
from grader.authoring.golden import corpus
from grader.authoring.rewards import rewards
from grader.authoring.selftest import Claim
from grader.authoring.show import describe
from grader.authoring.validation import Examined, Judged, examine, is_complete, is_current, is_read, judge
from grader.cli.progress import steps
from grader.cli.validation.page import FIX, Page, note, row
from grader.cli.validation.proposed_thresholds import thresholds
from grader.common.errors import InputError, SolutionError
from grader.common.phrases import count
from grader.course.assignment import Assignment
from grader.course.catalogue import Course
from grader.course.suite import Coursework
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import prefixed
from grader.reports.terminal import render
from grader.results.suite_results import joined
from grader.results.withholding import withheld

POINTS_OPEN = "does it earn too many or too few points, with or without those for speed?"

SPEED_OPEN = "does it earn the expected points for speed?"


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Files, environment, gradings and extent of validations. `submissions` contains a folder for each assignment. The
    course's own kernels are graded in `environment`, all others by `gradings`.
    """

    course: Course
    submissions: Path
    environment: GradingEnvironment
    gradings: KernelGradings
    extent: Extent = FULL


def print_validation(name: str, sources: Sources, page: Page) -> None:
    """Print each section as soon as its content is known."""
    page.head(f"{name}: the files")
    try:
        coursework = sources.course.load(name)
    except InputError as error:
        page.say([Claim(claim="assignment.yaml can be used", holds=False, seen=str(error))])
        return
    page.say([is_read(coursework), is_complete(coursework), *is_current(coursework)])
    page.head(f"{name}: the kernels and the oracle")
    seen = [print_statements(part, sources.environment, sources.extent, page, part.part) for part in coursework.parts]
    page.head(f"{name}: what the points reward")
    for each in seen:
        _print_rewards(each, sources, page)
    page.head(f"{name}: golden submissions")
    judged: tuple[Judged, ...] = ()
    if all(each.model_runs for each in seen):
        judged = _judged(coursework, sources, _extent(seen, sources), page)
    else:
        page.console.print(
            note(
                "unknown", f"No submission was graded, because the oracle and the model solution must run first. {FIX}"
            )
        )
    page.head(f"{name}: proposed thresholds")
    for each in seen:
        page.console.print(Group(*thresholds(each, judged)))
    page.head(f"{name}: what students see")
    page.console.out(students_view(coursework, seen, page.console), highlight=False, end="")
    if page.unchecked:
        page.head(f"{name}: what was not checked")
        page.console.print(f"{page.extent.why} These questions are open:\n")
        for question in page.unchecked:
            page.console.print(row(Text("-"), question, width=1))
        page.console.print(f"\n{page.extent.next_step}")


def print_statements(
    assignment: Assignment, environment: GradingEnvironment, extent: Extent, page: Page, of: str
) -> Examined:
    """Print the statements about the course's own kernels. If `of` names a part, each row begins with it."""
    with steps(page.start) as progress:
        seen = examine(assignment, environment, progress, extent)
    page.say(seen.statements, of)
    if assignment.performance is not None:
        page.leave_open((each for each in seen.extent.unchecked if each not in page.unchecked), seen.extent)
    return seen


def _extent(seen: Sequence[Examined], sources: Sources) -> Extent:
    """Return the extent of the gradings that follow. No submission is timed if the machine was too noisy to time the
    model solution.
    """
    return NOISY if any(each.extent == NOISY for each in seen) else sources.extent


def _print_rewards(seen: Examined, sources: Sources, page: Page) -> None:
    """Print the statements about the points. They compare the points of each kernel with the points of the model
    solution after one slip. If the model solution itself is wrong, no kernel is graded.
    """
    part = seen.assignment.part
    if seen.model_passes:
        page.say(_rewards(seen, sources, page), part)
        return
    why = f"The points were not compared, because the model solution does not pass every check. {FIX}"
    page.console.print(note("unknown", f"{part}: {why}" if part else why))


def _rewards(seen: Examined, sources: Sources, page: Page) -> Iterator[Claim]:
    """Yield claims about the points."""
    try:
        with steps(page.start) as progress:
            found = rewards(seen.assignment, sources.gradings, progress, seen.extent)
    except (InputError, SolutionError) as error:
        yield Claim(claim="kernels that avoid the exercise can be graded", holds=False, seen=str(error))
        return
    yield from found.claims()
    for each in found.undecided:
        page.leave_open([f"{seen.assignment.part} {each.name}".strip() + f": {POINTS_OPEN}"], each.extent)


def _judged(coursework: Coursework, sources: Sources, extent: Extent, page: Page) -> tuple[Judged, ...]:
    """Grade the golden submissions and print how their results compare with the expected ones."""
    folder = sources.submissions / coursework.name
    try:
        found = [(golden, golden.subject(coursework)) for golden in corpus(folder)]
        with steps(page.start) as progress:
            judged = tuple(sources.gradings.each(judge, found, extent, prefixed("golden submissions", progress)))
    except (InputError, SolutionError) as error:
        page.say([Claim(claim="they can be graded", holds=False, seen=str(error))])
        return ()
    if not judged:
        page.console.print(note("remark", f"No submissions in {folder}: add right and wrong ones, each in a folder."))
    page.say(_golden_statements(judged, str(folder)))
    untimed = [each.golden.name for each in judged if each.extent == NOISY and extent != NOISY]
    page.leave_open((f"{name}: {SPEED_OPEN}" for name in untimed), NOISY)
    return judged


def _golden_statements(judged: Sequence[Judged], folder: str) -> Iterator[Claim]:
    """Yield one statement for all submissions with the expected results, and one for each difference in the others."""
    right = sum(not each.differences for each in judged)
    if right:
        claim = f"{right} of {count(len(judged), 'submission')} get the verdicts in their expected.yaml"
        yield Claim(claim=claim, holds=True, seen=folder)
    for each in judged:
        for difference in each.differences:
            yield Claim(
                claim=f"{each.golden.name} gets the verdicts in its expected.yaml", holds=False, seen=difference
            )


def students_view(coursework: Coursework, seen: Sequence[Examined], console: Console) -> str:
    """Return the output of `grader show`, and the skeleton's report without hidden checks. The report is left out if a
    part could not be graded.
    """
    lines = describe(coursework).splitlines()
    said = "\n".join(fill(line, console.width, subsequent_indent=" " * _hanging(line)) for line in lines)
    results = [each.own.skeleton for each in seen if each.own is not None]
    if len(results) < len(seen):
        return said
    shown = withheld(joined(coursework, results), coursework)
    report = render(shown, width=console.width, color=console.is_terminal)
    return f"{said}\n\nThe report of the skeleton:\n\n{report}"


def _hanging(line: str) -> int:
    """Return the indentation for the continuation of a line, which is four columns deeper than the line."""
    return len(line) - len(line.lstrip()) + 4
