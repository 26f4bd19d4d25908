"""What the commands share: options, what they set, and exit codes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from grader.results.gradebook import Grade, StudentRow
from grader.results.result import Reason, Result
from grader.results.withholding import View, released, withheld

PASSED, FAILED, BAD_INPUT, UNGRADED, ELSEWHERE = range(5)
"""Every check passed; graded, some check failed; usage or input error; not graded or not all of it, which is not the
student's fault; nothing failed, but the course's machine decides some of it."""


def exit_code(outcome: Result | Grade) -> int:
    """Of one submission that was graded: what failed comes first, then what could not be checked here."""
    if outcome.failed:
        return FAILED
    reasons = [left.reason for left in outcome.unchecked]
    if Reason.NO_SIMULATOR in reasons:
        return UNGRADED
    return ELSEWHERE if reasons else PASSED


def batch_exit_code(rows: Sequence[StudentRow]) -> int:
    """Of a batch: in a course something always fails, so what is not graded, or not all of it, comes first."""
    grades = [row.grade for row in rows if row.grade is not None]
    reasons = {left.reason for grade in grades for left in grade.unchecked}
    if Reason.NO_SIMULATOR in reasons or any(row.status == "ungraded" for row in rows):
        return UNGRADED
    codes = set(map(exit_code, grades))
    return next((code for code in (FAILED, ELSEWHERE) if code in codes), PASSED)


CourseOption = Annotated[Path | None, typer.Option(help="Folder that holds assignments/ and reference/.")]
DeviceOption = Annotated[int | None, typer.Option(help="Number of the OpenCL device, as `grader devices` lists them.")]
SandboxOption = Annotated[str | None, typer.Option(help="Where submissions run: docker, user, or process (no wall).")]
DevicesOption = Annotated[
    str | None, typer.Option("--device", help="Number of the OpenCL device, or of several for the jobs in turn: 0,1.")
]
GpuOption = Annotated[
    str | None, typer.Option(help="A GPU for the container: nvidia[:INDEX], nvidia-nodes, amd, intel, or none.")
]
GpusOption = Annotated[
    str | None,
    typer.Option("--gpu", help="A GPU for the containers, as for grader grade, or several: nvidia:0,1."),
]
ReleaseOption = Annotated[bool, typer.Option("--release", help="Show students the outcome of hidden checks, too.")]
SanitizerOption = Annotated[
    bool, typer.Option("--require-sanitizer", help="Do not grade where the simulator is not installed.")
]


def view_of(*, release: bool) -> View:
    """What students are shown with and without --release."""
    return released if release else withheld


def docker_settings(gpu: str | None) -> dict[str, str] | None:
    """What --gpu sets; nothing where it is not given."""
    return None if gpu is None else {"gpu": gpu}


def bench_settings(
    sandbox: str | None, gpu: str | None, device: int | None, course: Path | None = None
) -> dict[str, Any]:
    """What is set by the options that say where things run; None is what was not given."""
    return {"sandbox": sandbox, "docker": docker_settings(gpu), "device": device, "course": course}


def watching_settings(require_sanitizer: bool) -> dict[str, bool] | None:
    """What --require-sanitizer sets; nothing where it is not given."""
    return {"required": True} if require_sanitizer else None
