"""What the commands share: options, what they set, and exit codes."""

from pathlib import Path
from typing import Annotated

import typer

PASSED, FAILED, BAD_INPUT, UNGRADED = range(4)
"""Every check passed; graded, some check failed; usage or input error; ungraded, our fault."""

CourseOption = Annotated[Path | None, typer.Option(help="Folder that holds assignments/ and reference/.")]
DeviceOption = Annotated[int | None, typer.Option(help="Number of the OpenCL device, as `grader devices` lists them.")]
SandboxOption = Annotated[str | None, typer.Option(help="Where submissions run: process, user or docker.")]
GpuOption = Annotated[
    str | None, typer.Option(help="A GPU for the container: nvidia[:INDEX], nvidia-nodes, amd, intel, or none.")
]
TrustOption = Annotated[
    bool, typer.Option("--trust-submissions", help="Allow other people's code in the sandbox `process`.")
]
SanitizerOption = Annotated[
    bool, typer.Option("--require-sanitizer", help="Do not grade where the simulator is not installed.")
]


def docker_settings(gpu: str | None) -> dict[str, str] | None:
    """What --gpu sets; nothing where it is not given."""
    return None if gpu is None else {"gpu": gpu}


def watching_settings(require_sanitizer: bool) -> dict[str, bool] | None:
    """What --require-sanitizer sets; nothing where it is not given."""
    return {"required": True} if require_sanitizer else None
