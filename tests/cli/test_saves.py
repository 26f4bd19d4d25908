"""saves.py: each version of a file is returned once, regardless of how an editor saves it."""

import os
import threading
import time
from pathlib import Path

import pytest

from grader.cli.saves import Saves

PATIENCE = 20
"""Seconds that a busy machine may need to notice a save."""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "kernels.cl"
    path.write_text("first")
    return path


def then(save):
    """Call `save` in another thread after 0.3 seconds."""
    thread = threading.Timer(0.3, save)
    thread.start()
    return thread


def test_the_first_content_is_what_there_is(path):
    """The first content is returned immediately and does not count as a save."""
    saves = Saves(path, print)
    assert next(saves.contents()) == b"first"
    assert not saves.is_saved_again()


def renamed(path):
    new = path.with_suffix(".tmp")
    new.write_text("second")
    new.replace(path)


def emptied_first(path):
    with path.open("w") as file:
        file.flush()
        time.sleep(0.25)
        file.write("second")


def written_twice(path):
    path.write_text("sec")
    path.write_text("second")


def removed_first(path):
    path.unlink()
    time.sleep(0.25)
    path.write_text("second")


@pytest.mark.sampled
@pytest.mark.parametrize("save", [renamed, emptied_first, written_twice, removed_first])
def test_however_an_editor_writes_it_a_save_is_one_content(path, save):
    """A save yields one content, even if the editor renames, empties or removes the file, or writes it twice."""
    saves = Saves(path, print)
    contents = saves.contents()
    assert next(contents) == b"first"
    thread = then(lambda: save(path))
    assert next(contents) == b"second"
    thread.join(PATIENCE)
    assert not saves.is_saved_again()


def test_the_same_content_again_is_none(path):
    """A save without a change, or `touch`, does not yield any content."""
    saves = Saves(path, print)
    contents = saves.contents()
    next(contents)
    os.utime(path, (1, 1))
    thread = then(lambda: path.write_text("third"))
    assert next(contents) == b"third"
    thread.join(PATIENCE)


def test_a_save_is_seen_while_something_else_is_done(path):
    """A save with equal length is noticed between two calls. A missing file does not count as a save."""
    saves = Saves(path, print)
    next(saves.contents())
    path.unlink()
    assert not saves.is_saved_again()
    path.write_text("other")
    assert saves.is_saved_again()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (Path.unlink, "kernels.cl is missing; save it again under this name"),
        (Path.touch, "kernels.cl is empty; write your kernel in it and save it"),
    ],
    ids=["missing", "empty"],
)
def test_a_file_without_a_content_is_mentioned_once_and_graded_when_it_is_back(path, spoil, said):
    """A file that stays missing or empty is mentioned once. The same content is then graded again."""
    notes = []

    def note(words):
        notes.append(words)
        then(lambda: path.write_text("first"))

    contents = Saves(path, note).contents()
    assert next(contents) == b"first"
    path.unlink()
    path.touch()
    spoil(path)
    assert next(contents) == b"first"
    assert notes == [said]
