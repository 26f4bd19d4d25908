"""The key of a file that was sent and not answered: who sends it again must not hand it in twice."""

import hashlib
import secrets
from pathlib import Path

from pydantic import ValidationError

from grader.cli.remote import sign_in_file
from grader.common.record import Record


class Sending(Record):
    """A file on its way to an assignment of a service, and the key by which the service takes it once."""

    url: str
    assignment: str
    sha256: str
    key: str


def begin(url: str, assignment: str, data: bytes) -> Sending:
    """The same key as before if this very file was not answered; kept until done(). Raises InputError."""
    digest = hashlib.sha256(data).hexdigest()
    before = _kept()
    if before is not None and (before.url, before.assignment, before.sha256) == (url, assignment, digest):
        return before
    fresh = Sending(url=url, assignment=assignment, sha256=digest, key=secrets.token_urlsafe(16))
    sign_in_file.write(_path(), fresh)
    return fresh


def done() -> None:
    """The service has answered that the file is stored: the next one is another attempt, even if it is the same."""
    _path().unlink(missing_ok=True)


def _path() -> Path:
    return sign_in_file.path().with_name("sending.json")


def _kept() -> Sending | None:
    """What is kept; what cannot be read is nothing."""
    try:
        return Sending.model_validate_json(_path().read_bytes())
    except (OSError, ValidationError):
        return None
