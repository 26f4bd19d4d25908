"""Commands that register the service with learning platforms by LTI, and check the registrations."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.cli.commands.service import PORT, DatabaseOption, extra, reached_database

if TYPE_CHECKING:
    from grader.service.db.session import Database
    from grader.service.lti.platform_client import PlatformClient

DataOption = Annotated[Path | None, typer.Option(help="The service's folder.")]
UrlOption = Annotated[str, typer.Option(help="Address that browsers use.")]

AT_PLATFORM = """\
Enter at the platform:
  sign-in (initiate login)     {0}/lti/login
  redirect                     {0}/lti/launch
  choice (deep linking)        {0}/lti/deep-linking
  keys (JWKS)                  {0}/lti/keys"""


def add(
    *,
    issuer: Annotated[str, typer.Option(help="Issuer of the platform (platform ID).")],
    client_id: Annotated[str, typer.Option(help="Client ID from the platform.")],
    sign_in_url: Annotated[str, typer.Option(help="Authentication request URL of the platform.")],
    token_url: Annotated[str, typer.Option(help="Access token URL of the platform.")],
    keys_url: Annotated[str, typer.Option(help="Public keyset URL of the platform.")],
    deployment: Annotated[list[str] | None, typer.Option(help="Deployment ID. Repeat the option for several.")] = None,
    name: Annotated[str, typer.Option(help="Name of the platform in pages and messages.")] = "",
    match: Annotated[
        str, typer.Option(help="Claim that contains the key of a person in the roster: email, username or sourcedid.")
    ] = "",
    token_audience: Annotated[str, typer.Option(help="Audience of token requests, if it is not the token URL.")] = "",
    data: DataOption = None,
    database: DatabaseOption = None,
    url: UrlOption = f"http://127.0.0.1:{PORT}",
) -> None:
    """Register a learning platform, or change its registration."""
    from grader.common.errors import InputError

    if match not in {"", "email", "username", "sourcedid"}:
        raise InputError(f"--match {match} is not a claim; choose email, username or sourcedid.")
    with _service(data, database) as (reached, client):
        from grader.service.db.session import utc_now
        from grader.service.lti.keys import ensure_key
        from grader.service.lti.registrations import Registration, register

        stated = Registration(
            name=name,
            issuer=issuer,
            client_id=client_id,
            authorization_url=sign_in_url,
            token_url=token_url,
            jwks_url=keys_url,
            token_audience=token_audience,
            matches=match,  # type: ignore[arg-type]  # checked above
            deployments=tuple(deployment or ()),
        )
        with reached.writing() as session:
            ensure_key(session, utc_now())
            register(session, stated, client, utc_now())
    typer.echo(f"registered {name or issuer}. `grader lti check` tests it.")
    typer.echo(AT_PLATFORM.format(url))


def list_platforms(*, data: DataOption = None, database: DatabaseOption = None) -> None:
    """List the registered learning platforms."""
    with _service(data, database) as (reached, _client):
        from grader.service.lti.registrations import deployments_of, platforms

        with reached.reading() as session:
            for each in platforms(session):
                known = ", ".join(sorted(deployments_of(session, each.id))) or "none"
                typer.echo(f"{each.name}: issuer {each.issuer}, client {each.client_id}, deployments {known}")


def check(
    *, data: DataOption = None, database: DatabaseOption = None, url: UrlOption = f"http://127.0.0.1:{PORT}"
) -> None:
    """Report what works at each registered platform, and what does not. Exit code 1 if something does not work."""
    with _service(data, database) as (reached, client):
        from grader.service.db.session import utc_now
        from grader.service.lti.check import findings
        from grader.service.lti.registrations import platforms

        with reached.reading() as session:
            known = platforms(session)
        faults = 0
        for each in known:
            typer.echo(f"{each.name} ({each.issuer}, client {each.client_id})")
            for found in findings(reached, client, each, url, utc_now()):
                faults += found.is_fault
                typer.echo(f"  {'WRONG' if found.is_fault else 'ok   '} {found.words}")
    if not known:
        typer.echo("no platform is registered: use `grader lti add`, or `grader lti invite` for dynamic registration.")
    raise typer.Exit(1 if faults or not known else 0)


def rotate(*, data: DataOption = None, database: DatabaseOption = None) -> None:
    """Replace the key that signs the service's messages. Platforms see both keys for two days."""
    with _service(data, database) as (reached, _client):
        from grader.service.db.session import utc_now
        from grader.service.lti.keys import rotate as add_key

        with reached.writing() as session:
            add_key(session, utc_now())
    typer.echo("added a key. The service signs with it in an hour, and removes the old one two days later.")


def invite(
    *, data: DataOption = None, database: DatabaseOption = None, url: UrlOption = f"http://127.0.0.1:{PORT}"
) -> None:
    """Print a link with which a platform registers itself once, within a day (dynamic registration)."""
    with _service(data, database) as (reached, _client):
        from grader.service.db.session import utc_now
        from grader.service.lti.registrations import registration_link

        with reached.writing() as session:
            token = registration_link(session, utc_now())
    typer.echo(f"tool registration URL, once: {url}/lti/register/{token}")


@contextmanager
def _service(data: Path | None, database: str | None) -> "Iterator[tuple[Database, PlatformClient]]":
    """The database of the service and a client for platforms. Converts refusals to errors of the user."""
    from grader.common.errors import InputError
    from grader.grading.settings import load_settings

    with extra("lti"):
        from grader.service.db.migrate import require_current
        from grader.service.errors import RefusedError
        from grader.service.lti.platform_client import PlatformClient
        from grader.service.network.client import HttpClient
    with closing(reached_database(data, database)) as reached:
        require_current(reached)
        try:
            yield reached, PlatformClient(http=HttpClient(private=load_settings({}).private_networks))
        except RefusedError as error:
            raise InputError(str(error)) from error
