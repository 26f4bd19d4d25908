"""Reading a student's kernels.cl: what is accepted, and the one clear line for what is not."""

import hashlib
import re
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path

from grader.errors import InputError

FILE_NAME = "kernels.cl"

SIZE_LIMIT = 1024 * 1024
"""Bytes; hand-written kernels of this course are a few kilobytes."""

COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
"""One that is never closed goes on to the end; else a file full of them would be searched once for each."""

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
TEXT_CONTROLS = frozenset(b"\t\n\v\f\r")


@dataclass(frozen=True, kw_only=True)
class Submission:
    """One kernels.cl: where it was, its text with Unix line ends, and the hash of the file's bytes."""

    path: Path
    source: str
    sha256: str

    def defines(self, name: str) -> bool:
        """Whether the text seems to define a type or macro of this name itself."""
        text = COMMENT.sub(" ", self.source)
        return re.search(rf"\btypedef\b[^;]*\b{name}\s*;|^\s*#\s*define\s+{name}\b", text, re.MULTILINE) is not None


def read_submission(path: Path) -> Submission:
    """Read a kernels.cl, or the one in a folder; raises InputError that says what is wrong with it."""
    if _is_folder(path):
        found = sorted(child.name for child in path.glob("*.cl"))
        path = path / FILE_NAME
        if path.name not in found:
            hint = f" It holds {', '.join(found)}: name the file itself." if found else ""
            raise InputError(f"the folder {path.parent} has no {FILE_NAME}.{hint}")
    return parse_submission(path, _read(path))


def parse_submission(path: Path, data: bytes) -> Submission:
    """A kernels.cl that has been read; `path` is what to call it. Raises InputError that says what is wrong with it."""
    if len(data) > SIZE_LIMIT:
        raise InputError(f"{path} is over 1 MiB; hand in only the OpenCL source text.")
    return Submission(path=path, source=_decode(data, path), sha256=hashlib.sha256(data).hexdigest())


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for, a folder cannot be read
            raise InputError(f"{path} is no regular file; hand in the .cl file itself.")
        with path.open("rb") as file:
            return file.read(SIZE_LIMIT + 1)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}; check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def _decode(data: bytes, path: Path) -> str:
    if data.startswith(UTF16_MARKS):
        raise InputError(f"{path} is UTF-16 text; save it as UTF-8.")
    if any(byte < 0x20 and byte not in TEXT_CONTROLS for byte in data):
        raise InputError(f"{path} is a binary file, not OpenCL source text; hand in the .cl file itself.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # an old editor's accented letters in a comment are no reason to refuse
        text = data.removeprefix(BOM_UTF8).decode("latin-1")
    if not text.strip():
        raise InputError(f"{path} is empty; hand in your kernel.")
    return text.replace("\r\n", "\n").replace("\r", "\n")
