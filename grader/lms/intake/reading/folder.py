"""A folder as a listing. Links are not followed, and only regular files are opened."""

import os
import stat
from functools import partial
from pathlib import Path

from grader.common.errors import InputError
from grader.course.submissions.handin import Remark
from grader.lms.intake.reading.listing import (
    DEPTH_LIMIT,
    TOO_DEEP,
    File,
    Listing,
    UnreadableFileError,
    is_backup,
    is_junk,
    normal,
    remark,
)

QUIETLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags for opening files. With these, a link that has just replaced a file is not followed, and opening a pipe does
not wait for its other end.
"""


def list_folder(root: Path) -> Listing:
    """List everything below the folder. Raises InputError if it cannot be listed at all."""
    files: list[File] = []
    folders: set[tuple[str, ...]] = set()
    unplaced: list[Remark] = []
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        place = waiting.pop()
        try:
            entries = sorted(os.scandir(root.joinpath(*place)), key=lambda each: each.name)
        except OSError as error:
            if not place:
                raise InputError(f"{root} cannot be read: {error.strerror}.") from error
            unplaced.append(remark("/".join((root.name, *place)), f"cannot be read: {error.strerror}"))
            continue
        for entry in entries:
            parts = (*place, entry.name)
            if is_junk((entry.name,)):
                continue
            if entry.is_dir(follow_symlinks=False) and len(parts) <= DEPTH_LIMIT:
                waiting.append(parts)
                folders.add(_normal(parts))
            elif not is_backup(entry.name):
                files.append(find_file(root, parts))
    ordered = tuple(sorted(files, key=lambda each: each.parts))
    return Listing(name=root.resolve().name, files=ordered, folders=frozenset(folders), unplaced=tuple(unplaced))


def find_file(root: Path, parts: tuple[str, ...]) -> File:
    """Return a file, with the reason if it cannot be read."""
    path, named = root.joinpath(*parts), _normal(parts)
    try:
        _check(path.lstat().st_mode)
        return File(parts=named, read=partial(_read, path))
    except UnreadableFileError as error:
        return File(parts=named, refused=str(error))
    except OSError as error:
        return File(parts=named, refused=f"cannot be read: {error.strerror}")


def _read(path: Path, limit: int) -> bytes:
    try:
        with os.fdopen(os.open(path, QUIETLY), "rb") as file:
            _check(os.fstat(file.fileno()).st_mode)
            return file.read(limit)
    except OSError as error:
        raise UnreadableFileError(f"cannot be read: {error.strerror}") from error


def _check(mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise UnreadableFileError("is a link, and links are not followed; replace it by the file")
    if stat.S_ISDIR(mode):
        raise UnreadableFileError(TOO_DEEP)
    if not stat.S_ISREG(mode):
        raise UnreadableFileError("is not a regular file")


def _normal(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(normal(part) for part in parts)
