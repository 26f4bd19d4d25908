"""feedback_zip.py: Moodle delivers each file of the zip to the right student."""

import hashlib
import zipfile
from dataclasses import replace

import pytest
from student_rows import STUDENTS

from grader.common.errors import InputError
from grader.course.submissions.handin import Student
from grader.lms.exports.feedback import feedback_zip

PAGES = [(each, "coalsTransp.html", f"<p>{each.label}".encode()) for each in STUDENTS]


def imported(path, participants):
    """Return the files, by participant, that Moodle's importer would take from a zip.

    The number of the participant is between the first two underscores of a part of the path, and the two names of a
    plug-in follow it. Hidden files are ignored.
    """
    taken = {}
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            *_, name = parts = info.filename.split("/")
            if name.startswith((".", "~")):
                continue
            for place, part in enumerate(parts):
                pieces = part.split("_", 4)
                if len(pieces) >= 4 and pieces[1].isdecimal() and pieces[1] in participants:
                    assert pieces[2:4] == ["assignsubmission", "file"]
                    rest = "/".join([*pieces[4:], *parts[place + 1 :]]).lstrip("/")
                    taken.setdefault(pieces[1], {})[rest] = archive.read(info)
                    break
    return taken


def test_every_page_arrives_at_its_student(tmp_path):
    """Every page reaches its student, even if a name has underscores, slashes, quotes or right-to-left letters."""
    path = tmp_path / "feedback.zip"
    assert feedback_zip(path, PAGES) == ()
    expected = {each.key: {"coalsTransp.html": data} for each, _, data in PAGES}
    assert imported(path, {each.key for each in STUDENTS}) == expected
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[0] == "Ada Lovelace_101_assignsubmission_file_/coalsTransp.html"


@pytest.mark.parametrize("name", ["../../etc", "a_999_b_c", "", "..", "\x00\x1b[2J", "x" * 500, "C:\\x", "é" * 300])
def test_no_name_leads_elsewhere(tmp_path, name):
    """No name leads out of the folder into which the zip is unpacked, or to another student."""
    path = tmp_path / "feedback.zip"
    feedback_zip(path, [(Student(label="a", name=name, key="7"), ".hidden/~x.html", b"x")])
    assert list(imported(path, {"7", "999"})) == ["7"]
    (entry,) = zipfile.ZipFile(path).namelist()
    folder, _ = entry.split("/")
    assert folder.count("_") == 4
    assert not folder.startswith(".")
    assert len(folder.encode()) <= 255


def test_the_same_feedback_is_the_same_file(tmp_path):
    """Equal feedback leads to equal bytes at any time."""
    for name in ("one.zip", "two.zip"):
        feedback_zip(tmp_path / name, PAGES)
    one, two = (hashlib.sha256((tmp_path / name).read_bytes()).digest() for name in ("one.zip", "two.zip"))
    assert one == two
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_who_has_no_number_is_left_out_and_reported(tmp_path):
    """A student without a number is left out and reported once, regardless of the number of pages."""
    local = replace(STUDENTS[0], key=None)
    remarks = feedback_zip(tmp_path / "f.zip", [(local, "a.html", b""), (local, "b.html", b""), PAGES[1]])
    assert [remark.where for remark in remarks] == ["s101"]
    assert list(imported(tmp_path / "f.zip", {"102"})) == ["102"]


def test_a_zip_is_whole_or_not_there(tmp_path):
    """If a page cannot be made, the earlier zip is kept and no partial file is left."""
    path = tmp_path / "f.zip"
    path.write_bytes(b"before")

    def broken():
        yield PAGES[0]
        raise RuntimeError("no page")

    with pytest.raises(RuntimeError, match="no page"):
        feedback_zip(path, broken())
    assert path.read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir()] == ["f.zip"]
    with pytest.raises(InputError, match="cannot write"):
        feedback_zip(tmp_path / "none" / "f.zip", PAGES)
