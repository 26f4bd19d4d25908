"""lms_files.py: the file for each platform gets the right rows."""

import csv
from dataclasses import replace

import pytest
from gradebooks import NAMES, grade, gradebook, mark, missed, row

from grader.batch.lms_files import read_uploads, write_uploads
from grader.batch.outputs import Outputs
from grader.common.errors import InputError
from grader.lms.exports.canvas import CanvasGradebook
from grader.lms.exports.moodle import MoodleWorksheet
from grader.lms.exports.sheet import read_sheet

TWO = gradebook(
    row("anna", grade(mark(points=3.0, max_points=10.0)), assignment=NAMES[0], key="7"),
    row("anna", grade(missed(max_points=30.0)), assignment=NAMES[1], key="7"),
)
ONE = gradebook(row("anna", grade(mark(points=3.0, max_points=10.0)), key="7"))


def moodle(text="Identifier,Full name,Grade,Maximum grade\nParticipant 7,Anna,,100\n"):
    return MoodleWorksheet(sheet=read_sheet("w.csv", text.encode()))


def canvas(**changes):
    text = (
        f"Student,ID,SIS Login ID,Section,Title of {NAMES[0]} (1),Title of {NAMES[1]} (2)\n"
        "    Points Possible,,,,10,30\nAnna,7,anna,A,,\n"
    )
    return CanvasGradebook(sheet=read_sheet("g.csv", text.encode()), **changes)


def rows_of(filled):
    return list(csv.DictReader(filled.data.decode().splitlines()))


def test_a_worksheet_gets_all_assignments_of_a_batch_together():
    """A Moodle worksheet describes one Moodle assignment, so it gets the sum of all assignments of the batch."""
    (anna,) = rows_of(moodle().fill(TWO))
    assert float(anna["Grade"]) == pytest.approx(100 * 3 / 40)
    (anna,) = rows_of(moodle().fill(ONE))
    assert float(anna["Grade"]) == pytest.approx(30)


def test_a_gradebook_gets_each_assignment_in_its_own_column():
    """A Canvas gradebook gets each assignment in a separate column, and both grades are counted."""
    filled = canvas().fill(TWO)
    anna = rows_of(filled)[1]
    assert float(anna[f"Title of {NAMES[0]} (1)"]) == 3.0
    assert float(anna[f"Title of {NAMES[1]} (2)"]) == 0.0
    assert filled.grades == 2


def test_one_column_for_several_assignments_is_refused():
    """A single column for two assignments is refused, because the grades would overwrite each other."""
    with pytest.raises(InputError, match="--canvas-column gives one column"):
        canvas(column="1").fill(TWO)


def test_feedback_is_written_for_a_download_from_moodle_only(tmp_path):
    """The zip of feedback is written for a download from Moodle, but not for other sources."""
    for each in TWO.rows:
        page = tmp_path / "students" / each.student.label / f"{each.assignment}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("page")
    outputs = Outputs(tmp_path)
    assert write_uploads((), TWO, outputs) == ()
    assert not (tmp_path / "moodle-feedback.zip").exists()
    write_uploads((moodle(),), replace(TWO, shape="a download from Moodle"), outputs)
    names = {"files.jsonl", "students", "moodle-feedback.zip", "moodle-worksheet.csv"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_file_that_is_not_there_is_told(tmp_path):
    """The error for a missing worksheet contains its file name."""
    with pytest.raises(InputError, match=r"none\.csv cannot be read"):
        read_uploads({"moodle_worksheet": tmp_path / "none.csv"})


def test_the_options_that_were_given_name_files_and_columns(tmp_path):
    """The options select the file and the columns of each platform. A column without its file is ignored."""
    (tmp_path / "w.csv").write_text("Identifier,Mark\nParticipant 7,\n")
    options = {"moodle_worksheet": tmp_path / "w.csv", "moodle_grade_column": "Mark", "canvas_column": "1"}
    (worksheet,) = read_uploads(options)
    sheet = read_sheet("w.csv", (tmp_path / "w.csv").read_bytes())
    assert worksheet == MoodleWorksheet(sheet=sheet, grade_column="Mark")
    assert read_uploads({}) == ()
