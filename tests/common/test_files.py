"""files.py: an output file is written completely or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from grader.common import files
from grader.common.errors import InputError
from grader.common.files import check_writable, write_new, write_whole


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class FullFile:
    """A file that accepts half of a text before the disk is full."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, text):
        self.file.write(text[: len(text) // 2])
        self.file.flush()
        full_disk()


@pytest.fixture
def old(tmp_path):
    """The path of a file that already exists."""
    path = tmp_path / "report.xml"
    path.write_text("older", encoding="utf-8")
    return path


def alone(path):
    """Return True if the folder contains only this file, and no temporary file."""
    return [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_text_is_written_as_it_is(tmp_path):
    """A text is written unchanged as UTF-8 in every locale, and no other file is left in the folder."""
    path = tmp_path / "report.xml"
    write_whole(path, "é 漢字\n")
    assert path.read_bytes() == "é 漢字\n".encode()
    assert alone(path)


def test_an_older_file_is_replaced_whole(old):
    """A text that is shorter than the existing file replaces it completely."""
    old.write_text("older " * 1000)
    write_whole(old, "new")
    assert old.read_text() == "new"
    assert alone(old)


def test_a_file_name_without_a_folder_means_the_working_directory(tmp_path, monkeypatch):
    """A file name without a folder refers to the working directory."""
    monkeypatch.chdir(tmp_path)
    check_writable(Path("report.xml"))
    write_whole(Path("report.xml"), "new")
    assert (tmp_path / "report.xml").read_text() == "new"


@pytest.mark.parametrize("fails", ["writing", "setting permissions", "replacing", "making"])
def test_a_failure_leaves_the_older_file_and_nothing_else(old, monkeypatch, fails):
    """If the disk is full at any step, the existing file is unchanged and no other file is left. The message names the
    file.
    """
    match fails:
        case "writing":
            fdopen = os.fdopen
            monkeypatch.setattr(os, "fdopen", lambda *args, **kwargs: FullFile(fdopen(*args, **kwargs)))
        case "setting permissions":
            monkeypatch.setattr(os, "fchmod", full_disk)
        case "replacing":
            monkeypatch.setattr(os, "replace", full_disk)
            monkeypatch.setattr(Path, "replace", full_disk)
        case "making":
            monkeypatch.setattr(files.tempfile, "mkstemp", full_disk)
    with pytest.raises(InputError, match="No space left on device") as caught:
        write_whole(old, "new " * 1000)
    monkeypatch.undo()
    assert str(old) in str(caught.value)
    assert old.read_text() == "older"
    assert alone(old)


def test_an_interruption_leaves_the_older_file(old, monkeypatch):
    """An interrupt during writing keeps the existing file, and an incomplete report never gets its name."""

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fchmod", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(old, "new")
    monkeypatch.undo()
    assert old.read_text() == "older"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask(tmp_path, umask, mode):
    """A written file has the permissions that the umask allows, like any new file but unlike a temporary one.

    The umask itself does not change.
    """
    path = tmp_path / "report.xml"
    before = os.umask(umask)
    try:
        write_whole(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == mode
    finally:
        assert os.umask(before) == umask


def test_a_file_that_can_be_written_is_not_touched_by_the_check(old, tmp_path):
    """`check_writable` does not change an existing file or create a new one."""
    check_writable(old)
    check_writable(tmp_path / "new.json")
    assert old.read_text() == "older"
    assert alone(old)


def test_a_folder_is_refused(tmp_path):
    """A folder is refused as the path of a report, with a message that says what to do."""
    with pytest.raises(InputError, match="it is a folder; name a file"):
        check_writable(tmp_path)


def test_a_missing_folder_is_refused(tmp_path):
    """A report in a missing folder is refused, with a message that says what to do.

    The folder is not created, because its name may be a typing error.
    """
    with pytest.raises(InputError, match=r"there is no folder .*results; make it first"):
        check_writable(tmp_path / "results" / "report.xml")
    assert not (tmp_path / "results").exists()


def test_a_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    """A folder of another user is refused before the grading rather than after it.

    The test replaces `os.access`, because root can write to every folder.
    """
    asked = []
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append((path, mode)))
    with pytest.raises(InputError, match="is not yours to write to"):
        check_writable(tmp_path / "report.xml")
    assert asked == [(tmp_path, os.W_OK)]


def test_what_is_no_regular_file_is_refused(tmp_path):
    """A pipe or a device is refused, because a report would replace it while another program reads from it."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe"):
        check_writable(tmp_path / "pipe")


def test_new_files_are_written_with_their_folders(tmp_path):
    """New files are created with their folders, and those that are programs become executable."""
    written = write_new({"a/b.txt": "é", "run": b"#!/bin/sh\n"}, tmp_path / "new", frozenset({"run"}))
    assert written == [tmp_path / "new" / "a" / "b.txt", tmp_path / "new" / "run"]
    assert [path.read_bytes() for path in written] == ["é".encode(), b"#!/bin/sh\n"]
    assert [bool(path.stat().st_mode & 0o111) for path in written] == [False, True]


def test_a_new_file_is_never_written_over_another(tmp_path):
    """If one of the new files already exists, the error names it and no file is written."""
    (tmp_path / "Dockerfile").write_text("mine")
    with pytest.raises(InputError, match=r"already contains Dockerfile; choose an empty folder"):
        write_new({"setup.sh": "", "Dockerfile": ""}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["Dockerfile"]


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    """If a file is in the place of a folder, a one-line error says that the folder cannot be created."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot make the folder"):
        write_new({"a": b""}, tmp_path / "file" / "below")
