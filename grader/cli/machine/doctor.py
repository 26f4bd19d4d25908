"""`grader doctor`: checks if this machine can grade. Each problem is shown with its remedy."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.cli.wrapping import wrapped
from grader.common.errors import GraderError, NoContainersError, NoSimulatorError, NoSuchDeviceError
from grader.common.invocation import command
from grader.course.assignment import Assignment
from grader.course.catalogue import Course
from grader.execution.client import Worker
from grader.execution.probe import probe
from grader.execution.sandbox.environment import LINKERS
from grader.grading.checks.compilation.device_needs import extensions, missing_images, missing_types, unfit
from grader.grading.checks.simulation.unsimulated import missing_in_simulator
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.settings import Settings

FREE_BYTES = 1024**3
"""Number of bytes in the temporary folder that a worker's arrays and caches may need."""

INDENT = 7
"""Number of columns before the text of a fact. They contain the verdict."""

IMAGE_REMEDY = "build the image again (`make images`); for a GPU, it must contain the driver's OpenCL library"
DEVICE_REMEDY = "give the number with --device"
KERNEL_REMEDY = "see the line above: the driver is installed but does not work"
PROFILE_REMEDY = "do what the line above says; nothing is graded until the device profile is current"


@dataclass(frozen=True, kw_only=True)
class MachineFact:
    """Result of one check. It has no remedy if there is no problem. `command` is a shell command to copy."""

    topic: str
    found: str
    remedy: str = ""
    command: str = ""


def examine(
    name: str, open_environment: Callable[[], AbstractContextManager[GradingEnvironment]], course: Course
) -> Iterator[MachineFact]:
    """Check everything that a grading in this sandbox needs, the most basic parts first.

    A problem is reported only once: a check that could only fail for the same reason is skipped.
    """
    yield MachineFact(topic="Python", found=sys.version.split()[0])
    lacking: dict[str, str] = {}
    prerequisites = [] if name == "docker" else [_linker(), _temporary_folder()]
    yield from prerequisites
    try:
        with open_environment() as environment:
            yield MachineFact(topic="sandbox", found=", ".join((name, *_confinement(environment))))
            yield from _device_findings(name, environment, prerequisites)
            yield _attempt("simulator", lambda: _simulator(environment), _remedy(name, command("setup")))
            lacking = _lacking(environment, course)
    except NoContainersError as error:
        remedy = "run the command below, then run `grader doctor` again:"
        yield MachineFact(topic=f"sandbox {name}", found=str(error), remedy=remedy, command=error.command)
    except GraderError as error:
        yield MachineFact(
            topic=f"sandbox {name}", found=str(error), remedy="do what the line above says, then run this command again"
        )
    yield from (_assignment(course, each, lacking) for each in course.names())


def print_fact(fact: MachineFact, console: Console) -> None:
    """Print a fact, wrapped between words, with its remedy below it. A command has its own line, for copying."""
    verdict, style = ("needs", "bold red") if fact.remedy else ("ok", "green")
    text = Text(wrapped(f"{verdict:<{INDENT - 2}}  {fact.topic}: {fact.found}", console.width, " " * INDENT))
    text.stylize(style, 0, len(verdict))
    console.print(text, soft_wrap=True)
    if fact.remedy:
        console.print(Text(wrapped(" " * INDENT + fact.remedy, console.width, " " * INDENT)), soft_wrap=True)
    if fact.command:
        console.print(Text(" " * (INDENT + 4) + fact.command), soft_wrap=True)


def containers(settings: Settings) -> Iterator[MachineFact]:
    """Yield a fact if the files of others need a container and this machine cannot start one. It is not a problem,
    because the user's own files are graded without a container.
    """
    if settings.sandbox_for_others() == settings.sandbox_for_ours() or settings.has_containers():
        return
    yield MachineFact(
        topic="containers",
        found="none. Files in a folder that `grader init` made are graded without a container. To grade another file "
        "that you trust as much as your own, add `--sandbox process`. The file then runs with your rights. "
        "`grader doctor --sandbox docker` says how to get containers.",
    )


def _device_findings(
    name: str, environment: GradingEnvironment, prerequisites: list[MachineFact]
) -> Iterator[MachineFact]:
    """Check the device, a kernel on it, and its profile. A check is skipped if an earlier one has found a problem."""
    device = _attempt("device", lambda: _device(environment), _remedy(name, command("setup")))
    yield device
    if device.remedy or any(each.remedy for each in prerequisites):
        return
    kernel = _attempt("a kernel", lambda: _kernel(environment), _remedy(name, KERNEL_REMEDY))
    yield kernel
    if not kernel.remedy:
        yield _attempt("device profile", lambda: _profile(environment), PROFILE_REMEDY)


def _remedy(name: str, here: str) -> str:
    """Return the remedy for this sandbox. For Docker, it is a new image, since the image contains everything; otherwise
    it is `here`.
    """
    return IMAGE_REMEDY if name == "docker" else here


def _confinement(environment: GradingEnvironment) -> Iterator[str]:
    facts = environment.workers.sandbox.facts()
    for name in ("image", "gpu", "network", "root", "devices", "system_calls"):
        if name in facts:
            yield f"{name.replace('_', ' ')} {facts[name]}"


def _lacking(environment: GradingEnvironment, course: Course) -> dict[str, str]:
    """Return a sentence for each assignment that needs something that the device or the simulator lacks, by assignment.
    Invalid assignments and broken devices are left out, because other checks report them.
    """
    found: dict[str, str] = {}
    with suppress(GraderError), environment.worker() as worker, environment.simulator() as simulator:
        for name in course.names():
            with suppress(GraderError):
                for part in course.load(name).parts:
                    why = _missing(part, worker) or _unsimulated(part, simulator)
                    if why is not None:
                        found[name] = why
    return found


def _missing(assignment: Assignment, worker: Worker) -> str | None:
    """Return a sentence about something that the worker's device lacks, or about sizes that are too large for it."""
    too_large = next(unfit(assignment, worker.ready()), None)
    return too_large or missing_types(assignment, worker) or missing_images(assignment, worker)


def _unsimulated(assignment: Assignment, simulator: Worker) -> str | None:
    """Return a sentence about a type with which the simulator cannot compute. Only assignments with types that need an
    extension are tried, because each trial takes seconds.
    """
    with suppress(NoSimulatorError):
        return missing_in_simulator(assignment, simulator) if extensions(assignment) else None
    return None


def _assignment(course: Course, name: str, lacking: Mapping[str, str]) -> MachineFact:
    if name in lacking:
        return MachineFact(
            topic=name, found=lacking[name], remedy="follow the line above; grader can grade the other assignments"
        )
    return _attempt(name, lambda: course.load(name).title, "fix the file that the message names")


def _attempt(topic: str, look: Callable[[], str], remedy: str) -> MachineFact:
    try:
        return MachineFact(topic=topic, found=look())
    except NoSuchDeviceError as error:
        return MachineFact(topic=topic, found=str(error), remedy=DEVICE_REMEDY)
    except GraderError as error:
        return MachineFact(topic=topic, found=str(error), remedy=remedy)


def _linker() -> MachineFact:
    found = next((path for path in map(shutil.which, LINKERS) if path), None)
    if found:
        return MachineFact(topic="linker", found=found)
    return MachineFact(
        topic="linker",
        found="the linker `ld` is missing, and PoCL needs it to load kernels",
        remedy="apt install binutils, as root",
    )


def _temporary_folder() -> MachineFact:
    folder = Path(tempfile.gettempdir())
    free = shutil.disk_usage(folder).free
    if free >= FREE_BYTES:
        return MachineFact(topic="temporary folder", found=f"{folder}, {free / FREE_BYTES:.0f} GiB free")
    return MachineFact(
        topic="temporary folder",
        found=f"{folder} has {free / 2**20:.0f} MiB free",
        remedy="free 1 GiB there, or set TMPDIR to another folder",
    )


def _device(environment: GradingEnvironment) -> str:
    with environment.worker() as worker:
        device = worker.ready()
        return f"{device.name} ({device.platform}, {device.version})"


def _kernel(environment: GradingEnvironment) -> str:
    probe(environment.worker())
    return "builds, runs and computes the right result"


def _profile(environment: GradingEnvironment) -> str:
    with environment.worker() as worker:
        roofs = environment.roofs(worker.ready())
        return f"{roofs.profile}, {roofs.measured}" if roofs else "none; `grader calibrate` measures the device"


def _simulator(environment: GradingEnvironment) -> str:
    with environment.simulator() as worker:
        device = worker.ready()
        return f"{device.name} {device.driver}, for sanitizer and memory checks"
