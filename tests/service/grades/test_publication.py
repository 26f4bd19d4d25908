"""publication.py, visibility.py and web/routes/staff/course.py: students cannot reach a result that is held back."""

import io
import json
import re
import zipfile
from dataclasses import replace

import pytest
from courses import course_of
from hidden_parts import RACE, SECRET, failing, hiding_course, right
from services import Service, graded, post, told, upload, visible

from grader.service.db.tables.people import CourseRole
from grader.service.station.grader import ready
from grader.service.submissions.progress import ProgressNote, keep_note

NUMBERS = "/course/assignments/small"
HOLD, PUBLISH = f"{NUMBERS}/hold", f"{NUMBERS}/publication"
HELD = "held back until your instructor publishes them"

WORDS = "line 3 is wrong: secretly."
"""The message of the failed check, which no student may see."""

HOME = "/course/people/{}/assignments/small"


def hold(service):
    return post(service.browser("staff"), HOLD, HOLD)


def publish(service):
    return post(service.browser("staff"), PUBLISH, PUBLISH)


def failed(service):
    """Return an outcome with a failed check, a finding with a line, 6.5 points and a speed."""
    assignment = service.course.load("small")
    found = failing(right(assignment), 1, message=WORDS, findings=(RACE,)).model_copy(update={"source": "\n" * 20})
    made = ready(found, assignment)
    return replace(made, points=6.5, early_points=6.5, speed=1.75, early_speed=1.75, device="card")


@pytest.fixture
def attempt(service):
    """Return an attempt by Ada whose results are held back. Ada takes part in the leaderboard."""
    found = service.graded(service.hand_in(), failed(service))
    board = "/assignments/small/leaderboard"
    assert post(service.browser("ada"), f"{board}/pseudonym", board, pseudonym="Night Owl").status_code == 303
    assert hold(service).status_code == 303
    return found


def bearer(service, person):
    return {"authorization": f"Bearer {service.token(person, 'read submit')}"}


def test_no_text_that_a_student_gets_has_anything_of_the_result(service, attempt):
    """While a result is held back, no page, file, API answer, event or archive of personal data shows anything of it.
    After the publication, it appears again.
    """
    result = r"6\.5|secretly|failed|OUTPUT|RACE|✗|✓|passed|[Cc]auses?\b|if fixed"
    found = [match for text in told(service, attempt) for match in re.findall(result, text)]
    assert found == []
    publish(service)
    found = {match for text in told(service, attempt) for match in re.findall(result, text)}
    assert {"6.5", "secretly", "failed"} <= found


@pytest.mark.whole
def test_the_student_reads_that_the_attempt_was_received_and_graded(service, attempt):
    """The student sees that the attempt was received and graded, and that the results are held back."""
    ada = service.browser("ada")
    page = ada.get(service.page_of(attempt)).text
    assert "Received" in page
    assert HELD in page
    assert "graded" in ada.get("/assignments/small").text
    assert "results are held back" in ada.get("/").text
    assert "results are held back" in ada.get("/assignments/small").text


@pytest.mark.sampled
@pytest.mark.parametrize(
    "end", ["/report", "/report?all=1", *(f"/download/{each}" for each in ("report.html", "result.json", "junit.xml"))]
)
def test_files_of_the_result_are_refused(service, attempt, end):
    """Students cannot get files of a held-back result in the browser or through the API. Staff can get all of them."""
    path = service.page_of(attempt) + end
    said = service.browser("ada").get(path)
    assert (said.status_code, HELD in said.text) == (409, True)
    said = service.browser().get(f"/api/v1{path}", headers=bearer(service, service.ada))
    assert (said.status_code, HELD in said.json()["detail"]) == (409, True)
    assert service.browser("staff").get(path).status_code == 200
    assert service.browser().get(f"/api/v1{path}", headers=bearer(service, service.staff)).status_code == 200


@pytest.mark.whole
def test_programs_of_students_get_no_result_and_programs_of_staff_do(service, attempt):
    """The API gives students no held-back result, but a flag that says why it is missing. Staff get the result."""
    page = service.page_of(attempt)

    def asked(person):
        return service.browser().get(f"/api/v1{page}", headers=bearer(service, person)).json()

    empty = {"points": None, "max_points": None, "hidden_points": 0.0, "result": None, "held_back": True}
    assert empty.items() <= asked(service.ada).items()
    assert (asked(service.ada)["state"], asked(service.staff)["points"]) == ("done", 6.5)
    (one,) = service.browser().get("/api/v1/assignments", headers=bearer(service, service.ada)).json()
    assert (one["points"], one["max_points"], one["why"], one["held_back"]) == (None, None, "", True)
    client = service.browser()
    client.headers.update(bearer(service, service.ada))
    assert client.post(f"/api/v1{page}/cancel").json()["result"] is None
    (listed,) = client.get("/api/v1/assignments/small/attempts").json()
    assert listed["points"] is None


@pytest.mark.usefixtures("attempt")
def test_the_leaderboard_is_empty_for_students(service):
    """The leaderboard is empty for students on the page and in the API. Staff can see it, together with the note that
    students cannot.
    """
    board = "/assignments/small/leaderboard"
    page = service.browser("ada").get(board).text
    assert HELD in page
    assert "1.75" not in page
    assert service.browser().get(f"/api/v1{board}", headers=bearer(service, service.ben)).json() == []
    staff = service.browser("staff").get(board).text
    assert "1.75" in staff
    assert '<td data-name="visible to students">no</td>' in staff
    publish(service)
    assert "1.75" in service.browser("ben").get(board).text


@pytest.mark.whole
def test_live_progress_names_no_check(service):
    """Live progress does not mention any check to students on the page, in events or in the API. Staff see
    the notes.
    """
    hold(service)
    attempt = service.hand_in()
    claimed = service.claim()
    with service.database.writing() as session:
        note = ProgressNote(words="secretly", check="correctness: one", verdict="failed", reason="WRONG_OUTPUT")
        keep_note(session, claimed, note, service.now)
    page = service.page_of(attempt)
    assert "secretly" not in service.browser("ada").get(page).text
    assert "because grading has started" in service.browser("ada").get(page).text
    assert "secretly" in service.browser("staff").get(page).text
    service.finish(claimed, failed(service))
    events = service.browser("ada").get(f"{page}/events").text
    assert "event: over" in events
    assert "event: note" not in events
    told_to = service.browser().get(f"/api/v1{page}/events", headers=bearer(service, service.ada)).text
    assert "event: note" not in told_to
    with zipfile.ZipFile(io.BytesIO(service.browser("ada").get("/data.zip").content)) as archive:
        assert json.loads(archive.read("data.json"))["progress"] == []


@pytest.mark.whole
@pytest.mark.usefixtures("attempt")
def test_the_editor_and_the_comparison_show_texts_without_remarks(service):
    """The editor and the comparison show sources without findings, because a finding is part of the result."""
    service.graded(service.hand_in(data=b"__kernel void other() {}\n"), failed(service))
    ada = service.browser("ada")
    assert "Found in attempt" not in ada.get("/assignments/small/edit").text
    compared = ada.get("/assignments/small/compare?old=1&new=2").text
    assert "other" in compared
    assert "6.5" not in compared
    publish(service)
    assert "Found in attempt 2" in ada.get("/assignments/small/edit").text


def test_nobody_asks_about_a_result_that_is_held_back(service, attempt):
    """A held-back result has no form for questions. A form that was opened earlier is refused."""
    ada, page = service.browser("ada"), service.page_of(attempt)
    assert "/request" not in ada.get(page).text
    said = post(ada, f"{page}/request", text="Why?")
    assert (said.status_code, HELD in said.text) == (409, True)


def test_points_by_hand_and_lateness_are_not_shown_either(tmp_path):
    """Points by hand and deductions for lateness are held back too. An excused student can still read that they are
    excused.
    """
    service = Service(tmp_path, policies="due: 2026-11-23T11:00Z\nlate: {days: 0, percent: 10}\ncounts: best\n")
    service.graded(service.hand_in(service.app_state.cache.assignment("small").rules), failed(service))
    page = f"/course/people/{service.ada}/assignments/small"
    staff, ada = service.browser("staff"), service.browser("ada")
    post(staff, f"{page}/decision", page, points="3", comment="so be it")
    hold(service)
    for address in ("/", "/assignments/small", service.page_of(1)):
        assert not re.search(r"so be it|by hand|less 10 %|6\.5|3 /", visible(ada.get(address)))
    with zipfile.ZipFile(io.BytesIO(ada.get("/data.zip").content)) as archive:
        assert json.loads(archive.read("data.json"))["decisions"] == []
    assert "so be it" in staff.get(page).text
    post(staff, f"{page}/decision", page, points="excused", comment="ill")
    assert "excused" in ada.get("/").text
    service.database.close()


def test_neither_a_best_attempt_nor_late_days_tell_which_attempt_is_better(tmp_path):
    """The late days that are left for other assignments do not reveal which of two held-back attempts is better."""
    policies = "due: 2026-11-23T13:00Z\nlate: {days: 2}\ncounts: best\nattempts: {most: 20}\n"
    closing = []
    for name, better in (("first", 0), ("second", 1)):
        service = Service(tmp_path / name, policies=policies)
        hold(service)
        for number in range(2):
            outcome = graded(service.course)
            points = 10.0 if number == better else 1.0
            rules = service.app_state.cache.assignment("small").rules
            service.graded(service.hand_in(rules), replace(outcome, points=points, early_points=points))
            service.passes(hours=2)
        page = service.browser("ada").get("/assignments/small").text
        assert "<b>counts</b>" not in page
        closing.append(re.search("<dt>Closes</dt><dd>.*?</dd>", page)[0])
        service.database.close()
    assert closing[0] == closing[1]


@pytest.mark.whole
def test_staff_see_everything(service, attempt):
    """Instructors and assistants see held-back results in the table, the numbers, the exports, the attempt and the
    student's pages.
    """
    service.person("tom", CourseRole.ASSISTANT)
    for key in ("staff", "tom"):
        client = service.browser(key)
        page = client.get(service.page_of(attempt)).text
        assert "secretly" in page
        assert '<td data-name="points">6.5</td>' in page
        assert "students see only that this attempt was received and graded" in page
        assert ">6.5</a>" in client.get("/course/points").text
        assert "6.5" in client.get("/course/points.csv").text
        home = client.get(f"/course/people/{service.ada}").text
        assert "6.5 /" in home
        assert "6.5 /" in client.get(f"/course/people/{service.ada}/assignments/small").text
    assert '<a class="attention" href="/course/assignments/small#results">1</a>' in client.get("/course").text
    assert "correctness" in client.get("/course/assignments/small").text.partition("Why checks failed")[2]


@pytest.mark.whole
def test_a_page_asks_first_and_the_trail_has_both(service):
    """Before results are held back or published, a page says how many attempts this affects. Both actions have an entry
    in the audit trail. A second click is refused.
    """
    service.graded(service.hand_in(), failed(service))
    staff = service.browser("staff")
    assert f'href="{HOLD}"' in staff.get(NUMBERS).text
    assert "This hides the results of 1 attempt of 1 student." in staff.get(HOLD).text
    assert hold(service).headers["location"] == NUMBERS
    assert "Held back by staff" in staff.get(NUMBERS).text
    assert (staff.get(HOLD).status_code, post(staff, HOLD).status_code) == (409, 409)
    assert "This shows the results of 1 attempt of 1 student at once" in staff.get(PUBLISH).text
    assert publish(service).headers["location"] == NUMBERS
    assert (staff.get(PUBLISH).status_code, post(staff, PUBLISH).status_code) == (409, 409)
    trail = staff.get("/course/audit").text
    assert "small: held back its results" in trail
    assert "small: published its results" in trail


def test_other_assignments_show_their_results(tmp_path):
    """If the results of one assignment are held back, those of other assignments are still visible."""
    course_of(tmp_path / "course", name="other")
    service = Service(tmp_path, course=course_of(tmp_path / "course"))
    service.graded(service.hand_in(assignment="other"), failed(service))
    hold(service)
    assert "6.5 /" in service.browser("ada").get("/assignments/other").text
    service.database.close()


@pytest.mark.whole
@pytest.mark.usefixtures("attempt")
def test_the_result_selects_nothing_to_grade_again(service):
    """A held-back result cannot select attempts to regrade, because students can see which attempts are regraded."""
    staff = service.browser("staff")
    for fields in ({"which": "best", "matching": ""}, {"which": "all", "matching": "WRONG_OUTPUT"}):
        said = post(staff, "/course/regrade", "/course", assignment="small", **fields)
        assert (said.status_code, "held back" in said.text) == (422, True)
    assert post(staff, "/course/regrade", "/course", assignment="small", which="latest").status_code == 303


@pytest.mark.whole
def test_own_data_do_not_tell_how_many_lines_a_grading_has(service):
    """While a result is held back, the student's own data do not count its progress messages, because an early failure
    has fewer of them. After the publication they do.
    """
    hold(service)
    service.hand_in()
    claimed = service.claim()
    with service.database.writing() as session:
        for words in ("builds", "runs a case"):
            keep_note(session, claimed, ProgressNote(words=words), service.now)
    service.finish(claimed, failed(service))
    counted = 'Progress messages of gradings</th><td data-name="how many">{}<'
    assert counted.format(0) in service.browser("ada").get("/data").text
    publish(service)
    assert counted.format(2) in service.browser("ada").get("/data").text


def test_what_hides_nothing_cannot_be_released(service):
    """If an assignment hides nothing, its page has no release button, and a request to release it is refused."""
    staff, page = service.browser("staff"), "/course/assignments/small"
    assert "This assignment hides nothing." in staff.get(page).text
    assert "/release" not in staff.get(page).text
    said = post(staff, f"{page}/release")
    assert (said.status_code, "small hides nothing" in said.text) == (409, True)
    assert "released" not in staff.get("/course/audit").text


def test_nothing_tells_what_is_hidden_before_the_release_and_everything_after(tmp_path):
    """Before the release, no page or file reveals whether a hidden case passed or failed. After the release, all points
    are shown.
    """
    for outcome in ("right", "wrong"):
        course = hiding_course(tmp_path / outcome / "course", "case")
        service = Service(tmp_path / outcome, course=course)
        assignment = course.load("small")
        result = right(assignment) if outcome == "right" else failing(right(assignment), 2)
        stored = ready(result, assignment)
        attempt = service.graded(service.hand_in(), stored)
        staff = service.browser("staff")
        before = told(service, attempt)
        assert not any(SECRET in each for each in before)
        assert f"{stored.early_points:g} / {stored.max_points:g} <small>5 hidden until release</small>" in before[0]
        assert "1 check of this assignment is hidden." in staff.get("/course/assignments/small").text
        assert post(staff, "/course/assignments/small/release", "/course/assignments/small").status_code == 303
        assert post(staff, "/course/assignments/small/release", "/course/assignments/small").status_code == 409
        after = told(service, attempt)
        assert f"{stored.points:g} / {stored.max_points:g}" in after[0]
        assert "hidden until release" not in after[0]
        assert json.loads(after[4])["points"] == stored.points
        assert json.loads(after[8])["points"] == stored.points
        assert any(SECRET in each for each in after) is (outcome == "wrong")
        assert "released its hidden checks" in staff.get("/course/audit").text
        later = service.graded(service.hand_in(), stored)
        assert (
            f"<b>{stored.points:g}</b> / {stored.max_points:g} points"
            in service.browser("ada").get(service.page_of(later)).text
        )
        service.database.close()


def test_what_an_assignment_hides_no_more_can_be_released_of_earlier_attempts(tmp_path):
    """If `hidden: true` is removed from the file, the outcomes of earlier attempts remain withheld, and staff can still
    release them.
    """
    course = hiding_course(tmp_path / "course", "case")
    service = Service(tmp_path, course=course)
    attempt = service.graded(service.hand_in(), ready(right(course.load("small")), course.load("small")))
    rubric = course.assignments / "small" / "assignment.yaml"
    rubric.write_text(rubric.read_text().replace("hidden: true", "hidden: false"))
    staff, ada, numbers = service.browser("staff"), service.browser("ada"), "/course/assignments/small"
    assert service.app_state.cache.assignment("small").hidden == 0
    assert "it did when attempts were graded" in staff.get(numbers).text
    before = ada.get(service.page_of(attempt)).text
    assert post(staff, f"{numbers}/release", numbers).status_code == 303
    assert ada.get(service.page_of(attempt)).text != before
    service.database.close()


@pytest.mark.whole
def test_a_release_is_asked_for_on_a_page_that_says_what_it_shows(tmp_path):
    """The release page shows how many attempts and students a release affects, which checks it reveals, and until when
    students can still hand in. Opening the page releases nothing. Trial runs and attempts without hidden outcomes do
    not count.
    """
    course = hiding_course(tmp_path / "course", "case")
    due = "due: 2026-12-01T12:00Z\nlate: refused\ngroups: 2\n"
    service, assignment = Service(tmp_path, course=course, policies=due), course.load("small")
    withheld = ready(right(assignment), assignment)
    known = replace(withheld, full_checks=None)
    staff, numbers = service.browser("staff"), "/course/assignments/small"
    roster = ("roster.csv", b"key,name,group\nada,Ada,7\ncleo,Cleo,7\n")
    post(staff, "/course/people/roster", file=roster)
    for key, stored in (("ada", withheld), ("ada", withheld), ("ben", known), ("staff", withheld)):
        upload(service.browser(key))
        service.finish(service.claim(), stored)
    assert f'href="{numbers}/release"' in staff.get(numbers).text
    assert f'action="{numbers}/release"' not in staff.get(numbers).text
    asked = staff.get(f"{numbers}/release").text
    assert "At once, 2 students see the outcomes of hidden checks in 2 attempts" in asked
    assert "Hidden so far: correctness: ragged (n 1000)." in asked
    assert "Students can still hand in until 2026-12-01 12:00 UTC" in asked
    assert "cannot be undone" in asked
    assert "released" not in staff.get("/course/audit").text
    service.passes(days=10)
    assert "can still hand in" not in staff.get(f"{numbers}/release").text
    page = HOME.format(service.ben)
    post(staff, f"{page}/extension", page, until="2026-12-24T12:00", reason="ill")
    assert "Students can still hand in until" in staff.get(f"{numbers}/release").text
    assert post(staff, f"{numbers}/release", f"{numbers}/release").status_code == 303
    assert staff.get(f"{numbers}/release").status_code == 409
    service.database.close()
