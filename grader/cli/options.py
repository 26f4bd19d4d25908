"""Options that several commands have, in groups that belong together.

typer knows flat parameters only. A command takes each group as a record; `flat` shows typer its fields instead.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

FileArgument = Annotated[Path, typer.Argument(help="The kernels.cl, or a folder that holds it.")]
NamesArgument = Annotated[list[str] | None, typer.Argument(help="Assignments; all if none is named.")]
AssignmentOption = Annotated[str, typer.Option(help="Name of the assignment, as `grader list` shows them.")]
CourseOption = Annotated[Path | None, typer.Option(help="Folder that holds assignments/ and reference/.")]
DeviceOption = Annotated[int | None, typer.Option(help="Number of the OpenCL device, as `grader devices` lists them.")]
SandboxOption = Annotated[str | None, typer.Option(help="Where submissions run: docker, user, or process (no wall).")]
SeedOption = Annotated[int | None, typer.Option(help="Repeat a grading or a batch with the inputs it had.")]
GpuOption = Annotated[
    str | None, typer.Option(help="A GPU for the container: nvidia[:INDEX], nvidia-nodes, amd, intel, or none.")
]


@dataclass(frozen=True, kw_only=True)
class EnvironmentOptions:
    """Where kernels run, and the course; None if not given."""

    sandbox: SandboxOption = None
    gpu: GpuOption = None
    device: DeviceOption = None
    course: CourseOption = None

    def settings(self) -> dict[str, Any]:
        """The settings that they make."""
        gpu = docker_settings(self.gpu)
        return {"sandbox": self.sandbox, "docker": gpu, "device": self.device, "course": self.course}


@dataclass(frozen=True, kw_only=True)
class GradingOptions:
    """How submissions are graded, and what students are shown of it."""

    seed: SeedOption = None
    require_sanitizer: Annotated[
        bool, typer.Option("--require-sanitizer", help="Do not grade where the simulator is not installed.")
    ] = False
    release: Annotated[bool, typer.Option("--release", help="Show students the outcome of hidden checks, too.")] = False

    search: Annotated[
        float | None, typer.Option(min=0, help="Seconds to look for the line of a wrong result that nothing explains.")
    ] = None

    def settings(self) -> dict[str, Any]:
        """The settings that they make."""
        watching = {"required": True} if self.require_sanitizer else None
        searching = None if self.search is None else {"seconds": self.search}
        return {"watching": watching, "search": searching}


def docker_settings(gpu: str | None) -> dict[str, str] | None:
    """What --gpu sets; None where it is not given."""
    return None if gpu is None else {"gpu": gpu}


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer takes it: in place of each group of options, the options themselves."""
    parameters = inspect.signature(command).parameters
    groups: dict[str, Any] = {
        name: each.annotation for name, each in parameters.items() if is_dataclass(each.annotation)
    }

    @wraps(command)
    def called(**given: Any) -> None:
        records = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **records)

    flattened = [
        shown.replace(kind=Parameter.KEYWORD_ONLY)
        for name, each in parameters.items()
        for shown in (map(_parameter, fields(groups[name])) if name in groups else (each,))
    ]
    called.__dict__["__signature__"] = inspect.Signature(flattened)
    return called


def _parameter(field: Field[Any]) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=field.type)
