"""Finds out if a file is the user's own: it is, if `grader init` made its folder for this user on this computer.

The note about that is outside the folder, since a download can contain any file. The owner of a file proves nothing,
since users own the files that they download.
"""

import hashlib
from contextlib import suppress
from pathlib import Path

from grader.common.errors import InputError
from grader.common.files import make_folder, state_folder, write_whole


def note_started(folder: Path) -> None:
    """Note that the folder was made here.

    If the note cannot be written, nothing happens; then the user must later say whose code it is.
    """
    note = _note(folder)
    if note is not None:
        with suppress(InputError):
            make_folder(note.parent)
            write_whole(note, bytes(folder.resolve()))


def was_started(folder: Path) -> bool:
    """True if `grader init` made the folder here."""
    note = _note(folder)
    return note is not None and note.is_file()


def _note(folder: Path) -> Path | None:
    state = state_folder()
    return None if state is None else state / "started" / hashlib.sha256(bytes(folder.resolve())).hexdigest()
