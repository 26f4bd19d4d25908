"""assignments.py and attempts.py: a student hands in files and follows the attempts."""

import hashlib
import re
import time
import zlib

import pytest
from hidden_parts import SECRET, failing, hiding_course, right
from services import ORIGIN, SOURCE, Service, field, graded, parts, post, upload

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow
from grader.service.station.grader import ready
from grader.service.submissions.queue import give_up
from grader.service.web.http.responses import REPORT_POLICY
from grader.service.web.routes.student.assignments import COMPARISON_LIMIT

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def ada(service):
    return service.browser("ada")


def test_a_file_that_is_handed_in_gets_a_receipt(ada):
    """The receipt for a file shows its hash and the time of arrival. It links to the stored file, which is
    byte-identical.
    """
    said = upload(ada)
    page = ada.get(said.headers["location"])
    assert hashlib.sha256(SOURCE).hexdigest() in page.text
    assert "Mon 23 Nov 2026, 12:00 UTC" in page.text
    got = ada.get(said.headers["location"] + "/file")
    assert (got.content, got.headers["content-type"]) == (SOURCE, "application/octet-stream")
    assert got.headers["content-disposition"] == 'attachment; filename="small-1.cl"'


def test_text_can_be_pasted(ada):
    """Pasted text is stored with the line ends of a file, although browsers send CR LF."""
    shown = ada.get("/assignments/small")
    keys = {name: field(shown, name) for name in ("form_token", "form_key")}
    said = ada.post("/assignments/small/attempts", files=parts(**keys, text="kernel\r\nvoid ä\r\n", file=("", b"")))
    assert ada.get(said.headers["location"] + "/file").content == "kernel\nvoid ä\n".encode()


def test_a_second_click_leads_to_the_same_attempt(service, ada):
    """A second click on the form leads to the attempt of the first click, and the file is stored only once."""
    key = {"form_key": "the same"}
    first, second = upload(ada, **key), upload(ada, **key)
    assert first.headers["location"] == second.headers["location"]
    with service.database.reading() as session:
        assert session.query(AttemptRow).count() == 1


def test_a_page_that_back_has_shown_takes_another_file(ada):
    """After going back, a used form accepts another file. Each file is one attempt, even if the first file is sent
    again at the end.
    """
    key = {"form_key": "the same"}
    sent = [SOURCE, b"other", b"other", SOURCE]
    places = [upload(ada, data, **key).headers["location"] for data in sent]
    assert [ada.get(f"{place}/file").content for place in places] == sent
    assert len(set(places)) == 3
    assert places[1] == places[2]


@pytest.mark.whole
def test_the_editor_takes_another_text_by_a_used_form(ada):
    """The editor accepts another text in a used form, so that the student's last text is graded."""
    shown = ada.get("/assignments/small/edit")
    keys = {name: field(shown, name) for name in ("form_token", "form_key")}
    for text in ("first", "second"):
        said = ada.post("/assignments/small/attempts", files=parts(**keys, text=text))
        assert ada.get(said.headers["location"] + "/file").text == text


def test_nothing_and_what_is_no_text_is_refused_in_a_sentence(service, ada):
    """Empty and binary files are refused with one sentence, and nothing is stored."""
    for data, words in ((b"", "empty"), (b"PK\x03\x04", "zip"), ("a".encode("utf-16"), "UTF-16")):
        said = upload(ada, data)
        assert said.status_code == 422
        assert words in said.text
    assert service.claim() is None


def test_the_list_has_only_columns_that_an_assignment_needs(service, ada):
    """The list of assignments has no column for due dates or limits if no assignment has any."""
    headings = re.compile(r'<th scope="col">([^<]*)</th>')
    policies = service.course.assignments.parent / "course.yaml"
    policies.write_text("attempts: {most: 3}\n")
    assert headings.findall(ada.get("/").text) == ["Assignment", "Attempts left", "Points so far"]
    policies.write_text("due: 2026-12-01T23:59:00+00:00\n")
    assert headings.findall(ada.get("/").text) == ["Assignment", "Due", "Points so far"]


def test_the_list_begins_with_the_assignment_to_work_on_next(service, ada):
    """The list names the assignment that can still gain points, with its due date, and none after full points."""
    policies = service.course.assignments.parent / "course.yaml"
    policies.write_text("due: 2026-12-01T23:59:00+00:00\n")
    following = re.compile(r"Next: .*?</p>")
    (said,) = following.findall(ada.get("/").text)
    assert '<a href="/assignments/small">' in said
    assert ", due " in said
    service.graded(service.hand_in())
    assert following.findall(ada.get("/").text) == []


def test_a_missing_assignment_is_not_found(ada):
    """An unknown assignment is answered with 404, both for its page and for a hand-in."""
    assert ada.get("/assignments/nothing").status_code == 404
    token = field(ada.get("/"), "form_token")
    files = parts(form_token=token, form_key="k", file=("k.cl", b"k"))
    assert ada.post("/assignments/nothing/attempts", files=files).status_code == 404


def test_what_others_named_is_text_wherever_it_is_shown(tmp_path):
    """File names, people's names and handouts are escaped everywhere, so they cannot add markup or control
    characters.
    """
    service = Service(tmp_path)
    (service.course.assignments / "small" / "README.md").write_text(
        f"{EVIL}\n\n[x](javascript:alert(1)) ![y](http://evil.example/p.png) [rules](../../docs/reading-your-report.md)"
    )
    service.person(EVIL + "\x1b[2J", "student")
    client, staff = service.browser(EVIL + "\x1b[2J"), service.browser("staff")
    said = upload(client, EVIL.encode(), name=f"{EVIL}.cl")
    service.graded(1)
    pages = [client.get(path) for path in ("/", "/assignments/small", said.headers["location"])]
    pages += [staff.get(path) for path in ("/course/points", "/course/people", "/course/audit", "/course/people/4")]
    for page in pages:
        assert page.status_code == 200
        assert "<script>" not in page.text
        assert "\x1b" not in page.text
        assert 'href="javascript' not in page.text
        assert "evil.example" not in page.text
    assert 'href="/guide"' in pages[1].text
    assert "&lt;script&gt;" in pages[1].text


def test_a_waiting_attempt_tells_its_place_and_can_be_cancelled(service, ada):
    """A waiting attempt shows its place in the queue and can be cancelled. After that, it does not count as used."""
    service.hand_in(person=service.ben)
    where = upload(ada).headers["location"]
    assert "1 grading before this one" in ada.get(where).text
    assert '<noscript><meta http-equiv="refresh"' in ada.get(where).text
    assert "20 of 20" not in ada.get("/assignments/small").text
    assert post(ada, f"{where}/cancel").status_code == 303
    assert "Cancelled" in ada.get(where).text
    assert "20 of 20" in ada.get("/assignments/small").text
    assert "refresh" not in ada.get(where).text


def test_a_result_is_shown_as_a_report_and_all_attempts_are_listed(service, ada):
    """The assignment's page lists all attempts and marks the one that counts. The attempt's page shows the checks. The
    report with figures is the page that the station made, with a link back.
    """
    worse = service.graded(service.hand_in(), graded(service.course, passed=False))
    better = service.graded(service.hand_in())
    page = ada.get("/assignments/small").text
    assert len(re.findall("<b>counts</b>", page)) == 1
    assert service.page_of(worse) in page
    shown = ada.get(service.page_of(better)).text
    assert "correctness: one" in shown
    assert "<b>15</b> / 15 points" in shown
    report = ada.get(service.page_of(better) + "/report")
    assert report.headers["content-security-policy"] == REPORT_POLICY
    back = f'<nav aria-label="Attempt"><a href="{service.page_of(better)}">Back to the attempt</a></nav>'
    assert back in report.text
    assert report.text.replace(back, "") == zlib.decompress(graded(service.course).early_page).decode()


def test_an_attempt_leads_to_its_neighbours_and_to_what_changed(service, ada):
    """The page of an attempt links to the previous and next attempts of the student and to the comparison, and it shows
    how the points have changed. It does not link to other people's attempts.
    """
    service.graded(service.hand_in(person=service.ben))
    first, second, last = (
        service.graded(service.hand_in(data=SOURCE * size), graded(service.course, passed=size > 1))
        for size in (1, 2, 3)
    )
    page = ada.get(service.page_of(second)).text
    assert f'<a href="{service.page_of(first)}" rel="prev">' in page
    assert f'<a href="{service.page_of(last)}" rel="next">' in page
    assert 'href="/assignments/small/compare?old=1&amp;new=2"' in page
    assert "15, was 10: +5" in page
    assert "Points: 15, was 10: +5" in ada.get("/assignments/small/compare?old=1&new=2").text
    assert "15, as before" in ada.get(service.page_of(last)).text
    assert 'rel="prev"' not in ada.get(service.page_of(first)).text


def test_nothing_of_an_assignment_is_shown_before_it_opens(service):
    """Before an assignment opens, students see its title and date but neither the handout nor the skeleton. Instructors
    see everything.
    """
    rules, folder = service.course.assignments.parent / "course.yaml", service.course.assignments / "small"
    rules.write_text("opens: 2026-11-24T12:00:00+00:00\n")
    (folder / "README.md").write_text("the handout's words\n")
    (folder / "kernels.cl").write_text("// start here\n")
    link, student, staff = "/assignments/small/skeleton", service.browser("ada"), service.browser("staff")
    for client, seen in ((student, False), (staff, True)):
        page = client.get("/assignments/small").text
        assert ("the handout&#39;s words" in page or "the handout's words" in page) == (link in page) == seen
        assert ("when the assignment opens" in page) != seen
        assert client.get(link).status_code == (200 if seen else 404)
        assert ("// start here" in client.get("/assignments/small/edit").text) == seen
    service.passes(days=1)
    assert "words" in student.get("/assignments/small").text
    assert student.get(link).status_code == 200


def test_the_skeleton_can_be_downloaded(service, ada):
    """The current skeleton can be downloaded. If there is no skeleton, the page has no link to it."""
    link, skeleton = "/assignments/small/skeleton", service.course.assignments / "small" / "kernels.cl"
    skeleton.write_text("// start here: ä\n")
    assert f'href="{link}"' in ada.get("/assignments/small").text
    got = ada.get(link)
    assert got.content == "// start here: ä\n".encode()
    assert got.headers["content-disposition"] == 'attachment; filename="kernels.cl"'
    skeleton.unlink()
    assert link not in ada.get("/assignments/small").text
    assert ada.get(link).status_code == 404


def test_two_attempts_are_compared(service, ada):
    """Two attempts are compared line by line. Invalid numbers are answered with 404."""
    service.graded(service.hand_in(data=b"same\nold <b>\n"))
    service.graded(service.hand_in(data=b"same\nnew\n"))
    page = ada.get("/assignments/small/compare?old=1&new=2").text
    assert [page.count(mark) for mark in ('class="removed"', 'class="added"', 'class="same"')] == [1, 1, 1]
    assert "old &lt;b&gt;" in page
    for query in ("old=1&new=9", "old=x&new=1", "old=1", "old=1&new=2&more=3"):
        assert ada.get(f"/assignments/small/compare?{query}").status_code == 404


@pytest.mark.sampled
@pytest.mark.parametrize("hidden", ["case", "sanitizer", "memory", "performance"])
def test_nothing_of_a_hidden_check_reaches_the_student(tmp_path, hidden):
    """A student's pages and charts do not reveal anything about a hidden check. The instructor's pages show it."""
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", hidden))
    assignment = service.course.load("small")
    place = {"case": 2, "sanitizer": 4, "memory": 5, "performance": 7}[hidden]
    outcomes = [ready(each, assignment) for each in (right(assignment), failing(right(assignment), place))]
    seen = []
    for outcome in outcomes:
        attempt = service.graded(service.hand_in(), outcome)
        own = service.page_of(attempt)
        ada, staff = service.browser("ada"), service.browser("staff")
        pages = [ada.get(path).text for path in (own, f"{own}/report", f"{own}/report?all=1", "/")]
        assert not any(SECRET in page for page in pages)
        names = (service.attempt(attempt).public, "attempt 1", "attempt 2")
        shown = pages[0].partition('<div class="workspace">')[2].partition('class="receipt"')[0]
        assert "Checks" in shown
        seen.append([_without(page, names) for page in (shown, *pages[1:3])])
        assert (SECRET in staff.get(f"{own}/report?all=1").text) is (outcome is outcomes[1])
        assert (SECRET in staff.get(f"{own}?all=1").text) is (outcome is outcomes[1])
        assert SECRET not in staff.get(own).text
        assert SECRET not in ada.get(f"{own}?all=1").text
    assert seen[0] == seen[1]
    assert outcomes[0].early_points == outcomes[1].early_points
    assert outcomes[0].points > outcomes[1].points


def _without(page, names):
    for name in names:
        page = page.replace(name, "")
    return re.sub("[0-9a-f]{64}", "", page)


def test_the_best_that_a_student_sees_is_chosen_by_what_a_student_may_see(tmp_path):
    """Which attempt counts on the student's page depends only on visible points, so hidden points do not reveal
    themselves by the choice.
    """
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", "case"))
    assignment = service.course.load("small")
    for whole in (failing(right(assignment), 2), right(assignment)):
        last = service.graded(service.hand_in(), ready(whole, assignment))
    page = service.browser("ada").get("/assignments/small").text
    assert "<b>counts</b>" not in page.partition(service.attempt(last).public)[2].partition("</tr>")[0]
    assert f">{service.gradings(last)[0].points:g}<" in service.browser("staff").get("/course/points").text


def test_a_late_attempt_is_told_to_be_late(tmp_path):
    """The page says that new attempts are late, and afterwards the attempt is marked as late."""
    service = Service(tmp_path, policies="due: 2026-11-23T11:00\ntimezone: Europe/Berlin\n")
    ada = service.browser("ada")
    assert "new attempts are late" in ada.get("/assignments/small").text
    assert "11:00 CET" in ada.get("/assignments/small").text
    assert "<b>late</b>" in ada.get(upload(ada).headers["location"]).text


@pytest.mark.whole
def test_no_attempt_is_left_after_the_last(tmp_path):
    """After the last attempt, the page has no form. A file that is sent anyway is refused and not stored."""
    service = Service(tmp_path, policies="attempts: {most: 1}\n")
    assert 'class="hand-in"' in service.browser("ada").get("/assignments/small").text
    service.graded(service.hand_in())
    page = service.browser("ada").get("/assignments/small").text
    assert "used all of your 1 attempt" in page
    assert 'class="hand-in"' not in page
    said = upload(service.browser("ada"))
    assert said.status_code == 409
    assert "used all of your 1 attempt" in said.text


def test_a_fault_of_ours_is_told_as_ours(service, ada):
    """The student reads that the service is to blame for a fault in grading. Only instructors see the details."""
    attempt = service.hand_in()
    claimed = service.claim()
    with service.database.writing() as session:
        give_up(session, claimed, "the disk is full at /secret/place", service.now)
    page = ada.get(service.page_of(attempt)).text
    assert "fault of the service" in page
    assert "/secret/place" not in page
    assert service.state(attempt) == State.FAULTED


@pytest.mark.whole
def test_a_megabyte_of_text_costs_the_web_little(service, ada):
    """Pages and comparisons of the largest files take less than 5 s, because their work is linear and limited."""
    lines = [b"%d" % number for number in range(5000)]
    width = SIZE_LIMIT // 5000 - 1
    for each in (lines, lines[::-1]):
        service.graded(service.hand_in(data=b"\n".join(line.ljust(width, b"x") for line in each)))
    begun = time.perf_counter()
    for path in ("/assignments/small", "/assignments/small/compare?old=1&new=2", service.page_of(2)):
        assert ada.get(path).status_code == 200
    assert time.perf_counter() - begun < 5


def test_an_answer_that_is_lost_leaves_nothing_half_done(service):
    """An interrupted upload does not store anything, and the next one works."""
    ada = service.browser("ada")
    shown = ada.get("/assignments/small")
    whole = ada.build_request(
        "POST",
        f"{ORIGIN}/assignments/small/attempts",
        files=parts(
            form_token=field(shown, "form_token"), form_key=field(shown, "form_key"), file=("kernels.cl", SOURCE)
        ),
    )
    body = whole.read()
    kind = whole.headers["content-type"]
    said = ada.post("/assignments/small/attempts", content=body[: len(body) // 2], headers={"content-type": kind})
    assert said.status_code in {400, 422}
    assert service.claim() is None
    assert upload(ada).status_code == 303


def test_a_form_of_another_assignment_stores_nothing(service, ada):
    """A form key that was used for one assignment is refused for another, and nothing is stored."""
    service.hand_in(form_key="used", assignment="other")
    said = upload(ada, form_key="used")
    assert said.status_code == 409
    assert "does not belong to this assignment" in said.text


def test_few_comparisons_are_made_at_once(service, ada):
    """The number of simultaneous comparisons is limited, because each one occupies a processor."""
    for data in (SOURCE, SOURCE * 2):
        service.hand_in(data=data)
    page = "/assignments/small/compare?old=1&new=2"
    assert ada.get(page).status_code == 200
    with COMPARISON_LIMIT.slot(), COMPARISON_LIMIT.slot():
        assert ada.get(page).status_code == 409
    assert ada.get(page).status_code == 200


def test_a_form_without_a_file_says_that_none_was_chosen(service):
    """If a form is sent without a file, which browsers that ignore `required` allow, the answer says that no file was
    chosen. An empty text is refused as empty.
    """
    client, page = service.browser("ada"), "/assignments/small"
    for fields, words in (
        ({"file": ("", b"")}, "No file was chosen"),
        ({}, "No file was chosen"),
        ({"text": ""}, "empty"),
    ):
        said = post(client, f"{page}/attempts", page, form_key="key", **fields)
        assert (said.status_code, words in said.text) == (422, True)
    assert service.claim() is None
