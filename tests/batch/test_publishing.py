"""publishing.py: what students are shown of a batch before and after hidden checks are released."""

import csv
import json

import pytest
from hiding import HIDDEN, SECRET, Batch, right
from samples import RACE
from selection import param

from grader.batch.lms_files import NOT_RELEASED
from grader.batch.publishing import PAGE
from grader.results.result import Verdict
from grader.results.withholding import MESSAGE, released

SELECTED = frozenset({"case", "memory"})
"""Hidden things for `make test`: one that counts for correctness, and one that is found by the simulator."""


@pytest.fixture(params=[param(hidden, hidden, SELECTED) for hidden in HIDDEN])
def batch(request, tmp_path):
    """One for each thing that can be hidden."""
    return Batch(tmp_path, request.param)


def test_nothing_of_a_hidden_check_reaches_students(batch):
    """Neither a page, nor JUnit, JSON, Gradescope's file, the zip of feedback, or the comment in the worksheet."""
    batch.run()
    files = batch.for_students()
    assert len(files) == 5
    told = json.loads(files["students/Anna Alt/small.json"])
    check, old = told["checks"][HIDDEN[batch.hidden]], batch.whole.checks[HIDDEN[batch.hidden]]
    assert (check["verdict"], check["message"]) == ("skipped", MESSAGE)
    assert told["hidden_points"] == check["max_points"] == old.max_points
    assert told["max_points"] == batch.whole.max_points
    for data in (*files.values(), batch.moodle()["Feedback comments"].encode()):
        assert SECRET.encode() not in data
        assert RACE.message.encode() not in data
        assert str(old.reason).encode() not in data
    for name, data in files.items():
        assert old.name.partition(" (")[0] in data.decode(), name
        assert MESSAGE in data.decode() or "hidden until release" in data.decode(), name


def test_what_is_the_instructors_is_complete(batch):
    """The overview, the table, JUnit of all, and what is stored."""
    book, _ = batch.run()
    (row,) = book.rows
    assert row.grade.points == batch.whole.points
    assert SECRET in batch.read("batch.xml")
    if batch.hidden != "practice":
        assert f"{SECRET} cause" in batch.read("index.html")
    (grades,) = csv.DictReader(batch.read("grades.csv").splitlines())
    assert float(grades["points"]) == batch.whole.points
    (stored,) = (batch.folder / "out" / "results").glob("*.json")
    assert SECRET in stored.read_text()
    assert 'href="./instructor/Anna%20Alt/small.html"' in batch.read("index.html")
    assert SECRET in batch.read("instructor/Anna Alt/small.html")


def test_grades_for_upload_are_complete_when_they_are_released(batch):
    """Before that, what is hidden counts as zero, so that no grade falls later; it is said of each file."""
    book, _ = batch.run()
    (row,) = book.rows
    assert batch.uploaded() == pytest.approx([row.shown.points] * 2)
    warned = {line.partition(":")[0] for line in batch.said if NOT_RELEASED in line}
    assert warned == (set() if batch.hidden == "practice" else {"moodle-worksheet.csv", "canvas-gradebook.csv"})
    batch.said.clear()
    batch.run(view=released)
    assert batch.uploaded() == pytest.approx([batch.whole.points] * 2)
    assert not [line for line in batch.said if NOT_RELEASED in line]


def test_a_hidden_check_that_passed_and_one_that_failed_look_the_same(tmp_path):
    """Every byte that students get, and every file for upload: no column, comment or sum tells which it was."""
    for hidden in HIDDEN:
        failed, passed = Batch(tmp_path / "failed" / hidden, hidden), Batch(tmp_path / "passed" / hidden, hidden)
        provenance = {"provenance": failed.whole.provenance, "assignment": "small"}
        passed.whole = right(passed.assignment).model_copy(update=provenance)
        for batch in (failed, passed):
            batch.run()
        assert failed.for_students() == passed.for_students()
        for name in ("moodle-worksheet.csv", "canvas-gradebook.csv"):
            assert failed.read(name) == passed.read(name)


def test_a_batch_is_released_later_without_a_grading(batch):
    """The same command with --release: every file of a student is complete, and nothing is run. Without it they are
    withheld again.
    """
    assert batch.run()[1] == 1
    before = batch.for_students()
    assert batch.run(view=released)[1] == 0
    files = batch.for_students()
    assert files.keys() == before.keys()
    for name, data in files.items():
        assert SECRET.encode() in data, name
    assert json.loads(files["students/Anna Alt/small.json"])["points"] == batch.whole.points
    assert 'href="./students/Anna%20Alt/small.html"' in batch.read("index.html")
    assert "hidden" not in batch.moodle()["Feedback comments"]
    batch.run()
    assert batch.for_students() == before


def test_what_is_no_longer_hidden_in_the_assignment_is_shown(batch):
    """`hidden` changes no measurement, so that nothing is run; and the other way round."""
    batch.run()
    before = batch.for_students()
    open_to_all = batch.version()
    assert batch.run(assignment=open_to_all)[1] == 0
    told = json.loads(batch.for_students()["students/Anna Alt/small.json"])
    assert not any(check["reason"] == "HIDDEN" for check in told["checks"])
    assert told["hidden_points"] == 0
    assert told["max_points"] == batch.whole.max_points
    assert batch.run()[1] == 0
    assert batch.for_students() == before


def test_a_release_that_was_cut_short_leaves_nothing_to_be_taken_for_withheld(batch, monkeypatch):
    """What a page was made from is noted before it is written."""
    batch.run()
    before = batch.for_students()

    def full(*_):
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("grader.batch.publishing.grades_csv", full)
        with pytest.raises(OSError, match="full"):
            batch.run(view=released)
    page = batch.folder / "out" / "students" / "Anna Alt" / f"small.{PAGE}"
    assert SECRET in page.read_text()
    batch.run()
    assert batch.for_students() == before


def test_a_page_of_the_instructors_follows_thresholds_there_and_back(batch):
    """Twice the points, and back: a page that was made in between once stayed."""
    batch.run()
    first = batch.read("instructor/Anna Alt/small.html")
    correctness = batch.assignment.correctness
    raised = batch.assignment.model_copy(
        update={"correctness": correctness.model_copy(update={"points": 2 * correctness.points})}
    )
    raised.__dict__["sha256"] = "another version"
    batch.run(assignment=raised)
    assert batch.read("instructor/Anna Alt/small.html") != first
    batch.run()
    assert batch.read("instructor/Anna Alt/small.html") == first


def test_the_comment_for_moodle_says_what_is_hidden(batch):
    """Its points are those that are shown; the rest is named, so that the grade beside it is no riddle."""
    book, _ = batch.run()
    (row,) = book.rows
    comment = batch.moodle()["Feedback comments"]
    points, hidden = row.shown.points, row.hidden_points
    so_far = f"grader: {points:g} points so far; {hidden:g} more are decided after release."
    whole = f"grader: {points:g} of {row.grade.max_points:g} points."
    assert comment.startswith(whole if batch.hidden == "practice" else so_far)
    assert all(mark.verdict is not Verdict.FAILED for mark in row.shown.checks)
