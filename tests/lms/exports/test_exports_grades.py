"""grades.py: the table of all grades can be read back, and its points add up."""

import csv
import io
from decimal import Decimal

import pytest
from samples import BUILD, check, result, unchecked
from student_rows import COURSE, GOOD, STUDENTS, gradebook, row

from grader.course.submissions.handin import Student
from grader.lms.exports.grades import COLUMNS, KINDS, grades_csv


def table(book):
    """Return the table as a spreadsheet program or a script would read it."""
    text = grades_csv(book).encode().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_every_student_has_a_row_with_who_what_and_why():
    """Graded, absent and ungraded students each have a row. Unknown values are empty cells."""
    rows = table(COURSE)
    assert [each["label"] for each in rows] == [each.student.label for each in COURSE.rows]
    assert list(rows[0]) == list(COLUMNS)
    assert [rows[i]["status"] for i in (0, -2, -1)] == ["graded", "absent", "ungraded"]
    good, wrong, absent, fault = rows[0], rows[1], rows[-2], rows[-1]
    assert (good["points"], good["max_points"], good["percent"], good["first_reason"]) == ("50", "50", "100.00", "")
    assert (good["rate"], good["unit"], good["fraction_of_reference"]) == ("7.21", "GB/s", "1")
    assert (wrong["points"], wrong["first_reason"], wrong["key"]) == ("25", "WRONG_OUTPUT", "102")
    assert (absent["points"], absent["rate"], absent["where"]) == ("", "", "")
    assert (fault["points"], fault["fault"]) == ("", "'+there is no OpenCL device. no.")


def test_totals_reconcile_with_the_marks():
    """The points by kind add up to the total exactly, even if they are not binary fractions."""
    thirds = row(STUDENTS[0], result(*(check(f"correctness: {i}", points=0.1, max_points=0.1) for i in range(3))))
    for each, cells in zip((*COURSE.rows, thirds), (*table(COURSE), *table(gradebook(thirds))), strict=True):
        if each.grade is None:
            continue
        assert float(cells["points"]) == each.grade.points
        parts = sum(Decimal(cells[kind.value]) for kind in KINDS)
        assert parts == sum(Decimal(repr(mark.points)) for mark in each.grade.checks)
        assert float(parts) == pytest.approx(each.grade.points, abs=1e-12)
    assert Decimal(table(gradebook(thirds))[0]["correctness"]) == Decimal("0.3")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "\uff1d"])
def test_no_text_starts_like_a_formula(start):
    """An apostrophe keeps a hostile text from being read as a formula, and the text stays readable."""
    hostile = Student(label=f"{start}a", name=f'{start}cmd|"/c calc"!A0', key=f"{start}1")
    (cells,) = table(gradebook(row(hostile, GOOD, same_as=(f"{start}b", "c"))))
    for column in ("label", "name", "key", "same_as"):
        assert cells[column].startswith(f"'{start.strip()}")
    assert cells["name"].endswith('cmd|"/c calc"!A0')


SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"


@pytest.mark.parametrize("dividing", ",;\t")
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONE])
@pytest.mark.parametrize(
    "name", ["x;=1+1", "x,=1+1", "x; @SUM(A1)", 'x;"=1+1"', "x;;-1", "a;b\uff1bc;\uff1d1", "=1", ";=1"]
)
def test_no_cell_starts_like_a_formula_however_the_table_is_divided(name, dividing, quoting):
    """No part of a cell starts like a formula, even if a spreadsheet program divides cells at other characters.

    In many countries, spreadsheet programs divide cells at semicolons and then ignore quotation marks.
    """
    hostile = Student(label=name, name=name, key=name)
    text = grades_csv(gradebook(row(hostile, GOOD, same_as=(name,)))).removeprefix("\ufeff")
    cells = [
        cell for line in csv.reader(io.StringIO(text, newline=""), delimiter=dividing, quoting=quoting) for cell in line
    ]
    assert not [cell for cell in cells if cell.strip(' "\t').startswith(tuple(SIGNS))]
    assert text.splitlines()[1].startswith('"')


def test_names_stay_readable():
    """Umlauts, quotation marks and right-to-left letters are kept, and a name on two lines is joined into one line."""
    names = [each["name"] for each in table(COURSE)]
    assert {"Jürgen Groß", 'Robert "Bobby" Tables', "עדה לבלייס", "two lines", "O'Neil, Jr., Pat"} <= set(names)
    assert grades_csv(COURSE).count("\r\n") == len(COURSE.rows) + 1


def test_what_counts_for_nothing_has_no_percentage():
    """A result without points to earn has no percentage. Late and identical files are marked."""
    (cells,) = table(gradebook(row(STUDENTS[0], result(), late=True, same_as=("s9", "s7"))))
    assert (cells["percent"], cells["points"], cells["late"], cells["same_as"]) == ("", "0", "yes", "s9, s7")


def test_points_that_were_not_checked_are_a_column():
    """Unchecked points stay in the maximum and have a column of their own with the reason.

    A reader who sorts by points can therefore see which points are incomplete.
    """
    lacking = row(STUDENTS[0], result(BUILD, check("correctness: one"), unchecked()))
    whole, cells = row(STUDENTS[1]), table(gradebook(lacking, row(STUDENTS[1])))
    assert whole.grade.passed
    named = ("points", "max_points", "percent", "unchecked", "unchecked_reason", "first_reason")
    assert [cells[0][name] for name in named] == ["5", "17", "29.41", "12", "NO_SIMULATOR", ""]
    assert [cells[1][name] for name in named] == ["50", "50", "100.00", "0", "", ""]
