"""environment.py: the environment variables of a worker, and how it finds an OpenCL driver in a folder of the user."""

import os
from pathlib import Path

import pytest
from docker.errors import ContainerError

from grader.execution.sandbox.environment import complete, driver_environment, environment, own_driver
from grader.worker.drivers import OWN_DRIVERS, SHIPPED, find_drivers


@pytest.mark.parametrize(
    ("allowed", "pins"), [({0, 1, 2, 3}, "1"), ({0}, "0"), ({0, 1, 2}, "0"), ({1}, "0"), ({1, 2, 3}, "0")]
)
def test_threads_are_pinned_only_if_all_processors_are_ours(allowed, pins, monkeypatch):
    """Threads are pinned only if all processors of the machine are allowed. PoCL pins a thread to each of them, and
    aborts the worker if a cpuset forbids one.
    """
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert environment("/home", allowed)["POCL_AFFINITY"] == pins


USES_POCL = "import pyopencl as cl; [cl.Context(each.get_devices()) for each in cl.get_platforms()]; print('used')"


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors, of which one is taken away")
@pytest.mark.parametrize("processor", [0, 1])
def test_pocl_runs_in_a_cpuset(engine, worker_image, processor):
    """PoCL runs in a cpuset with one processor, as in a job of a batch system. With the variables for a whole machine,
    it aborts there.
    """

    def used_by(allowed):
        command = ["/opt/grader/bin/python3", "-I", "-c", USES_POCL]
        given = {"environment": environment("/tmp", allowed), "cpuset_cpus": str(processor)}
        return engine.containers.run(worker_image, entrypoint=command, remove=True, **given).decode().strip()

    assert used_by({processor}) == "used"
    with pytest.raises(ContainerError, match="Invalid argument"):
        used_by(set(range(os.cpu_count())))


@pytest.fixture
def unpacked(tmp_path, monkeypatch):
    """The folder of a user's own driver, with unpacked packages."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    root = own_driver() / "root"
    libraries = root / "usr" / "lib" / "x86_64-linux-gnu"
    libraries.mkdir(parents=True)
    (libraries / "libpocl.so.2.10.0").write_bytes(b"")
    (root / "etc" / "OpenCL" / "vendors").mkdir(parents=True)
    (root / "etc" / "OpenCL" / "vendors" / "pocl.icd").write_text("libpocl.so.2.10.0")
    return own_driver()


def test_without_a_driver_a_worker_is_told_nothing(tmp_path, monkeypatch):
    """If the user has no driver, a worker does not get any variables."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert driver_environment({}) == {}


@pytest.mark.usefixtures("unpacked")
def test_packages_alone_are_no_driver():
    """Unpacked packages that an interrupted set-up has left are not used."""
    assert driver_environment({}) == {}


def test_a_worker_is_told_of_the_driver_and_its_libraries(unpacked):
    """A worker gets the folders of the driver and of its libraries. The caller's library path is kept, after the
    driver's.
    """
    complete(unpacked, unpacked)
    libraries = unpacked / "root" / "usr" / "lib" / "x86_64-linux-gnu"
    assert (unpacked / ".libs" / "pocl.icd").read_text() == f"{libraries / 'libpocl.so.2.10.0'}\n"
    assert driver_environment({}) == {OWN_DRIVERS: str(unpacked), "LD_LIBRARY_PATH": str(libraries)}
    assert driver_environment({"LD_LIBRARY_PATH": "/opt/lib"})["LD_LIBRARY_PATH"] == f"{libraries}:/opt/lib"


def test_it_is_named_by_where_it_will_be(unpacked, tmp_path):
    """A driver is completed in one folder and then moved to another. Its files contain the path of the final folder."""
    complete(unpacked, tmp_path / "home")
    assert (unpacked / ".libs" / "pocl.icd").read_text().startswith(f"{tmp_path / 'home' / 'root'}/usr/lib/")


def test_half_a_package_is_an_error(unpacked):
    """If a library of the driver is missing, set-up fails, rather than the first kernel."""
    (unpacked / "root" / "usr" / "lib" / "x86_64-linux-gnu" / "libpocl.so.2.10.0").unlink()
    with pytest.raises(FileNotFoundError, match="no package contains"):
        complete(unpacked, unpacked)


def test_a_worker_searches_the_users_own_drivers(monkeypatch):
    """A user's own drivers replace those that pyopencl ships with its libraries."""
    monkeypatch.setenv(SHIPPED, "pyopencl's own")
    monkeypatch.setenv(OWN_DRIVERS, "/data/pocl")
    find_drivers()
    assert os.environ[SHIPPED] == "/data/pocl"


def test_a_worker_does_not_load_the_simulator_among_drivers(tmp_path, monkeypatch):
    """The simulator is left out of pyopencl's drivers. All other drivers are given by their full paths."""
    libraries = tmp_path / "pyopencl" / ".libs"
    libraries.mkdir(parents=True)
    for name in ("oclgrind", "pocl"):
        (libraries / f"{name}.icd").write_text(f"lib{name}-1.so\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(SHIPPED, str(libraries.parent))
    monkeypatch.delenv(OWN_DRIVERS, raising=False)
    find_drivers()
    found = Path(os.environ[SHIPPED]) / ".libs"
    assert {path.name: path.read_text() for path in found.iterdir()} == {"pocl.icd": f"{libraries / 'libpocl-1.so'}\n"}


def test_without_pyopencls_loader_nothing_is_changed(monkeypatch):
    """Without pyopencl's own loader, as in a distribution's package, nothing is changed, because that pyopencl finds
    only the machine's drivers.
    """
    monkeypatch.delenv(SHIPPED, raising=False)
    monkeypatch.delenv(OWN_DRIVERS, raising=False)
    find_drivers()
    assert SHIPPED not in os.environ
