"""debian.py: the packages that a driver needs at run time, and the messages if apt fails."""

import os
import stat

import pytest

from grader.cli.machine import debian
from grader.cli.machine.debian import packages_of, runtime
from grader.common.errors import SetupError

DESCRIBED = """\
Package: pocl-opencl-icd
Section: libs
Size: 23880
Depends: libpocl2 (= 3.1-3), ocl-icd-libopencl1 | libopencl1
Description: an OpenCL driver
 Package: this line belongs to the description

Package: libpocl2
Section: non-free/libs
Size: 13784788
Pre-Depends: multiarch-support
Depends: clang-15, libllvm15 (>= 1:15~++20220719), libpocl2-common (= 3.1-3)

Package: clang-15
Section: devel
Size: 105496
Depends: libgcc-12-dev, libclang1-15

Package: libgcc-12-dev
Section: libdevel
Size: 2437204
Depends: libasan8

Package: libllvm15
Section: libs
Size: 23115156
Depends: libc6 (>= 2.34)

Package: libpocl2-common
Section: utils
Size: 88960

Package: libclang1-15
Section: libs
Size: 6346072

Package: libasan8
Section: libs
Size: 2192652
"""


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Return a function that creates a program from a shell script, in a folder at the front of PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")

    def put(name, script):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    return put


def test_only_what_a_driver_needs_to_run_is_unpacked():
    """Only packages that a driver needs at run time are unpacked, including dependencies and their alternatives.

    Packages that are needed only for compiling are left out.
    """
    lacking = {each.name: each for each in packages_of(DESCRIBED)}
    assert lacking["libpocl2"].section == "libs"
    assert lacking["pocl-opencl-icd"].needs == ("libpocl2", "ocl-icd-libopencl1", "libopencl1")
    found = runtime("pocl-opencl-icd", lacking)
    assert {each.name for each in found} == {"pocl-opencl-icd", "libpocl2", "libllvm15", "libpocl2-common"}
    assert sum(each.size for each in found) == 23880 + 13784788 + 23115156 + 88960


def test_what_is_installed_already_is_not_fetched():
    """An installed dependency is not downloaded, nor are its dependencies, because apt lists only missing packages."""
    lacking = {each.name: each for each in packages_of(DESCRIBED) if each.name != "libpocl2"}
    assert [each.name for each in runtime("pocl-opencl-icd", lacking)] == ["pocl-opencl-icd"]


APT = """
case "$*" in
*update*) ;;
*-s*install*) echo "Inst pocl-opencl-icd (3.1 Debian:12 [amd64])"; echo "Conf pocl-opencl-icd (3.1)" ;;
*download*) echo "$*" >> "$LOG"; printf 'deb' > pocl-opencl-icd_3.1_amd64.deb ;;
esac"""

SHOW = "printf 'Package: pocl-opencl-icd\\nSection: libs\\nSize: 3\\n'"


def test_archives_are_told_by_their_addresses(tools):
    """The address of each archive is listed once, without downloading anything."""
    lines = [
        f"'http://{host}/dists/stable/{name}' x 0 "
        for host in ("one/debian", "two")
        for name in ("InRelease", "main/P")
    ]
    tools("apt-get", "\n".join(f'[ "$2" = --print-uris ] && echo "{line}"' for line in lines))
    assert debian.sources() == ("http://one/debian", "http://two")


def test_a_package_that_is_there_is_not_downloaded_again(tools, tmp_path, monkeypatch):
    """A run after an interrupted one keeps complete packages and downloads incomplete ones again."""
    log = tmp_path / "log"
    monkeypatch.setenv("LOG", str(log))
    tools("apt-get", APT)
    tools("apt-cache", SHOW)
    tools("dpkg", 'mkdir -p "$3"; echo unpacked > "$3/file"')
    told = []
    for _ in range(2):
        root = debian.unpack("pocl-opencl-icd", tmp_path / "work", told.append)
        assert (root / "file").read_text() == "unpacked\n"
    assert len(log.read_text().splitlines()) == 1
    assert "package 1 of 1: pocl-opencl-icd, 0.0 MB" in told
    (tmp_path / "work" / "debs" / "pocl-opencl-icd_3.1_amd64.deb").write_bytes(b"de")
    debian.unpack("pocl-opencl-icd", tmp_path / "work", told.append)
    assert len(log.read_text().splitlines()) == 2


def test_a_failing_apt_is_told_in_a_line(tools):
    """A failure of apt raises SetupError with a one-line message.

    The message contains the command, its first error, and the advice that `grader setup` can be repeated.
    """
    tools("apt-get", 'echo "W: a warning" >&2; echo "E: Unable to fetch some archives" >&2; exit 100')
    with pytest.raises(SetupError) as raised:
        debian.install(["binutils"], lambda _: None)
    assert str(raised.value).startswith("`apt-get update` failed: Unable to fetch some archives. Fix")
    assert "continues from there" in str(raised.value)
    assert "\n" not in str(raised.value)


UNREACHED = "Failed to fetch http://archive.example/InRelease Could not resolve 'archive.example'"


@pytest.mark.parametrize(
    ("warned", "said"),
    [(f"W: {UNREACHED}", f"{UNREACHED}. Fix "), ("", "none of its configured archives has it. Add ")],
)
def test_a_package_that_apt_does_not_know_is_told_with_the_reason(tools, tmp_path, warned, said):
    """A package that apt does not know raises SetupError with apt's warning as the reason.

    Without a network, `apt-get update` succeeds with a warning, and apt then does not find any package.
    """
    tools("apt-get", f'echo "{warned}" >&2')
    tools("apt-cache", 'echo "E: No packages found" >&2; exit 100')
    for attempt in (
        lambda: debian.install(["binutils"], lambda _: None),
        lambda: debian.unpack("binutils", tmp_path / "work", lambda _: None),
    ):
        with pytest.raises(SetupError) as raised:
            attempt()
        assert str(raised.value).startswith(f"apt does not know the package binutils: {said}")
        assert "continues from there" in str(raised.value)


def test_a_disk_that_fills_up_while_unpacking_is_told(tools, tmp_path):
    """A full disk raises SetupError with tar's message from an earlier line, because dpkg says only that tar failed."""
    tools("apt-get", APT.replace('echo "$*" >> "$LOG"; ', ""))
    tools("apt-cache", SHOW)
    lines = ("tar: ./x: Wrote only 512 bytes", "tar: ./x: Cannot write: No space left", "dpkg-deb: error: tar failed")
    tools("dpkg", "".join(f"echo '{line}' >&2\n" for line in lines) + "exit 2")
    with pytest.raises(SetupError, match=r"`dpkg -x` failed: tar: \./x: Cannot write: No space left\. Fix"):
        debian.unpack("pocl-opencl-icd", tmp_path / "work", lambda _: None)


def test_root_installs_without_questions(tools, tmp_path, monkeypatch):
    """An installation by root asks no questions, updates the package lists first and omits recommended packages."""
    log = tmp_path / "log"
    monkeypatch.setenv("LOG", str(log))
    tools("apt-cache", "")
    tools("apt-get", 'echo "$DEBIAN_FRONTEND $*" >> "$LOG"')
    said = []
    debian.install(["binutils", "pocl-opencl-icd"], said.append)
    assert said == ["fetching the lists of packages", "installing binutils and pocl-opencl-icd, with dependencies"]
    first, second = log.read_text().splitlines()
    assert first.endswith("update")
    assert second == "noninteractive install --yes --no-install-recommends -q binutils pocl-opencl-icd"
