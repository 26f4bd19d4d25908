"""A tar, compressed or not, as a listing. It is unpacked in memory within a limit, and never written to disk."""

import bz2
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable
from functools import partial

from grader.course.submissions.handin import Remark
from grader.lms.intake.reading.archive import parts_of
from grader.lms.intake.reading.listing import (
    DEPTH_LIMIT,
    TOO_DEEP,
    File,
    Listing,
    UnreadableFileError,
    is_backup,
    is_junk,
    one_line,
    remark,
)

UNPACKED_LIMIT = 64 * 1024 * 1024
"""Maximum number of bytes of a tar after unpacking. A thousand times as many can be packed into a file of a few
kilobytes.
"""

ABOUT_LIMIT, ABOUT_ALL_LIMIT = 4 * 1024, 128 * 1024
"""Maximum number of bytes of a header that describes members, such as a long name, and of all such headers in a tar."""

ABOUT = {
    *(tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.XGLTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
}
"""Types of headers that describe members."""

PACKED: dict[bytes, Callable[[], "zlib._Decompress | bz2.BZ2Decompressor | lzma.LZMADecompressor"]] = {
    b"\x1f\x8b": partial(zlib.decompressobj, zlib.MAX_WBITS | 16),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": partial(lzma.LZMADecompressor, memlimit=UNPACKED_LIMIT),
}
"""Decompressors by the first bytes of a file."""

DAMAGE = (
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    LookupError,
    RecursionError,  # a header that describes the next header is read recursively
)
"""Errors that are raised for a tar that was truncated, changed or forged."""


def list_tar(packed: bytes, name: str, limit: int) -> Listing:
    """List everything in the tar. Raises UnreadableFileError if it cannot be read or has more than `limit` members."""
    files: dict[tuple[str, ...], File] = {}
    folders: set[tuple[str, ...]] = set()
    unplaced: list[Remark] = []
    try:
        archive = _TarArchive.open(fileobj=io.BytesIO(_unpacked(packed)), mode="r:")
        for number, member in enumerate(archive, start=1):
            if number > limit:
                raise UnreadableFileError(f"has more than {limit:,} members")
            try:
                parts = parts_of(member.name)
            except UnreadableFileError as error:
                unplaced.append(remark(f"{name}: {member.name}", str(error)))
                continue
            if not parts or is_junk(parts) or (not member.isdir() and is_backup(parts[-1])):
                continue
            parts = parts[:DEPTH_LIMIT]
            folders.update(parts[:end] for end in range(1, len(parts)))
            if member.isdir():
                folders.add(parts)
            else:
                files[parts] = _file(archive, member, parts)  # of two members with the same name, tar keeps the last
    except DAMAGE as error:
        raise UnreadableFileError(f"is not a tar, or is damaged ({one_line(str(error))})") from error
    ordered = sorted(files.values(), key=lambda file: file.parts)
    return Listing(name=name, files=tuple(ordered), folders=frozenset(folders), unplaced=tuple(unplaced))


class _TarMember(tarfile.TarInfo):
    """A member without long headers. tarfile reads some of them in quadratic time (CVE-2024-6232), and each member
    would keep a copy of the headers that apply to all members.
    """

    def _proc_member(self, archive: "_TarArchive") -> tarfile.TarInfo:
        if self.type in ABOUT:
            archive.read_about(self.size)
        member: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc] # typeshed leaves it out
        return member

    def _apply_pax_info(self, headers: dict[str, str], encoding: str, errors: str) -> None:
        super()._apply_pax_info(headers, encoding, errors)  # type: ignore[misc] # typeshed leaves it out
        self.pax_headers = {}


class _TarArchive(tarfile.TarFile):
    """A tar that counts the bytes in headers that describe its members."""

    tarinfo = _TarMember
    about = 0

    def read_about(self, size: int) -> None:
        """Count a header. Raises UnreadableFileError if it is too large, or all headers together are."""
        self.about += max(size, 0)
        if size > ABOUT_LIMIT or self.about > ABOUT_ALL_LIMIT:
            raise UnreadableFileError("has headers that are too large; ask for the .cl file, or a zip of it")


def _unpacked(packed: bytes) -> bytes:
    """Return the tar after decompression. Raises UnreadableFileError if it is too large."""
    start = next((start for start in PACKED if packed.startswith(start)), None)
    data = packed if start is None else PACKED[start]().decompress(packed, UNPACKED_LIMIT + 1)
    if packed and not data:
        raise UnreadableFileError("is damaged and cannot be unpacked")
    if len(data) > UNPACKED_LIMIT:
        raise UnreadableFileError(f"is over {UNPACKED_LIMIT // 1024**2} MiB unpacked")
    return data


def _file(archive: tarfile.TarFile, member: tarfile.TarInfo, parts: tuple[str, ...]) -> File:
    if member.issym() or member.islnk():
        return File(parts=parts, refused="is a link, and links are not followed; replace it by the file")
    if not member.isreg() or member.issparse():
        return File(parts=parts, refused="is not a regular file")
    if len(parts) == DEPTH_LIMIT:
        return File(parts=parts, refused=TOO_DEEP)
    return File(parts=parts, read=partial(_read, archive, member))


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo, limit: int) -> bytes:
    try:
        file = archive.extractfile(member)
        data = b"" if file is None else file.read(limit)
    except DAMAGE as error:
        raise UnreadableFileError(f"is damaged ({one_line(str(error))})") from error
    if len(data) != min(member.size, limit):
        raise UnreadableFileError("is damaged: it is shorter than stated")
    return data
