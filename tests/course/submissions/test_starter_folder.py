"""starter_folder.py: the file that records the assignment of a folder."""

from pathlib import Path

import pytest

from grader.common.errors import InputError
from grader.course.submissions.starter_folder import STARTER_FILE, assignment_of, starter_text


def test_what_is_written_is_read_back_for_the_folder_and_for_a_file_in_it(tmp_path):
    """The recorded name is found from the folder and from any file in it."""
    (tmp_path / STARTER_FILE).write_text(starter_text("vectorAdd"))
    (tmp_path / "other.cl").touch()
    assert assignment_of(tmp_path, "") == "vectorAdd"
    assert assignment_of(tmp_path / "other.cl", "") == "vectorAdd"


def test_a_folder_that_remembers_nothing_says_what_to_do(tmp_path, monkeypatch):
    """If there is no such file, the error suggests the command's option, `grader list` and `grader init`."""
    monkeypatch.chdir(tmp_path)
    for folder, called in ((Path(), "this folder"), (tmp_path, str(tmp_path))):
        with pytest.raises(InputError) as caught:
            assignment_of(folder, "add -a NAME")
        assert str(caught.value).startswith(f"{called} has no submission.yaml")
        assert all(words in str(caught.value) for words in (": add -a NAME (", "`grader list`", "`grader init NAME`"))


def test_a_missing_submission_is_what_the_error_is_about(tmp_path):
    """If the path does not exist, the error says so instead of asking for an assignment."""
    with pytest.raises(InputError, match=r"there is no file .*kernel\.cl; check the path"):
        assignment_of(tmp_path / "kernel.cl", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [("vectorAdd", "such as `assignment:`"), ("asignment: x", "asignment"), ("assignment: [a]", "assignment: ")],
)
def test_a_file_that_cannot_be_used_is_named_with_its_fault(tmp_path, text, said):
    """If the file is invalid, the error contains its path and the invalid field."""
    (tmp_path / STARTER_FILE).write_text(text)
    with pytest.raises(InputError) as caught:
        assignment_of(tmp_path, "")
    assert str(caught.value).startswith(str(tmp_path / STARTER_FILE))
    assert said in str(caught.value)
