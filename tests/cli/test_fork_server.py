"""fork_server.py: the fork server starts before the commands are imported, but only for certain arguments."""

import pytest

from grader.cli.fork_server import fork_server_for
from grader.grading.trust import note_started


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder that was not created by `grader init`, and settings without a sandbox."""
    monkeypatch.delenv("GRADER_SANDBOX", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "kernels.cl").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begins(*words):
    with fork_server_for(words) as server:
        return server is not None and server._process._running is not None


GRADE = ("grade", "kernels.cl", "--assignment", "vectorAdd")


@pytest.mark.parametrize("option", [("--sandbox", "process"), ("--sandbox=user",)], ids=" ".join)
def test_it_starts_where_processes_are_named(option):
    """The last --sandbox option of `grade` decides. No server starts for --help or for other commands."""
    assert begins(*GRADE, *option)
    assert not begins(*GRADE, *option, "--sandbox", "docker"), "the last one counts"
    assert not begins(*GRADE, *option, "--help")
    assert not begins("batch", *option)


def test_it_starts_where_the_environment_names_them(monkeypatch):
    """GRADER_SANDBOX decides unless there is a --sandbox option."""
    monkeypatch.setenv("GRADER_SANDBOX", "process")
    assert begins(*GRADE)
    assert not begins(*GRADE, "--sandbox", "docker")


def test_it_starts_for_a_file_in_a_folder_of_the_users_own(folder, monkeypatch):
    """The server starts for a file in the user's own folder, which can be graded in a process without containers."""
    assert not begins(*GRADE)
    note_started(folder)
    assert begins(*GRADE)
    assert begins("grade", str(folder), "--assignment", "vectorAdd")
    monkeypatch.chdir(folder.parent)
    assert not begins(*GRADE)
    assert begins("grade", str(folder / "kernels.cl"), "--assignment", "vectorAdd")


@pytest.mark.parametrize("words", [(), ("grade",), ("grade", "x" * 5000), ("grade", "--sandbox"), (*GRADE, "ring/x")])
def test_words_that_mean_nothing_start_nothing(folder, words):
    """For invalid arguments, no server starts and no error is raised. The command reports them later."""
    (folder / "ring").symlink_to("ring")
    assert not begins(*words)


def test_it_ends_with_the_block():
    """The server ends with the block, even after an exception."""
    processes = []

    def fail():
        with fork_server_for((*GRADE, "--sandbox", "process")) as server:
            processes.append(server._process._running[0])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert processes[0].poll() is not None
