"""overrides.py, questions.py, regrading_results.py and their pages: manual decisions, releases, questions and
regradings.
"""

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from hidden_parts import SECRET, failing, hiding_course, right
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


@pytest.mark.parametrize(
    ("fields", "chosen", "after"),
    [
        ({"which": "best"}, [[1], [1]], [[2], [1]]),
        ({"which": "all", "matching": "WRONG_OUTPUT"}, [[], []], [[1], [2]]),
        pytest.param({"which": "latest", "matching": "ragged"}, [[], []], [[], [2]], marks=pytest.mark.whole),
    ],
)
def test_a_regrading_before_the_release_does_not_show_who_fails_a_hidden_check(tmp_path, fields, chosen, after):
    """Before the release, a regrading does not reveal which of two similar attempts fails a hidden check. In both
    cases, a selection takes the same attempts, and the student's pages are identical. After the release, hidden checks
    also select attempts.
    """

    def regraded(worse, *, released):
        folder = tmp_path / f"{worse} {released}"
        course = hiding_course(folder / "course", "case")
        service, assignment = Service(folder, course=course), course.load("small")
        outcomes = {True: failing(right(assignment), 2), False: right(assignment)}
        for number in (1, 2):
            service.graded(service.hand_in(), ready(outcomes[number == worse], assignment))
        staff, ada = service.browser("staff"), service.browser("ada")
        if released:
            post(staff, "/course/assignments/small/release", "/course/assignments/small")
        said = post(staff, "/course/regrade", "/course", assignment="small", **fields)
        again = [number for number in (1, 2) if len(service.gradings(number)) == 2]
        assert said.status_code == (303 if again else 422)
        assert again or "Before release, hidden checks do not select attempts" in said.text or released
        publics = "|".join(service.attempt(number).public for number in (1, 2))
        pages = (ada.get(each).text for each in ("/", "/assignments/small", *map(service.page_of, (1, 2))))
        drawn_by_lot = rf'{publics}|(?<=name="form_token" value=")[^"]*|(?<=name="form_key" value=")[^"]*'
        seen = [re.sub(drawn_by_lot, "", each) for each in pages]
        service.database.close()
        return again, seen

    before = [regraded(worse, released=False) for worse in (1, 2)]
    assert [again for again, _ in before] == chosen
    assert before[0][1] == before[1][1]
    assert [regraded(worse, released=True)[0] for worse in (1, 2)] == after


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


@pytest.mark.whole
def test_a_question_is_listed_until_it_is_answered(service):
    """A student may ask one question about an attempt, which is listed until it is answered. The student reads the
    answer, and other students cannot ask about the attempt.
    """
    attempt = service.graded(service.hand_in())
    page, ada, staff = service.page_of(attempt), service.browser("ada"), service.browser("staff")
    assert post(ada, f"{page}/request", page, text="Line 3 <b> is right").status_code == 303
    assert post(ada, f"{page}/request", page, text="Again").status_code == 422
    assert post(service.browser("ben"), f"{page}/request", "/", text="Mine?").status_code == 404
    assert "Line 3 &lt;b&gt; is right" in staff.get("/course/requests").text
    assert post(staff, "/course/requests/1/answer", "/course/requests", answer="It is not.").status_code == 303
    assert post(staff, "/course/requests/1/answer", "/course/requests", answer="Well.").status_code == 409
    assert "No open questions" in staff.get("/course/requests").text
    assert "It is not." in ada.get(page).text
    assert "answered a question" in staff.get("/course/audit").text


@pytest.mark.whole
def test_an_answer_of_two_lines_is_shown_as_two_lines(service):
    """A question or answer of two lines is shown on two lines, although browsers send CR LF."""
    page, ada, staff = (
        service.page_of(service.graded(service.hand_in())),
        service.browser("ada"),
        service.browser("staff"),
    )
    assert post(ada, f"{page}/request", page, text="Why?\r\nI was in time.").status_code == 303
    assert "Why?\nI was in time." in staff.get("/course/requests").text
    assert (
        post(staff, "/course/requests/1/answer", "/course/requests", answer="See line 18.\r\nAsk me.").status_code
        == 303
    )
    assert "See line 18.\nAsk me." in ada.get(page).text


@pytest.mark.parametrize(
    ("fields", "chosen"),
    [
        pytest.param({"which": "all"}, {1, 2, 3}, marks=pytest.mark.whole),
        ({"which": "latest"}, {2, 3}),
        pytest.param({"which": "best"}, {1, 3}, marks=pytest.mark.whole),
        pytest.param({"which": "all", "matching": "wrong_output"}, {2}, marks=pytest.mark.whole),
        ({"which": "all", "matching": "correctness"}, {2}),
    ],
)
def test_the_chosen_attempts_are_graded_again_and_the_page_says_what_changed(service, fields, chosen):
    """The selected attempts are graded again, here with 3 points, and the page lists their old and new points. Ada's
    second attempt was wrong before.
    """
    service.graded(service.hand_in())
    service.graded(service.hand_in(), graded(service.course, passed=False))
    service.graded(service.hand_in(person=service.ben))
    staff = service.browser("staff")
    said = post(staff, "/course/regrade", "/course", assignment="small", **fields)
    assert said.headers["location"] == "/course/regradings/1"
    assert {number for number in (1, 2, 3) if len(service.gradings(number)) == 2} == chosen
    for _ in chosen:
        service.finish(service.claim(), worth(service, 3.0))
    page = staff.get("/course/regradings/1").text
    assert f"{len(chosen)} attempt" in page
    assert page.count('<td data-name="to">3</td>') == len(chosen)
    before = [f"{service.gradings(number)[0].points:g}" for number in sorted(chosen)]
    assert re.findall('<td data-name="from">(.*?)</td>', page) == before
    assert "/course/regradings/1" in staff.get("/course/regradings").text


def test_a_regrading_that_matches_nothing_says_so(service):
    """A regrading that matches no attempt is refused with this reason and is not listed."""
    service.graded(service.hand_in())
    staff = service.browser("staff")
    said = post(staff, "/course/regrade", "/course", assignment="small", which="all", matching="DATA_RACE")
    assert said.status_code == 422
    assert "No regradings yet" in staff.get("/course/regradings").text


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
