"""autograder.py: an autograder contains the right files.

test_export_gradescope.py and test_export_gitlab.py check that these files can grade.
"""

import io
import re
import zipfile

import pytest
from project import ROOT

from grader.common.errors import InputError
from grader.lms.autograder import PLACEHOLDER, Platform, autograder, gradescope_zip

CONSTRAINTS = ROOT / "constraints.txt"


@pytest.fixture(params=Platform)
def files(request, transposition):
    """The files of an autograder, for each platform."""
    return autograder(request.param, transposition, CONSTRAINTS)


@pytest.mark.whole
def test_it_holds_the_one_assignment_whole_and_no_other(files, transposition):
    """The course contains identical copies of one assignment's files and model solution, and no files of other
    assignments.
    """
    course = {name: data for name, data in files.items() if name.startswith("course/")}
    expected = {
        f"course/{part}/coalsTransp/{path.name}": path.read_bytes()
        for part, folder in (("assignments", transposition.folder), ("reference", transposition.reference))
        for path in folder.iterdir()
        if path.is_file()
    }
    assert course == expected


def test_its_name_stands_in_place_of_the_placeholder(files):
    """In every template, the assignment's name has replaced the placeholder."""
    templates = {name: data for name, data in files.items() if not name.endswith(".whl")}
    assert [name for name, data in templates.items() if PLACEHOLDER.encode() in data] == []
    assert any(b'--assignment "coalsTransp"' in data for data in templates.values())


def test_it_never_grades_without_the_simulator(files):
    """Every grading command has --require-sanitizer.

    Otherwise, a platform would record a part of the points as the grade.
    """
    templates = [data.decode() for name, data in files.items() if not name.startswith(("grader-", "course/"))]
    commands = [
        command
        for text in templates
        for command in re.findall(r"grader (?:grade|batch) .*", text.replace("\\\n", ""))
        if "--assignment" in command
    ]
    assert commands
    assert all("--require-sanitizer" in command for command in commands)


def test_the_two_scripts_of_a_zip_can_be_executed(transposition):
    """Only setup.sh and run_autograder are executable in the zip, because Gradescope runs them directly."""
    data = gradescope_zip(autograder(Platform.GRADESCOPE, transposition, CONSTRAINTS))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert {name for name, mode in modes.items() if mode == 0o755} == {"setup.sh", "run_autograder"}
    assert set(modes.values()) == {0o755, 0o644}


def test_constraints_that_are_missing_are_named(transposition, tmp_path):
    """Without constraints.txt, the grader is incomplete, and the error names this file."""
    with pytest.raises(InputError, match=r"constraints\.txt cannot be read"):
        autograder(Platform.GITLAB, transposition, tmp_path / "constraints.txt")


def test_a_solution_that_the_program_around_the_kernel_runs_comes_along(course):
    """If the program around the kernel runs another assignment's solution, the files include that solution."""
    files = autograder(Platform.GRADESCOPE, course.load("coalsProgrm"), CONSTRAINTS)
    assert (
        files["course/reference/coalsTransp/kernels.cl"]
        == (ROOT / "reference" / "coalsTransp" / "kernels.cl").read_bytes()
    )
