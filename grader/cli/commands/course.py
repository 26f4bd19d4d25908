"""The commands for a whole course: grading it here, and having it graded elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from grader.batch.lms_files import CanvasGradebook, MoodleWorksheet, read_upload
from grader.batch.pipeline import BatchRequest, mark
from grader.batch.progress_table import outcome_in_words
from grader.batch.workforce.hiring import DEFAULT_JOBS, hire
from grader.cli.devices import places
from grader.cli.options import (
    CourseOption,
    DevicesOption,
    GpusOption,
    ReleaseOption,
    SandboxOption,
    SanitizerOption,
    batch_exit_code,
    view_of,
    watching_settings,
)
from grader.common.errors import InputError
from grader.common.files import check_writable, write_whole
from grader.course.truth.inputs import check_seed
from grader.grading.settings import load_settings
from grader.lms.autograder import Platform, autograder, gradescope_zip, write_project
from grader.lms.kit import COMMAND, student_kit


def batch(
    submissions: Annotated[
        Path,
        typer.Argument(help="A folder, a zip, a download of Moodle, Canvas or Gradescope, or a CSV list of checkouts."),
    ],
    assignment: Annotated[str, typer.Option(help="Name of the assignment, or several with commas between them.")],
    out: Annotated[Path, typer.Option(help="Folder for results and reports; what is there already is not done again.")],
    jobs: Annotated[int, typer.Option(min=1, help="Gradings side by side on this machine.")] = DEFAULT_JOBS,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, to grade on its workers.")] = None,
    regrade: Annotated[
        list[str] | None, typer.Option(help="Grade again: student=LABEL, check=WORDS or changed=ASSIGNMENT.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat a batch with the inputs it had.")] = None,
    moodle_worksheet: Annotated[Path | None, typer.Option(help="Moodle's grading worksheet, to copy and fill.")] = None,
    moodle_grade_column: Annotated[str | None, typer.Option(help="Its column of grades, if not known.")] = None,
    moodle_feedback_column: Annotated[str | None, typer.Option(help="Its column of comments, if not known.")] = None,
    canvas_gradebook: Annotated[Path | None, typer.Option(help="Canvas's gradebook, to copy and fill.")] = None,
    canvas_column: Annotated[str | None, typer.Option(help="Its column of the assignment, if not known.")] = None,
    sandbox: SandboxOption = None,
    gpu: GpusOption = None,
    require_sanitizer: SanitizerOption = False,
    release: ReleaseOption = False,
    device: DevicesOption = None,
    course: CourseOption = None,
) -> None:
    """Grade a course: other people's submissions, each in containers of its own. Run again, it does what is missing."""
    stations = places(device, gpu, jobs, scheduler)
    given = {"sandbox": sandbox, "watching": watching_settings(require_sanitizer)}
    settings = load_settings({**stations[0], **given, "course": course})
    given["sandbox"] = settings.sandbox_for_others()
    orders = settings.orders(given if scheduler is None else {**stations[0], **given})
    request = BatchRequest(
        submissions=submissions,
        assignments=tuple(settings.places.load(name) for name in dict.fromkeys(map(str.strip, assignment.split(",")))),
        folder=out,
        orders=orders,
        uploads=(
            *_worksheet(moodle_worksheet, moodle_grade_column, moodle_feedback_column),
            *_gradebook(canvas_gradebook, canvas_column),
        ),
        seed=None if seed is None else check_seed(seed),
        regrade=tuple(regrade or ()),
        view=view_of(release=release),
    )
    gradebook = mark(request, lambda: hire(orders, jobs, scheduler, stations, typer.echo), typer.echo)
    typer.echo(outcome_in_words(gradebook, out))
    raise typer.Exit(batch_exit_code(gradebook.rows))


def _worksheet(path: Path | None, grades: str | None, comments: str | None) -> Iterator[MoodleWorksheet]:
    if path is not None:
        yield MoodleWorksheet(sheet=read_upload(path), grade_column=grades, feedback_column=comments)


def _gradebook(path: Path | None, column: str | None) -> Iterator[CanvasGradebook]:
    if path is not None:
        yield CanvasGradebook(sheet=read_upload(path), column=column)


exports = typer.Typer(no_args_is_help=True, help="Make what another system, or a student, needs to grade.")
OutOption = Annotated[Path, typer.Option(help="Folder to fill; it is made if it is not there.")]


@exports.command()
def gradescope(
    name: Annotated[str, typer.Argument(help="Name of the assignment.")],
    out: Annotated[Path, typer.Option(help="The zip file to write.")],
    course: CourseOption = None,
) -> None:
    """Make an autograder for Gradescope. It holds the model solution: show it to nobody who is to be graded."""
    files = _autograder(Platform.GRADESCOPE, name, course)
    check_writable(out)
    write_whole(out, gradescope_zip(files))
    typer.echo(out)


@exports.command()
def gitlab(
    name: Annotated[str, typer.Argument(help="Name of the assignment.")],
    out: OutOption,
    course: CourseOption = None,
) -> None:
    """Make a project that grades in GitLab. It holds the model solution: show it to nobody who is to be graded."""
    for path in write_project(_autograder(Platform.GITLAB, name, course), out):
        typer.echo(path)


def _autograder(platform: Platform, name: str, course: Path | None) -> dict[str, bytes]:
    settings = load_settings({"course": course})
    settings.places.require_solutions()
    return autograder(platform, settings.places.load(name), settings.constraints)


@exports.command()
def kit(
    out: OutOption,
    names: Annotated[list[str] | None, typer.Argument(help="Assignments; all if none is named.")] = None,
    url: Annotated[str, typer.Option(help="Where students will clone the kit from, for their pipelines.")] = "",
    course: CourseOption = None,
) -> None:
    """Make what students install: this grader and the assignments, without model solutions and hidden checks."""
    settings = load_settings({"course": course})
    places = settings.places
    places.require_solutions()
    courseworks = [places.load(name) for name in dict.fromkeys(names or places.names())]
    if not courseworks:
        raise InputError(f"{places.assignments} holds no assignment; `grader new NAME` starts one.")
    files = student_kit(courseworks, settings.student_template, settings.report_guide, settings.constraints, url)
    for path in write_project(files, out, executable=frozenset({COMMAND})):
        typer.echo(path)
