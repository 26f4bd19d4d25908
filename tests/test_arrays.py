"""arrays.py: the judge reads what it made, whatever a worker does to it."""

import os

import numpy as np
import pytest

from grader.arrays import ArrayFiles
from grader.errors import WorkerError


@pytest.fixture
def files(tmp_path):
    made = ArrayFiles(tmp_path)
    yield made
    made.close()


def test_arrays_lie_back_to_back(files, tmp_path):
    """In the order they are given, row by row, also where an array is a transposed view."""
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    files.send([matrix.T, np.array([7], dtype=np.float32)])
    assert np.fromfile(tmp_path / "in.bin", dtype=np.float32).tolist() == [0, 3, 1, 4, 2, 5, 7]


def test_exactly_the_reserved_bytes_are_read(files, tmp_path):
    """A worker that lets its file grow is not read further."""
    files.reserve(4)
    with (tmp_path / "out.bin").open("r+b") as file:
        file.write(b"abcdefgh")
    assert files.receive(4) == b"abcd"


def test_a_cut_file_gives_fewer_bytes(files, tmp_path):
    """And no signal, as a mapped one would."""
    files.reserve(8)
    os.truncate(tmp_path / "out.bin", 3)
    assert len(files.receive(8)) == 3


@pytest.mark.parametrize("replacement", ["link", "nothing", "folder"])
def test_other_files_under_the_same_names_are_not_read(files, tmp_path, replacement):
    """A link to somebody else's file, a folder, or nothing: the judge holds on to its own."""
    files.reserve(6)
    (tmp_path / "secret").write_text("secret")
    out = tmp_path / "out.bin"
    out.unlink()
    if replacement == "link":
        out.symlink_to(tmp_path / "secret")
    elif replacement == "folder":
        out.mkdir()
    assert files.receive(6) == bytes(6)


def test_names_that_are_taken_are_not_used(tmp_path):
    """A link that waits for the judge to write through it is refused."""
    (tmp_path / "in.bin").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        ArrayFiles(tmp_path)


def test_a_full_disk_says_how_much_room_was_wanted(files, monkeypatch):
    """It is our fault, and has a remedy."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(WorkerError, match=r"no room for 1,000 bytes in the temporary folder: No space left"):
        files.reserve(1000)
