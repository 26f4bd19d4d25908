"""A zip as a listing. Its members are read in memory, and are never written to disk.

All statements in an archive are checked or limited: paths, kinds, sizes and the number of members.
"""

import re
import stat
import struct
import zipfile
import zlib
from functools import partial
from typing import IO, NamedTuple

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
    one_line,
    remark,
)

PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""Compression methods that platforms and systems use. Other methods unpack without a limit on memory."""

ENCRYPTED, UTF_8 = 0x1, 0x800
"""Bits of a member's flags."""

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    LookupError,
    OverflowError,
)
"""Errors that zipfile raises for an archive that was truncated, changed or forged."""

NAME_LIMIT, PATH_LIMIT = 255, 4096
"""Maximum number of characters of a name and of a path in file systems."""

DRIVE = re.compile(r"[A-Za-z]:")


def list_archive(stream: IO[bytes], name: str, limit: int) -> Listing:
    """List everything in the zip. Files can be read while the stream is open. Raises UnreadableFileError if the zip
    cannot be listed at all, or has more than `limit` members.
    """
    try:
        archive = zipfile.ZipFile(stream)
    except UnicodeDecodeError:
        raise UnreadableFileError(
            "has a file name that is marked as UTF-8 but is not; unpack it and give the folder"
        ) from None
    except DAMAGE as error:
        raise UnreadableFileError(f"is not a zip, or is damaged ({one_line(str(error))})") from error
    members = len(archive.infolist())
    if members > limit:
        raise UnreadableFileError(f"has {members:,} members; an archive may have {limit:,}")
    return _list(archive, name)


def _list(archive: zipfile.ZipFile, name: str) -> Listing:
    files: list[_Member] = []
    folders: set[tuple[str, ...]] = set()
    unplaced: list[Remark] = []
    for info in archive.infolist():
        try:
            parts = parts_of(_name(info))
        except UnreadableFileError as error:
            unplaced.append(remark(f"{name}: {_name(info)}", str(error)))
            continue
        is_folder = _name(info).endswith(("/", "\\"))
        if not parts or is_junk(parts) or (not is_folder and is_backup(parts[-1])):
            continue
        deep, parts = len(parts) > DEPTH_LIMIT, parts[:DEPTH_LIMIT]  # the shortened path still shows the owner
        folders.update(parts[:end] for end in range(1, len(parts)))
        if deep:
            files.append(_Member(File(parts=parts, refused=TOO_DEEP), ()))
        elif is_folder:
            folders.add(parts)
        else:
            files.append(_Member(_file(archive, info, parts), (info.CRC, info.file_size)))
    ordered = sorted(_once(files), key=lambda each: each.parts)
    return Listing(name=name, files=tuple(ordered), folders=frozenset(folders), unplaced=tuple(unplaced))


def _name(info: zipfile.ZipInfo) -> str:
    """Return the name in the archive, which may be UTF-8 even without the flag for that."""
    name = info.orig_filename
    if not info.flag_bits & UTF_8:
        try:
            return name.encode("cp437").decode("utf-8")
        except UnicodeError:
            return name
    return name


def parts_of(name: str) -> tuple[str, ...]:
    """Return the path of a member. Raises UnreadableFileError for a path that leads out of the archive.

    Tools on Windows write backslashes.
    """
    path = name.replace("\\", "/")
    parts = tuple(normal(part) for part in path.split("/") if part not in {"", "."})
    if path.startswith("/") or DRIVE.match(path):
        raise UnreadableFileError("has an absolute path, which is not allowed in an archive")
    if ".." in parts:
        raise UnreadableFileError("has a path that leads out of the archive")
    if "\0" in path:
        raise UnreadableFileError("has a name with a zero byte in it")
    if len(path) > PATH_LIMIT or any(len(part) > NAME_LIMIT for part in parts):
        raise UnreadableFileError("has a name that is too long for a file")
    return parts


def _file(archive: zipfile.ZipFile, info: zipfile.ZipInfo, parts: tuple[str, ...]) -> File:
    try:
        _check(info)
        return File(parts=parts, read=partial(_unpack, archive, info))
    except UnreadableFileError as error:
        return File(parts=parts, refused=str(error))


def _check(info: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise UnreadableFileError("is a link, and links are not followed; replace it by the file")
    if kind not in {0, stat.S_IFREG}:
        raise UnreadableFileError("is not a regular file")
    if info.flag_bits & ENCRYPTED:
        raise UnreadableFileError("is encrypted; ask for it without a password")
    if info.compress_type not in PACKINGS:
        raise UnreadableFileError("uses an unsupported compression; ask for an ordinary zip")


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    try:
        with archive.open(info) as member:
            data = member.read(limit)
    except DAMAGE as error:
        raise UnreadableFileError(f"is damaged ({one_line(str(error))})") from error
    if len(data) != min(info.file_size, limit):
        raise UnreadableFileError("is damaged: it is shorter than stated")
    return data


class _Member(NamedTuple):
    """A file, and what the archive states about its contents."""

    file: File
    contents: tuple[int, ...]


def _once(members: list[_Member]) -> list[File]:
    """Return each path once. Two different members with the same name are refused."""
    first = {each.file.parts: each for each in reversed(members)}
    differ = {each.file.parts for each in members if each.contents != first[each.file.parts].contents}
    why = "is in the archive twice, with different contents; keep one"
    return [File(parts=parts, refused=why) if parts in differ else each.file for parts, each in first.items()]
