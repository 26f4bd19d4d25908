"""canvas.py: Canvas imports the exported gradebook with each score for the right student and without other changes."""

import csv
import io
import re
from dataclasses import replace

import pytest
from samples import BUILD, check, result, unchecked
from student_rows import COURSE, GRADED, NAMES, STUDENTS, gradebook, row

from grader.common.errors import InputError
from grader.lms.exports.canvas import canvas_gradebook
from grader.lms.exports.sheet import read_sheet

INFO = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
TITLE = "Coalesced transposition (4711)"
TOTALS = ("Assignments Current Score", "Current Score", "Final Score (2026)")
ASSIGNMENTS = {"4711": "Coalesced transposition", "4712": "Warm-up"}


def exported(title=TITLE, possible="100.00", scores=None, sign=".", delimiter=","):
    """Return a gradebook as Canvas exports it: posting policies, points possible, students, and the test student."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n", delimiter=delimiter)
    writer.writerow([*INFO, title, "Warm-up (4712)", *TOTALS])
    writer.writerow(["", "", "", "", "", "Manual Posting", "", "", "", ""])
    points = [possible.replace(".", sign), f"10{sign}00"]
    writer.writerow(["    Points Possible", "", "", "", "", *points, *("(read only)",) * 3])
    people = [*((each.key, each.name) for each in STUDENTS), ("201", "Gone"), ("202", "Fault"), ("9", "Student, Test")]
    for key, name in people:
        score = (scores or {}).get(key, "")
        writer.writerow([name, key, f"sis{key}", f"login{key}", "Section 1", score, f"9{sign}5", "1", "2", "3"])
    return file.getvalue().encode()


def imported(data):
    """Return the scores, by assignment and student, that Canvas's importer would take from a gradebook.

    A heading with the number or the title of an assignment refers to that assignment. Any other heading creates a new
    one. Likewise, a known ID refers to that student, and any other ID creates a new one. Decimal commas are read as
    points.
    """
    text = data.decode("utf-8-sig")
    delimiter = ";" if text.splitlines()[0].count(";") > text.splitlines()[0].count(",") else ","
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    assert "Student" in header[0]
    assert "ID" in header[1]
    known = {each.key for each in STUDENTS} | {"201", "202", "9"}
    columns = {}
    for index, heading in enumerate(header[5:], start=5):
        if re.search("Current Score|Final Score", heading):
            continue
        match = re.fullmatch(r"(.*)\s\((\d+)\)", heading)
        assert match, "this would make a new assignment"
        assert match[2] in ASSIGNMENTS
        columns[match[2]] = index
    taken = {}
    for cells in rows:
        if "Points Possible" in cells[0] or all(re.fullmatch(r"(?i)\s*(Manual Posting.*)?\s*", cell) for cell in cells):
            continue
        assert cells[1] in known, "this would make a new student"
        for assignment, index in columns.items():
            taken[assignment, cells[1]] = cells[index].strip().replace(",", ".")
    return taken


@pytest.mark.parametrize(("sign", "delimiter"), [(".", ","), (",", ","), (",", ";")])
def test_every_score_arrives_at_its_student(sign, delimiter):
    """Every score is scaled to the points possible and uses the file's decimal sign. Other scores do not change."""
    before = exported(sign=sign, delimiter=delimiter)
    filled = canvas_gradebook(read_sheet("g.csv", before), COURSE, "coalsTransp")
    old, new = imported(before), imported(filled.data)
    assert set(old) == set(new)
    changed = {key: float(score) for key, score in new.items() if score != old[key]}
    expected = {("4711", each.student.key): 100 * each.grade.points / each.grade.max_points for each in GRADED}
    assert changed == pytest.approx(expected, abs=1e-5)
    assert filled.grades == len(NAMES)
    assert [each.why for each in filled.remarks] == [
        "grades out of 50 points are scaled to its maximum of 100.",
        "grades out of 55 points are scaled to its maximum of 100.",
        "has no grade in the copy of g.csv: +there is no OpenCL device. no.",
    ]


def test_a_key_may_be_a_login_that_is_a_mail_address():
    """A key can be a login, if the login is a mail address. Other logins are not keys."""
    student = replace(GRADED[0].student, key="Ada@x.org")
    book = gradebook(replace(GRADED[0], student=student))
    before = exported().replace(b"login101", b"ada@x.org")
    assert canvas_gradebook(read_sheet("g.csv", before), book, "coalsTransp").grades == 1
    book = gradebook(replace(GRADED[0], student=replace(student, key="login101")))
    assert canvas_gradebook(read_sheet("g.csv", exported()), book, "coalsTransp").grades == 0


def test_nothing_else_changes():
    """Rows, columns, other cells, the byte order mark and line ends do not change."""
    before = b"\xef\xbb\xbf" + exported().replace(b"\n", b"\r\n").replace(b"two\r\nlines", b"two\nlines")
    data = canvas_gradebook(read_sheet("g.csv", before), COURSE, "coalsTransp").data
    old, new = ([*csv.reader(io.StringIO(each.decode(), newline=""))] for each in (before, data))
    changed = {(i, j) for i, cells in enumerate(old) for j, cell in enumerate(cells) if new[i][j] != cell}
    assert changed == {(i, 5) for i in range(3, 3 + len(NAMES))}
    assert data.count(b"\r\n") == before.count(b"\r\n")
    empty = canvas_gradebook(read_sheet("g.csv", before), gradebook(), "coalsTransp")
    assert empty.data == before


@pytest.mark.parametrize(
    ("title", "column"),
    [
        ("coalstransp (4711)", None),
        ("COALESCED  transposition (4711)", None),
        ("Homework 3 (4711)", "Homework 3"),
        ("Homework 3 (4711)", "Homework 3 (4711)"),
        ("Homework 3 (4711)", "4711"),
    ],
)
def test_the_column_is_found_by_title_name_or_what_is_said(title, column):
    """The column of the assignment is found by title, name or option, regardless of case and spaces."""
    filled = canvas_gradebook(read_sheet("g.csv", exported(title)), COURSE, "coalsTransp", column)
    assert imported(filled.data)["4711", "101"] == "100"


def test_no_column_or_several_are_listed():
    """If no column or several match, InputError lists the candidates.

    A guess could put a grade into another assignment's column.
    """
    with pytest.raises(InputError) as raised:
        canvas_gradebook(read_sheet("g.csv", exported("Homework 3 (4711)")), COURSE, "coalsTransp")
    assert str(raised.value) == (
        'g.csv has no column of an assignment called "Coalesced transposition" or "coalsTransp"; '
        'choose one with --canvas-column: "Homework 3 (4711)", "Warm-up (4712)".'
    )
    with pytest.raises(InputError, match=r'more than one .* --canvas-column: "Warm-up \(1\)", "Warm-up \(4712\)"\.'):
        canvas_gradebook(read_sheet("g.csv", exported("Warm-up (1)")), COURSE, "coalsTransp", "warm-up")
    with pytest.raises(InputError, match="no column of an assignment"):
        canvas_gradebook(read_sheet("g.csv", exported()), COURSE, "coalsTransp", "Final Score (2026)")
    with pytest.raises(InputError, match="as Canvas exported it"):
        canvas_gradebook(read_sheet("g.csv", b"Name,Mark\nAda,1\n"), COURSE, "coalsTransp")


def test_excused_unassigned_and_unknown_students_are_reported():
    """Scores of excused, unassigned and unknown students are reported instead of written.

    A score for an excused student would undo the instructor's decision in Canvas.
    """
    stranger = row(replace(STUDENTS[0], label="stranger", key="555"))
    sheet = read_sheet("g.csv", exported(scores={"101": "EX", "102": "N/A", "103": "7.00"}))
    local = row(replace(STUDENTS[0], label="local", key=None))
    filled = canvas_gradebook(sheet, gradebook(*GRADED, stranger, local), "coalsTransp")
    scores = imported(filled.data)
    assert (scores["4711", "101"], scores["4711", "102"], scores["4711", "103"]) == ("EX", "N/A", "100")
    assert {each.where: each.why for each in filled.remarks if each.where != "g.csv"} == {
        "s101": "is graded, but not in the copy: excused in Canvas.",
        "s102": "is graded, but not in the copy: not assigned to this student in Canvas.",
        "stranger": "is graded, but not in the copy: g.csv has no row for this student.",
        "local": "is graded, but not in the copy: g.csv has no row for this student.",
    }


def test_points_stay_where_nothing_says_what_is_possible():
    """If the points possible are missing, points are not scaled, and a remark asks the instructor to check."""
    sheet = read_sheet("g.csv", exported(possible=""))
    filled = canvas_gradebook(sheet, COURSE, "coalsTransp")
    assert imported(filled.data)["4711", "102"] == "25"
    assert "does not state the points possible" in filled.remarks[0].why


def test_scores_have_the_decimal_sign_of_the_file():
    """Scores use the decimal sign of the file. Canvas reads both signs, but a spreadsheet program may not."""
    (half,) = (each for each in GRADED if each.student.key == "102")
    for sign, cell in ((".", b",45.45455,"), (",", b',"45,45455",')):
        filled = canvas_gradebook(read_sheet("g.csv", exported(sign=sign)), gradebook(half), "coalsTransp")
        assert cell in filled.data


def test_scores_that_lack_points_are_told():
    """A remark reports scores that lack points, because Canvas has no comments."""
    lacking = result(BUILD, check("correctness: one", points=68, max_points=68), unchecked(points=32))
    filled = canvas_gradebook(read_sheet("g.csv", exported()), gradebook(row(STUDENTS[0], lacking)), "coalsTransp")
    assert imported(filled.data)["4711", STUDENTS[0].key] == "68"
    assert [remark.why for remark in filled.remarks] == [
        "1 grade in the copy is not of all checks, since the simulator is missing: do not publish it yet."
    ]


def test_an_id_in_two_rows_is_refused_with_both():
    """An ID in two rows raises InputError with both row numbers.

    Otherwise, one row would stay empty, and Canvas would take the score of the last one.
    """
    text = exported().decode()
    twice = read_sheet("g.csv", f"{text}{text.splitlines()[3]}\n".encode())
    with pytest.raises(InputError, match=rf"has the ID 101 in two rows, 4 and {len(twice.lines)}; remove one"):
        canvas_gradebook(twice, gradebook(*GRADED), "coalsTransp")


def test_a_key_is_found_in_any_case():
    """A key is found regardless of case, because the keys of anonymous students contain letters."""
    sheet = read_sheet("g.csv", exported().decode().replace(",101,", ",ANON_X,").encode())
    owner = replace(STUDENTS[0], key="anon_x")
    assert canvas_gradebook(sheet, gradebook(row(owner)), "coalsTransp").grades == 1
