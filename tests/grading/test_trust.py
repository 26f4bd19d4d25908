"""trust.py: a folder is the user's own if `grader init` made the folder for this user on this computer."""

import os
import shutil

import pytest

from grader.grading.trust import note_started, was_started


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """State folder of a user who has not made a folder with `grader init` yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def mine(tmp_path):
    """Folder that is noted as made by this user on this computer."""
    folder = tmp_path / "mine"
    folder.mkdir()
    note_started(folder)
    return folder


def test_a_folder_that_was_started_here_is_ones_own(mine, tmp_path, monkeypatch):
    """A folder that was made on this computer is the user's own, under every path to it."""
    assert was_started(mine)
    (tmp_path / "link").symlink_to(mine)
    assert was_started(tmp_path / "link")
    monkeypatch.chdir(mine)
    assert was_started(mine / ".." / "mine")


def test_nothing_else_is(mine, tmp_path):
    """Neither a folder inside or around the user's own folder nor a complete copy is the user's own. A download
    contains anything that its maker wants.
    """
    (mine / "unpacked").mkdir()
    shutil.copytree(mine, tmp_path / "copy")
    for folder in (tmp_path, mine / "unpacked", tmp_path / "copy", tmp_path / "nowhere"):
        assert not was_started(folder)


def test_another_user_has_started_nothing(mine, monkeypatch, tmp_path):
    """A note about a folder belongs to one user. For another user, the folder was not made here."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    assert not was_started(mine)


def test_who_has_no_place_for_a_note_starts_even_so(tmp_path, monkeypatch, state):
    """If the note about a folder cannot be written, no error is raised. Then no folder is known as the user's own."""
    state.touch()
    note_started(tmp_path)
    assert not was_started(tmp_path)
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr("pathlib.Path.home", lambda: (_ for _ in ()).throw(RuntimeError))
    note_started(tmp_path)
    assert not was_started(tmp_path)


def test_a_name_may_be_no_text(tmp_path):
    """A note can be made for a folder whose name is not text, because names of folders are bytes."""
    folder = tmp_path / os.fsdecode(b"\xff\n")
    folder.mkdir()
    note_started(folder)
    assert was_started(folder)
