"""What the commands share: options, what they set, and exit codes."""

from pathlib import Path
from typing import Annotated, Any

import typer

from grader.withholding import View, released, withheld

PASSED, FAILED, BAD_INPUT, UNGRADED = range(4)
"""Every check passed; graded, some check failed; usage or input error; ungraded, our fault."""

CourseOption = Annotated[Path | None, typer.Option(help="Folder that holds assignments/ and reference/.")]
DeviceOption = Annotated[int | None, typer.Option(help="Number of the OpenCL device, as `grader devices` lists them.")]
SandboxOption = Annotated[str | None, typer.Option(help="Where submissions run: process, user or docker.")]
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
TrustOption = Annotated[
    bool, typer.Option("--trust-submissions", help="Allow other people's code in the sandbox `process`.")
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
