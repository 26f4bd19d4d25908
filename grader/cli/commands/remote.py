"""The commands for students whose course uses a submission service."""

from typing import Annotated

import typer

from grader.cli.options import SubmissionOptions


def login(url: Annotated[str, typer.Argument(help="Address of your course's service.")]) -> None:
    """Sign this terminal in to your course's service. It shows a code, which you confirm in a browser."""
    from grader.cli.remote.sessions import sign_in

    sign_in(url, typer.echo)


def logout() -> None:
    """Sign this terminal out and revoke its token."""
    from grader.cli.remote.sessions import sign_out

    sign_out(typer.echo)


def status() -> None:
    """Show your due dates, remaining attempts and points so far."""
    from grader.cli.remote.sessions import standing

    standing(typer.echo)


def submit(
    submitted: SubmissionOptions,
    *,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Hand in without waiting for the result.")] = False,
) -> None:
    """Hand in a file to your course's service, and follow its grading."""
    from rich.console import Console

    from grader.cli.remote.handing_in import hand_in, watch

    attempt = hand_in(submitted.file, submitted.name, typer.echo)
    if not no_wait:
        raise typer.Exit(watch(attempt, typer.echo, Console().width))
