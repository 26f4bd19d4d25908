"""Whose code it is: a file is one's own in a folder that `grader init` has made for this user on this computer.

Nothing in the folder says so, since a download can hold anything; nor does its owner: what one downloads is one's own.
"""

import hashlib
from contextlib import suppress
from pathlib import Path

from grader.common.errors import InputError
from grader.common.files import make_folder, state_folder, write_whole


def note_started(folder: Path) -> None:
    """Remember that it was made here; who has no place for that says later whose code it is."""
    note = _note(folder)
    if note is not None:
        with suppress(InputError):
            make_folder(note.parent)
            write_whole(note, bytes(folder.resolve()))


def was_started(folder: Path) -> bool:
    """Whether it was made here."""
    note = _note(folder)
    return note is not None and note.is_file()


def _note(folder: Path) -> Path | None:
    state = state_folder()
    return None if state is None else state / "started" / hashlib.sha256(bytes(folder.resolve())).hexdigest()
