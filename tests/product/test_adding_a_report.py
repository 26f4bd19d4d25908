"""The recipe "Adding a report format": the files that it lists are all that a new format needs."""

import pytest
from commandline import python
from courses import course_of
from hidden_parts import WRONG_WHEN_RAGGED
from project import ROOT
from recipes import Package, files_of

MODULE = """\
from grader.results.result import Result


def render(outcome):
    if not isinstance(outcome, Result):
        return f"not graded: {outcome.fault}\\n"
    return "".join(f"{check.verdict} {check.name}\\n" for check in outcome.checks)
"""

LOADING = """\
def _tally() -> ReportModule:
    from grader.reports import tally

    return tally


"""

ENTRY = """\
    "tally": ReportFormat(help="Write a line for each check.", ending="tally.txt", module=_tally),
"""


@pytest.fixture
def package(tmp_path):
    """A package with a new format that has one line per check."""
    made = Package(tmp_path / "package")
    made.write("grader/reports/tally.py", MODULE)
    made.insert("grader/reports/__init__.py", LOADING, before="REPORTS: dict")
    made.insert("grader/reports/__init__.py", ENTRY, before='}\n"""Formats by name')
    made.insert("docs/instructors.md", ", a tally", before=", and `results.json` for Gradescope |")
    return made


@pytest.mark.whole
def test_a_format_is_the_files_of_its_recipe(package, tmp_path):
    """The files in the recipe are enough to add a format. `grade` gets an option for it, and a batch writes it for each
    student.
    """
    assert package.touched == files_of("Adding a report format", "tally")
    course_of(tmp_path / "course")
    (tmp_path / "anna").mkdir()
    (tmp_path / "anna" / "kernels.cl").write_text(WRONG_WHEN_RAGGED)
    command, known = ("-m", "grader.cli.main"), {"PYTHONPATH": str(package.folder)}
    how = ("--assignment", "small", "--course", "course", "--sandbox", "process")
    assert "--tally" in python(tmp_path, *command, "grade", "--help", **known).stdout
    done = python(tmp_path, *command, "grade", "anna", *how, "--tally", "tally.txt", **known)
    assert done.returncode == 1, done.stderr
    lines = (tmp_path / "tally.txt").read_text().splitlines()
    assert lines[0] == "passed build"
    assert "failed correctness: ragged (n 1000)" in lines
    (tmp_path / "all").mkdir()
    (tmp_path / "anna").rename(tmp_path / "all" / "anna")
    done = python(tmp_path, *command, "batch", "all", *how, "--out", "out", "--jobs", "1", **known)
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "out" / "students" / "anna" / "small.tally.txt").read_text().splitlines() == lines


def test_the_files_of_the_report_recipe_are_there():
    """Every file in the recipe exists for JUnit."""
    assert [path for path in files_of("Adding a report format", "junit") if not (ROOT / path).is_file()] == []
