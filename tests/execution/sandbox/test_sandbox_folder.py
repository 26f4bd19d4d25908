"""folder.py: a worker's folder, its lock, and the removal of folders that killed judges have left behind."""

import errno
import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.common.errors import WorkerError
from grader.execution.sandbox import folder as module
from grader.execution.sandbox.folder import PREFIX, WorkerFolder, abandoned
from grader.protocol.messages import INPUT_FILE, OUTPUT_FILE

NOBODY = 65534

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user for a moment")

JUDGE = """
import subprocess, sys
from pathlib import Path
from grader.execution.sandbox.folder import WorkerFolder
made = WorkerFolder.make(Path(sys.argv[1]))
(made.path / "home" / "cache").mkdir(parents=True)
(made.path / "home" / "cache" / "kernel.so").write_text("x")
child = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
print(made.path, child.pid, flush=True)
sys.stdin.readline()
"""

CROWD = """
import sys
from pathlib import Path
from grader.execution.sandbox.folder import WorkerFolder, abandoned
for _ in range(80):
    made = WorkerFolder.make(Path(sys.argv[1]))
    with abandoned(made.path.parent) as dead:
        assert made.path not in dead
    made.files.reserve(4)
    assert sorted(path.name for path in made.path.iterdir()) == ["in.bin", "out.bin", "rounds"]
    made.remove()
    assert not made.path.exists()
"""


NEST = """
import os, sys
at = os.open(sys.argv[1], os.O_RDONLY)
for _ in range(2000):
    os.mkdir("n", dir_fd=at)
    below = os.open("n", os.O_RDONLY, dir_fd=at)
    os.close(at)
    at = below
"""


@contextmanager
def judge(parent):
    """Start a judge in a new process, with a folder and a child that outlives it. Yield the process and the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", JUDGE, parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        path, child = process.stdout.readline().split()
        try:
            yield process, Path(path)
        finally:
            process.kill()
            os.kill(int(child), signal.SIGKILL)


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


@contextmanager
def as_nobody():
    """Run this process as an unprivileged user."""
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def swept(parent):
    with abandoned(parent) as dead:
        return dead


def left_behind(parent, name):
    """Create what a killed judge leaves behind: the folder and its files, without a lock."""
    path = parent / f"{PREFIX}{name}"
    path.mkdir()
    (path / INPUT_FILE).touch()
    (path / OUTPUT_FILE).touch()
    return path


def is_locked(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_is_this_users_alone(tmp_path):
    """Other users cannot enter the folder, even if the permissions of its files would allow access. The folder is
    locked, and contains two files and a folder.
    """
    made = WorkerFolder.make(tmp_path)
    assert mode(made.path) == 0o700
    assert {path.name: mode(path) for path in made.path.iterdir()} == {
        INPUT_FILE: 0o600,
        OUTPUT_FILE: 0o600,
        "rounds": 0o700,
    }
    assert is_locked(made.path)
    made.files.share()
    assert (mode(made.path / INPUT_FILE), mode(made.path / OUTPUT_FILE)) == (0o644, 0o666)
    assert mode(made.path) == 0o700
    made.remove()


def test_removing_takes_everything_and_can_be_repeated(tmp_path):
    """A folder is removed with all its files. A second removal does not close a descriptor, because its number may be
    in use again.
    """
    made = WorkerFolder.make(tmp_path)
    (made.path / "home").mkdir()
    (made.path / "home" / "cache").write_text("x")
    made.remove()
    assert list(tmp_path.iterdir()) == []
    others = [os.open(tmp_path, os.O_RDONLY) for _ in range(8)]
    made.remove()
    for descriptor in others:
        os.close(descriptor)


def test_folders_that_a_worker_has_nested_deep_are_removed(tmp_path):
    """Folders that are nested too deeply for Python's own removal are removed by the judge that made them or by the
    next one.
    """
    made = WorkerFolder.make(tmp_path)
    dead = left_behind(tmp_path, "dead")
    for path in (made.path, dead):
        subprocess.run([sys.executable, "-c", NEST, path], check=True)
    made.remove()
    assert swept(tmp_path) == (dead,)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_somebody_else_removed_is_no_error(tmp_path):
    """It is not an error if a cleaner of temporary folders has already removed the folder."""
    made = WorkerFolder.make(tmp_path)
    shutil.rmtree(made.path)
    made.remove()
    assert list(tmp_path.iterdir()) == []


# --- sweeping ---------------------------------------------------------------------------------


def test_a_killed_judges_folder_is_swept_and_a_living_ones_is_not(tmp_path):
    """The lock is released by kill -9, even if a child of that judge lives on. The folder exists until the processes
    that use it have been removed.
    """
    with judge(tmp_path) as (process, path):
        assert swept(tmp_path) == ()
        assert (path / "home" / "cache" / "kernel.so").is_file()
        process.kill()
        process.wait()
        with abandoned(tmp_path) as dead:
            assert dead == (path,)
            assert (path / "home" / "cache" / "kernel.so").is_file()
        assert list(tmp_path.iterdir()) == []


def test_our_own_living_folders_are_left(tmp_path):
    """A judge that starts a second sandbox does not sweep the folders of its first one."""
    made = WorkerFolder.make(tmp_path)
    assert swept(tmp_path) == ()
    assert (made.path / INPUT_FILE).is_file()
    made.remove()


def test_what_only_looks_like_one_is_left(tmp_path):
    """A user's own folder, a file, a link to a real folder, and a folder with another name are not swept."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    real = left_behind(elsewhere, "real")
    notes = tmp_path / f"{PREFIX}notes"
    notes.mkdir()
    (notes / "plan.txt").write_text("x")
    (tmp_path / f"{PREFIX}file").write_text("x")
    (tmp_path / f"{PREFIX}link").symlink_to(real)
    (tmp_path / f"{PREFIX}loop").symlink_to(f"{PREFIX}loop")
    left_behind(tmp_path, "x").rename(tmp_path / "my-grader-worker-x")
    before = sorted(tmp_path.rglob("*"))
    assert swept(tmp_path) == ()
    assert sorted(tmp_path.rglob("*")) == before


def test_links_in_an_abandoned_folder_are_not_followed(tmp_path):
    """Links in an abandoned folder are not followed. In the sandbox `process`, untrusted code can create such links."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.tex").write_text("x")
    path = left_behind(tmp_path, "dead")
    (path / "home").symlink_to(precious)
    (path / OUTPUT_FILE).unlink()
    (path / OUTPUT_FILE).symlink_to(precious / "thesis.tex")
    assert swept(tmp_path) == (path,)
    assert not path.exists()
    assert (precious / "thesis.tex").read_text() == "x"


def test_what_is_abandoned_goes_even_if_the_block_fails(tmp_path):
    """Abandoned folders are removed even if the block fails, for example because the engine does not answer."""
    path = left_behind(tmp_path, "dead")
    with pytest.raises(ZeroDivisionError), abandoned(tmp_path):
        raise ZeroDivisionError
    assert not path.exists()


@only_root
def test_another_users_folder_is_left(tmp_path):
    """Another user's folder is not swept, not even by root. A judge sweeps only the folders of its own user."""
    path = left_behind(tmp_path, "theirs")
    os.chown(path, NOBODY, NOBODY)
    assert swept(tmp_path) == ()
    assert (path / INPUT_FILE).is_file()


@only_root
def test_another_users_folder_that_cannot_be_entered_is_no_obstacle():
    """Two users can grade on one host, although they cannot look into each other's folders."""
    with tempfile.TemporaryDirectory() as shared:  # other users cannot enter pytest's own folder
        Path(shared).chmod(0o1777)
        theirs = WorkerFolder.make(Path(shared))
        with as_nobody():
            ours = left_behind(Path(shared), "ours")
            assert swept(Path(shared)) == (ours,)
        assert theirs.path.is_dir()
        theirs.remove()


# --- races ------------------------------------------------------------------------------------


def test_two_judges_do_not_sweep_the_same_folder(tmp_path):
    """If a judge is already sweeping a folder, a second judge leaves it alone."""
    path = left_behind(tmp_path, "dead")
    with abandoned(tmp_path) as first, abandoned(tmp_path) as second:
        assert (first, second) == ((path,), ())
        assert path.is_dir()
    assert swept(tmp_path) == ()


def test_judges_that_make_and_sweep_at_once_leave_each_other_alone(tmp_path):
    """Three processes create 80 folders each. None of them loses a folder that is in use, and no folder is left at the
    end.
    """
    crowd = [
        subprocess.Popen([sys.executable, "-c", CROWD, tmp_path], stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [process.communicate(timeout=30)[1] for process in crowd] == ["", "", ""]
    assert list(tmp_path.iterdir()) == []


# --- folders that cannot be made --------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "reason"), [("none", "No such file or directory"), ("file", "Not a directory")], ids=["none", "file"]
)
def test_a_place_that_is_none_is_our_error(tmp_path, place, reason):
    """The message contains the path of the place and the system's reason."""
    (tmp_path / "file").touch()
    with pytest.raises(WorkerError) as caught:
        WorkerFolder.make(tmp_path / place)
    assert str(caught.value) == f"cannot make a folder for a worker in {tmp_path / place}: {reason}."


@only_root
def test_a_place_that_cannot_be_written_to_is_our_error(tmp_path):
    """If the place belongs to another user, this is reported, and nothing is created."""
    with as_nobody(), pytest.raises(WorkerError, match="Permission denied"):
        WorkerFolder.make(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("where", "call", "reason"),
    [(fcntl, "flock", errno.ENOTSUP), (os, "open", errno.EMFILE)],
    ids=["a file system without locks", "no descriptors left"],
)
def test_a_lock_that_can_never_be_had_is_our_error(tmp_path, monkeypatch, where, call, reason):
    """If the lock is always refused, this is reported after one folder, and not retried forever."""
    made = []
    make = tempfile.mkdtemp

    def counted(**options):
        assert len(made) < 20, "one folder after the other"
        made.append(make(**options))
        return made[-1]

    def refuse(*_):
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(tempfile, "mkdtemp", counted)
    monkeypatch.setattr(where, call, refuse)
    with pytest.raises(WorkerError):
        WorkerFolder.make(tmp_path)
    assert len(made) == 1


def test_a_full_disk_leaves_no_folder(tmp_path, monkeypatch):
    """If the disk is full, neither a folder nor a lock is left behind."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "ArrayFiles", full)
    before = descriptors()
    with pytest.raises(WorkerError, match="No space left"):
        WorkerFolder.make(tmp_path)
    assert descriptors() == before
    assert list(tmp_path.iterdir()) == []


def test_sweeping_where_there_is_no_folder_finds_nothing(tmp_path):
    """Sweeping a place that does not exist finds nothing and does not raise an error. Only `make` reports it."""
    assert swept(tmp_path / "none") == ()


@pytest.mark.parametrize(
    ("free", "arrays", "rounds"), [(300, "memory", "memory"), (64, "disk", "memory"), (20, "disk", "disk")]
)
def test_rounds_lie_in_memory_also_where_a_container_has_little(tmp_path, monkeypatch, free, arrays, rounds):
    """64 MB of shared memory are enough for the arrays of a launch. The arrays of cases may be larger, and are then on
    a disk.
    """
    places = {name: tmp_path / name for name in ("memory", "disk")}
    for place in places.values():
        place.mkdir()
    monkeypatch.setattr(module, "SHARED_MEMORY", places["memory"])
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(places["disk"]))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free * 1024**2))
    assert module.array_folder() == places[arrays]
    folder = WorkerFolder.make(tmp_path, module.ENOUGH_FOR_ROUNDS)
    assert folder.rounds.is_relative_to(places[rounds])
    folder.remove()
