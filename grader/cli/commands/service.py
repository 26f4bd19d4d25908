"""The commands of the service, which start its pages and stations, make sign-in links, and set up its database."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.cli.options import CourseOption, DeviceOption, GpuOption, SandboxOption, docker_settings

if TYPE_CHECKING:
    from grader.grading.settings import Settings
    from grader.service.db.session import Database
    from grader.service.serve.supervisor import StationSpec

PORT = 8000

USUAL_ADDRESS = f"http://127.0.0.1:{PORT}"
"""Address of a service that is started without options for its address."""

SECRETS = "GRADER_SIGN_IN", "GRADER_NOTICES"
"""Prefixes of the variables with the settings for signing in and for notices. Some of these contain secrets."""

DATABASE = "GRADER_DATABASE"

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        envvar=DATABASE,
        show_envvar=True,
        help="PostgreSQL database: postgresql://me@host/db. The variable keeps a password out of process lists.",
    ),
]
WebProcessesOption = Annotated[
    int, typer.Option(min=1, max=64, help="Number of processes that make pages; each uses at most one processor.")
]
StationsOption = Annotated[
    int, typer.Option(min=0, max=64, help="Number of stations on this machine, which share one device.")
]


@dataclass(frozen=True, kw_only=True)
class AddressOptions:
    """Options for the address of the service, and for the number of processes that make its pages."""

    host: Annotated[
        str, typer.Option(help="Address to listen on. Keep the default, and put a proxy with TLS in front.")
    ] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = PORT
    url: Annotated[str | None, typer.Option(help="Address that browsers use, such as https://grader.example.org.")] = (
        None
    )
    web_processes: WebProcessesOption = 1


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """Options for the course, cluster, sandbox and device of the service's stations."""

    course: CourseOption = None
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers grade.", metavar="ADDRESS")
    ] = None
    sandbox: SandboxOption = None
    gpu: GpuOption = None
    device: DeviceOption = None
    device_class: Annotated[
        str,
        typer.Option(
            "--class", help="Class of the stations, for assignments that require one. By default, cpu or gpu."
        ),
    ] = ""


def serve(
    data: Annotated[Path | None, typer.Option(help="Folder for all data of the service.")] = None,
    *,
    database: DatabaseOption = None,
    stations: StationsOption = 1,
    where: AddressOptions,
    place: PlaceOptions,
    invite: Annotated[
        list[str] | None, typer.Option(help="Print a sign-in link for this person on the roster.")
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Print links for an instructor and a made-up student.")] = False,
) -> None:
    """Serve a course to browsers. Students hand in, watch and read their reports, while stations grade."""
    from grader.common.errors import InputError

    if (data is None) == (database is None):
        raise InputError("give either a folder with --data or a PostgreSQL database with --database.")
    with extra("serve"):
        from grader.service.serve.run import ServeRequest
        from grader.service.serve.run import serve as begin

    _forget_database()
    settings, spec = _station_spec(place, stations)
    _forget_secrets()
    request = ServeRequest(
        database=database or data or "",
        course=spec.course,
        guide=settings.report_guide,
        host=where.host,
        port=where.port,
        url=where.url,
        stations=spec,
        web_processes=where.web_processes,
        sign_in=settings.sign_in,
        notices=settings.notices,
        private_networks=settings.private_networks,
        demo=demo,
        invite=tuple(invite or ()),
    )
    begin(request, typer.echo)


def station(
    *,
    database: DatabaseOption = None,
    stations: Annotated[
        int, typer.Option(min=1, max=64, help="Number of stations to run, which share this device.")
    ] = 1,
    place: PlaceOptions,
) -> None:
    """Grade for a service whose pages are on another machine.

    On that machine, `grader serve --database` must use the same database.
    """
    with extra("station"):
        from grader.service.serve.supervisor import run_stations
    _forget_database()
    spec = _station_spec(place, stations)[1]
    _forget_secrets()
    run_stations(spec, _required(database), typer.echo)


def migrate(*, database: DatabaseOption = None) -> None:
    """Create the tables of a service in PostgreSQL, or upgrade them."""
    from contextlib import closing

    with extra("migrate"):
        from grader.service.db.migrate import migrate as bring_up_to_date
        from grader.service.db.session import Database
    with closing(Database(_required(database))) as reached:
        typer.echo(bring_up_to_date(reached))


def invite(
    keys: Annotated[list[str] | None, typer.Argument(help="Keys of people in the course.", metavar="KEY...")] = None,
    *,
    data: Annotated[Path | None, typer.Option(help="The service's folder.")] = None,
    database: DatabaseOption = None,
    url: Annotated[
        str | None, typer.Option(help="Address that browsers use. By default, the address of the service in --data.")
    ] = None,
) -> None:
    """Print a new sign-in link for each person. This also works while the service is running."""
    from contextlib import closing

    with extra("invite"):
        from grader.service.serve.run import invitation_lines, stored_address
    with closing(reached_database(data, database)) as reached:
        known = url or (None if data is None else stored_address(data))
        for line in invitation_lines(reached, keys or (), known or USUAL_ADDRESS):
            typer.echo(line)
    if known is None:
        typer.echo(f"If the address of the service is not {USUAL_ADDRESS}, run this command again with --url ADDRESS.")


def reached_database(data: Path | None, database: str | None) -> "Database":
    """Open the database of a service that exists. Raises InputError if it does not exist, or unless exactly one of the
    two options is given.
    """
    from grader.common.errors import InputError
    from grader.service.db.session import Database, sqlite_url

    if (data is None) == (database is None):
        raise InputError("give either the service's folder with --data or its database with --database.")
    if data is not None and not (data / "service.sqlite").is_file():
        raise InputError(f"{data} has no service database; give the folder that `grader serve --data` uses.")
    return Database(sqlite_url(data) if data is not None else _required(database))


def _station_spec(place: PlaceOptions, stations: int) -> "tuple[Settings, StationSpec]":
    from grader.grading.settings import as_variables, load_settings
    from grader.service.serve.supervisor import StationSpec

    here = {"docker": docker_settings(place.gpu), "device": place.device}
    settings = load_settings({**here, "sandbox": place.sandbox, "course": place.course})
    if place.cluster is not None:
        _require_cluster(stations)
    everywhere = {} if place.cluster is None else here
    return settings, StationSpec(
        count=stations,
        course=settings.course_folder.resolve(),
        settings_json=settings.as_json({**everywhere, "sandbox": settings.sandbox_for_others()}),
        device_class=place.device_class,
        cluster=place.cluster or "",
        variables={**_without_secrets(os.environ), **as_variables(here)},
    )


def _require_cluster(stations: int) -> None:
    """Raise InputError if Dask is not installed, or if more or fewer than one station is requested for the cluster."""
    from importlib.util import find_spec

    from grader.common.errors import InputError

    if find_spec("distributed") is None:
        raise InputError("--cluster needs Dask: install it from a clone of grader with `pip install '.[cluster]'`.")
    if stations != 1:
        raise InputError("a cluster needs only one station, which uses all its workers: leave --stations out.")


def _forget_database() -> None:
    """Remove the variable after it has been read, so that nothing can read it from this process or its children."""
    from grader.service.db.handover import forget_variable

    forget_variable(DATABASE)


def _forget_secrets() -> None:
    """Remove the variables with secrets in the same way. Stations never receive these secrets."""
    from grader.service.db.handover import forget_variable

    for name in [each for each in os.environ if each.upper().startswith(SECRETS)]:
        forget_variable(name)


def _without_secrets(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if not name.upper().startswith(SECRETS)}


def _required(database: str | None) -> str:
    from grader.common.errors import InputError

    if database is None:
        raise InputError(
            "give the database with --database or in GRADER_DATABASE, such as postgresql://user@host/grader."
        )
    return database


@contextmanager
def extra(command: str) -> Iterator[None]:
    """Run a block that imports the service's modules. Raises InputError if a package that they need is not
    installed.
    """
    from grader.common.errors import InputError

    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "grader":
            raise
        raise InputError(
            f"`grader {command}` needs {error.name}: install it from a clone of grader with `pip install '.[service]'`."
        ) from error
