"""Hands in a file from a terminal, and shows each check on a line as soon as it is decided.

The key of a file that was sent but not confirmed is stored, so that sending it again does not hand it in twice.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from grader.cli import result_codes
from grader.cli.exit_codes import UNGRADED
from grader.cli.remote import sign_in_file
from grader.cli.remote.calls import Service
from grader.cli.remote.job_sign_in import commit_key, current_sign_in
from grader.cli.wrapping import wrapped
from grader.common.errors import InputError, UngradedError
from grader.common.record import Record
from grader.course.submissions.submission import FILE_NAME, SIZE_LIMIT, text_of
from grader.protocol.text import one_line, showable
from grader.reports.groups import STATES
from grader.reports.terminal import INDENT as COLUMNS
from grader.reports.words import score_in_words
from grader.results.verdicts import OUTSTANDING, Verdict, shown_as

Say = Callable[[str], None]
INDENT = " " * COLUMNS
"""Indentation of the continuation lines of a sentence, as in the report of `grader grade`."""

AGAIN, PAUSE = 20, 3.0
"""Maximum number of connections for one stream of events, and seconds to wait between them."""


def hand_in(path: Path, assignment: str, say: Say) -> str:
    """Hand in a file. Returns the ID of the attempt once the service has stored it. Raises InputError if the file
    cannot be read or is refused, and UngradedError if the service cannot be reached.
    """
    kept = current_sign_in()
    data = _read(path / FILE_NAME if path.is_dir() else path)
    key = commit_key(assignment) or _begin(kept.url, assignment, data).key
    asked = f"/api/v1/assignments/{quote(assignment, safe='')}/attempts?key={key}"
    told = Service(kept.url, kept.token).ask("POST", asked, data)
    _done()
    say(showable(f"received as attempt {told['number']}, {told['size']} bytes, SHA-256 {told['sha256'][:16]}"))
    say(showable(told["page"]))
    return str(told["id"])


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; give the path of your {FILE_NAME}.") from error
    if len(data) > SIZE_LIMIT:
        raise InputError(f"{path} is over 1 MiB; hand in only the OpenCL source text.")
    text_of(data, path)  # the service refuses an empty or binary file, too
    return data


def watch(attempt: str, say: Say, width: int) -> int:
    """Show an attempt until it has ended, in lines of this width. Returns the exit code that `grader grade`
    would have.
    """
    kept = current_sign_in()
    service = Service(kept.url, kept.token)
    for event, data in _events(service, attempt):
        if event == "place":
            say(_wrapped(_place(data), width))
        elif event == "note" and data["check"]:
            say(_decided(data, width))
    told = service.ask("GET", f"/api/v1/attempts/{attempt}")
    if told["state"] != "done":
        say(f"not graded: {told['state']}")
        return UNGRADED
    if told.get("held_back") and told["result"] is None:
        say("graded: the results are held back until your instructor publishes them")
        return UNGRADED
    score = score_in_words(told["points"], told["max_points"], (), told.get("hidden_points", 0.0))
    say(_wrapped(f"total: {score}", width))
    if told["result"]["first_cause"]:
        say(_wrapped(f"start here: {told['result']['first_cause']}", width))
    return code_of(told["result"]["checks"])


def code_of(checks: list[dict[str, Any]]) -> int:
    """Return the exit code for the checks of an abbreviated result."""
    failed = any(each["verdict"] in {"failed", "partial"} for each in checks)
    return result_codes.code_of(failed=failed, reasons={each["reason"] for each in checks} & set(OUTSTANDING))


def _place(data: dict[str, Any]) -> str:
    wait, ahead = data.get("wait"), data["ahead"]
    place = f"{ahead} before yours" if ahead else "yours is next"
    return f"waiting: {place}" + (f"; it starts in {wait}" if wait else "")


def _decided(data: dict[str, Any], width: int) -> str:
    """Return the lines about a check in the form of `grader grade`: verdict, name and reason, followed by the
    sentence.
    """
    verdict = Verdict(shown_as(data["verdict"], data["reason"]))
    told = [wrapped(showable(f"{STATES[verdict]:<{COLUMNS}}{data['check']}  {data['reason']}".rstrip()), width, INDENT)]
    if data["words"]:
        told.append(wrapped(INDENT + one_line(data["words"].removeprefix(f"{verdict}: ")), width, INDENT))
    return "\n".join(told)


def _wrapped(words: str, width: int) -> str:
    """Wrap the text into as many lines as necessary."""
    return wrapped(one_line(words), width, INDENT)


def _events(service: Service, attempt: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events of an attempt, reconnecting if a connection is lost. Raises UngradedError after AGAIN
    connections.
    """
    after = 0
    for _ in range(AGAIN):
        try:
            with service.answer("GET", f"/api/v1/attempts/{attempt}/events?after={after}") as stream:
                event = ""
                for raw in stream:
                    name, _, value = raw.decode("utf-8", "replace").rstrip("\n").partition(": ")
                    if name == "id":
                        after = int(value)
                    elif name == "event":
                        event = value
                    elif name == "data":
                        yield event, json.loads(value)
                        if event == "over":
                            return
        except (OSError, HTTPException, UngradedError):
            pass
        time.sleep(PAUSE)
    raise UngradedError(
        "the connection was lost. The attempt is stored and will be graded; see `grader status` or its page."
    )


class Sending(Record):
    """A file on its way to an assignment of a service. The service accepts each key only once."""

    url: str
    assignment: str
    sha256: str
    key: str


def _begin(url: str, assignment: str, data: bytes) -> Sending:
    """Return the stored record if the same file was sent without a confirmation; otherwise store a record with a new
    key. The record is kept until _done() is called. Raises InputError if it cannot be written.
    """
    digest = hashlib.sha256(data).hexdigest()
    before = _kept()
    if before is not None and (before.url, before.assignment, before.sha256) == (url, assignment, digest):
        return before
    fresh = Sending(url=url, assignment=assignment, sha256=digest, key=secrets.token_urlsafe(16))
    sign_in_file.write(_path(), fresh)
    return fresh


def _done() -> None:
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
