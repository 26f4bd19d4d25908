"""What a result rests on, as far as a grading knows it."""

import platform
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version

from grader.course.submissions.task import Task
from grader.protocol.messages import DeviceFacts
from grader.results.result import Provenance

PACKAGES = ("numpy", "pyopencl", "pocl-binary-distribution", "pydantic", "junit-xml")
"""Packages whose versions a result states, where they are installed: PoCL may also come from the system."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where submissions run, and what they are held to there."""

    sandbox: str
    limits: dict[str, int | float | str]


def provenance(task: Task, setting: Setting, device: DeviceFacts, started: datetime) -> Provenance:
    """That of a grading of the task on this device."""
    return Provenance(
        grader=version("grader"),
        python=platform.python_version(),
        packages=_versions(),
        assignment_sha256=task.assignment.sha256,
        submission_sha256=task.submission.sha256,
        sandbox=setting.sandbox,
        limits=setting.limits,
        seed=task.seed,
        started=started.isoformat(timespec="seconds"),
        device=device,
    )


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
