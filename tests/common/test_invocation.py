"""invocation.py: the command that a message tells the user to type."""

import sys
from pathlib import Path

from grader.common.invocation import command


def installed(folder, monkeypatch):
    """A virtual environment with a grader in it, as this process's own."""
    folder.mkdir()
    program = folder / "grader"
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return program


def test_the_full_path_where_the_shell_does_not_find_it(tmp_path, monkeypatch):
    """As after `make`, which puts the command into .venv/bin."""
    program = installed(tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("PATH", "/nowhere")
    assert command("setup") == f"{program} setup"


def test_the_name_alone_where_the_shell_finds_it(tmp_path, monkeypatch):
    """As in an activated environment."""
    program = installed(tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("PATH", str(program.parent))
    assert command("setup", "--dry-run") == "grader setup --dry-run"


def test_another_grader_of_that_name_is_not_taken_for_this_one(tmp_path, monkeypatch):
    """The shell's would set up another environment."""
    program = installed(tmp_path / "bin", monkeypatch)
    other = tmp_path / "other" / "grader"
    other.parent.mkdir()
    other.write_text("")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    assert command("setup") == f"{program} setup"


def test_a_path_with_spaces_can_be_typed(tmp_path, monkeypatch):
    """It is quoted as a shell needs it."""
    program = installed(tmp_path / "my course", monkeypatch)
    monkeypatch.setenv("PATH", "/nowhere")
    assert command("setup") == f"'{program}' setup"


def test_without_a_script_python_runs_it(tmp_path, monkeypatch):
    """As where only the package was copied."""
    monkeypatch.setattr(sys, "executable", str(Path(tmp_path) / "python"))
    assert command("setup") == f"{tmp_path / 'python'} -m grader.cli.main setup"
