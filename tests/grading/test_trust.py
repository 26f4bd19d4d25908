"""trust.py: a folder is trusted if the user has made it with `grader init` on this computer."""

import os
import shutil

import pytest

from grader.grading.trust import note_started, was_started


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """The state folder of a user who has not yet made a folder with `grader init`."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def mine(tmp_path):
    """A folder that is recorded as made by this user on this computer."""
    folder = tmp_path / "mine"
    folder.mkdir()
    note_started(folder)
    return folder


def test_a_folder_that_was_started_here_is_ones_own(mine, tmp_path, monkeypatch):
    """A folder that the user made on this computer is trusted under every path that leads to it."""
    assert was_started(mine)
    (tmp_path / "link").symlink_to(mine)
    assert was_started(tmp_path / "link")
    monkeypatch.chdir(mine)
    assert was_started(mine / ".." / "mine")


def test_nothing_else_is(mine, tmp_path):
    """The folders inside and around a trusted folder are not trusted, and neither is a complete copy of it, because a
    download can contain anything.
    """
    (mine / "unpacked").mkdir()
    shutil.copytree(mine, tmp_path / "copy")
    for folder in (tmp_path, mine / "unpacked", tmp_path / "copy", tmp_path / "nowhere"):
        assert not was_started(folder)


def test_another_user_has_started_nothing(mine, monkeypatch, tmp_path):
    """The record of a folder belongs to one user. For another user, the folder is not trusted."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    assert not was_started(mine)


def test_who_has_no_place_for_a_note_starts_even_so(tmp_path, monkeypatch, state):
    """If the record of a folder cannot be written, no error is raised, and the folder is not trusted."""
    state.touch()
    note_started(tmp_path)
    assert not was_started(tmp_path)
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr("pathlib.Path.home", lambda: (_ for _ in ()).throw(RuntimeError))
    note_started(tmp_path)
    assert not was_started(tmp_path)


def test_a_name_may_be_no_text(tmp_path):
    """A folder can be recorded even if its name is not valid text, because names of folders are bytes."""
    folder = tmp_path / os.fsdecode(b"\xff\n")
    folder.mkdir()
    note_started(folder)
    assert was_started(folder)
