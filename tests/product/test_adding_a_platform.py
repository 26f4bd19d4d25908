"""The recipe "Adding a learning platform": the files that it lists are all that a new platform needs."""

import csv
import os
import zipfile

import pytest
from commandline import python
from courses import course_of
from downloads import write_zip
from hidden_parts import WRONG_WHEN_RAGGED
from project import ROOT
from recipes import Package, files_of

from grader.common.phrases import listed
from grader.lms.platforms import PLATFORMS

INTAKE = """\
import re

from grader.lms.intake.owners import Owner, Pile, gather, piece

MARK = re.compile(r"slate-(?P<key>[0-9]+)-(?P<name>.+)[.]cl")


def recognises(listing, _assignments):
    return all(MARK.fullmatch(file.name) for file in listing.files)


def sort(listing, _assignments):
    marked = ((file, MARK.fullmatch(file.name)) for file in listing.files)
    return gather(
        Pile(owner=Owner(name=mark["name"], key=mark["key"]), pieces=(piece(listing, file, (file.name,)),))
        for file, mark in marked
    )
"""

EXPORT = """\
from dataclasses import dataclass

from grader.lms.exports.columns import Filled, Slot, place
from grader.lms.exports.sheet import Sheet
from grader.lms.intake.owners import Owner


@dataclass(frozen=True, kw_only=True)
class SlateList:
    sheet: Sheet
    column: str
    name: str = "slate-list.csv"

    def roster(self):
        return tuple(Owner(name=row.value(1), key=row.value(0)) for _, row in self.sheet.rows)

    def late(self):
        return frozenset()

    def submitted(self):
        return {}

    def fill(self, book):
        slots = {row.value(0): Slot(line=line) for line, row in self.sheet.rows}
        placed = place(self.sheet, book.rows, self.sheet.headings.index(self.column), slots, ".")
        return Filled(data=self.sheet.filled(placed.cells), grades=len(placed.rows), remarks=placed.remarks)


def upload(sheet, columns):
    return SlateList(sheet=sheet, column=columns.get("slate_column", "Points"))


def from_page(sheet):
    return upload(sheet, {})
"""

ENTRY = """\
    LearningPlatform(
        name="Slate",
        download="a download from Slate",
        intake=partial(_module, "intake.platforms.slate"),
        grades=GradeFile(
            name="Slate's list",
            option="slate_list",
            columns={"slate_column": "Heading of its column for points, if not recognised."},
            export=partial(_module, "exports.slate"),
        ),
    ),
"""


LIST = "Number,Student,Result\n7,Anna,\n8,Bob,\n"

IN_THE_SERVICE = """\
import sys
from pathlib import Path

from event_loop import OPENED
from services import Service, graded, post, visible

with OPENED:
    service = Service(Path("service"))
    service.graded(service.hand_in())
    staff = service.browser("staff")
    (Path("page.txt")).write_text(visible(staff.get("/course/exports")))
    given = ("list.csv", b"Number,Student,Points\\n7,Ada,\\n8,Ben,\\n")
    said = post(staff, "/course/exports", kind="slate.zip", file=given)
    assert said.status_code == 200, said.text
    Path("slate.zip").write_bytes(said.content)
"""


HELPERS = [path for path in (ROOT / "tests" / "helpers").rglob("") if path.name not in {"__pycache__", "vendor"}]


@pytest.fixture
def package(tmp_path):
    """A package with a new platform called Slate."""
    made = Package(tmp_path / "package")
    made.write("grader/lms/intake/platforms/slate.py", INTAKE)
    made.write("grader/lms/exports/slate.py", EXPORT)
    made.insert("grader/lms/platforms.py", ENTRY, before=')\n"""Platforms in the order of detection')
    made.insert("docs/instructors.md", "| `slate-list.csv` | a copy |\n", before="| `moodle-feedback.zip` |")
    return made


@pytest.mark.whole
def test_a_platform_is_the_files_of_its_recipe(package, tmp_path):
    """The files in the recipe are enough to add a platform. A batch recognises its download, offers its options and
    fills in its list.
    """
    assert package.touched == files_of("Adding a learning platform", "slate")
    course_of(tmp_path / "course")
    write_zip(tmp_path / "slate.zip", {"slate-7-Anna.cl": WRONG_WHEN_RAGGED.encode()})
    (tmp_path / "list.csv").write_text(LIST)
    command = ("-m", "grader.cli.main", "batch")
    known = {"PYTHONPATH": str(package.folder)}
    asked = python(tmp_path, *command, "--help", **known)
    assert "--slate-list" in asked.stdout
    names = listed([*(each.name for each in PLATFORMS), "Slate"], "or")
    assert names in " ".join(asked.stdout.split())
    done = python(
        tmp_path,
        *(*command, "slate.zip", "--assignment", "small", "--course", "course", "--out", "out", "--jobs", "1"),
        *("--sandbox", "process", "--slate-list", "list.csv", "--slate-column", "Result"),
        **known,
    )
    assert done.returncode == 1, done.stderr
    assert "Found a download from Slate: 1 hand-in of 2 students." in done.stdout
    anna, bob = csv.DictReader((tmp_path / "out" / "slate-list.csv").read_text().splitlines())
    (graded, absent) = csv.DictReader((tmp_path / "out" / "grades.csv").read_text("utf-8-sig").splitlines())
    assert (graded["name"], graded["key"], absent["name"]) == ("Anna", "7", "Bob")
    assert float(anna["Result"]) == float(graded["points"]) > 0
    assert bob["Result"] == ""


@pytest.mark.whole
def test_the_service_has_the_platforms_file_to_fill(package, tmp_path):
    """With these files alone, the service also offers the platform's export and fills in the platform's list."""
    known = {"PYTHONPATH": os.pathsep.join(map(str, (package.folder, *HELPERS)))}
    done = python(tmp_path, "-c", IN_THE_SERVICE, **known)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.txt").read_text()
    assert all(words in page for words in ("Moodle&#39;s grading worksheet", "Canvas&#39;s gradebook"))
    assert "Slate&#39;s list" in page
    with zipfile.ZipFile(tmp_path / "slate.zip") as archive:
        ada, ben = csv.DictReader(archive.read("slate-list.csv").decode().splitlines())
        assert archive.read("remarks.txt").startswith(b"1 grades are in slate-list.csv.")
    assert float(ada["Points"]) > 0
    assert ben["Points"] == ""


def test_the_files_of_the_recipe_are_there():
    """Every file in the recipe exists for Canvas."""
    assert [path for path in files_of("Adding a learning platform", "canvas") if not (ROOT / path).is_file()] == []
