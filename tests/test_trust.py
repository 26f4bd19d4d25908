"""trust.py: whose code may run where."""

import os
import tempfile
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.trust import choose_sandbox, is_own

NOBODY = 65534

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.mark.parametrize(
    ("chosen", "trusted", "sandbox"),
    [
        (None, True, "process"),
        (None, False, "docker"),
        ("process", True, "process"),
        ("user", False, "user"),
        ("docker", True, "docker"),
        ("docker", False, "docker"),
        ("sandpit", True, "sandpit"),
        ("sandpit", False, "sandpit"),
    ],
)
def test_ones_own_code_runs_in_a_process_and_others_in_a_container(chosen, trusted, sandbox):
    """A choice that is safe is obeyed; one that does not exist is refused where sandboxes are made."""
    assert choose_sandbox(chosen, trusted=trusted) == sandbox


def test_others_code_in_a_process_is_refused_with_both_ways_out():
    """The container, or the word of somebody who knows the code."""
    with pytest.raises(InputError) as caught:
        choose_sandbox("process", trusted=False)
    assert "your rights" in str(caught.value)
    assert "--sandbox docker" in str(caught.value)
    assert "--trust-submissions" in str(caught.value)


def test_a_file_of_ones_own_is_known(tmp_path):
    """By its owner, not by the folder that it is in or by who may write it."""
    (tmp_path / "kernels.cl").touch()
    (tmp_path / "kernels.cl").chmod(0o666)
    assert is_own(tmp_path / "kernels.cl")


@only_root
def test_a_file_of_another_user_is_nobodys_own_not_even_roots(tmp_path):
    """An instructor who is root still runs strangers' code in a container."""
    path = tmp_path / "kernels.cl"
    path.touch()
    os.chown(path, NOBODY, -1)
    assert not is_own(path)


@only_root
def test_a_link_of_ones_own_does_not_make_the_file_so(tmp_path):
    """What counts is who wrote the code."""
    theirs = tmp_path / "theirs.cl"
    theirs.touch()
    os.chown(theirs, NOBODY, -1)
    (tmp_path / "kernels.cl").symlink_to(theirs)
    assert not is_own(tmp_path / "kernels.cl")


@only_root
def test_who_grades_is_who_this_process_acts_as():
    """After a change of user, root's files are somebody else's."""
    with tempfile.NamedTemporaryFile() as file:  # where others can look, too
        os.seteuid(NOBODY)
        try:
            assert not is_own(Path(file.name))
        finally:
            os.seteuid(0)
        assert is_own(Path(file.name))
