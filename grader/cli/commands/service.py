"""The command that serves a course to browsers."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import CourseOption, DeviceOption, GpuOption, SandboxOption, docker_settings

PORT = 8000


@dataclass(frozen=True, kw_only=True)
class AddressOptions:
    """Where browsers find the service."""

    host: Annotated[str, typer.Option(help="Address to listen on; leave it, and put a proxy with TLS before it.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = PORT
    url: Annotated[str | None, typer.Option(help="Address that browsers use, such as https://grader.example.org.")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """Where the service's station grades."""

    course: CourseOption = None
    sandbox: SandboxOption = None
    gpu: GpuOption = None
    device: DeviceOption = None


def serve(
    data: Annotated[Path, typer.Option(help="Folder for everything that the service keeps.")],
    *,
    where: AddressOptions,
    place: PlaceOptions,
    invite: Annotated[
        list[str] | None, typer.Option(help="Print a sign-in link for this person of the roster.")
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Print links for an instructor and a made-up student.")] = False,
) -> None:
    """Serve a course to browsers: students hand in, watch and read their reports; a station grades beside it."""
    from grader.common.errors import InputError
    from grader.grading.settings import as_variables, load_settings

    try:
        from grader.service.serving import ServeRequest
        from grader.service.serving import serve as begin
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "grader":
            raise
        raise InputError(
            f"`grader serve` needs {error.name}: install it with `pip install 'grader[service]'`."
        ) from error

    here = {"docker": docker_settings(place.gpu), "device": place.device}
    settings = load_settings({**here, "sandbox": place.sandbox, "course": place.course})
    request = ServeRequest(
        data=data,
        course=settings.course_folder.resolve(),
        guide=settings.report_guide,
        host=where.host,
        port=where.port,
        url=where.url,
        orders=settings.orders({"sandbox": settings.sandbox_for_others()}),
        demo=demo,
        invite=tuple(invite or ()),
        variables={**os.environ, **as_variables(here)},
    )
    begin(request, typer.echo)
