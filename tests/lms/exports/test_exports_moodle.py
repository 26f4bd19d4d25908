"""moodle.py: Moodle imports the worksheet with each grade for the right student."""

import csv
import html
import io
import re
from dataclasses import dataclass, replace

import pytest
from samples import BUILD, check, failed, result, unchecked
from student_rows import ABSENT, COURSE, FAULT, GRADED, NAMES, STUDENTS, WRONG, row

from grader.common.errors import InputError
from grader.lms.exports.moodle import late, moodle_worksheet
from grader.lms.exports.sheet import read_sheet
from grader.results.verdicts import Reason

ENGLISH = (
    *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Grade can be changed"),
    *("Last modified (submission)", "Last modified (grade)", "Feedback comments"),
)
GERMAN = (
    *("ID", "Vollständiger Name", "E-Mail-Adresse", "Status", "Bewertung", "Bestwertung"),
    *("Bewertung kann geändert werden", "Zuletzt geändert (Abgabe)", "Zuletzt geändert (Bewertung)"),
    "Feedback als Kommentar",
)


@dataclass(frozen=True, kw_only=True)
class Language:
    """The words of a worksheet in one language: headings, the word before a number, yes and no, the decimal sign."""

    headings: tuple
    participant: str
    yes: str
    no: str
    sign: str


EN = Language(headings=ENGLISH, participant="Participant ", yes="Yes", no="No", sign=".")
DE = Language(headings=GERMAN, participant="Teilnehmer/in", yes="Ja", no="Nein", sign=",")


def worksheet(language=EN, maximum="100.00", changeable=None, comments=None, **dialect):
    """Return a worksheet as Moodle writes it. It has all students, two people without a grade and an outsider."""
    file = io.StringIO()
    writer = csv.writer(
        file, lineterminator=dialect.get("lineterminator", "\n"), delimiter=dialect.get("delimiter", ",")
    )
    writer.writerow(language.headings)
    people = [*((each.key, each.name) for each in STUDENTS), ("201", "Gone"), ("202", "Our Fault"), ("999", "Else")]
    for key, name in people:
        may = language.no if key == changeable else language.yes
        cells = [
            f"{language.participant}{key}",
            name,
            f"{key}@x.org",
            "Submitted",
            "",
            maximum.replace(".", language.sign),
        ]
        writer.writerow([*cells, may, "Monday, 5 October 2026, 10:00 AM", "-", (comments or {}).get(key, "")])
    return ("\ufeff" + file.getvalue()).encode()


def imported(data, language=EN, delimiter=","):
    """Return the grade and comment of each participant that Moodle's importer would take from a worksheet.

    Headings must be Moodle's, in the language of the person who uploads. The number follows the word for a participant.
    Unknown participants, empty grades and grades out of range are ignored. The language's decimal sign is read as a
    point, and comments are read unchanged.
    """
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter))
    at = {heading: index for index, heading in enumerate(rows[0])}
    of = dict(zip(ENGLISH, language.headings, strict=True))
    assert {of["Identifier"], of["Grade"], of["Last modified (grade)"]} <= set(at)
    enrolled = {*(each.key for each in STUDENTS), "201", "202", "999"}
    taken = {}
    for cells in rows[1:]:
        assert len(cells) == len(rows[0])
        key = cells[at[of["Identifier"]]][len(language.participant) :]
        grade = cells[at[of["Grade"]]].replace(" ", "").replace(language.sign, ".")
        maximum = float(cells[at[of["Maximum grade"]]].replace(language.sign, "."))
        locked = cells[at[of["Grade can be changed"]]] == language.no
        if key in enrolled and grade and not locked and 0 <= float(grade) <= maximum:
            taken[key] = (float(grade), cells[at[of["Feedback comments"]]])
    return taken


@pytest.mark.parametrize(("language", "delimiter"), [(EN, ","), (DE, ","), (DE, ";")], ids=["en", "de", "de;"])
def test_every_grade_arrives_at_its_student(language, delimiter):
    """Every grade is scaled to the maximum of the worksheet in its language, and no other student gets a grade."""
    before = worksheet(language, delimiter=delimiter)
    filled = moodle_worksheet(read_sheet("w.csv", before), COURSE.rows)
    taken = imported(filled.data, language, delimiter)
    expected = {each.student.key: 100 * each.grade.points / each.grade.max_points for each in GRADED}
    assert {key: grade for key, (grade, _) in taken.items()} == pytest.approx(expected, abs=1e-5)
    assert filled.grades == len(GRADED) == len(NAMES)
    assert {remark.why for remark in filled.remarks} == {
        "grades out of 50 points are scaled to its maximum of 100.",
        "grades out of 55 points are scaled to its maximum of 100.",
        "has no grade in the copy of w.csv: +there is no OpenCL device. no.",
    }


def test_nothing_but_grades_and_comments_changes():
    """The header, the order, the byte order mark, quotation marks, dates and rows without a grade do not change."""
    before = worksheet(lineterminator="\r\n")
    data = moodle_worksheet(read_sheet("w.csv", before), COURSE.rows).data
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\r\n") == before.count(b"\r\n")
    old, new = ([*csv.reader(io.StringIO(each.decode(), newline=""))] for each in (before, data))
    changed = {(i, j) for i, cells in enumerate(old) for j, cell in enumerate(cells) if new[i][j] != cell}
    assert changed == {(i, j) for i in range(1, len(NAMES) + 1) for j in (4, 9)}
    assert moodle_worksheet(read_sheet("w.csv", before), (ABSENT, FAULT)).data == before


@pytest.mark.parametrize("language", [EN, DE], ids=["en", "de"])
def test_a_key_may_be_a_mail_address(language):
    """A key can be a mail address, regardless of case.

    An address that occurs in two rows is reported with both rows, as are two students that share a row.
    """
    first, second, third = GRADED[:3]
    mails = [replace(each, student=replace(each.student, key=f"{each.student.key}@X.org")) for each in GRADED[:3]]
    before = worksheet(language)
    assert set(imported(moodle_worksheet(read_sheet("w.csv", before), tuple(mails)).data, language)) == {
        each.student.key for each in (first, second, third)
    }
    shared = before.replace(f"{second.student.key}@x.org".encode(), f"{first.student.key}@x.org".encode())
    filled = moodle_worksheet(read_sheet("w.csv", shared), tuple(mails[:2]))
    assert imported(filled.data, language) == {}
    whys = {each.where: each.why for each in filled.remarks}
    assert whys[first.student.label].endswith(f"the rows 2 and 3 have the same mail address {first.student.key}@x.org.")
    assert whys[second.student.label].endswith("has no row for this student.")
    other = replace(first, student=replace(first.student, label="other"))
    filled = moodle_worksheet(read_sheet("w.csv", before), (mails[0], other))
    assert imported(filled.data, language) == {}
    assert [each.why.partition(": ")[2] for each in filled.remarks] == ["several students belong to its row."] * 2


def test_a_comment_says_points_and_where_to_start_as_html():
    """A comment shows the points and the first cause as one line of HTML, with the student's text escaped."""
    taken = imported(moodle_worksheet(read_sheet("w.csv", worksheet()), GRADED).data)
    assert taken["101"][1] == "grader: 50 of 50 points.<br>correctness 10 / 10, performance 40 / 40"
    assert taken["102"][1] == (
        "grader: 25 of 55 points.<br>correctness 5 / 15, performance 20 / 40"
        '<br>Start here: WRONG_OUTPUT: it &lt;b&gt;is&lt;/b&gt; &amp; "wrong".'
    )


def test_a_comment_is_no_formula_in_the_worksheet_and_reads_the_same_in_moodle():
    """A comment is not read as a formula in the worksheet, and Moodle shows it unchanged.

    Escaping adds semicolons ("<=" becomes "&lt;="), at which spreadsheet programs of many countries divide cells.
    """
    said = "line 3 says i<=n; =1+1; @x, -2."
    hostile = result(BUILD, failed("correctness: one", message=said))
    comment = imported(moodle_worksheet(read_sheet("w.csv", worksheet()), (row(STUDENTS[0], hostile),)).data)["101"][1]
    assert not [part for part in re.split("[;,]", comment) if part.strip().startswith(tuple("=+-@"))]
    assert html.unescape(comment).endswith(said)


def test_a_comment_of_ours_is_replaced_and_another_stays():
    """A later grading replaces a comment by grader. A tutor's comment is kept, and a remark says so."""
    comments = {"101": "grader: 1 of 50 points.", "102": "See me."}
    filled = moodle_worksheet(read_sheet("w.csv", worksheet(comments=comments)), GRADED)
    taken = imported(filled.data)
    assert taken["101"][1].startswith("grader: 50 of 50")
    assert taken["102"] == (pytest.approx(100 * 25 / 55, abs=1e-5), "See me.")
    assert [each.why for each in filled.remarks if each.where == "Participant 102"] == [
        "has a comment already, which stays; the grade is filled in."
    ]
    again = moodle_worksheet(read_sheet("w.csv", filled.data), GRADED)
    assert again.data == filled.data


def test_who_cannot_be_placed_is_reported():
    """A locked grade, a student without a row and a student without a number are reported."""
    stranger = replace(STUDENTS[0], label="stranger", key="555")
    local = replace(STUDENTS[0], label="local", key=None)
    rows = (*GRADED, row(stranger), row(local))
    filled = moodle_worksheet(read_sheet("w.csv", worksheet(changeable="103")), rows)
    assert "103" not in imported(filled.data)
    assert {each.where: each.why for each in filled.remarks if each.where != "w.csv"} == {
        "s103": "is graded, but not in the copy: the worksheet says that this grade cannot be changed.",
        "stranger": "is graded, but not in the copy: w.csv has no row for this student.",
        "local": "is graded, but not in the copy: w.csv has no row for this student.",
    }
    assert filled.grades == len(GRADED) - 1


@pytest.mark.parametrize(("maximum", "grade"), [("50.00", 50.0), ("7.00", 7.0), ("0.30", 0.3)])
def test_full_points_are_the_maximum_and_never_more(maximum, grade):
    """Full points become exactly the maximum, because Moodle ignores a grade above the maximum."""
    data = moodle_worksheet(read_sheet("w.csv", worksheet(maximum=maximum)), (row(STUDENTS[0]),)).data
    assert imported(data)["101"][0] == grade


def test_no_points_to_earn_is_no_grade():
    """A result without points to earn has no grade, because it cannot be scaled."""
    filled = moodle_worksheet(read_sheet("w.csv", worksheet()), (row(STUDENTS[0], result()),))
    assert (filled.grades, imported(filled.data)) == (0, {})
    assert filled.remarks[0].why.endswith("there were no points to earn.")


def test_unknown_headings_are_listed_and_can_be_named():
    """For unknown headings, InputError lists them. Two options select the columns if the language is unknown."""
    polish = replace(EN, headings=("Identyfikator", *ENGLISH[1:4], "Ocena", *ENGLISH[5:9], "Komentarz"))
    sheet = read_sheet("w.csv", worksheet(polish))
    with pytest.raises(
        InputError, match=r'for grades: "Identyfikator", .*"Ocena", .*\. Give its heading with --moodle-grade'
    ):
        moodle_worksheet(sheet, GRADED)
    with pytest.raises(InputError, match=r'no column "Oceny"; give one of these with --moodle-grade-column'):
        moodle_worksheet(sheet, GRADED, grade_column="Oceny")
    without = moodle_worksheet(sheet, GRADED, grade_column=" ocena ")
    assert "--moodle-feedback-column" in without.remarks[0].why
    filled = moodle_worksheet(sheet, GRADED, grade_column="Ocena", feedback_column="Komentarz")
    assert imported(filled.data, polish)["101"][1].startswith("grader: ")


def test_other_files_are_refused():
    """A list of names, and a worksheet with two rows for one participant, raise InputError."""
    with pytest.raises(InputError, match="no participants in its first column"):
        moodle_worksheet(read_sheet("w.csv", b"Name,Grade\nAda,\n"), GRADED)
    with pytest.raises(InputError, match="two rows for participant 7"):
        moodle_worksheet(read_sheet("w.csv", b"ID,Grade\nP7,\nP07,\n"), GRADED)


def test_points_without_a_known_maximum_are_written_as_they_are():
    """If the maximum is unknown, points are not scaled, and a remark asks the instructor to check."""
    filled = moodle_worksheet(read_sheet("w.csv", b"Identifier,Grade\nParticipant 102,\n"), (row(STUDENTS[1], WRONG),))
    assert filled.data == b"Identifier,Grade\nParticipant 102,25\n"
    assert "not scaled" in filled.remarks[0].why


def test_rows_of_others_are_no_matter():
    """In a course of 3,000 in which one student handed in, the rows of all other participants do not change."""
    lines = b"".join(b"Participant %d,\n" % number for number in range(1000, 4000))
    filled = moodle_worksheet(
        read_sheet("w.csv", b"Identifier,Grade\n" + lines), (row(replace(STUDENTS[0], key="2500")),)
    )
    assert filled.data.replace(b"2500,50\n", b"2500,\n") == b"Identifier,Grade\n" + lines


def test_grades_have_the_decimal_sign_of_the_worksheet():
    """Grades use the decimal sign of the worksheet's maximum.

    Moodle reads a point in every language, but a spreadsheet program may not.
    """
    for language, cell in ((EN, b",45.45455,"), (DE, b',"45,45455",')):
        filled = moodle_worksheet(read_sheet("w.csv", worksheet(language)), (GRADED[1],))
        assert cell in filled.data


LACKING = result(BUILD, check("correctness: one", points=68, max_points=68), unchecked(points=32))


def test_points_that_were_not_checked_are_not_scaled_away():
    """Unchecked points stay in the maximum: 68 of 100 points remain 68.

    The comment states the missing points, and a remark asks the instructor not to publish the grade yet.
    """
    filled = moodle_worksheet(read_sheet("w.csv", worksheet()), (row(STUDENTS[0], LACKING),))
    ((grade, comment),) = imported(filled.data).values()
    assert grade == 68
    assert comment.startswith("grader: 68 of 100; 32 not checked here: the simulator is missing.<br>")
    assert [remark.why for remark in filled.remarks] == [
        "1 grade in the copy is not of all checks, since the simulator is missing: do not publish it yet."
    ]


def test_a_grade_that_the_courses_machine_completes_says_so():
    """For a grade from a kit, a remark says that the course's machine decides the rest."""
    there = result(BUILD, unchecked(reason=Reason.DECIDED_ELSEWHERE, points=100))
    filled = moodle_worksheet(read_sheet("w.csv", worksheet()), (row(STUDENTS[0], there), row(STUDENTS[1], there)))
    assert [remark.why for remark in filled.remarks] == [
        "2 grades in the copy are not of all checks: the course's machine decides the rest."
    ]


@pytest.mark.parametrize(
    ("reason", "comment", "remark"),
    [
        (Reason.NOT_MEASURED, "the machine was too noisy", "the machine was too noisy to time it"),
        (Reason.INTERFERENCE, *(2 * ("the operating system disturbed the timing",))),
    ],
)
def test_a_grade_without_its_speed_says_so(reason, comment, remark):
    """A comment and a remark say that speed was not measured, so that it does not look like zero points."""
    noisy = result(BUILD, check("correctness: one", points=68, max_points=68), unchecked(points=32, reason=reason))
    filled = moodle_worksheet(read_sheet("w.csv", worksheet()), (row(STUDENTS[0], noisy),))
    ((_, found),) = imported(filled.data).values()
    assert found.startswith(f"grader: 68 of 100; 32 not measured: {comment}.<br>")
    assert [each.why for each in filled.remarks] == [
        f"1 grade in the copy is not of all checks, since {remark}: do not publish it yet."
    ]


@pytest.mark.parametrize(
    ("status", "is_late"),
    [
        ("Submitted for grading", False),
        ("Submitted for grading - 2 days 3 hours late", True),
        ("Submitted for grading - Graded - 5 mins late", True),
        ("Assignment was submitted 1 day late", True),
        ("Submitted for grading - Extension granted until: Monday, 5 October 2026, 10:00 AM", False),
        ("No submission - Assignment is overdue by: 3 days", False),
        ("Zur Bewertung abgegeben - 2 Tage später", True),
        ("Zur Bewertung abgegeben - 1 Stunde verspätet", True),
        ("Remis pour évaluation - En retard de 2 jours", True),
        ("Enviado para calificar - 3 horas después", True),
        ("Enviado para avaliação - 1 dia atrasado", True),
        ("Translated", False),
    ],
)
def test_lateness_is_read_in_every_form_that_moodle_writes(status, is_late):
    """Lateness is recognized in every form of the status, in all supported languages. An extension is not lateness."""
    heading = {"E": "Estado", "R": "Statut"}.get(status[0], "Status")
    sheet = read_sheet("w.csv", f'ID,{heading}\nParticipant 7,"{status}"\nParticipant 8,-\n'.encode())
    assert late(sheet) == (frozenset({"7"}) if is_late else frozenset())
