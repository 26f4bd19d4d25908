"""A zip of feedback files in the form that Moodle accepts for a whole course at once.

The rules are from Moodle's importer (mod/assign/feedback/file/importziplib.php): the name of a folder says whose files
are in it.
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
"""Characters that names lose: Moodle takes an underscore for the name's end, and file systems refuse the others."""

UNFIT_FILE = re.compile(r'[/\\:*?"<>|\s]')

LONGEST_NAME = 60
"""Characters of the longest name, of up to four bytes each; a folder's name may have 255 bytes."""

FOLDER = "{name}_{number}_assignsubmission_file_"
"""Moodle reads the number between the first two underscores; releases before 4.1 need the last underscore, too."""


def feedback_zip(path: Path, pages: Iterable[tuple[Student, str, bytes]]) -> tuple[Remark, ...]:
    """Write a zip for Moodle's "Upload multiple feedback files in a zip": a folder for each student, with files.

    A page is a student, the name of a file, and the content; pages are taken one by one. Students without a participant
    number are left out and reported. The zip appears only when it is complete. Raises InputError if it cannot be
    written.
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
    """Return a file's entry without today's date, so that equal feedback gives an equal zip on every system."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
    return entry


def _folder(name: str, number: str) -> str:
    """Return a student's folder. The name loses characters that divide paths, or the parts of the folder's name."""
    clean = " ".join(UNFIT.sub(" ", showable(name)).split()).strip(". ")
    return FOLDER.format(name=clean[:LONGEST_NAME] or "student", number=number)


def _visible(name: str) -> str:
    """Return the name of a file that Moodle does not ignore; it ignores names that start with a dot or a tilde."""
    return UNFIT_FILE.sub("-", showable(name)).lstrip(".~") or "feedback"
