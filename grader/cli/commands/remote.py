"""The commands for students whose course uses a submission service."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import OptionTable, SubmissionOptions
from grader.reports import REPORTS

RESULT_FORMATS = ("junit", "json", "sarif", "code_quality")
"""Formats in which the service offers a result."""


@dataclass(frozen=True, kw_only=True)
class ResultFileOptions:
    """Files to which the result of an attempt is written, by the name of the format."""

    chosen: Annotated[
        dict[str, Path],
        OptionTable(
            options={name: Annotated[Path | None, typer.Option(help=REPORTS[name].help)] for name in RESULT_FORMATS}
        ),
    ]


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
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the result and show it.")] = True,
    files: ResultFileOptions,
) -> None:
    """Hand in a file to your course's service, and follow its grading."""
    from rich.console import Console

    from grader.cli.remote.handing_in import hand_in, watch
    from grader.cli.remote.result_files import write_results
    from grader.common.errors import InputError

    if files.chosen and not wait:
        raise InputError("--no-wait does not wait for the result, so no file can be written; leave out --no-wait.")
    attempt = hand_in(submitted.file, submitted.name, typer.echo)
    if wait:
        code = watch(attempt, typer.echo, Console().width)
        write_results(attempt, submitted.file, files.chosen)
        raise typer.Exit(code)
