"""course_rows.py: decisions and lateness are in every file, and nothing hidden is in the numbers for students."""

import csv
import io
import json
import zlib
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from exported_files import cells, export, stamped, unzipped
from hidden_parts import GRADEBOOK, failing, hiding_course, right
from services import Service, graded, post

from grader.course.submissions.handin import Student
from grader.results.gradebook import StudentRow, grade_of
from grader.service.exports.course_rows import brief_of, briefs_in
from grader.service.exports.jobs import ExportKind
from grader.service.station.grader import ready

CANVAS = "canvas.zip"


def decided(service, points):
    """Set Ada's points with an instructor's decision."""
    page = f"/course/people/{service.ada}/assignments/small"
    assert post(service.browser("staff"), f"{page}/decision", page, points=points, comment="ill").status_code == 303


def hand_in_case(service, name):
    """Return the reason why a student has no test cases."""
    suites = ElementTree.fromstring(export(service, ExportKind.JUNIT)).iter("testsuite")
    (suite,) = [each for each in suites if each.get("name") == name]
    return suite.find("testcase/skipped").get("message")


def test_who_is_excused_is_not_absent(service):
    """An excused student is listed as excused in every file, with or without an attempt, and never as absent."""
    service.graded(service.hand_in())
    decided(service, "excused")
    ada, ben = csv.DictReader(io.StringIO(export(service, ExportKind.GRADES).decode("utf-8-sig")))
    assert (ada["status"], ada["points"], ada["fault"]) == ("excused", "", "the student is excused.")
    assert ben["status"] == "absent"
    assert "excused" in cells(export(service, ExportKind.WORKBOOK), 2).values()
    assert hand_in_case(service, "Ada small") == "the student is excused."
    assert hand_in_case(service, "Ben small") == "nothing was handed in."
    numbers = service.browser("staff").get("/course/assignments/small").text
    assert "0 not graded yet; 1 handed in nothing; 1 excused; 0 late." in numbers
    gradebook = GRADEBOOK.format(10).replace("Anna", "Ada").encode()
    remarks = unzipped(export(service, CANVAS, gradebook))["remarks.txt"].decode()
    assert "Ada: has no grade in the copy of the gradebook: the student is excused." in remarks


@pytest.mark.whole
def test_who_has_only_excluded_attempts_does_not_wait_for_a_grade(service):
    """A student whose attempts are all excluded is listed as excluded, not as ungraded or absent."""
    attempt = service.graded(service.hand_in())
    page = service.page_of(attempt)
    assert post(service.browser("staff"), f"/course{page}/exclusion", page, reason="copied").status_code == 303
    ada, _ = csv.DictReader(io.StringIO(export(service, ExportKind.GRADES).decode("utf-8-sig")))
    assert (ada["status"], ada["points"], ada["fault"]) == ("excluded", "", "every attempt is excluded.")
    assert hand_in_case(service, "Ada small") == "every attempt is excluded."
    assert "not graded yet</h2>" not in export(service, ExportKind.OVERVIEW).decode()
    numbers = service.browser("staff").get("/course/assignments/small").text
    assert "0 not graded yet; 1 handed in nothing; 1 excluded; 0 late." in numbers
    points = service.browser("staff").get("/course/points.csv").content.decode("utf-8-sig")
    (ada, _) = csv.DictReader(io.StringIO(points))
    assert (ada["small points"], ada["small why"]) == ("", "every attempt is excluded")
    decided(service, "7")
    ada, _ = csv.DictReader(io.StringIO(export(service, ExportKind.GRADES).decode("utf-8-sig")))
    assert (ada["status"], ada["points"]) == ("graded", "7")


LATE = "timezone: Europe/Berlin\ndue: 2026-11-23T13:00\nlate: {percent: 10}\n"


@pytest.mark.whole
def test_what_lateness_costs_is_in_every_file(tmp_path):
    """Every file shows the deduction for lateness and its reason. Reports of attempts that were on time are the stored
    pages.
    """
    service = Service(tmp_path, policies=LATE)
    whole = stamped(service, right(service.course.load("small")))
    service.graded(service.hand_in(person=service.ben), whole)
    service.passes(hours=20)
    service.graded(service.hand_in(), whole)
    files = unzipped(export(service, ExportKind.ARCHIVE))
    page = files["students/Ada/small.html"].decode()
    assert "Late: 15 points before, 1.5 deducted, 13.5 left (15 less 10 % for 1 day late)." in page
    assert json.loads(files["students/Ada/small.json"])["deduction"]["before"] == 15
    ada, ben = csv.DictReader(io.StringIO(files["grades.csv"].decode("utf-8-sig")))
    assert (ada["points"], ada["points_before_deduction"], ada["deduction"]) == ("13.5", "15", "-1.5")
    assert (ben["points"], ben["points_before_deduction"], ben["late"]) == ("15", "", "no")
    assert "small: due 2026-11-23 13:00 CET by course.yaml." in files["index.html"].decode()
    assert 13.5 in cells(export(service, ExportKind.WORKBOOK), 1).values()
    assert b"13.5 left" in export(service, ExportKind.JUNIT)
    assert files["students/Ben/small.html"] == zlib.decompress(whole.early_page)


def test_what_lateness_costs_tells_students_of_no_hidden_points(tmp_path):
    """In files for students, the deduction for lateness is computed from the visible points only, both in numbers and
    in words.
    """
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", "case"), policies=LATE)
    service.passes(hours=20)
    service.graded(service.hand_in(), stamped(service, right(service.course.load("small"))))
    files = unzipped(export(service, ExportKind.ARCHIVE))
    shown, full = service.gradings(1)[0].shown_points, service.gradings(1)[0].points
    assert shown < full
    for name in ("html", "xml", "json", "gradescope.json"):
        text = files[f"students/Ada/small.{name}"].decode()
        assert f"{shown:g} less 10 %" in text
        assert f"{full:g} less" not in text
    assert f"{full:g} less 10 %" in files["instructor/Ada/small.html"].decode()


def test_points_that_are_set_while_checks_are_hidden_are_out_of_all_points(tmp_path):
    """Points that are set by hand while checks are hidden are shown out of all points, so that no file contains "24 of
    19".
    """
    course = hiding_course(tmp_path / "course", "case")
    service, assignment = Service(tmp_path, course=course), course.load("small")
    service.graded(service.hand_in(), stamped(service, right(assignment)))
    page = f"/course/people/{service.ada}/assignments/small"
    post(service.browser("staff"), f"{page}/decision", page, points="24", comment="so")
    files = unzipped(export(service, ExportKind.ARCHIVE))
    report = json.loads(files["students/Ada/small.json"])
    assert (report["points"], report["max_points"], report["hidden_points"]) == (24, 24, 0)
    assert json.loads(files["students/Ada/small.gradescope.json"])["score"] == 24
    html = files["students/Ada/small.html"].decode()
    assert '<p class="score"><b>24</b> / 24 points' in html
    assert "of 19" not in html
    (line,) = [
        row
        for row in csv.DictReader(io.StringIO(export(service, ExportKind.GRADES).decode("utf-8-sig")))
        if row["points"]
    ]
    assert (line["points"], line["max_points"]) == ("24", "24")


def test_a_grade_in_brief_is_the_grade_without_the_source(service):
    """The short form equals the grade without its source. It includes every check, even hidden ones."""
    result = failing(right(service.course.load("small")), 1)
    attempt = service.graded(service.hand_in(), graded(service.course, passed=False))
    (grading,) = service.gradings(attempt)
    with service.database.reading() as session:
        (brief,) = briefs_in(session, [grading.id]).values()
    assert brief.grade == brief.shown == replace(grade_of(result), source="")
    assert result.source not in brief_of(result, result)


def test_what_students_are_not_shown_is_in_the_grade_alone(tmp_path):
    """The full grade includes the points of a hidden case, and the grade that students see does not."""
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", "case"))
    assignment = service.course.load("small")
    outcome = ready(right(assignment), assignment)
    (grading,) = service.gradings(service.graded(service.hand_in(), outcome))
    with service.database.reading() as session:
        (brief,) = briefs_in(session, [grading.id]).values()
    assert brief.grade.points > brief.shown.points == outcome.early_points
    row = StudentRow(student=Student(label="Ada", name="Ada"), assignment="small", grade=brief.grade, shown=brief.shown)
    assert row.hidden_points == outcome.max_points - outcome.early_max == 5
    assert brief.shown.max_points == 24


def test_what_is_not_done_has_no_grade(service):
    """A grading without a result has no short form of a grade."""
    done, waiting = service.graded(service.hand_in()), service.hand_in()
    numbers = [service.gradings(each)[0].id for each in (done, waiting)]
    with service.database.reading() as session:
        assert list(briefs_in(session, numbers)) == numbers[:1]
