"""A zip of feedback files, as Moodle takes it for a whole course at once.

The rules are those of Moodle's importer (mod/assign/feedback/file/importziplib.php): a folder says whose its files are.
"""

import contextlib
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

from grader.common.errors import InputError
from grader.course.submissions.handin import Remark, Student
from grader.protocol.text import showable

UNFIT = re.compile(r'[_/\\:*?"<>|]')
"""An underscore in a name would be taken for its end; file systems do not take the others."""

UNFIT_FILE = re.compile(r'[/\\:*?"<>|\s]')

LONGEST_NAME = 60
"""Characters, of up to four bytes each: a folder may have 255 bytes."""

FOLDER = "{name}_{number}_assignsubmission_file_"
"""Moodle reads the number between the first two underscores; releases before 4.1 want the last one too."""


def feedback_zip(path: Path, pages: Iterable[tuple[Student, str, bytes]]) -> tuple[Remark, ...]:
    """Write a zip for Moodle's "Upload multiple feedback files in a zip": a folder for each student, with files.

    Pages are a student, the name of a file, and what is in it; they are taken one by one. Students without a
    participant number are left out, and reported. The zip is there when it is complete, or not at all. Raises
    InputError if it cannot be written.
    """
    left_out: dict[str, Remark] = {}
    part = path.with_name(f".{path.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for student, name, data in pages:
                if student.key is None or not student.key.isdecimal():
                    why = "has no participant number, so Moodle cannot take this student's feedback."
                    left_out[student.label] = Remark(where=student.label, why=why)
                    continue
                archive.writestr(_entry(f"{_folder(student.name, student.key)}/{_visible(name)}"), data)
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}.") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    return tuple(left_out.values())


def _entry(name: str) -> zipfile.ZipInfo:
    """A file without a date of today, so that the same feedback makes the same zip on every system."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
    return entry


def _folder(name: str, number: str) -> str:
    """The folder of a student. The name in it loses characters that divide paths, or the parts of the folder's name."""
    clean = " ".join(UNFIT.sub(" ", showable(name)).split()).strip(". ")
    return FOLDER.format(name=clean[:LONGEST_NAME] or "student", number=number)


def _visible(name: str) -> str:
    """The name of a file; Moodle ignores names that start with a dot or a tilde."""
    return UNFIT_FILE.sub("-", showable(name)).lstrip(".~") or "feedback"
