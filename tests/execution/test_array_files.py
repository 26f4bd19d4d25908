"""array_files.py: the judge reads the files that it created, even if a worker truncates or replaces them."""

import os

import numpy as np
import pytest

from grader.common.errors import WorkerError
from grader.execution.array_files import CHUNK, ArrayFiles, RoundFile


@pytest.fixture
def files(tmp_path):
    made = ArrayFiles(tmp_path, tmp_path)
    yield made
    made.close()


def test_arrays_lie_back_to_back(files, tmp_path):
    """Arrays are written in the given order and row by row, even if one of them is a transposed view."""
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    files.send([matrix.T, np.array([7], dtype=np.float32)])
    assert np.fromfile(tmp_path / "in.bin", dtype=np.float32).tolist() == [0, 3, 1, 4, 2, 5, 7]


def test_exactly_the_reserved_bytes_are_read(files, tmp_path):
    """The judge reads only the reserved bytes, even if a worker has made the file longer."""
    files.reserve(4)
    with (tmp_path / "out.bin").open("r+b") as file:
        file.write(b"abcdefgh")
    assert files.receive(4) == b"abcd"


def test_a_cut_file_gives_fewer_bytes(files, tmp_path):
    """A file that a worker has truncated returns fewer bytes. Reading it does not raise the signal that a mapped file
    would.
    """
    files.reserve(8)
    os.truncate(tmp_path / "out.bin", 3)
    assert len(files.receive(8)) == 3


@pytest.mark.parametrize("replacement", ["link", "nothing", "folder"])
def test_other_files_under_the_same_names_are_not_read(files, tmp_path, replacement):
    """The judge reads the file that it has open, even if the name now leads to a link, to a folder or nowhere."""
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
    """A name that already exists is refused, so that the judge does not write through a link."""
    (tmp_path / "in.bin").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        ArrayFiles(tmp_path, tmp_path)


def test_a_full_disk_says_how_much_room_was_wanted(files, monkeypatch):
    """A full disk is an error of grader, and the message contains the number of bytes that were needed."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(WorkerError, match=r"no room for 1,000 bytes in the temporary folder: No space left"):
        files.reserve(1000)


# --- the file of a launch -------------------------------------------------------------------------


@pytest.fixture
def round_file(tmp_path):
    made = RoundFile(tmp_path)
    yield made
    made.close()


def shown(tmp_path):
    return tmp_path / "rounds" / "arrays.bin"


def test_a_launchs_file_appears_all_at_once(round_file, tmp_path):
    """A launch's file of any size is invisible until it is complete."""
    round_file.write([np.zeros(1024, np.uint32), np.arange(4, dtype=np.uint32)], 4112)
    assert not shown(tmp_path).exists()
    round_file.show()
    content = np.fromfile(shown(tmp_path), dtype=np.uint32)
    assert (content[:1024] == 0).all()
    assert content[1024:].tolist() == [0, 1, 2, 3]


def test_what_a_worker_writes_is_read_to_the_last_byte(round_file, tmp_path):
    """A file is read completely, in chunks of random order, which are put together in their original order."""
    size = 5 * CHUNK + 12
    round_file.write([np.zeros(size // 4, np.uint32)], size)
    round_file.show()
    content = np.random.default_rng(1).bytes(size)
    with shown(tmp_path).open("r+b") as file:
        file.write(content)
    assert round_file.read(size) == content


def test_every_launch_has_a_file_of_its_own(round_file, tmp_path):
    """Each launch has its own file. A descriptor of the previous file does not give access to data of the next launch,
    and the memory of the previous file is freed.
    """
    round_file.write([np.full(4, 1, np.uint32)], 16)
    round_file.show()
    with shown(tmp_path).open("r+b") as kept:
        round_file.write([np.full(4, 2, np.uint32)], 16)
        round_file.show()
        assert kept.read() == b""
        kept.write(bytes(16))
    assert np.frombuffer(round_file.read(16), np.uint32).tolist() == [2, 2, 2, 2]


def test_a_launchs_file_that_was_cut_gives_nothing(round_file, tmp_path):
    """If a worker truncates a launch's file, no data is returned, so that no part of it can count as a result."""
    round_file.write([np.zeros(1024, np.uint32)], 4096)
    round_file.show()
    os.truncate(shown(tmp_path), 100)
    assert round_file.read(4096) == b""
