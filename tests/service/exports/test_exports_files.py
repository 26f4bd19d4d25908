"""files.py: the files for platforms match the stored grades and what students see."""

import csv
import dataclasses
import io
import json
import re
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from exported_files import export, stamped, unzipped
from hidden_parts import GRADEBOOK, SECRET, failing, hiding_course, right
from services import Service
from untimed import POINTS, untimed_course

from grader.common.errors import InputError
from grader.service.db.tables.people import PersonRow
from grader.service.errors import RefusedError
from grader.service.exports.files import _left_out, _published
from grader.service.exports.gradebook import GradebookReader
from grader.service.exports.jobs import ExportKind
from grader.service.grades.publication import hold_back

MOODLE, CANVAS = "moodle.zip", "canvas.zip"


def test_junit_has_a_suite_for_everybody(service):
    """The JUnit file has a suite for each student. A student without an attempt is skipped instead of failed."""
    service.graded(service.hand_in(), stamped(service, failing(right(service.course.load("small")), 1)))
    suites = ElementTree.fromstring(export(service, ExportKind.JUNIT)).iter("testsuite")
    found = {suite.get("name"): suite for suite in suites}
    assert {name: int(suite.get("failures")) for name, suite in found.items()} == {"Ada small": 1, "Ben small": 0}


def test_a_worksheet_of_moodle_is_filled_with_what_students_see(tmp_path):
    """A Moodle worksheet is filled with the visible grades. Students whose keys differ are found by name. The feedback
    consists of report pages, and the remarks say that hidden checks count as zero.
    """
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", "case"))
    service.graded(service.hand_in(), stamped(service, right(service.course.load("small"))))
    lines = [
        "Identifier,Full name,Grade,Maximum grade,Feedback comments",
        "Participant 7,Ada,,10,",
        "Participant 8,Eve,,10,",
    ]
    files = unzipped(export(service, MOODLE, "\r\n".join(lines).encode()))
    (ada, eve) = csv.DictReader(io.StringIO(files["moodle-worksheet.csv"].decode("utf-8-sig")))
    assignment = service.course.load("small")
    shown = service.gradings(1)[0].shown_points
    assert float(ada["Grade"]) == pytest.approx(10 * shown / assignment.points, abs=1e-4)
    assert eve["Grade"] == ""
    assert list(unzipped(files["moodle-feedback.zip"])) == ["Ada_7_assignsubmission_file_/small.html"]
    assert "hidden checks, which count as zero until you release them." in files["remarks.txt"].decode()


def test_platforms_get_nothing_of_results_that_are_held_back(service):
    """Files for a platform do not contain points or reports of results that are held back. The remarks give
    the reason.
    """
    service.graded(service.hand_in())
    with service.database.writing() as session:
        hold_back(session, "small", "staff", service.now)
    sheet = b"Identifier,Full name,Grade,Maximum grade,Feedback comments\r\nParticipant 7,Ada,,10,\r\n"
    with pytest.raises(RefusedError, match="All results are held back"):
        export(service, MOODLE, sheet)
    reader = GradebookReader(service.database, service.course, "")
    book = reader.gradebook()
    others = tuple(dataclasses.replace(row, assignment="other") for row in book.rows)
    both = dataclasses.replace(book, assignments=("other", "small"), rows=(*others, *book.rows))
    shown = _published(SimpleNamespace(gradebook=lambda: both, held_back=frozenset({"other"})))
    assert (shown.assignments, shown.rows) == (("small",), book.rows)
    assert [each.where for each in _left_out(reader)] == ["small"]


def found_in(service, *lines):
    """Fill in a worksheet with these lines. Return whether each name got a grade, the folders of feedback, and the
    remarks.
    """
    sheet = ["Identifier,Full name,Grade,Maximum grade,Feedback comments", *lines]
    files = unzipped(export(service, MOODLE, "\r\n".join(sheet).encode()))
    rows = csv.DictReader(io.StringIO(files["moodle-worksheet.csv"].decode("utf-8-sig")))
    folders = [name.partition("_assign")[0] for name in unzipped(files["moodle-feedback.zip"])]
    return {row["Full name"]: bool(row["Grade"]) for row in rows}, sorted(folders), files["remarks.txt"].decode()


@pytest.mark.whole
def test_a_worksheet_in_an_unknown_language_is_answered_in_words_for_a_page(service):
    """If the headings of a worksheet are unknown, the page shows an error with the missing column, the columns found
    and the next step.
    """
    service.graded(service.hand_in())
    sheet = "Identifier,全名,{}\r\nParticipant 7,Ada,\r\n"
    with pytest.raises(InputError) as refused:
        export(service, MOODLE, sheet.format("成绩").encode())
    assert str(refused.value) == (
        'No column of the worksheet is recognised as the one for grades: "Identifier", "全名", "成绩". '
        "Set Moodle to English, and download the worksheet again."
    )
    remarks = unzipped(export(service, MOODLE, sheet.format("Grade").encode()))["remarks.txt"].decode()
    assert "no column for comments is known, so no comments are filled in. Set Moodle to English" in remarks
    assert "--" not in remarks


def test_nobody_gets_anothers_grade_or_feedback_from_a_platforms_numbers(service):
    """No student gets the grade of another, even if the platform's number equals the key of another student or two
    students share a name.
    """
    with service.database.writing() as session:
        session.get_one(PersonRow, service.ada).key = "7"
    for person in (service.ada, service.ben):
        service.graded(service.hand_in(person=person))
    grades, folders, said = found_in(service, "Participant 7,Ben,,10,", "Participant 55,Ada,,10,")
    assert (grades, folders) == ({"Ben": True, "Ada": True}, ["Ada_55", "Ben_7"])
    assert "matched by name alone because the keys differ: Ada and Ben." in said
    grades, folders, _ = found_in(service, "Participant 7,Ben,,10,", "Participant 8,Ben,,10,")
    assert (grades, folders) == ({"Ben": False}, [])
    grades, folders, said = found_in(service, "Participant 7,Ada M.,,10,", "Participant 8,Eve,,10,")
    assert (grades, folders) == ({"Ada M.": True, "Eve": False}, ["Ada_7"])
    assert "found by name" not in said


def renamed(service, **keys):
    """Give these keys to Ada and Ben."""
    with service.database.writing() as session:
        for name, key in keys.items():
            session.get_one(PersonRow, getattr(service, name)).key = key


def test_students_are_found_in_a_worksheet_by_mail_address(service):
    """A worksheet's mail addresses identify students before their names do. An address in several rows is refused."""
    renamed(service, ada="ada@x.org", ben="BEN@x.org")
    for person in (service.ada, service.ben):
        service.graded(service.hand_in(person=person))
    sheet = "Identifier,Full name,Email address,Grade,Maximum grade,Feedback comments\r\n"
    lines = "Participant 7,A. Lovelace,Ada@x.org,,10,\r\nParticipant 8,Ada,ben@x.org,,10,\r\n"
    files = unzipped(export(service, MOODLE, (sheet + lines).encode()))
    rows = csv.DictReader(io.StringIO(files["moodle-worksheet.csv"].decode("utf-8-sig")))
    assert [bool(row["Grade"]) for row in rows] == [True, True]
    folders = sorted(name.partition("_assign")[0] for name in unzipped(files["moodle-feedback.zip"]))
    assert folders == ["Ada_7", "Ben_8"]
    assert "found by name" not in files["remarks.txt"].decode()
    several = (sheet + lines + "Participant 9,Ben,Ben@x.org,,10,\r\n").encode()
    files = unzipped(export(service, MOODLE, several))
    rows = csv.DictReader(io.StringIO(files["moodle-worksheet.csv"].decode("utf-8-sig")))
    assert [bool(row["Grade"]) for row in rows] == [True, False, False]
    refused = "Ben: is graded, but not in the copy: the rows 3 and 4 have the same mail address ben@x.org."
    assert refused in files["remarks.txt"].decode()


def test_students_are_found_in_a_gradebook_by_a_login_that_is_a_mail_address(service):
    """A login that is a mail address identifies a student in a Canvas gradebook, even if the names differ."""
    renamed(service, ada="ada@x.org")
    service.graded(service.hand_in())
    given = GRADEBOOK.format(10).replace("Anna,7,anna", "A. Lovelace,7,ada@x.org")
    files = unzipped(export(service, CANVAS, given.encode()))
    assert re.search(r'A. Lovelace,7,ada@x.org,A,"?10"?', files["canvas-gradebook.csv"].decode())


def test_a_gradebook_of_canvas_is_filled(service):
    """Grades are written to the assignment's column of a Canvas gradebook."""
    service.graded(service.hand_in())
    given = GRADEBOOK.format(10).replace("Anna", "Ada")
    files = unzipped(export(service, CANVAS, given.encode()))
    assert re.search(r'Ada,7,anna,A,"?10"?', files["canvas-gradebook.csv"].decode())
    assert files["remarks.txt"].startswith(b"1 grades are in canvas-gradebook.csv")


def test_a_gradebook_without_the_assignments_column_is_answered_in_words_for_a_page(service):
    """If a gradebook has no column for the assignment, the error says how to name the right column and what
    to do next.
    """
    service.graded(service.hand_in())
    with pytest.raises(InputError) as refused:
        export(service, CANVAS, GRADEBOOK.format(10).replace("Adding", "Homework").encode())
    assert "give the right one this name in Canvas, and export the gradebook again: " in str(refused.value)
    assert "--" not in str(refused.value)


def test_the_overview_leads_to_the_attempts(service):
    """The overview, which is the page of a batch, links to the attempts."""
    attempt = service.graded(service.hand_in())
    assert f'href="./..{service.page_of(attempt)}"' in export(service, ExportKind.OVERVIEW).decode()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "which",
    [
        ExportKind.OVERVIEW,
        ExportKind.GRADES,
        ExportKind.WORKBOOK,
        ExportKind.JUNIT,
        ExportKind.ARCHIVE,
        CANVAS,
    ],
)
def test_each_file_of_an_assignment_that_checks_no_speed_is_made(tmp_path, which):
    """Exports of an assignment without a speed check have no column, test case or text about speed."""
    service = Service(tmp_path, course=untimed_course(tmp_path / "course"))
    service.graded(service.hand_in(), stamped(service, right(service.course.load("small"))))
    given = GRADEBOOK.format(f"{POINTS}").encode() if which == CANVAS else b""
    data = export(service, which, given)
    zipped = data[:2] == b"PK"
    texts = list(unzipped(data).values()) if zipped else [data]
    assert texts
    assert not any(re.search(rb"performance:|GB/s|GFLOPS|Speed was measured", each) for each in texts)


def test_the_archive_has_sources_and_reports(service):
    """The archive contains the sources and the reports that students see. No file name in it leads out of
    its folder.
    """
    mallory = service.person("../../m", "student")
    attempt = service.hand_in(person=mallory, data=b"// \xff kernel\n")
    service.graded(attempt, stamped(service, failing(right(service.course.load("small")), 1)))
    files = unzipped(export(service, ExportKind.ARCHIVE))
    assert not any(".." in name.split("/") or name.startswith("/") for name in files)
    (source,) = [name for name in files if name.startswith("sources/")]
    assert files[source] == b"// \xff kernel\n"
    student = source.removeprefix("sources/").removesuffix("small.cl")
    made = {name.removeprefix(f"students/{student}") for name in files if name.startswith("students/")}
    endings = ("codequality.json", "gradescope.json", "html", "json", "sarif", "xml")
    assert made == {f"small.{ending}" for ending in endings}
    assert (
        json.loads(files[f"students/{student}small.gradescope.json"])["score"]
        == service.gradings(attempt)[0].shown_points
    )
    assert f"./students/{student}small.html" in files["index.html"].decode()
    assert {"grades.csv", "grades.xlsx", "batch.xml"} <= files.keys()


@pytest.mark.parametrize("hidden", ["case", "performance"])
def test_what_is_hidden_is_in_no_file_for_students(tmp_path, hidden):
    """Files for students do not contain anything hidden, even if the assignment has changed since. Only the
    instructor's page does.
    """
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", hidden))
    whole = failing(right(service.course.load("small")), {"case": 2, "performance": 7}[hidden])
    service.graded(service.hand_in(), stamped(service, whole))
    rubric = service.course.assignments / "small" / "assignment.yaml"
    for title in ("Adding", "Subtracting"):
        rubric.write_text(rubric.read_text().replace("Adding", title))
        files = unzipped(export(service, ExportKind.ARCHIVE))
        students = {name: data for name, data in files.items() if name.startswith("students/")}
        assert len(students) == 6
        for name, data in students.items():
            assert SECRET not in data.decode(), name
        assert SECRET in files["instructor/Ada/small.html"].decode()
