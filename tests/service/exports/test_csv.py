"""csv.py: a file of points has a line for each student, and no cell is a formula."""

import csv
import io

from services import Service

from grader.service.exports.csv import links_csv


def rows(said):
    return list(csv.DictReader(io.StringIO(said.content.decode("utf-8-sig"))))


def test_the_export_has_every_student_and_no_formula(tmp_path):
    """The export lists every student and does not contain formulas, because a spreadsheet must not run a student's
    name.
    """
    service = Service(tmp_path, policies="due: 2026-11-23T11:00:00+00:00\n")
    service.person("=1+1", "student")
    service.graded(service.hand_in(service.app_state.cache.assignment("small").rules))
    formula, ada, ben = rows(service.browser("staff").get("/course/points.csv"))
    assert ada["small points"] == ada["small of"] != ""
    assert (ada["small attempts"], ada["small late"]) == ("1", "late")
    assert (ben["small points"], ben["small attempts"]) == ("", "0")
    assert formula["key"] == "'=1+1"
    assert b'"=' not in links_csv([("@x", "+y", "-z")])
    assert b"'@x,'+y,'-z" in links_csv([("@x", "+y", "-z")])
