"""tools/: the setup reports everything that a machine lacks, both before and while it installs packages."""

import subprocess

import pytest
from project import ROOT

WIDTH = 80


@pytest.fixture
def fake(tmp_path):
    """Return a function that writes a shell script as an executable file in a temporary folder, and returns
    its path.
    """

    def put(name, script):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return put


def complaint(folder, *command):
    """Return the error output of a tool that must fail, without its first line, which another program writes."""
    done = subprocess.run(("sh", *command), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    _, *lines = done.stderr.splitlines()
    assert max(map(len, lines)) <= WIDTH
    return " ".join(line.strip() for line in lines)


def test_a_folder_without_room_or_rights_is_told(fake, tmp_path):
    """If the folder cannot be used, the message states its free space and the next step."""
    python = fake("python", "echo 'Error: [Errno 13] Permission denied' >&2; exit 1")
    line = complaint(tmp_path, ROOT / "tools" / "make-venv", python, ".")
    assert line.startswith(f"cannot make .venv in {tmp_path}, for the reason above.")
    assert " MB free. " in line
    assert line.endswith("and run make again.")


def test_a_pip_that_fails_is_told_with_the_next_step(fake, tmp_path):
    """If pip fails, for example because of the network or a full disk, the message states the free space and the next
    step. Apart from its errors, pip prints nothing.
    """
    python = fake("python", "exit 0")
    fake(".venv/bin/pip", "echo 'ERROR: No space left on device' >&2; [ \"$2\" = --quiet ] && exit 1; exit 0")
    line = complaint(tmp_path, ROOT / "tools" / "make-venv", python, ".")
    assert line.startswith("pip could not install the packages, for the reason above.")
    assert line.count(" MB free") == 2
    assert line.endswith("It continues from there.")


def test_all_that_a_machine_lacks_is_told_at_once(fake, tmp_path):
    """All missing programs are reported together, each with the package that contains it."""
    python = fake("python", 'case "$2" in *ensurepip*) exit 1 ;; esac')
    done = subprocess.run(
        ("/bin/sh", ROOT / "tools" / "find-python", "check", python),
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "apt install python3-venv" in done.stderr
    assert "apt install binutils" in done.stderr
