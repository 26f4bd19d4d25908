"""trust.py: whose code a file is."""

import os
import shutil

import pytest

from grader.grading.trust import note_started, was_started


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """A user who has started nothing yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def mine(tmp_path):
    """A folder that was started here."""
    folder = tmp_path / "mine"
    folder.mkdir()
    note_started(folder)
    return folder


def test_a_folder_that_was_started_here_is_ones_own(mine, tmp_path, monkeypatch):
    """By whatever path it is named."""
    assert was_started(mine)
    (tmp_path / "link").symlink_to(mine)
    assert was_started(tmp_path / "link")
    monkeypatch.chdir(mine)
    assert was_started(mine / ".." / "mine")


def test_nothing_else_is(mine, tmp_path):
    """Neither what lies in it or around it, nor a copy with everything in it: a download holds what its maker wants."""
    (mine / "unpacked").mkdir()
    shutil.copytree(mine, tmp_path / "copy")
    for folder in (tmp_path, mine / "unpacked", tmp_path / "copy", tmp_path / "nowhere"):
        assert not was_started(folder)


def test_another_user_has_started_nothing(mine, monkeypatch, tmp_path):
    """The note is the user's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    assert not was_started(mine)


def test_who_has_no_place_for_a_note_starts_even_so(tmp_path, monkeypatch, state):
    """It is then known of no folder whose it is."""
    state.touch()
    note_started(tmp_path)
    assert not was_started(tmp_path)
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr("pathlib.Path.home", lambda: (_ for _ in ()).throw(RuntimeError))
    note_started(tmp_path)
    assert not was_started(tmp_path)


def test_a_name_may_be_no_text(tmp_path):
    """Folders are called by bytes."""
    folder = tmp_path / os.fsdecode(b"\xff\n")
    folder.mkdir()
    note_started(folder)
    assert was_started(folder)
