"""Finds out whether a file is the user's own. It is if `grader init` created its folder for this user on this computer.
The record of this is outside the folder, because a download can contain any file. The owner of a file does not prove
anything, because users own the files that they download.
"""

import hashlib
from contextlib import suppress
from pathlib import Path

from grader.common.errors import InputError
from grader.common.files import make_folder, state_folder, write_whole


def note_started(folder: Path) -> None:
    """Record that the folder was created here. If the record cannot be written, this is ignored; the user must then
    state later whose code it is.
    """
    note = _note(folder)
    if note is not None:
        with suppress(InputError):
            make_folder(note.parent)
            write_whole(note, bytes(folder.resolve()))


def was_started(folder: Path) -> bool:
    """True if `grader init` created the folder here."""
    note = _note(folder)
    return note is not None and note.is_file()


def _note(folder: Path) -> Path | None:
    state = state_folder()
    return None if state is None else state / "started" / hashlib.sha256(bytes(folder.resolve())).hexdigest()
