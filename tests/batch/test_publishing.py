"""publishing.py: students see hidden checks only after their release."""

import csv
import json

import pytest
from hidden_parts import HIDDEN, SECRET, WITHOUT_POINTS, Batch, right
from samples import RACE
from selection import param

from grader.batch.lms_files import NOT_RELEASED
from grader.batch.publishing import PAGE
from grader.results.verdicts import Verdict
from grader.results.withholding import MESSAGE, released

SELECTED = frozenset({"case", "memory"})
"""Hidden parts that `make test` runs. One affects correctness, and the simulator checks the other."""


@pytest.fixture(params=[param(hidden, hidden, SELECTED) for hidden in HIDDEN])
def batch(request, tmp_path):
    """A batch for each part of an assignment that can be hidden."""
    return Batch(tmp_path, request.param)


def test_nothing_of_a_hidden_check_reaches_students(batch):
    """No file for students reveals a hidden check: no page, JUnit file, JSON, Gradescope file, list of issues, zip of
    feedback or worksheet comment. Lists of issues do not even contain its name.
    """
    batch.run()
    files = batch.for_students()
    assert len(files) == 7
    told = json.loads(files["students/Anna Alt/small.json"])
    check, old = told["checks"][HIDDEN[batch.hidden]], batch.whole.checks[HIDDEN[batch.hidden]]
    assert (check["verdict"], check["message"]) == ("skipped", MESSAGE)
    assert told["hidden_points"] == check["max_points"] == old.max_points
    assert told["max_points"] == batch.whole.max_points
    for data in (*files.values(), batch.moodle()["Feedback comments"].encode()):
        assert SECRET.encode() not in data
        assert RACE.message.encode() not in data
        assert str(old.reason).encode() not in data
    for name in [name for name in files if name.endswith(WITHOUT_POINTS)]:
        assert old.name.partition(" (")[0] not in files.pop(name).decode(), name
    for name, data in files.items():
        assert old.name.partition(" (")[0] in data.decode(), name
        assert MESSAGE in data.decode() or "hidden until release" in data.decode(), name


def test_what_is_the_instructors_is_complete(batch):
    """The overview, the table, the batch's JUnit file and the stored results contain the hidden checks."""
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
    """Before the release, hidden checks count as zero in files for upload, so that no grade can fall later.

    The run warns about each such file.
    """
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
    """Files for students and for upload are identical to the byte, whether a hidden check passed or failed."""
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
    """--release completes every student's files without a new grading. A run without it hides the checks again."""
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
    """A change of `hidden` shows or hides a check without a new grading, because it does not affect measurements."""
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
    """After an aborted release, the next run recognizes files that already show hidden checks, and replaces them.

    This works because the source of a page is noted before the page is written.
    """
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
    """The instructor's page changes when points are doubled, and changes back when the doubling is undone."""
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
    """The comment for Moodle states the points that students may see and the number of hidden points."""
    book, _ = batch.run()
    (row,) = book.rows
    comment = batch.moodle()["Feedback comments"]
    points, hidden = row.shown.points, row.hidden_points
    so_far = f"grader: {points:g} points so far; {hidden:g} more are decided after release."
    whole = f"grader: {points:g} of {row.grade.max_points:g} points."
    assert comment.startswith(whole if batch.hidden == "practice" else so_far)
    assert all(mark.verdict is not Verdict.FAILED for mark in row.shown.checks)
