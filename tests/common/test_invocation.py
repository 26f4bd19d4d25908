"""invocation.py: messages contain a command that the user can type."""

import sys
from pathlib import Path

from grader.common.invocation import command


def installed(folder, monkeypatch):
    """Create a virtual environment with a grader, and make it this process's own. Return the path of the grader."""
    folder.mkdir()
    program = folder / "grader"
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return program


def test_the_full_path_where_the_shell_does_not_find_it(tmp_path, monkeypatch):
    """If the shell does not find the grader, as in .venv/bin after `make`, the command has the full path."""
    program = installed(tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("PATH", "/nowhere")
    assert command("setup") == f"{program} setup"


def test_the_name_alone_where_the_shell_finds_it(tmp_path, monkeypatch):
    """If the shell finds the grader, as in an activated environment, the command has only its name."""
    program = installed(tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("PATH", str(program.parent))
    assert command("setup", "--dry-run") == "grader setup --dry-run"


def test_another_grader_of_that_name_is_not_taken_for_this_one(tmp_path, monkeypatch):
    """If the shell finds another grader, which would set up its own environment, the command has the full path."""
    program = installed(tmp_path / "bin", monkeypatch)
    other = tmp_path / "other" / "grader"
    other.parent.mkdir()
    other.write_text("")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    assert command("setup") == f"{program} setup"


def test_a_path_with_spaces_can_be_typed(tmp_path, monkeypatch):
    """A path with spaces is quoted for the shell."""
    program = installed(tmp_path / "my course", monkeypatch)
    monkeypatch.setenv("PATH", "/nowhere")
    assert command("setup") == f"'{program}' setup"


def test_without_a_script_python_runs_it(tmp_path, monkeypatch):
    """Without a script, for example if only the package was copied, the command runs the module with Python."""
    monkeypatch.setattr(sys, "executable", str(Path(tmp_path) / "python"))
    assert command("setup") == f"{tmp_path / 'python'} -m grader.cli.main setup"


def test_below_the_working_directory_the_path_is_short(tmp_path, monkeypatch):
    """If the grader is below the working directory, the command has the path from there."""
    (tmp_path / "course").mkdir()
    installed(tmp_path / "course" / "bin", monkeypatch)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(tmp_path / "course")
    assert command("setup") == "./bin/grader setup"


def test_in_a_student_kit_the_command_is_the_script_of_the_kit(tmp_path, monkeypatch):
    """In a student kit, the command is the kit's own script, which knows its assignments and checks its version."""
    script = tmp_path / "kit" / "grader"
    (script.parent / ".venv").mkdir(parents=True)
    script.write_text("")
    installed(script.parent / ".venv" / "bin", monkeypatch)
    monkeypatch.setenv("PATH", "/nowhere")
    assert command("grade", "my solution") == f"{script} grade 'my solution'"
    monkeypatch.chdir(script.parent)
    assert command("grade", "../my-solution") == "./grader grade ../my-solution"
