"""Fuzz the zips of submissions that an instructor downloads. Students may have added zips and tars of their own.

Each zip is taken in and reported. Some zips also contain an honest student's file, which must be graded as if the rest
of the zip did not exist.
"""

import gzip
import io
import stat
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from grader.lms.intake import take_all
from grader.lms.intake.summary import tell
from grader.protocol.text import UNSHOWABLE

from .search import Target
from .source import CHARACTERS, KIBIBYTE, _assignment

SIZES = tuple(KIBIBYTE // 2 * 2**power for power in range(9))
"""Sizes up to 128 KiB."""

HONEST, KERNEL = "honest-student", b"__kernel void coalsTransp(__global float *A) {\n    A[0] = 0.0f;\n}\n"

PARTS = (
    *("a", "kernels.cl", "coalsTransp", "blockMMM.cl", "x.zip", "..", ".", "", "attempt 2", "kernels (1).cl"),
    *("b.tar.gz", "__MACOSX", ".git", "C:", "con", "Ada_7_assignsubmission_file_", "ada_101_202_kernels.cl"),
    *("submission_1", "é", "e\u0301", "submission_metadata.yml", "ada_LATE_101_202_kernels-1.cl", "a\x1b[31m"),
    *("\u202egpj", "a\nb", "=1+1", "a" * 250, "~", "\\"),
)
NAMES = st.lists(st.one_of(st.sampled_from(PARTS), st.text(CHARACTERS, max_size=4)), min_size=1, max_size=4)

CONTENTS = st.sampled_from(
    [
        KERNEL.decode(),
        "",
        "\n",
        " ",
        "kernel f(",
        "__kernel coalsTransp;",
        "\x00",
        ":submission_1:\n  :submitters:\n  - :name: Ada\n    :sid: '7'\n    :email: a@b\n  :created_at: 2026-01-01\n",
        "a: &a [*a]\n",
        "- [",
    ]
)

GROWTHS = (
    *("depth", "members", "same members", "content", "name", "both", "comment"),
    *("inner members", "inner depth", "tar members", "tar depth", "tar name", "tar content"),
)
"""Parts that can grow, for example the depth of paths, or the number of members with different names or with one name.
`inner` means inside a student's own zip, and `tar` inside a student's own tar.
"""

LIES = ("size", "packed size", "crc", "link", "encrypted", "utf-8", "device", "method", "offset")
"""False claims that an archive can make about a member."""

RECIPES = st.fixed_dictionaries(
    {
        "names": st.lists(NAMES, min_size=1, max_size=3),
        "content": CONTENTS,
        "grows": st.sampled_from(GROWTHS),
        "lies": st.lists(st.sampled_from(LIES), max_size=1),
        "cut": st.sampled_from([0, 0, 0, 1, 30, 1000]),
        "honest": st.booleans(),
    }
)

NESTING, LONGEST = 2000, 65000


@dataclass(frozen=True, kw_only=True)
class Download:
    """A zip. `honest` is True if it contains an honest student's file, which must be found."""

    data: bytes
    honest: bool


def make(recipe: dict[str, Any], size: int) -> Download:
    """Return the zip that a recipe makes. Its uncompressed content has about `size` bytes."""
    members = list(_members(recipe, size))
    honest = recipe["honest"] and not recipe["cut"]
    if honest:
        members = [(f"mallory/{name}", data) for name, data in members]
        members += [(f"{name}/kernels.cl", KERNEL) for name in (HONEST, "another")]
    comment = b"x" * min(size, LONGEST) if recipe["grows"] == "comment" else b""
    data = _zip(members, recipe["lies"], comment)
    return Download(data=data[: len(data) - recipe["cut"]], honest=honest)


def _members(recipe: dict[str, Any], size: int) -> Iterator[tuple[str, bytes]]:
    names, content, grows = recipe["names"], recipe["content"].encode(), recipe["grows"]
    for parts in names:
        path, share = "/".join(parts), size // len(names)
        match grows:
            case "depth":
                yield from _deep(parts, share, content)
            case "members" | "same members":
                for number in range(1 + share // (len(path.encode()) + 76)):
                    lead = f"{number}" if grows == "members" else ""
                    yield f"{lead}{path}", content
            case "both":
                for number in range(1 + share // KIBIBYTE):
                    yield from _deep([f"{number}", *parts], KIBIBYTE, content)
            case "content":
                yield path, content * (1 + share // max(1, len(content)))
            case "name":
                yield "/".join([*parts[:-1], "n" * share + parts[-1]]), content
            case _ if grows.startswith(("inner ", "tar ")):
                yield _own_archive(path, recipe, share)
            case _:
                yield path, content


def _own_archive(path: str, recipe: dict[str, Any], size: int) -> tuple[str, bytes]:
    kind, _, grows = recipe["grows"].partition(" ")
    members = list(_members({**recipe, "grows": grows}, size))
    if kind == "tar":
        return f"{path}/s.tar.gz", gzip.compress(_tar(members, recipe["lies"]), 1)
    return f"{path}/s.zip", _zip(members, recipe["lies"], b"")


def _deep(parts: list[str], size: int, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield members in parallel folders, each nested as deeply as a path may be."""
    for number in range(1 + size // (2 * NESTING)):
        depth = min(NESTING, size // 2)
        yield "/".join([parts[0], f"{number}", *"a" * depth, *parts[1:]]), content


def _zip(members: list[tuple[str, bytes]], lies: list[str], comment: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, data) in enumerate(members):
            info = zipfile.ZipInfo("x")
            info.filename = info.orig_filename = name[:30000]
            info.compress_type = zipfile.ZIP_DEFLATED
            if number == 0 and "link" in lies:
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            if number == 0 and "device" in lies:
                info.external_attr = (stat.S_IFBLK | 0o777) << 16
            archive.writestr(info, data)
        archive.comment = comment
    return _lying(bytearray(stream.getvalue()), lies)


def _tar(members: list[tuple[str, bytes]], lies: list[str]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for number, (name, data) in enumerate(members):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            if number == 0 and "link" in lies:
                info.type, info.linkname, info.size = tarfile.SYMTYPE, "/etc/passwd", 0
            if number == 0 and "device" in lies:
                info.type, info.size = tarfile.BLKTYPE, 0
            archive.addfile(info, io.BytesIO(data) if info.size else None)
    data = bytearray(stream.getvalue())
    if "size" in lies or "offset" in lies:
        claim = -512 if "offset" in lies else 2**40
        data[TAR_SIZE] = claim.to_bytes(TAR_SIZE.stop - TAR_SIZE.start, "big", signed=True)
        data[TAR_SUM] = b" " * 8
        data[TAR_SUM] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


TAR_SIZE, TAR_SUM = slice(124, 136), slice(148, 156)
"""Positions of a member's size and of the header's checksum in a tar.

A size that is not written in octal digits is a signed number of 96 bits. A reader that adds a negative size to its
position moves backwards.
"""

FIELDS = {
    "encrypted": (8, "<H", 1),
    "utf-8": (8, "<H", 0x800),
    "method": (10, "<H", 97),
    "crc": (16, "<I", 1),
    "packed size": (20, "<I", 2**31),
    "size": (24, "<I", 2**31),
    "offset": (42, "<I", 2**31),
}
"""For each lie: the offset of the field in an entry of the central directory, its format, and the false value."""


def _lying(data: bytearray, lies: list[str]) -> bytes:
    at = data.find(b"PK\x01\x02")
    for lie in lies:
        if lie in FIELDS and at >= 0:
            offset, form, value = FIELDS[lie]
            struct.pack_into(form, data, at + offset, value)
    return bytes(data)


def _taken_in(download: Download) -> None:
    """Check that no label leads out of a folder, that each line is safe for a terminal, and that an honest file is
    graded.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "download.zip"
        path.write_bytes(download.data)
        intake = take_all((path,), (_assignment("coalsTransp"), _assignment("blockMMM")))
    labels = {each.student.label for each in (*intake.handins, *intake.absences)}
    assert not any(label in {"", ".", ".."} or set(label) & set("/\\\0") for label in labels), "a label is no name"
    assert not any(map(UNSHOWABLE.search, tell(intake).splitlines())), "a control character is shown"
    honest = [each for each in intake.handins if each.student.label == HONEST and each.data == KERNEL]
    assert honest or not download.honest, "an honest file is lost"


TARGET = Target(recipes=RECIPES, make=make, steps={"intake": _taken_in}, sizes=SIZES)
