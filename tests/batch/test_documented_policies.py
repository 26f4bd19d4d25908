"""docs/instructors.md: the examples of course.yaml, assignment.yaml and extensions.csv have the documented effects."""

import re

import pytest
from courses import ADDITION, KERNEL, course_of
from fake_workforce import FakeWorkforce
from project import ROOT

from grader.batch.lists import EXTENSIONS
from grader.batch.pipeline import BatchRequest, grade_batch

SECTION = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8").partition("## Due dates and late work\n")[2]
COURSE, ASSIGNMENT, LIST = re.findall(r"```(?:yaml|csv)\n(.*?)```", SECTION.partition("\n## ")[0], re.DOTALL)
PEOPLE = {
    "ada": "2026-12-08 12:00",
    "bob": "2026-12-04 00:10",
    "cleo": "2026-12-02 00:09",
    "dan": "2026-12-02 00:09:01",
    "eve": "2026-12-05 12:00",
    "fay": "2027-12-05 12:00",
}
"""Hand-ins within and after an extension, within the grace period and one second after it, some days late, a year late.
"""


@pytest.fixture
def book(tmp_path):
    """Grade these hand-ins under the documented policies. Return the gradebook and the text that the run printed."""
    course = course_of(tmp_path / "course")
    (tmp_path / "course" / "course.yaml").write_text(COURSE)
    with (tmp_path / "course" / "assignments" / "small" / "assignment.yaml").open("a") as file:
        file.write(ASSIGNMENT)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / EXTENSIONS).write_text(LIST)
    rows = ["student,path,submitted"]
    for name, when in PEOPLE.items():
        (tmp_path / f"{name}.cl").write_text(f"{KERNEL}// {name}\n")
        rows.append(f"{name},{name}.cl,{when}")
    (tmp_path / "all.csv").write_text("\n".join(rows) + "\n")
    assignment = course.load("small")
    request = BatchRequest(
        submissions=(tmp_path / "all.csv",),
        assignments=(assignment,),
        folder=tmp_path / "out",
        settings_json='{"sandbox": "process"}',
    )
    said = []
    found = grade_batch(request, lambda: FakeWorkforce(assignment_sha256=assignment.sha256), said.append)
    return found, "\n".join(said)


def test_the_examples_do_what_the_text_says(book):
    """The documented extensions, grace period, late days, deduction and floor lead to the promised grades."""
    found, said = book
    assert ADDITION["title"] == found.titles["small"]
    lost = {row.student.label: row.grade.deduction for row in found.rows}
    assert {name for name, each in lost.items() if each is None} == {"ada", "cleo"}
    words = {name: each.why.partition("; ")[2] for name, each in lost.items() if each is not None}
    assert words == {
        "bob": "1 late day used, 2 left, no points off",
        "dan": "1 late day used, 2 left, no points off",
        "eve": "3 late days used, 0 left, 10 % off",
        "fay": "3 late days used, 0 left, 50 % off",
    }
    assert "small: due 2026-12-01 23:59 CET by assignment.yaml. The late marks of the platform do not count." in said
