"""versions.py: stored points follow the assignment file, and results that need a new run are marked."""

import csv
import io
import json
import re
import zipfile
import zlib

import pytest
from hidden_parts import FIELDS, failing, hiding_course
from scored_again import CHEAPER, result_of, says, score_again
from services import Service, post

from grader.grading.explain.problem import NOT_RIGHT
from grader.service.db.tables.assignments import ReleaseRow
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.decisions import RegradingRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.outbox import MailRow
from grader.service.db.tables.submissions import GradingRow
from grader.service.exports.course_rows import briefs_in

LARGER = {**FIELDS, "sanitizer": {"sizes": {"n": 71}, "points": 3}}
"""Assignment with a changed size of the sanitizer check, which therefore needs a new run."""


@pytest.fixture
def served(tmp_path):
    """Return a service with one assignment worth 24 points."""
    made = Service(tmp_path, course=hiding_course(tmp_path / "course"))
    yield made
    made.database.close()


def stored(service, attempt):
    """Return all stored points of the latest grading, from the row, its JSON and its summary, and the pages."""
    with service.database.reading() as session:
        row = session.get_one(GradingRow, service.gradings(attempt)[-1].id)
        whole, early = json.loads(row.result), json.loads(zlib.decompress(row.early_result))
        brief = briefs_in(session, [row.id])[row.id]
        pages = [row.early_page, row.full_page or row.early_page]
    return {
        "row": (row.points, row.max_points),
        "early": (row.early_points, row.early_max),
        "result": (whole["points"], whole["max_points"]),
        "early result": (early["points"], early["max_points"] - early.get("hidden_points", 0.0)),
        "brief": (brief.grade.points, brief.grade.max_points),
        "early brief": (brief.shown.points, brief.shown.max_points - brief.shown.hidden_points),
        "checks": sum(each["points"] for each in json.loads(row.full_checks or row.early_checks)["checks"]),
        "early checks": sum(each["points"] for each in json.loads(row.early_checks)["checks"]),
        "pages": [zlib.decompress(each).decode() for each in pages],
    }


def in_table(service):
    """Return the first student's points and maximum from the exported table of points."""
    text = service.browser("staff").get("/course/points.csv").content.decode("utf-8-sig")
    line = next(csv.DictReader(io.StringIO(text)))
    return line["small points"], line["small of"]


def test_points_that_change_in_the_file_change_everywhere_and_nothing_is_run(served):
    """After a change of points in the assignment file, the row, checks, result, summary, pages and table have the new
    points without a new run.
    """
    attempt = served.graded(served.hand_in(), result_of(served))
    before = stored(served, attempt)["row"]
    says(served, CHEAPER)
    assert in_table(served) == (f"{before[0]:g}", f"{before[1]:g}")
    score_again(served)
    after = before[0] - 6, before[1] - 6
    found = stored(served, attempt)
    pages = found.pop("pages")
    sums = [found.pop(name) for name in ("checks", "early checks")]
    assert sums == [after[0]] * 2
    assert set(found.values()) == {after}
    words = f"{after[0]:g} of {after[1]:g} points"
    score = rf"{after[0]:g}\s*(<[^>]*>\s*)*(of|/) {after[1]:g}"
    assert all(re.search(score, each) for each in pages)
    ada = served.browser("ada")
    assert words in ada.get("/assignments/small").text
    assert f"<b>{after[0]:g}</b> / {after[1]:g} points" in ada.get(served.page_of(attempt)).text
    assert in_table(served) == (f"{after[0]:g}", f"{after[1]:g}")
    assert "older version" not in served.browser("staff").get("/course").text
    with served.database.reading() as session:
        (line,) = session.query(AuditRow).filter(AuditRow.what.contains("scored again")).all()
    assert f"{before[0]:g} -> {after[0]:g} points" in line.what
    assert [each.state for each in served.gradings(attempt)] == [State.DONE]


@pytest.mark.whole
def test_lines_about_new_points_belong_to_stations_and_are_not_in_the_students_data(served):
    """If the points of a hidden check change, the audit trail gets a line only for students who passed the check. To
    hide this, the personal data of a student leave out that line. The trail lists it among the lines of stations.
    """
    says(served, {**FIELDS, "sanitizer": {**FIELDS["sanitizer"], "hidden": True}})
    attempt = served.graded(served.hand_in(), result_of(served))
    served.regrade(attempt)
    served.graded(attempt, result_of(served))
    ada = served.browser("ada")
    before = audit_in(ada)
    says(served, {**FIELDS, "sanitizer": {**FIELDS["sanitizer"], "hidden": True, "points": 1}})
    score_again(served)
    assert audit_in(ada) == before
    staff = served.browser("staff")
    assert "scored again" not in staff.get("/course/audit").text
    assert "scored again" in staff.get("/course/audit?by=stations").text
    with served.database.reading() as session:
        lines = session.query(AuditRow).filter(AuditRow.who == "a station").all()
    assert [each.by_station for each in lines] == [True, True]


def audit_in(browser):
    """Return the audit trail in a student's personal data: the row on the page and the entries in the zip."""
    (shown,) = [line for line in browser.get("/data").text.splitlines() if "audit trail</th>" in line]
    with zipfile.ZipFile(io.BytesIO(browser.get("/data.zip").content)) as archive:
        return shown, json.loads(archive.read("data.json"))["audit"]


def test_what_is_hidden_later_is_kept_back_and_what_is_no_longer_is_shown(served):
    """If a check becomes hidden later, its outcome is withheld, and if it becomes visible, its outcome is shown, as in
    a new grading.
    """
    attempt = served.graded(served.hand_in(), result_of(served))
    whole = stored(served, attempt)["row"]
    says(served, {**FIELDS, "sanitizer": {**FIELDS["sanitizer"], "hidden": True}})
    score_again(served)
    found = stored(served, attempt)
    assert (found["row"], found["early"]) == (whole, (whole[0] - 3, whole[1] - 3))
    assert found["early brief"] == found["early result"] == found["early"]
    says(served, FIELDS)
    score_again(served)
    assert stored(served, attempt)["early"] == whole


@pytest.mark.whole
def test_released_points_follow_the_file_too(served):
    """Scoring again also changes released points, and they stay released."""
    says(served, {**FIELDS, "sanitizer": {**FIELDS["sanitizer"], "hidden": True}})
    attempt = served.graded(served.hand_in(), result_of(served))
    with served.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=served.now))
    says(served, {**FIELDS, "sanitizer": {**FIELDS["sanitizer"], "hidden": True, "points": 1}})
    score_again(served)
    points, most = stored(served, attempt)["row"]
    assert f"<b>{points:g}</b> / {most:g} points" in served.browser("ada").get(served.page_of(attempt)).text


@pytest.mark.whole
def test_what_needs_a_new_run_is_marked_counted_and_graded_again_by_one_button(served):
    """Results that need a new run are marked and keep their points and maximum. One button grades all of them again."""
    attempt = served.graded(served.hand_in(), result_of(served))
    other = served.graded(served.hand_in(person=served.ben), result_of(served))
    before = stored(served, attempt)["row"]
    says(served, {**LARGER, "correctness": {**FIELDS["correctness"], "points": 4}})
    score_again(served)
    assert stored(served, attempt)["row"] == before
    assert in_table(served) == tuple(f"{each:g}" for each in before)
    staff = served.browser("staff")
    for page in ("/course", "/course/exports"):
        assert "2 attempts graded by an older version:</b> small 2." in staff.get(page).text
    assert staff.get("/course/points").text.count("<small>older version</small>") == 2
    assert "Graded by an older version of this assignment" in served.browser("ada").get(served.page_of(attempt)).text
    assert post(staff, "/course/regrade-older", form="/course").headers["location"] == "/course/regradings"
    assert "graded by an older version:" not in staff.get("/course").text
    assert post(staff, "/course/regrade-older", form="/course").status_code == 409
    assert [served.state(each) for each in (attempt, other)] == [State.WAITING] * 2
    for each in (attempt, other):
        served.graded(each, result_of(served))
    assert "older version" not in staff.get("/course").text
    assert in_table(served) == (f"{before[0] - 6:g}", f"{before[1] - 6:g}")
    with served.database.reading() as session:
        (order,) = session.query(RegradingRow).all()
    assert order.which == "attempts graded by an older version"


def test_measurements_that_a_failed_case_prevented_need_a_run_when_it_is_hidden(served):
    """A measurement that was skipped after a failed case needs a new run when the case becomes hidden. Otherwise, its
    absence would reveal the failure.
    """
    attempt = served.graded(served.hand_in(), result_of(served, unmeasured_since_ragged_failed))
    says(served, RAGGED_HIDDEN)
    score_again(served)
    assert "1 attempt graded by an older version" in served.browser("staff").get("/course").text
    assert stored(served, attempt)["row"][0] < 24


def unmeasured_since_ragged_failed(whole):
    """Return the result with a wrong case and, for that reason, without a measured speed."""
    told = {"reason": NOT_RIGHT.reason, "message": NOT_RIGHT.message, "findings": ()}
    return failing(failing(whole, 2), -1, performance=None, **{"detail": "", "cause": "", **told})


@pytest.mark.whole
def test_while_results_are_held_back_no_result_selects_what_is_graded_again(tmp_path):
    """If results are held back, they do not decide which attempts are graded again. One of two attempts fails a case
    that becomes hidden later. The button then takes neither attempt, and after a change of a measurement both.
    Gradings, mails and pages do not reveal which attempt failed. The page that publishes the results counts those that
    need a new run.
    """

    def seen(worse):
        served = Service(tmp_path / f"{worse}", course=hiding_course(tmp_path / f"{worse}" / "course"))
        staff, numbers = served.browser("staff"), "/course/assignments/small"
        assert post(staff, f"{numbers}/hold", f"{numbers}/hold").status_code == 303
        for number in (1, 2):
            change = unmeasured_since_ragged_failed if number == worse else lambda whole: whole
            served.graded(served.hand_in(), result_of(served, change))
        said = []
        for fields in (RAGGED_HIDDEN, {**RAGGED_HIDDEN, "sanitizer": LARGER["sanitizer"]}):
            says(served, fields)
            score_again(served)
            said += re.findall("[0-9]+ attempts? graded by an older version|$", staff.get("/course").text)[:1]
            said += re.findall("[0-9]+ results? of an older version", staff.get(f"{numbers}/publication").text)
            said += [post(staff, "/course/regrade-older", "/course").status_code]
            said += seen_by_ada(served)
        while any(served.state(number) == State.WAITING for number in (1, 2)):
            served.finish(served.claim(), result_of(served))
        said += seen_by_ada(served)
        served.database.close()
        return said

    first, second = seen(1), seen(2)
    assert first == second
    assert first[:3] == ["", "1 result of an older version", 409]
    assert "2 attempts graded by an older version" in first
    assert first[-1] == [("graded", 1), ("graded", 2), ("regraded", 1), ("regraded", 2)]


RAGGED_HIDDEN = {
    **FIELDS,
    "correctness": {
        **FIELDS["correctness"],
        "cases": [{**each, "hidden": each["name"] == "ragged"} for each in FIELDS["correctness"]["cases"]],
    },
}


def seen_by_ada(service):
    """Return Ada's pages without random values, and her mails by kind and number of the attempt."""
    numbers = {service.page_of(number): number for number in (1, 2)}
    publics = "|".join(service.attempt(number).public for number in (1, 2))
    drawn_by_lot = rf'{publics}|(?<=name="form_token" value=")[^"]*|(?<=name="form_key" value=")[^"]*'
    ada = service.browser("ada")
    pages = [re.sub(drawn_by_lot, "", ada.get(each).text) for each in ("/", "/assignments/small", "/data", *numbers)]
    with service.database.reading() as session:
        mails = [(row.kind, numbers[row.path]) for row in session.query(MailRow).order_by(MailRow.id)]
    return [*pages, mails]


def test_a_result_that_needs_a_run_is_scored_again_if_its_case_is_shown_again(served):
    """A result that was marked for a new run is scored again without one if its hidden case becomes visible again."""
    attempt = served.graded(served.hand_in(), result_of(served, unmeasured_since_ragged_failed))
    before = stored(served, attempt)["row"]
    says(served, RAGGED_HIDDEN)
    score_again(served)
    assert "1 attempt graded by an older version" in served.browser("staff").get("/course").text
    says(served, FIELDS)
    score_again(served)
    assert "graded by an older version" not in served.browser("staff").get("/course").text
    assert stored(served, attempt)["row"] == before


def test_a_date_or_a_handout_changes_no_result(served):
    """A change of a date or a handout does not change any result, and results are not scored again."""
    attempt = served.graded(served.hand_in(), result_of(served))
    before = served.gradings(attempt)[0].scored_sha256
    (served.course.assignments / "small" / "README.md").write_text("# New\n")
    says(served, {**FIELDS, "due": "2026-12-24T13:00:00+00:00"})
    assert served.course.load("small").scored_sha256 == before
