"""Reads a student's kernels.cl, and refuses other files with one clear message. A task combines a submission with its
assignment and a seed.

This module does not import NumPy, because that would take longer than the start of a worker.
"""

import hashlib
import secrets
import string
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path

from grader.common.errors import InputError
from grader.course.assignment import Assignment, Chosen
from grader.course.rubric import Kind
from grader.course.submissions.scan import Scan
from grader.course.submissions.scan_process import TooCostly, scanned
from grader.course.suite import Coursework
from grader.protocol.text import CONTROLS, without_controls

FILE_NAME = "kernels.cl"

SIZE_LIMIT = 1024 * 1024
"""Maximum size in bytes. Hand-written kernels of this course have a few kilobytes."""

LINES = 20_000
"""Maximum number of lines. A report shows every line, and for a million lines, the judge needed half a minute and 0.8
GB.
"""

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

CONTROL_BYTES = "".join(CONTROLS).encode()
BINARY_SHARE = 16
"""A file counts as binary if at least one byte in this many is a control character. In programs, pictures and archives,
about one in ten is.
"""

END_OF_FILE = "\x1a"
"""Ctrl-Z, which old editors write at the end of a file."""


@dataclass(frozen=True, kw_only=True)
class Submission:
    """One kernels.cl: its path, its text with Unix line ends and with spaces in place of control characters, the hash
    of the bytes of the file, and the scan of its text.
    """

    path: Path
    source: str
    sha256: str
    scan: Scan


def read_submission(path: Path) -> Submission:
    """Read a kernels.cl, or the one in a folder. Raises InputError that states the problem."""
    if _is_folder(path):
        found = sorted(child.name for child in path.glob("*.cl"))
        path = path / FILE_NAME
        if path.name not in found:
            hint = f" It contains {', '.join(found)}: give the path of the file itself." if found else ""
            raise InputError(f"the folder {path.parent} has no {FILE_NAME}.{hint}")
    return parse_submission(path, _read(path))


def parse_submission(path: Path, data: bytes) -> Submission:
    """Build a submission from the bytes of a kernels.cl. `path` is used in messages. Raises InputError that states the
    problem.

    Raises WorkerError if this machine cannot scan the text.
    """
    if len(data) > SIZE_LIMIT:
        raise InputError(f"{path} is over 1 MiB; hand in only the OpenCL source text.")
    source = text_of(data, path)
    if source.count("\n") > LINES:
        raise InputError(f"{path} has over {LINES:,} lines. Hand in an ordinary kernel.")
    scan = scanned(source)
    if isinstance(scan, TooCostly):
        raise InputError(f"{path} cannot be graded: {scan.words}. Hand in an ordinary kernel.")
    return Submission(path=path, source=without_controls(source), sha256=hashlib.sha256(data).hexdigest(), scan=scan)


def is_binary(data: bytes) -> bool:
    """True if a file is not text. A single control character is allowed, since an editor may have left it there."""
    controls = len(data) - len(data.translate(None, CONTROL_BYTES))
    return controls > 1 and controls * BINARY_SHARE > len(data)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # opening a pipe would block, and a folder cannot be read
            raise InputError(f"{path} is not a regular file; hand in the .cl file itself.")
        with path.open("rb") as file:
            return file.read(SIZE_LIMIT + 1)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}; check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def text_of(data: bytes, path: Path) -> str:
    """Return the text of a kernels.cl. Raises InputError if it is empty, or not OpenCL source text."""
    if data.startswith(UTF16_MARKS):
        raise InputError(f"{path} is UTF-16 text; save it as UTF-8.")
    if is_binary(data):
        raise InputError(f"{path} is a binary file, not OpenCL source text; hand in the .cl file itself.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # accented letters of an old editor in a comment are no reason to refuse the file
        text = data.removeprefix(BOM_UTF8).decode("latin-1")
    if not without_controls(text).strip():
        raise InputError(f"{path} is empty; write your kernel in it.")
    return _without_end(text.replace("\r\n", "\n").replace("\r", "\n"))


def _without_end(text: str) -> str:
    """Return the text with spaces in place of end-of-file marks."""
    code = text.rstrip(string.whitespace + END_OF_FILE)
    return code + text[len(code) :].replace(END_OF_FILE, " ")


@dataclass(frozen=True, kw_only=True)
class Task:
    """One submission for one assignment, with the seed of all its inputs. Checks whose kind is in `unmade` do
    not run.
    """

    assignment: Assignment
    submission: Submission
    seed: int
    unmade: frozenset[Kind] = frozenset()


@dataclass(frozen=True, kw_only=True)
class ChosenTask(Task):
    """A task with the choices that the submission states. This is what is built and run."""

    assignment: Chosen


def tasks_of(coursework: Coursework, submission: Submission, seed: int) -> tuple[Task, ...]:
    """Return the submission's task for each part. All of them have the same seed."""
    return tuple(Task(assignment=part, submission=submission, seed=seed) for part in coursework.parts)


SEED_BITS = 63


def fresh_seed() -> int:
    """Return a seed that cannot be guessed."""
    return secrets.randbits(SEED_BITS)


def check_seed(seed: int) -> int:
    """Return the seed. Raises InputError if it is out of range."""
    if not 0 <= seed < 2**SEED_BITS:
        raise InputError(f"the seed {seed} is out of range; it must be from 0 to {2**SEED_BITS - 1}.")
    return seed
