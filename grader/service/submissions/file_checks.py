"""Checks of a handed-in file that do not parse its text, so their cost grows only linearly with its size."""

from collections.abc import Iterator

from grader.course.submissions.submission import SIZE_LIMIT, UTF16_MARKS, is_binary
from grader.service.errors import FieldError

MAX_LINES = 5_000
"""Maximum number of lines of a file. A report shows every line, and the time to compare two files grows with the number
of pairs of lines.
"""

FILE_TOO_LARGE = "The file is over 1 MiB; hand in only the OpenCL source text."


def file_refusal(data: bytes) -> str:
    """Reason why a file is refused; empty if it is accepted. A refused file does not use up an attempt."""
    return next(_faults(data), "")


def require_usable(data: bytes) -> None:
    """Raise FieldError if a file is refused."""
    if why := file_refusal(data):
        raise FieldError("file", why)


def _faults(data: bytes) -> Iterator[str]:
    if len(data) > SIZE_LIMIT:
        yield FILE_TOO_LARGE
    if not data.strip():
        yield "The file is empty; hand in your kernel."
    if data.startswith(b"PK\x03\x04"):
        yield "The file is a zip; hand in the .cl file itself."
    if data.startswith(UTF16_MARKS):
        yield "The file is UTF-16 text; save it as UTF-8."
    if is_binary(data):
        yield "The file is binary, not OpenCL source text; hand in the .cl file itself."
    if data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n") > MAX_LINES:
        yield f"The file has over {MAX_LINES:,} lines. Hand in an ordinary kernel."
