"""Stores the key of a file that was sent but not confirmed, so that sending it again does not hand it in twice."""

import hashlib
import secrets
from pathlib import Path

from pydantic import ValidationError

from grader.cli.remote import sign_in_file
from grader.common.record import Record


class Sending(Record):
    """A file on its way to an assignment of a service. The service accepts each key only once."""

    url: str
    assignment: str
    sha256: str
    key: str


def begin(url: str, assignment: str, data: bytes) -> Sending:
    """Return the stored record if the same file was sent without a confirmation; otherwise store a record with a new
    key. The record is kept until done() is called. Raises InputError if it cannot be written.
    """
    digest = hashlib.sha256(data).hexdigest()
    before = _kept()
    if before is not None and (before.url, before.assignment, before.sha256) == (url, assignment, digest):
        return before
    fresh = Sending(url=url, assignment=assignment, sha256=digest, key=secrets.token_urlsafe(16))
    sign_in_file.write(_path(), fresh)
    return fresh


def done() -> None:
    """Delete the record, since the service has confirmed that the file is stored. The next file is a new attempt, even
    if it is identical.
    """
    _path().unlink(missing_ok=True)


def _path() -> Path:
    return sign_in_file.path().with_name("sending.json")


def _kept() -> Sending | None:
    """Return the stored record, or None if it is missing or unreadable."""
    try:
        return Sending.model_validate_json(_path().read_bytes())
    except (OSError, ValidationError):
        return None
