"""archive.py and folder.py: everything that a listing claims is checked or limited, and each fault is reported in a
line.
"""

import io
import os
import random
import stat
import struct
import tracemalloc
import zipfile
from pathlib import Path

import downloads
import pytest
from downloads import source, write_folder, write_zip
from intake_findings import complaint, graded, lines, missing

from grader.common.errors import InputError
from grader.course.submissions.submission import SIZE_LIMIT
from grader.lms import intake
from grader.lms.intake import take_all
from grader.lms.intake.reading import opening
from grader.lms.intake.summary import tell

KERNEL = source("coalsTransp")


@pytest.fixture(scope="session")
def one(transposition):
    return (transposition,)


def packed(path, *members):
    """Return a zip of Ada's valid hand-in, followed by these names or ZipInfos with their data."""
    with zipfile.ZipFile(path, "w") as made:
        for name, data in (("ada/kernels.cl", KERNEL), *members):
            made.writestr(name, data)
    return path


def special(name, kind):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (kind | 0o777) << 16
    return info


def unflagged(path, name):
    """Return a zip that contains a name with these bytes and no flag for its encoding."""
    stand_in = "x" * len(name)
    data = packed(path, (f"{stand_in}/kernels.cl", KERNEL + b" ")).read_bytes()
    path.write_bytes(data.replace(stand_in.encode(), name))
    return path


def bob(path, one):
    """Return the lines about Bob, after checking that only Ada's hand-in is graded."""
    intake = take_all((path,), one)
    assert list(graded(intake)) == [("ada", "coalsTransp")]
    return lines(intake.unplaced)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../bob/kernels.cl", "leads out of the archive"),
        ("ada/../../etc/kernels.cl", "leads out of the archive"),
        ("bob\\..\\..\\kernels.cl", "leads out of the archive"),
        ("/bob/kernels.cl", "absolute path"),
        ("\\\\server\\share\\kernels.cl", "absolute path"),
        ("C:\\bob\\kernels.cl", "absolute path"),
        ("c:kernels.cl", "absolute path"),
        ("b" * 300 + "/kernels.cl", "too long for a file"),
        ("b/" * 3000 + "kernels.cl", "too long for a file"),
    ],
)
def test_paths_that_lead_elsewhere_are_refused(name, said, tmp_path, one):
    """Paths that lead out of the archive are refused in a line and do not affect other files."""
    text = bob(packed(tmp_path / "all.zip", (name, KERNEL)), one)
    assert said in text
    assert len(text) < 400


def test_backslashes_part_folders(tmp_path, one):
    """Backslashes separate folders, because some Windows tools write them."""
    path = packed(tmp_path / "all.zip", ("bob\\kernels.cl", KERNEL + b" "))
    assert graded(take_all((path,), one))["bob", "coalsTransp"] == "bob/kernels.cl"


@pytest.mark.parametrize(
    ("kind", "said"),
    [(stat.S_IFLNK, "is a link"), (stat.S_IFIFO, "is not a regular file"), (stat.S_IFCHR, "is not a regular file")],
)
def test_members_that_are_no_files_are_refused(kind, said, tmp_path, one):
    """Links and special files in an archive are refused. The data of a link, which is a path, is not graded."""
    path = packed(tmp_path / "all.zip", (special("bob/kernels.cl", kind), b"/etc/passwd"))
    assert f"all.zip/bob/kernels.cl: {said}" in bob(path, one)
    assert missing(take_all((path,), one)) == [("bob", "coalsTransp")]


def test_links_and_pipes_in_folders_are_refused(tmp_path, one):
    """Links to files or folders are not followed, and pipes are not opened."""
    write_folder(tmp_path / "secret", {"kernels.cl": b"secret"})
    folder = write_folder(tmp_path / "all", {"ada/kernels.cl": KERNEL, "bob/": b"", "eve/": b"", "pip/": b""})
    (folder / "bob" / "kernels.cl").symlink_to(tmp_path / "secret" / "kernels.cl")
    (folder / "eve" / "src").symlink_to(tmp_path / "secret")
    (folder / "zoe").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pip" / "kernels.cl")
    text = bob(folder, one)
    for name in ("bob/kernels.cl", "eve/src", "zoe"):
        assert f"all/{name}: is a link, and links are not followed" in text
    assert "all/pip/kernels.cl: is not a regular file" in text
    assert len(missing(take_all((folder,), one))) == 4


def test_encrypted_members_are_refused(tmp_path, one):
    """Encrypted members are refused, because no password is known."""
    path = packed(tmp_path / "all.zip", ("bob/kernels.cl", KERNEL))
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.rfind(mark) + offset
        data[at] |= 1
    path.write_bytes(data)
    assert "all.zip/bob/kernels.cl: is encrypted" in bob(path, one)


def test_a_damaged_member_is_refused(tmp_path, one):
    """A member with a wrong checksum is refused."""
    path = packed(tmp_path / "all.zip", ("bob/kernels.cl", b"// a comment to damage"))
    path.write_bytes(path.read_bytes().replace(b"to damage", b"to dXmage"))
    assert "all.zip/bob/kernels.cl: is damaged (Bad CRC-32" in bob(path, one)


def test_a_member_with_two_names_is_refused(tmp_path, one):
    """A member is refused if its name in the archive's directory differs from the one in front of its data.

    Different tools would read different names.
    """
    path = packed(tmp_path / "all.zip", ("bob/kernels.cl", KERNEL))
    path.write_bytes(path.read_bytes().replace(b"bob/kernels.cl", b"eve/kernels.cl", 1))
    assert "all.zip/bob/kernels.cl: is damaged (File name in directory" in bob(path, one)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 99])
def test_odd_ways_to_pack_are_refused(method, tmp_path, one):
    """Unknown compression methods, and those whose memory use is not bounded, are refused."""
    path = packed(tmp_path / "all.zip", ("bob/kernels.cl", KERNEL))
    data = bytearray(path.read_bytes())
    struct.pack_into("<H", data, data.rfind(b"PK\1\2") + 10, method)
    path.write_bytes(data)
    assert "all.zip/bob/kernels.cl: uses an unsupported compression" in bob(path, one)


def test_a_bomb_is_cut_where_it_is_too_large(tmp_path, one):
    """A file that unpacks to 64 MiB of zeros is read only up to the size limit."""
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made, made.open("bob/kernels.cl", "w") as member:
        for _ in range(64):
            member.write(bytes(1024 * 1024))
    assert len(take_all((path,), one).handins[0].data) == SIZE_LIMIT + 1


@pytest.mark.parametrize("size", [3, 10**9])
def test_a_member_that_lies_about_its_size_is_refused(size, tmp_path, one):
    """A member whose stated size is too small or too large is refused."""
    path = packed(tmp_path / "all.zip", ("bob/kernels.cl", b"x" * 1000))
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.rfind(b"PK\1\2") + 24, size)
    path.write_bytes(data)
    assert "all.zip/bob/kernels.cl: is damaged" in bob(path, one)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_not_guessed_at(tmp_path, one):
    """Two different members with the same name are refused. If their contents are equal, they count as one file."""
    twice = packed(tmp_path / "all.zip", ("ada/kernels.cl", KERNEL), ("bob/kernels.cl", b"1"), ("bob/kernels.cl", b"2"))
    assert "all.zip/bob/kernels.cl: is in the archive twice" in bob(twice, one)


@pytest.mark.parametrize(
    ("name", "read"), [("Zoë".encode(), "Zoë"), (b"Zo\x89", "Zoë"), ("Łuk".encode(), "Łuk"), (b"\xff", "\xa0")]
)
def test_names_without_an_encoding_are_utf_8_or_else_what_dos_wrote(name, read, tmp_path, one):
    """A name without a stated encoding is read as UTF-8 or, if that fails, as code page 437.

    Most tools write UTF-8 without setting the flag, and the others write the code page.
    """
    names = {each.student.name for each in take_all((unflagged(tmp_path / "all.zip", name),), one).handins}
    assert names == {"ada", read}


@pytest.mark.parametrize("name", ["a\u202elc.slenrek", "a\x1b[2Jb", "a\u2028b", "a\x07", "\u200b", "a\ud800"])
def test_names_that_upset_terminals_are_shown_without_it(name, tmp_path, one):
    """Control characters and text-direction characters in names are removed from lines, labels and the summary."""
    try:
        folder = write_folder(tmp_path / "all", {f"{name}/x.txt": b"", "ada/kernels.cl": KERNEL})
    except UnicodeEncodeError:
        folder = tmp_path / "all"
        Path(os.fsdecode(os.fsencode(folder) + b"/a\xff")).mkdir(parents=True)
        write_folder(folder, {"ada/kernels.cl": KERNEL})
    intake = take_all((folder,), one)
    without = [each.student.label for each in intake.absences]
    shown = tell(intake) + lines(intake.unplaced) + "".join(without)
    assert not {"\u202e", "\x1b", "\u2028", "\x07"} & set(shown)
    assert shown.encode()
    assert "\n" not in without[0]


def test_a_name_that_says_it_is_utf_8_and_is_not_is_refused(tmp_path, one):
    """A name that is marked as UTF-8 but is not valid UTF-8 raises InputError, which says what to do."""
    path = packed(tmp_path / "all.zip", ("Zoë/kernels.cl", KERNEL))
    path.write_bytes(path.read_bytes().replace("ë".encode(), b"\xff\xff"))
    assert "unpack it and give the folder" in complaint(path, one)


def test_an_archive_of_too_many_members_is_refused(tmp_path, one, monkeypatch):
    """A download with too many members raises InputError. A student's own archive is refused in a line."""
    monkeypatch.setattr(intake, "LISTED_LIMIT", 3)
    monkeypatch.setattr(opening, "MEMBER_LIMIT", 3)
    many = write_zip(tmp_path / "many.zip", {f"{number}.cl": b"" for number in range(4)})
    assert "has 4 members; an archive may have 3" in complaint(many, one)
    assert "all.zip/bob/many.zip: has 4 members" in bob(
        packed(tmp_path / "all.zip", ("bob/many.zip", many.read_bytes())), one
    )


def test_what_is_read_of_one_student_is_bounded_and_nobody_elses(tmp_path, one, monkeypatch):
    """The bytes that are read for one student are limited. A zip bomb costs only the student who handed it in."""
    monkeypatch.setattr(opening, "READ_LIMIT", 10 * SIZE_LIMIT)
    bomb = write_zip(tmp_path / "x.zip", {f"{n}.cl": bytes([n]) * SIZE_LIMIT for n in range(20)}).read_bytes()
    handed_in = {"bob/x.zip": bomb, **{f"zoe{n}/kernels.cl": KERNEL + b" " * n for n in range(9)}}
    found = take_all((packed(tmp_path / "all.zip", *handed_in.items()),), one)
    assert len(found.handins) == 10
    (absence,) = found.absences
    assert (absence.student.label, absence.assignment, bool(absence.refused)) == ("bob", "coalsTransp", True)
    assert "x.zip/19.cl" in lines(found.unplaced)
    assert "this student's files are over 10 MiB" in lines(found.unplaced)


@pytest.mark.whole
def test_a_path_through_thousands_of_folders_costs_what_its_bytes_do(tmp_path, one):
    """Paths through thousands of folders need memory in proportion to the size of the archive.

    An earlier version stored each prefix of such paths, and a zip of 1.8 MB exhausted the memory of a batch.
    """
    deep = {f"{n}/" + "d/" * 2000 + "kernels.cl": b"" for n in range(100)}
    inner = write_zip(tmp_path / "x.zip", deep).read_bytes()
    tracemalloc.start()
    try:
        found = take_all((packed(tmp_path / "all.zip", ("bob/x.zip", inner), *deep.items()),), one)
        assert tracemalloc.get_traced_memory()[1] < 20 * len(inner)
    finally:
        tracemalloc.stop()
    assert list(graded(found)) == [("ada", "coalsTransp")]
    refusals = [each for each in found.absences if each.refused]
    assert len(refusals) == 101
    assert {"bob", "99"} < {each.student.label for each in refusals}
    assert "is below 32 folders" in refusals[0].refused


def test_a_students_archive_of_too_many_bytes_is_refused(tmp_path, one, monkeypatch):
    """A student's archive that exceeds the size limit is refused without being opened."""
    monkeypatch.setattr("grader.lms.intake.reading.opening.ARCHIVE_LIMIT", 10)
    inner = write_zip(tmp_path / "x.zip", {"kernels.cl": KERNEL}).read_bytes()
    assert "all.zip/bob/x.zip: is over" in bob(packed(tmp_path / "all.zip", ("bob/x.zip", inner)), one)


@pytest.mark.parametrize("data", [b"", b"PK\5\6", b"not a zip"])
def test_a_students_broken_archive_is_a_line(data, tmp_path, one):
    """A student's broken archive is reported in a line and not graded. Other students are not affected."""
    assert "all.zip/bob/x.zip: is not a zip, or is damaged" in bob(
        packed(tmp_path / "all.zip", ("bob/x.zip", data)), one
    )


def test_slips_in_a_students_archive_are_told(tmp_path, one):
    """A path that leads out of a student's archive is reported, and the rest of the archive is graded."""
    inner = packed(tmp_path / "x.zip", ("../../kernels.cl", b"slipped")).read_bytes()
    intake = take_all((packed(tmp_path / "all.zip", ("bob/x.zip", inner)),), one)
    assert len(intake.handins) == 2
    assert "leads out of the archive" in lines(intake.unplaced)


WRITERS = (downloads.moodle, downloads.moodle_flat, downloads.canvas, downloads.gradescope)


@pytest.mark.parametrize("writer", [WRITERS[0], *(pytest.param(each, marks=pytest.mark.whole) for each in WRITERS[1:])])
def test_a_damaged_download_is_read_or_refused(writer, tmp_path, one):
    """A download that is cut short or changed anywhere is either read or refused in one line."""
    inner = write_zip(tmp_path / "inner.zip", {"kernels.cl": KERNEL, "b.cl": b""}).read_bytes()
    people = [(f"Student {number}", str(number), {"coalsTransp": KERNEL * number}) for number in range(6)]
    whole = writer(tmp_path / "whole.zip", people).read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as made:
        name = made.namelist()[1].replace(".cl", ".zip")
    with zipfile.ZipFile(tmp_path / "whole.zip", "a") as made:
        made.writestr(name, inner)
    whole = (tmp_path / "whole.zip").read_bytes()
    chance = random.Random(writer.__name__)
    outcomes = {tried(damaged(whole, chance), tmp_path / "damaged.zip", one) for _ in range(400)}
    assert outcomes == {"read", "refused"}


def damaged(data, chance):
    """Return the data cut short or with some flipped bits, mostly in the archive's directory."""
    if chance.random() < 0.2:
        return data[: chance.randrange(len(data))]
    changed = bytearray(data)
    start = chance.choice([0, data.find(b"PK\1\2")])
    for _ in range(chance.choice([1, 2, 8, 40])):
        changed[chance.randrange(start, len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def tried(data, path, assignments):
    path.write_bytes(data)
    try:
        tell(take_all((path,), assignments))
    except InputError as error:
        return "refused" if len(str(error).splitlines()) == 1 else str(error)
    return "read"
