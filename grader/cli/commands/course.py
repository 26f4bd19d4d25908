"""The command that grades a whole course on this machine or on a cluster."""

import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from grader.cli.options import DEFAULT_JOBS, CourseOption, GradingOptions, JobsOption, OptionTable, SandboxOption
from grader.common.phrases import listed
from grader.lms.platforms import PLATFORMS


@dataclass(frozen=True, kw_only=True)
class StationOptions:
    """Options for the stations of a batch."""

    jobs: JobsOption = DEFAULT_JOBS
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler whose workers grade.")] = None
    sandbox: SandboxOption = None
    gpu: Annotated[
        str | None, typer.Option(help="A GPU for the containers, as in grader grade, or several, such as nvidia:0,1.")
    ] = None
    device: Annotated[
        str | None, typer.Option(help="Number of the OpenCL device, or several that the jobs share, such as 0,1.")
    ] = None
    course: CourseOption = None


def _upload_options() -> Iterator[tuple[str, Any]]:
    """Yield the options of each platform, for the file to fill in and for its columns."""
    for grades in (each.grades for each in PLATFORMS if each.grades is not None):
        yield grades.option, Annotated[Path | None, typer.Option(help=grades.help)]
        for name, words in grades.columns.items():
            yield name, Annotated[str | None, typer.Option(help=words)]


@dataclass(frozen=True, kw_only=True)
class UploadOptions:
    """Options for the files of platforms that are copied and filled in, and for the list of people in the course."""

    files: Annotated[dict[str, Any], OptionTable(options=dict(_upload_options()))]
    roster: Annotated[
        Path | None,
        typer.Option(
            help="CSV list of all students, with the columns student and key. By default, the files to fill are used."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ExtentOptions:
    """Options that restrict or extend the work of a batch."""

    regrade: Annotated[
        list[str] | None, typer.Option(help="Grade these again: student=LABEL, check=WORDS or changed=ASSIGNMENT.")
    ] = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be graded, and what is wrong with it.")
    ] = False


def batch(
    submissions: Annotated[
        list[Path],
        typer.Argument(
            help=f"A folder, a zip, a download of {listed((each.name for each in PLATFORMS), 'or')}, or a CSV list of "
            "checkouts. If several are given, later ones add to earlier ones."
        ),
    ],
    assignment: Annotated[
        str, typer.Option("--assignment", "-a", help="Name of the assignment, or several names separated by commas.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for results and reports. Existing results are kept.")],
    *,
    extent: ExtentOptions,
    how: GradingOptions,
    uploads: UploadOptions,
    where: StationOptions,
) -> None:
    """Grade the submissions of a course, each in a separate container. A second run grades only what is missing."""
    from grader.batch.lms_files import read_uploads
    from grader.batch.page_renderer import PoolRenderer
    from grader.batch.pipeline import BatchRequest, grade_batch, look
    from grader.batch.progress_table import outcome_in_words
    from grader.batch.workforce.local import hire
    from grader.cli.devices import places
    from grader.cli.exit_codes import PASSED
    from grader.cli.result_codes import batch_exit_code
    from grader.common.optional import LOG
    from grader.course.submissions.submission import check_seed
    from grader.grading.settings import load_settings
    from grader.lms.intake.roster import read_roster
    from grader.results.withholding import released, withheld

    stations = places(where.device, where.gpu, where.jobs, where.scheduler)
    given = {"sandbox": where.sandbox, **how.settings()}
    settings = load_settings({**stations[0], **given, "course": where.course})
    if not extent.dry_run:  # a dry run does not start submissions, so it needs no container
        given["sandbox"] = settings.sandbox_for_others()
    settings_json = settings.as_json(given if where.scheduler is None else {**stations[0], **given})
    request = BatchRequest(
        submissions=tuple(submissions),
        assignments=tuple(settings.places.load(name) for name in dict.fromkeys(map(str.strip, assignment.split(",")))),
        folder=out,
        settings_json=settings_json,
        uploads=read_uploads(uploads.files),
        roster=() if uploads.roster is None else read_roster(uploads.roster),
        seed=None if how.seed is None else check_seed(how.seed),
        regrade=tuple(extent.regrade or ()),
        view=released if how.release else withheld,
    )
    if extent.dry_run:
        look(request, typer.echo)
        raise typer.Exit(PASSED)
    stations_of = partial(hire, settings_json, where.jobs, where.scheduler, stations, typer.echo)
    here = settings.sandbox_for_others() if where.scheduler is None else "process"
    LOG.addHandler(logging.NullHandler())  # the batch lists missing parts in a file
    with closing(PoolRenderer(settings.lock_folder(here))) as renderer:
        gradebook = grade_batch(request, stations_of, typer.echo, renderer)
    typer.echo(outcome_in_words(gradebook, out))
    raise typer.Exit(batch_exit_code(gradebook.rows))
