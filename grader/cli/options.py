"""Groups of options that several commands share.

typer accepts only flat parameters. A command takes each group as a record, and `flat` shows the fields of the record to
typer. For a field with an OptionTable, typer gets the options of the table.
"""

import inspect
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

FileArgument = Annotated[
    Path, typer.Argument(help="The kernels.cl or its folder. By default, the current folder.", show_default=False)
]
NamesArgument = Annotated[list[str] | None, typer.Argument(help="Names of assignments. By default, all.")]
AssignmentOption = Annotated[
    str | None,
    typer.Option(
        "--assignment",
        "-a",
        help="Name of the assignment; needed unless `grader init` made the folder.",
    ),
]
CourseOption = Annotated[Path | None, typer.Option(help="Folder that contains assignments/ and reference/.")]
DeviceOption = Annotated[
    int | None, typer.Option(min=0, help="Number of the OpenCL device in the list of `grader devices`.")
]
SandboxOption = Annotated[
    str | None, typer.Option(help="Where submissions run: docker, user, or process (not isolated).")
]
SeedOption = Annotated[
    int | None, typer.Option(help="Seed of an earlier grading or batch, to repeat it with the same inputs.")
]
GpuOption = Annotated[
    str | None, typer.Option(help="A GPU for the container: nvidia[:INDEX], nvidia-nodes, amd, intel, or none.")
]
JobsOption = Annotated[int, typer.Option(min=1, help="Number of parallel gradings on this machine.")]

DEFAULT_JOBS = min(8, len(os.sched_getaffinity(0)))
"""Default number of parallel gradings. A grading keeps about one core busy while it is not being timed. With more than
eight, the timed sections on a GPU become the bottleneck.
"""


@dataclass(frozen=True, kw_only=True)
class SubmissionOptions:
    """The submission and its assignment. By default, a command uses the current folder."""

    file: FileArgument = Path()
    assignment: AssignmentOption = None

    @property
    def name(self) -> str:
        """Name of the assignment. Raises InputError if neither the option nor the folder specifies it."""
        from grader.course.submissions.starter_folder import assignment_of  # noqa: PLC0415 - --help loads no course

        return self.assignment or assignment_of(self.file, "add -a NAME")

    def repeated(self, course: Path | None) -> str:
        """Return these arguments for another command, with a space in front, or "" without arguments."""
        file = [] if self.file == Path() else [str(self.file)]
        options = {"-a": self.assignment, "--course": course}
        words = (*file, *(word for name, value in options.items() if value for word in (name, str(value))))
        return "".join(f" {shlex.quote(word)}" for word in words)


@dataclass(frozen=True, kw_only=True)
class EnvironmentOptions:
    """Options for the course, and for the sandbox and device on which kernels run. None means that an option is not
    given.
    """

    sandbox: SandboxOption = None
    gpu: GpuOption = None
    device: DeviceOption = None
    course: CourseOption = None

    def settings(self) -> dict[str, Any]:
        """Return the settings that correspond to these options."""
        gpu = docker_settings(self.gpu)
        return {"sandbox": self.sandbox, "docker": gpu, "device": self.device, "course": self.course}


@dataclass(frozen=True, kw_only=True)
class GradingOptions:
    """Options for grading submissions, and for the part of a result that students see."""

    seed: SeedOption = None
    require_sanitizer: Annotated[
        bool, typer.Option("--require-sanitizer", help="Refuse to grade if the simulator is not installed.")
    ] = False
    release: Annotated[bool, typer.Option("--release", help="Show students the outcome of hidden checks, too.")] = False

    search: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds to search for the line of a wrong result that no rule explains."),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return the settings that correspond to these options."""
        watching = {"required": True} if self.require_sanitizer else None
        searching = None if self.search is None else {"seconds": self.search}
        return {"watching": watching, "search": searching}


def docker_settings(gpu: str | None) -> dict[str, str] | None:
    """Return the settings that correspond to --gpu, or None if it is not given."""
    return None if gpu is None else {"gpu": gpu}


@dataclass(frozen=True, kw_only=True, eq=False)
class OptionTable:
    """Options by name, annotated as typer expects: `field: Annotated[dict[str, Any], OptionTable(options=...)]`. The
    field receives the values of the options that were given.
    """

    options: Mapping[str, Any]


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command in the form that typer accepts, with the options of each group in place of the group."""
    parameters = inspect.signature(command).parameters

    @wraps(command)
    def called(**given: Any) -> None:
        command(**{name: _collected(name, each.annotation, given) for name, each in parameters.items()})

    flattened = [
        option for each in parameters.values() for option in _options(each.name, each.annotation, each.default)
    ]
    called.__dict__["__signature__"] = inspect.Signature([*flattened])
    return called


def _options(name: str, annotation: Any, default: Any) -> Iterator[Parameter]:
    """Yield all options of a parameter or field."""
    if is_dataclass(annotation):
        for field in fields(annotation):
            yield from _options(field.name, field.type, Parameter.empty if field.default is MISSING else field.default)
    elif (table := _table(annotation)) is not None:
        for option, its_annotation in table.options.items():
            yield Parameter(option, Parameter.KEYWORD_ONLY, default=None, annotation=its_annotation)
    else:
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _collected(name: str, annotation: Any, given: Mapping[str, Any]) -> Any:
    """Return the value of a parameter or field, collected from the options that typer has read."""
    if is_dataclass(annotation) and isinstance(annotation, type):
        return annotation(**{field.name: _collected(field.name, field.type, given) for field in fields(annotation)})
    if (table := _table(annotation)) is not None:
        return {option: given[option] for option in table.options if given[option] is not None}
    return given[name]


def _table(annotation: Any) -> OptionTable | None:
    return next((each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, OptionTable)), None)
