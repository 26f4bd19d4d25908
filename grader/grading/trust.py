"""Whose code it is: a file is the user's own if it is in a folder that `grader init` made for them on this computer.

That is noted outside the folder, since a download can hold anything. The owner of a file says nothing: users own what
they download.
"""

import hashlib
from contextlib import suppress
from pathlib import Path

from grader.common.errors import InputError
from grader.common.files import make_folder, state_folder, write_whole


def note_started(folder: Path) -> None:
    """Note that it was made here. A user without a folder for the note must say later whose code it is."""
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
