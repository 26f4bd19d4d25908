"""devices.py: a worker can open the nodes in /dev that computing needs and all files elsewhere, but no terminals."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.forkserver import devices

pytestmark = pytest.mark.skipif(not devices.can_be_listed(), reason="this kernel has no Landlock")

TRY = """
import os, stat, sys
from grader.forkserver import devices, libc
libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
devices.open_only_listed()
def attempt(what):
    try:
        what()
        return "done"
    except OSError as error:
        return type(error).__name__
def opened(path, how=os.O_RDWR):
    return attempt(lambda: os.close(os.open(path, how | os.O_NONBLOCK)))
"""


def confined(code, *args):
    """Return the words that a process prints after it has restricted itself."""
    command = [sys.executable, "-I", "-c", TRY + code, *map(str, args)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout.split()


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"])
def test_what_every_program_expects_can_be_opened(path):
    """The nodes that every program expects can be read and written."""
    assert confined(f"print(opened({path!r}))") == ["done"]


@pytest.mark.sampled
@pytest.mark.parametrize("how", ["os.O_RDONLY", "os.O_WRONLY", "os.O_RDWR"])
@pytest.mark.parametrize("path", ["/dev/ptmx", "/dev/tty", "/dev/pts/ptmx"])
def test_no_terminal_can_be_opened(path, how):
    """No terminal can be opened, not even for reading, because opening one creates it. A path through a link is refused
    as well.
    """
    if not Path(path).exists():
        pytest.skip(f"there is no {path}")
    assert confined(f"print(opened({path!r}, {how}))") == ["PermissionError"]
    assert confined(f"print(opened('/proc/self/root{path}', {how}))") == ["PermissionError"]


def test_python_makes_no_terminal():
    """Python cannot create a terminal with any function of the C library."""
    assert confined("print(attempt(os.openpty))")[0] in {"OSError", "PermissionError"}


def test_all_other_nodes_are_closed():
    """Device nodes that are not in the list, such as disks and consoles, cannot be opened, even in subfolders."""
    code = """
for folder, _, names in os.walk("/dev"):
    for path in (os.path.join(folder, name) for name in names):
        if not devices.LISTED.match(path.split("/")[2]) and not os.path.islink(path):
            print(opened(path, os.O_RDONLY), path)
"""
    said = confined(code)
    assert len(said) > 2
    assert set(said[::2]) == {"PermissionError"}


@pytest.mark.parametrize("name", ["nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-caps", "dri", "kfd", "dxg", "null"])
def test_gpus_are_listed(name):
    """GPUs are in the list under the names that their drivers use."""
    assert devices.LISTED.match(name)


@pytest.mark.parametrize(
    "name", ["ptmx", "pts", "tty", "tty0", "ttyS0", "console", "null0", "sda", "kmsg", "userfaultfd"]
)
def test_terminals_and_disks_are_not_listed(name):
    """Terminals, disks, and names that only begin like a listed name are not in the list."""
    assert not devices.LISTED.match(name)


def test_files_elsewhere_are_as_they_were(tmp_path):
    """Outside /dev and in shared memory, files can be read, written, created, linked and moved between folders."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "file").write_text("before")
    code = f"""
os.chdir({str(tmp_path)!r})
shared = f"/dev/shm/grader-test-{{os.getpid()}}"
print(attempt(lambda: open("one/file", "r+").write("after!")))
print(attempt(lambda: os.rename("one/file", "two/file")))
print(attempt(lambda: os.link("two/file", "one/link")))
print(attempt(lambda: os.listdir("/dev")))
print(opened("/proc/self/maps", os.O_RDONLY), opened("/dev/fd/1", os.O_WRONLY), opened("/dev/stdout", os.O_WRONLY))
print(opened(shared, os.O_RDWR | os.O_CREAT), attempt(lambda: os.remove(shared)))
"""
    assert confined(code) == ["done"] * 9
    assert (tmp_path / "one" / "link").read_text() == "after!"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes device nodes")
def test_root_makes_no_node_of_its_own(tmp_path):
    """Root cannot create a device node outside /dev, but can create pipes."""
    code = """
os.chdir(sys.argv[1])
print(attempt(lambda: os.mknod("terminal", 0o600 | stat.S_IFCHR, os.makedev(5, 2))))
print(attempt(lambda: os.mknod("disk", 0o600 | stat.S_IFBLK, os.makedev(7, 0))))
print(attempt(lambda: os.mkfifo("pipe")))
"""
    assert confined(code, tmp_path) == ["PermissionError", "PermissionError", "done"]


def test_children_are_confined_alike():
    """A child process is restricted like its parent, even after it has executed another program."""
    code = "import subprocess; print(subprocess.run(['sh', '-c', ': < /dev/ptmx'], stderr=-3).returncode != 0)"
    assert confined(code) == ["True"]


def test_without_landlock_nothing_is_closed(monkeypatch):
    """Without Landlock, or with its first version, which would forbid moving files between folders, no device is
    closed.
    """
    monkeypatch.setattr(devices.libc, "system_call", lambda *_: 1)
    assert not devices.can_be_listed()

    def unknown(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(devices.libc, "system_call", unknown)
    assert not devices.can_be_listed()


@pytest.mark.parametrize(("there", "called"), [((), True), (("nvidia-uvm",), False)])
def test_missing_nodes_of_a_gpu_are_made(tmp_path, monkeypatch, there, called):
    """NVIDIA's own program creates missing nodes, with the arguments that NVIDIA's library uses. Workers cannot call
    it.
    """
    for name in there:
        (tmp_path / name).touch()
    program = tmp_path / devices.NVIDIAS_PROGRAM
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\n')
    program.chmod(0o755)
    monkeypatch.setattr(devices, "DEV", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    devices.make_missing()
    assert (tmp_path / "called").exists() is called
    assert not called or (tmp_path / "called").read_text() == "-u -c 0\n"


def test_without_that_program_nothing_happens(tmp_path, monkeypatch):
    """Without NVIDIA's program, no node is created, as on a machine without NVIDIA GPUs."""
    monkeypatch.setattr(devices, "DEV", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    devices.make_missing()
    assert list(tmp_path.iterdir()) == []
