"""overrides.py and its pages: points by hand and exclusions count, and the student reads why."""

import csv
import io
import re
from dataclasses import replace

import pytest
from hidden_parts import hiding_course, right
from services import Service, graded, post, told, upload

from grader.service.db.tables.people import CourseRole
from grader.service.station.grader import ready

HOME = "/course/people/{}/assignments/small"


def decide(service, points, comment="so"):
    page = HOME.format(service.ada)
    return post(service.browser("staff"), f"{page}/decision", page, points=points, comment=comment)


def worth(service, points):
    return replace(graded(service.course), points=points, early_points=points)


def line_of(service):
    """Return Ada's row of the points table."""
    text = service.browser("staff").get("/course/points.csv").content.decode("utf-8-sig")
    return next(each for each in csv.DictReader(io.StringIO(text)) if each["key"] == "ada")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("typed", "points", "words"),
    [
        ("12", "12", "by hand 12: so"),
        pytest.param("+2,5", "12.5", "by hand +2.5: so", marks=pytest.mark.whole),
        ("-4", "6", "by hand -4: so"),
        ("Excused", "", "excused: so"),
    ],
)
def test_points_by_hand_survive_regrading_and_the_student_reads_why(service, typed, points, words):
    """Points or an excuse that an instructor enters survive a regrading. The reason is on the student's page, in the
    table and in the audit trail.
    """
    attempt = service.graded(service.hand_in(), worth(service, 10.0))
    assert decide(service, typed).status_code == 303
    service.regrade(attempt)
    service.graded(attempt, worth(service, 10.0))
    assert (line_of(service)["small points"], line_of(service)["small why"]) == (points, words)
    ada = service.browser("ada")
    assert words in ada.get("/assignments/small").text
    assert (f"{points} / 15" if points else "excused") in ada.get("/").text
    assert f"decided nothing -&gt; {words}" in service.browser("staff").get("/course/audit").text
    assert decide(service, "", "a slip").status_code == 303
    assert line_of(service)["small points"] == "10"


@pytest.mark.whole
def test_points_are_given_to_who_has_handed_in_nothing(service):
    """A student without an attempt can get a number of points, but no addition such as +7, because there are no points
    to add to.
    """
    decide(service, "7")
    assert line_of(service)["small points"] == "7"
    assert "7 of 15 points" in service.browser("ada").get("/assignments/small").text
    assert service.browser("staff").get("/course/assignments/small").status_code == 200
    decide(service, "+7")
    assert line_of(service)["small points"] == ""


@pytest.mark.whole
@pytest.mark.parametrize(
    ("typed", "words"), [("many", "80, +5, -2.5"), ("16", "more than the 15 points"), ("", "Write 80")]
)
def test_what_is_no_points_changes_nothing(service, typed, words):
    """Invalid points change nothing, and the answer explains how to write points."""
    said = decide(service, typed)
    assert (said.status_code, words in said.text) == (422, True)
    assert "by hand" not in service.browser("staff").get("/course/audit").text


EXCLUDE, COUNT_AGAIN = ["Exclude", "Exclude this attempt"], ["Count again", "Count this attempt again"]
"""Heading and button of the exclusion form, which must use one word for one action."""


def test_an_attempt_that_is_excluded_does_not_count_and_stays_used(service):
    """An excluded attempt does not count, but is still used up. An instructor can include it again."""
    best = service.graded(service.hand_in(), worth(service, 14.0))
    service.graded(service.hand_in(), worth(service, 9.0))
    page, staff = service.page_of(best), service.browser("staff")
    address = f"/course{page}/exclusion"
    assert re.findall("(?:h2.*|button)>(.*xclude.*|Count .*)</(?:h2|button)", staff.get(page).text) == EXCLUDE
    assert post(staff, address, page, reason="not their own").status_code == 303
    assert re.findall("(?:h2.*|button)>(.*xclude.*|Count .*)</(?:h2|button)", staff.get(page).text) == COUNT_AGAIN
    assert line_of(service)["small points"] == "9"
    ada = service.browser("ada")
    assert "18 of 20" in ada.get("/assignments/small").text
    assert "does not count: not their own" in ada.get(page).text
    post(staff, address, page, reason="a mistake")
    assert line_of(service)["small points"] == "14"
    assert "counts again; reason: a mistake" in staff.get("/course/audit").text


def test_pages_say_that_every_attempt_is_excluded(service):
    """If every attempt is excluded, the pages of staff and student say so. With a new waiting attempt, they say that
    nothing is graded.
    """
    page = service.page_of(service.graded(service.hand_in()))
    staff, ada = service.browser("staff"), service.browser("ada")
    post(staff, f"/course{page}/exclusion", page, reason="not their own")
    assert 'class="quiet">excluded</a>' in staff.get("/course/points").text
    assert "nothing: every attempt is excluded" in ada.get("/assignments/small").text
    assert "every attempt is excluded" in ada.get("/").text
    service.hand_in()
    assert 'class="quiet">open</a>' in staff.get("/course/points").text
    assert "nothing graded" in ada.get("/assignments/small").text


def test_who_teaches_reads_the_dates_of_the_course(tmp_path):
    """Staff see the due date and the limit of attempts on every page. Their own trial runs are never late."""
    rules = "due: 2026-11-22T12:00Z\nlate: {percent: 10}\nattempts: {most: 3}\n"
    service = Service(tmp_path, policies=rules)
    staff = service.browser("staff")
    assert upload(staff).status_code == 303
    service.finish(service.claim())
    own = f"/course/people/{service.staff}"
    for page, attempts in (("/", '"attempts">3<'), ("/assignments/small", "3 for each student")):
        text = staff.get(page).text
        assert "trial run" in text
        for shown in (text, staff.get(f"{own}{page}".rstrip("/")).text):
            assert "Sun 22 Nov 2026, 12:00 UTC" in shown
            assert attempts in shown
        assert not re.search("no date|no limit|new attempts are late|1 day late|<b>late", text)
    assert "new attempts are late" in service.browser("ada").get("/assignments/small").text
    service.database.close()


def test_a_trial_run_counts_nowhere(tmp_path):
    """A trial run never counts, even if the assignment is closed or its author becomes a student later."""
    service = Service(tmp_path, policies="due: 2026-11-22T12:00Z\nlate: refused\nattempts: {most: 1}\n")
    staff = service.browser("staff")
    assert "trial run" in staff.get("/assignments/small").text
    for _ in range(2):
        assert upload(staff).status_code == 303
        service.finish(service.claim())
    assert "This is a trial run." in staff.get(service.page_of(1)).text
    post(staff, "/course/people/roster", file=("roster.csv", b"key,name,role\nco,Co,instructor\n"))
    post(service.browser("co"), "/course/people/roster", file=("roster.csv", b"key,name,role\nstaff,Staff,student\n"))
    lines = service.browser("co").get("/course/points.csv").content.decode("utf-8-sig")
    found = {each["key"]: each for each in csv.DictReader(io.StringIO(lines))}
    assert (found["staff"]["small points"], found["staff"]["small attempts"]) == ("", "0")
    service.database.close()


@pytest.mark.whole
def test_an_assistant_sees_all_regrades_and_answers_and_decides_nothing(service):
    """An assistant can see everything, regrade attempts and answer questions. For forms that only instructors may send,
    the answer is 404.
    """
    service.person("tom", CourseRole.ASSISTANT)
    attempt = service.graded(service.hand_in())
    tom, page = service.browser("tom"), service.page_of(attempt)
    home = HOME.format(service.ada)
    for each in ("/course", "/course/people", "/course/audit", "/course/requests", home, page, f"{page}/report?all=1"):
        assert tom.get(each).status_code == 200
    assert post(tom, "/course/regrade", "/course", assignment="small", which="all").status_code == 303
    post(service.browser("ada"), f"{page}/request", page, text="Why?")
    assert post(tom, "/course/requests/1/answer", "/course/requests", answer="So.").status_code == 303
    roster = ("roster.csv", b"key,name,role\ntom,Tom,instructor\n")
    assert post(tom, "/course/people/roster", file=roster).status_code == 404
    for address in (
        f"{home}/decision",
        f"{home}/extension",
        f"/course{page}/exclusion",
        "/course/assignments/small/release",
        f"/course/people/{service.ada}/invitation",
        "/course/invitations",
    ):
        assert post(tom, address, points="1", comment="x", reason="x").status_code == 404
    assert "/decision" not in tom.get(home).text


@pytest.mark.sampled
@pytest.mark.parametrize("hidden", ["case", "sanitizer", "memory", "performance"])
@pytest.mark.parametrize("typed", ["24", *(pytest.param(text, marks=pytest.mark.whole) for text in ("+0.5", "0"))])
def test_points_by_hand_while_checks_are_hidden_are_out_of_all_points(tmp_path, hidden, typed):
    """Points that are set by hand while checks are hidden are shown out of all 24 points in pages, files and the API,
    so that a student never reads "24 of 19". A bonus is added to the visible points.
    """
    course = hiding_course(tmp_path / "course", hidden)
    service, assignment = Service(tmp_path, course=course), course.load("small")
    stored = ready(right(assignment), assignment)
    attempt = service.graded(service.hand_in(), stored)
    assert decide(service, typed).status_code == 303
    texts = [*map(_readable, told(service, attempt)), _readable(service.browser("staff").get("/course/points").text)]
    given = stored.early_points + 0.5 if typed.startswith("+") else float(typed)
    assert f"{given:g} / 24" in texts[0]
    for text in texts:
        found = re.findall(r"\b([\d.]+) (?:of|/) ([\d.]+)\b", text)
        assert [pair for pair in found if float(pair[0]) > float(pair[1])] == []
    assert ("hidden until release" in texts[0]) is typed.startswith("+")


def _readable(text):
    """Return the text of a page without markup, styles, scripts and figures."""
    return re.sub(r"<(style|script|svg)\b.*?</\1>|<[^>]*>", "", text, flags=re.DOTALL)
