"""wheel.py: this grader is packed, without a course, into a wheel that pip can install."""

import csv
import io
import subprocess
import sys
import zipfile

import pytest
from project import ROOT

from grader.common.errors import InputError
from grader.lms.wheel import LEFT_OUT, own_wheel, zipped


def members(data):
    """Return the contents of the files in a zip, by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_is_installed_by_pip_and_starts(tmp_path):
    """pip installs the wheel and its command, and the installed files are identical to this source."""
    name, data = own_wheel()
    (tmp_path / name).write_bytes(data)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", tmp_path / "there"]
    subprocess.run([*pip, tmp_path / name], check=True)
    installed = tmp_path / "there" / "grader"
    for path in (
        "cli/main.py",
        "worker/simulator/observer/observer.cpp",
        "worker/simulator/observer.so",
        "worker/simulator/build-observer",
        "execution/sandbox/docker/seccomp.json",
        "lms/templates/setup.sh",
    ):
        assert (installed / path).read_bytes() == (ROOT / "grader" / path).read_bytes()
    assert (tmp_path / "there" / "bin" / "grader").is_file()


def test_no_model_solution_is_in_it_and_nothing_built_but_the_plugin():
    """The wheel contains no model solution, and its only native code is the plug-in.

    The name of the wheel therefore states the platform.
    """
    name, data = own_wheel()
    names = members(data)
    assert not [each for each in names if "reference" in each or each.endswith(".pyc")]
    assert sorted(each for each in names if each.endswith(".cl")) == [
        "grader/kernels/calibration.cl",
        "grader/kernels/device_data.cl",
        "grader/kernels/peak.cl",
    ], "the grader's own kernels, and none of an assignment"
    assert [each for each in names if each.endswith(".so")] == ["grader/worker/simulator/observer.so"]
    assert name.endswith("-py3-none-linux_x86_64.whl")


def test_a_plugin_that_was_never_built_is_missed_here_and_not_by_students(monkeypatch):
    """A wheel without the built plug-in is refused, and the error says how to build it."""
    monkeypatch.setattr("grader.lms.wheel.LEFT_OUT", {*LEFT_OUT, "observer.so"})
    with pytest.raises(InputError, match=r"observer\.so is missing: build it with `make observer`"):
        own_wheel()


def test_its_record_names_every_file():
    """RECORD lists every file with its size, because pip refuses a wheel whose files disagree with it."""
    files = members(own_wheel()[1])
    (record,) = [data for name, data in files.items() if name.endswith(".dist-info/RECORD")]
    rows = list(csv.reader(record.decode().splitlines()))
    assert {row[0] for row in rows} == set(files)
    for name, digest, size in rows:
        assert (not digest and not size) if name.endswith("RECORD") else int(size) == len(files[name])


def test_the_same_files_make_the_same_zip():
    """Equal files lead to an identical zip, regardless of order and time, with Unix permissions."""
    files = {"b": b"1", "a": b"2"}
    data = zipped(files, executable=frozenset({"a"}))
    assert data == zipped(dict(reversed(files.items())), executable=frozenset({"a"}))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    assert modes == {"a": 0o100755, "b": 0o100644}
