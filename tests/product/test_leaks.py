"""Files for students do not contain any part of a model solution or of a golden submission. test_kit.py tests hidden
checks.

These tests open every file in every kit, in the wheels, in a folder that `init` writes and in the template.
"""

import re
import shutil
import subprocess
import sys

import pytest
from leaks import COMMENTS, GOLDEN, SOLUTIONS, folder_of, of_files, passages, secret_passages, secrets_in
from project import ASSIGNMENTS, ROOT

from grader.authoring.scaffold import start
from grader.lms.bundle import zipped
from grader.lms.kit import student_kit

TEMPLATE = ROOT / "student_template"
GUIDE = ROOT / "docs" / "reading-your-report.md"

WHEEL_SOURCES = (
    *("grader", "pyproject.toml", "README.md", "LICENSE", ".gitignore", "constraints.txt"),
    *("assignments", "reference", "student_template", "docs"),
)


@pytest.fixture(scope="module")
def secrets():
    """All passages that must not be published."""
    return secret_passages()


@pytest.fixture(scope="module")
def kit(course):
    """The files in a kit for the whole course."""
    return student_kit([course.load(name) for name in ASSIGNMENTS], TEMPLATE, GUIDE, ROOT / "constraints.txt", "")


def test_a_kit_gives_nothing_away(kit, secrets):
    """No file in a kit, or in the wheel that it contains, has a secret passage."""
    assert secrets_in(kit, secrets) == {}


def test_what_students_start_from_gives_nothing_away(course, secrets, tmp_path):
    """No file that `init` writes for an assignment, and no file in the template, has a secret passage."""
    for name in ASSIGNMENTS:
        start(course.load(name), TEMPLATE, GUIDE, tmp_path / name)
    assert secrets_in({**folder_of(tmp_path), **folder_of(TEMPLATE)}, secrets) == {}


@pytest.mark.whole
def test_the_wheel_that_pip_builds_gives_nothing_away(secrets, tmp_path):
    """The wheel that pip builds from the source does not contain a secret passage."""
    source = tmp_path / "source"
    source.mkdir()
    for name in WHEEL_SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, source]
    subprocess.run(pip, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    files = {wheel.name: wheel.read_bytes()}
    assert secrets_in(files, secrets) == {}


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.parent.name)
def test_a_model_solution_would_be_found_wherever_it_is_planted(kit, secrets, path):
    """The search finds a planted model solution in a text, in an archive inside a wheel and in a binary file, even
    after reformatting.
    """
    text = path.read_text()
    reformatted = re.sub(r"\s+", "\n\t", COMMENTS.sub("", text))
    for planted in (
        {"README.md": kit["README.md"] + text.encode()},
        {"README.md": reformatted.encode()},
        {"a.whl": zipped({"inner.zip": zipped({"notes.txt": text.encode()})})},
        {"observer.so": b"\x7fELF\x00\xff" + text.encode() + b"\x00"},
    ):
        assert len(secrets_in(planted, secrets)) == 1


def test_golden_submissions_would_be_found_as_well(secrets):
    """The search also recognises golden submissions. It misses only those whose whole text students may read, for
    example a slightly changed skeleton or naive kernel.
    """
    silent = [path.parent for path in GOLDEN if not passages(path.read_text(errors="replace")) & secrets]
    assert len(silent) < len(GOLDEN) / 20, [f"{path.parent.name}/{path.name}" for path in silent]


def test_what_students_are_meant_to_read_is_no_secret(course, secrets):
    """Skeletons do not contain secret passages. A search with false alarms would soon be weakened."""
    public = [course.load(name).folder / "kernels.cl" for name in ASSIGNMENTS]
    assert of_files(public) & secrets == set()
