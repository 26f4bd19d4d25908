"""Stores this user's token in a file that other users cannot read, in the platform's usual folder for settings."""

import os
from pathlib import Path

import typer
from pydantic import ValidationError

from grader.common.errors import InputError
from grader.common.record import Record


class SignIn(Record):
    """A service, identified by its origin, and the token for it."""

    url: str
    token: str


def path() -> Path:
    """Return the path of the file."""
    return Path(typer.get_app_dir("grader")) / "sign-in.json"


def stored() -> SignIn:
    """Return the stored sign-in. Raises InputError if it is missing or cannot be used."""
    try:
        return SignIn.model_validate_json(path().read_bytes())
    except FileNotFoundError:
        raise InputError("this terminal is not signed in; run `grader login URL` first.") from None
    except OSError as error:
        raise InputError(f"cannot read {path()}: {error.strerror}; run `grader login URL` again.") from error
    except ValidationError as error:
        raise InputError(f"{path()} is damaged; run `grader login URL` again.") from error


def store(kept: SignIn) -> None:
    """Store a sign-in and replace an older one. Raises InputError if it cannot be written."""
    write(path(), kept)


def write(place: Path, kept: Record) -> None:
    """Write a record to a file that only its owner can read, replacing an older file. Raises InputError if that
    fails.
    """
    fresh = place.with_suffix(".new")
    try:
        fresh.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(kept.model_dump_json())
        fresh.replace(place)
    except OSError as error:
        raise InputError(f"cannot write {place}: {error.strerror}; make its folder writable.") from error


def forget() -> None:
    """Delete the stored sign-in."""
    path().unlink(missing_ok=True)
