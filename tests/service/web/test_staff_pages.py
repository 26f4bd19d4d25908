"""staff.py, regrading.py and csv.py: instructors view, change and export a course."""

import csv
import io
import re

import pytest
from hidden_parts import failing, right
from services import FREE, Service, field, graded, post, visible
from sqlalchemy import insert

from grader.results.check import Reason
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.exports.csv import links_csv
from grader.service.people import roster as enrolling
from grader.service.station.grader import ready
from grader.service.submissions.accept import REGRADING_PRIORITY
from grader.service.submissions.queue import fail, give_up
from grader.service.web.routes.staff import overview as pages


@pytest.fixture
def staff(service):
    return service.browser("staff")


def roster(client, text):
    return post(client, "/course/people/roster", file=("roster.csv", text.encode()))


def rows(said):
    return list(csv.DictReader(io.StringIO(said.content.decode("utf-8-sig"))))


def test_the_roster_is_sorted_as_people_expect_and_searched_by_name_or_key(staff):
    """Both pages sort names regardless of strokes. The roster finds people by plain letters or key and shows the
    search.
    """
    roster(staff, "key,name\nzed,Zed\nl1,Łukasz\nx,<b>\n")
    for page in ("/course/people", "/course/points"):
        text = staff.get(page).text
        assert text.index("Łukasz") < text.index("Zed")
    for words, shown in (("lukasz", {"Łukasz"}), ("L1", {"Łukasz"}), ("zed", {"Zed"}), ("nobody", set())):
        text = staff.get("/course/people", params={"find": words}).text
        assert {each for each in ("Łukasz", "Zed", "Ada") if f">{each}</a>" in text} == shown
        assert f'name="find" maxlength="200" value="{words}"' in text
    assert "No person matches" in text


def test_a_roster_adds_people_and_changes_names(staff):
    """A roster adds people and changes names but never removes people. The audit trail records its changes."""
    said = roster(staff, "key;name;role\ncleo;Cleo Ärmel;\nada;Ada Lovelace;student\ndoc;Doc;instructor\n")
    assert said.status_code == 303
    page = staff.get(said.headers["location"]).text
    assert "Roster uploaded: 2 added, 1 changed, 2 not in this file and kept." in page
    for words in ("Cleo Ärmel", "Ada Lovelace", "Ben", "Doc"):
        assert words in page
    audit = staff.get("/course/audit").text
    assert "took in a roster: 2 added, 1 changed, 2 not in this file and kept" in audit
    assert "Ada, student -&gt; Ada Lovelace, student" in audit


def test_a_quotation_mark_that_is_not_closed_loses_nobody(staff):
    """A roster with an unclosed quotation mark is refused. Otherwise, the rest of the file would become a
    single name.
    """
    roster = b'key,name\nq1,"Open quote\nq2,Two\nq3,Three\n'
    answer = post(staff, "/course/people/roster", "/course/people", file=("roster.csv", roster))
    assert answer.status_code == 422
    assert "as if a quotation mark were not closed" in answer.text
    assert "q1" not in visible(staff.get("/course/people"))


def test_two_uploads_of_one_roster_at_once_are_both_noted_with_right_numbers(service, staff, monkeypatch):
    """If one roster is uploaded twice at once, the audit trail gets two lines with correct counts, for five and for no
    added people.
    """
    people = "key,name\n" + "".join(f"s{number},S {number}\n" for number in range(5))
    batches = enrolling.in_batches

    def overtaken(*given):
        monkeypatch.setattr(enrolling, "in_batches", batches)
        enrolling.import_roster(service.database, people.encode(), "staff", service.now)
        return batches(*given)

    monkeypatch.setattr(enrolling, "in_batches", overtaken)
    said = staff.get(roster(staff, people).headers["location"])
    assert "0 added, 0 changed, 3 not in this file and kept" in said.text
    audit = staff.get("/course/audit").text
    for words in ("5 added, 0 changed, 3 not", "0 added, 0 changed, 3 not"):
        assert f"took in a roster: {words} in this file and kept" in audit


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("who\nx\n", "columns key and name"),
        ("key,name\n,Nobody\n", "Line 2"),
        ("key,name,role\nx,X,king\n", "not king"),
        ("key,name\n" + "x" * 201 + ",X\n", "200 characters"),
        ("key,name\n", "between 1 and"),
        ("key,name\nzed,Zed\nzed,Zoe\n", "Line 3 of the roster: the key zed is already in line 2."),
        ("key,name\nzoë@x,Zed\nZOE\u0308@X,Zoe\n", "the key ZOE\u0308@X is already in line 2."),
        ("key,name\nz\u202ed,Zed\n", "Write the key as zd."),
        ("key,name,role\ncleo,Cleo,\nstaff,Staff,student\n", "your own role"),
    ],
    ids=["columns", "key", "role", "long", "empty", "twice", "in another case", "unseen", "own"],
)
def test_a_roster_with_a_fault_changes_nothing(service, staff, text, words):
    """A roster with an error changes nothing, and the answer explains the error."""
    said = roster(staff, text)
    assert said.status_code == 422
    assert words in said.text
    with service.database.reading() as session:
        assert session.query(PersonRow).count() == 3


def test_a_roster_knows_people_in_any_case(service, staff):
    """A roster matches keys in any case and encoding, keeps their stored spelling and does not add a second account."""
    service.person("Zoë@Example.org", "student")
    said = staff.get(roster(staff, "key,name\nzoe\u0308@example.ORG,Zoë\nADA,Ada Lovelace\n").headers["location"])
    assert "0 added, 2 changed" in said.text
    with service.database.reading() as session:
        names = {each.key: each.name for each in session.query(PersonRow)}
    assert (names["Zoë@Example.org"], names["ada"]) == ("Zoë", "Ada Lovelace")
    assert not {"zoe\u0308@example.ORG", "ADA"} & names.keys()


def test_a_roster_takes_none_of_two_keys_that_differ_in_case(service, staff):
    """If two stored keys differ only in case, which an earlier version allowed, each matches only its exact
    spelling.
    """
    service.person("Max", "student")
    with service.database.writing() as session:
        values = {"key": "max", "folded": "max", "name": "Max", "role": "student", "created": service.now}
        session.execute(insert(PersonRow), values)
    assert "MAX may be Max and max. Write one of these keys." in roster(staff, "key,name\nMAX,Maximilian\n").text
    said = staff.get(roster(staff, "key,name\nMax,Maximilian\n").headers["location"])
    assert "0 added, 1 changed" in said.text


def test_a_roster_that_changes_nothing_says_so_and_the_page_says_nothing_without_one(staff):
    """A roster without changes is confirmed. Without an upload, the page shows no confirmation."""
    said = roster(staff, "key,name\nada,Ada\n")
    page = staff.get(said.headers["location"]).text
    assert "Roster uploaded: 0 added, 0 changed, 2 not in this file and kept." in page
    assert "Roster uploaded" not in staff.get("/course/people").text


def test_a_link_is_shown_once_and_signs_that_person_in(service, staff):
    """A link that an instructor makes is shown once and signs its person in."""
    said = post(staff, f"/course/people/{service.ben}/invitation")
    (token,) = re.findall(r"/join/([\w-]+)</code>", said.text)
    client = service.browser()
    assert client.post("/join", files={"token": (None, token)}).status_code == 303
    assert "Ben" in client.get("/").text
    assert "made a sign-in link for ben" in staff.get("/course/audit").text


@pytest.mark.parametrize("role", ["assistant", "instructor"])
def test_an_instructor_makes_links_for_who_teaches_too(service, staff, role):
    """An instructor can make links for assistants and instructors. They get their role from the roster."""
    service.person("tom", role)
    number = re.search(r'/people/(\d+)">Tom<', staff.get("/course/people").text)[1]
    said = post(staff, f"/course/people/{number}/invitation")
    (token,) = re.findall(r"/join/([\w-]+)</code>", said.text)
    client = service.browser()
    assert client.post("/join", files={"token": (None, token)}).status_code == 303
    assert ("/course/exports" in client.get("/course").text) == (role == "instructor")


def test_the_page_says_before_the_click_that_a_new_link_ends_earlier_ones(service, staff):
    """The page says next to each button that a new link replaces earlier ones, and an unused earlier link no longer
    works.
    """
    page = staff.get("/course/people").text
    assert re.search('<p id="links">[^<]*A new link replaces', page)
    assert page.count('<button aria-label="Make a link') == page.count('" aria-describedby="links">Make a link') == 3
    assert '<a class="button" aria-describedby="links" href="/course/invitations">Make links for all students' in page
    first, second = (
        re.findall(r"/join/([\w-]+)</code>", post(staff, f"/course/people/{service.ben}/invitation").text)[0]
        for _ in range(2)
    )
    said = [service.browser().post("/join", files={"token": (None, each)}).status_code for each in (first, second)]
    assert said == [403, 303]


def links_for_all(staff):
    """Send the form of the page that asks for confirmation."""
    page = "/course/invitations"
    return post(staff, page, page, cancels=field(staff.get(page), "cancels"))


def test_links_for_all_say_how_many_they_cancel_and_cancel_no_others(service, staff):
    """The page for links to all students says how many unused links they cancel, and no others are cancelled. If the
    form is sent again, it does not cancel the new links.
    """
    for key in ("cleo", "dora"):
        service.person(key, CourseRole.STUDENT)
    service.browser("ada")
    for person in (service.ada, service.ben):
        post(staff, f"/course/people/{person}/invitation")
    page = staff.get("/course/invitations")
    assert "a new link for each of 3 students" in page.text
    assert "This cancels 1 unused link of these students" in page.text
    form = {"cancels": field(page, "cancels")}
    once = links_for_all(staff)
    assert [row["key"] for row in rows(once)] == ["ben", "cleo", "dora"]
    again = post(staff, "/course/invitations", **form)
    assert (again.status_code, "made or used after you opened this page" in again.text) == (409, True)
    assert "This cancels 3 unused links" in staff.get("/course/invitations").text
    tokens = [row["link"].rpartition("/")[2] for row in rows(once)]
    assert [service.browser().post("/join", files={"token": (None, each)}).status_code for each in tokens] == [303] * 3
    assert "This cancels 0 unused links" in staff.get("/course/invitations").text


def test_a_second_click_that_cancels_as_many_links_is_refused(service, staff):
    """Sending the form again is refused even if the number of links to cancel has not changed, because they are
    different links.
    """
    links_for_all(staff)
    form = {"cancels": field(staff.get("/course/invitations"), "cancels")}
    first, second = (post(staff, "/course/invitations", **form) for _ in range(2))
    assert second.status_code == 409
    tokens = [row["link"].rpartition("/")[2] for row in rows(first)]
    assert [service.browser().post("/join", files={"token": (None, each)}).status_code for each in tokens] == [303] * 2


@pytest.mark.whole
def test_of_two_clicks_at_once_one_makes_links(service, staff, monkeypatch):
    """The first of two simultaneous clicks makes links, which stay valid. The second click is refused."""
    post(staff, f"/course/people/{service.ada}/invitation")
    form = {"cancels": field(staff.get("/course/invitations"), "cancels")}
    answers, in_batches = [], pages.in_batches

    def after_another_click(*arguments):
        monkeypatch.undo()
        answers.append(post(staff, "/course/invitations", **form))
        return in_batches(*arguments)

    monkeypatch.setattr(pages, "in_batches", after_another_click)
    assert post(staff, "/course/invitations", **form).status_code == 409
    tokens = [row["link"].rpartition("/")[2] for row in rows(answers[0])]
    assert [service.browser().post("/join", files={"token": (None, each)}).status_code for each in tokens] == [303] * 2


def test_links_for_all_who_never_came_are_a_file(service, staff):
    """The file has links only for students who have never signed in. The links and sessions of others stay valid."""
    service.browser("ada")
    (row,) = rows(links_for_all(staff))
    assert (row["key"], row["name"]) == ("ben", "Ben")
    client = service.browser()
    assert client.post("/join", files={"token": (None, row["link"].rpartition("/")[2])}).status_code == 303


def test_the_table_has_the_points_that_count_and_what_fails(service, staff):
    """The course page counts all students, even those without attempts. The page of the assignment shows the failed
    checks and how many students they affect.
    """
    service.graded(service.hand_in(), graded(service.course, passed=False))
    assert "2 students" in staff.get("/course").text
    causes = staff.get("/course/assignments/small").text.partition("Why checks failed")[2]
    assert "<summary>1 student</summary>" in causes
    assert "correctness" in causes


def test_what_was_not_run_is_not_said_to_fail(service, staff):
    """A check that was not run is not listed among the causes, because another failed check is the cause."""
    assignment = service.course.load("small")
    both = failing(failing(right(assignment), 1), -1, reason=Reason.NOT_RUN)
    service.graded(service.hand_in(), ready(both, assignment))
    causes = staff.get("/course/assignments/small").text.partition('<ol class="causes">')[2].partition("</ol>")[0]
    assert causes.count("<li>") == 1
    assert "correctness" in causes


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


def test_the_table_of_points_and_the_batchs_grades_are_files_of_two_names(service, staff):
    """Staff download the table of points as points.csv, whose name differs from the name of the batch's file among the
    exports.
    """
    service.person("tom", "assistant")
    for client in (staff, service.browser("tom")):
        assert (
            '<a href="/course/points.csv" download>Download this table (CSV)</a>' in client.get("/course/points").text
        )
        saved = client.get("/course/points.csv").headers["content-disposition"]
        assert saved == 'attachment; filename="points.csv"'
    assert staff.get("/course/grades.csv").status_code == 404


def test_a_student_is_seen_as_the_student_sees(service, staff):
    """Staff can see a student's pages, attempts and reports as the student does, but without the forms that would act
    for the student.
    """
    attempt = service.graded(service.hand_in())
    home = staff.get(f"/course/people/{service.ada}").text
    assert "You see this page as Ada (ada) sees it.<" in home
    page = staff.get(f"/course/people/{service.ada}/assignments/small").text
    assert service.page_of(attempt) in page
    assert 'type="file"' not in page
    own = service.browser("ada").get(f"{service.page_of(attempt)}/report")
    assert staff.get(f"{service.page_of(attempt)}/report").content == own.content


def test_a_page_says_what_the_student_does_not_see_on_it(service, staff):
    """A page lists the parts that its student does not see, such as the instructors' forms and hidden checks."""
    service.person("tom", CourseRole.ASSISTANT)
    page = service.page_of(service.graded(service.hand_in()))
    for who, leads in ((staff, True), (service.browser("tom"), False)):
        own, attempt = (who.get(each).text for each in (f"/course/people/{service.ada}/assignments/small", page))
        assert ("Only instructors see Extension and Points by hand." in own) is leads
        assert ("the form to exclude the attempt" in attempt) is leads
        assert "Only staff see hidden checks" in attempt
        assert '<td data-name="state">graded, current</td>' in attempt


def test_what_failed_by_our_fault_is_listed_and_tried_again(service, staff):
    """An attempt that failed because of a fault is listed and can be tried again, which adds a new grading to the
    queue.
    """
    attempt = service.hand_in()
    claimed = service.claim()
    with service.database.writing() as session:
        give_up(session, claimed, "no device <b>", service.now)
    assert "no device &lt;b&gt;" in staff.get("/course/system").text
    assert '<a class="attention" href="/course/system#faults">1</a>' in staff.get("/course").text
    assert post(staff, f"/course/faults/{claimed.grading_id}/again").status_code == 303
    assert post(staff, f"/course/faults/{claimed.grading_id}/again").status_code == 409
    assert "no device" not in staff.get("/course/system").text
    service.graded(attempt)
    assert [row.state for row in service.gradings(attempt)] == [State.FAULTED, State.DONE]
    assert "tries again after a fault" in staff.get("/course/audit").text


@pytest.mark.parametrize(("which", "chosen"), [("latest", 1), ("best", 0)])
def test_a_course_is_graded_again_behind_everybody(service, staff, which, chosen):
    """A regrading waits behind all hand-ins. The old points count until the new ones exist and are kept afterwards."""
    attempts = [
        service.graded(service.hand_in()),
        service.graded(service.hand_in(), graded(service.course, passed=False)),
    ]
    before = service.gradings(attempts[chosen])[0].points
    assert post(staff, "/course/regrade", "/course", assignment="small", which=which).status_code == 303
    row = service.gradings(attempts[chosen])[-1]
    assert (row.state, row.priority, row.why) == (State.WAITING, REGRADING_PRIORITY, "regraded")
    assert len(service.gradings(attempts[1 - chosen])) == 1
    assert f">{before:g}<" in staff.get("/course/points").text or which == "latest"
    ada = service.browser("ada")
    assert "being graded again" in ada.get("/assignments/small").text
    assert "/cancel" not in ada.get(service.page_of(attempts[chosen])).text
    assert post(ada, f"{service.page_of(attempts[chosen])}/cancel").status_code == 303
    assert service.state(attempts[chosen]) == State.WAITING
    service.graded(attempts[chosen])
    assert "graded again: " in staff.get("/course/audit?by=stations").text


def test_a_regrading_that_fails_leaves_the_old_result(service, staff):
    """If a regrading fails, the old result still counts."""
    attempt = service.graded(service.hand_in(FREE))
    old = service.attempt(attempt).counted_id
    post(staff, "/course/regrade", "/course", assignment="small", which="best")
    for _ in range(3):
        claimed = service.claim()
        with service.database.writing() as session:
            fail(session, claimed, "no device", service.now)
        service.passes(minutes=1)
    assert (service.attempt(attempt).counted_id, service.state(attempt)) == (old, State.FAULTED)
    assert re.search("<b>([0-9.]+)</b> / \\1 points", service.browser("ada").get(service.page_of(attempt)).text)


@pytest.mark.whole
@pytest.mark.parametrize("fields", [{"assignment": "small", "which": "worst"}, {"assignment": "x", "which": "best"}])
def test_a_regrading_of_nothing_we_know_is_refused(staff, fields):
    """A regrading with an unknown selection or assignment is refused."""
    assert post(staff, "/course/regrade", "/course", **fields).status_code in {404, 422}


def test_a_roster_without_roles_changes_none(service, staff):
    """A roster without roles does not change any role. Uploading names again does not turn an instructor into a
    student.
    """
    roster(staff, "key,name,role\nco,Co,instructor\n")
    roster(staff, "key,name\nco,Co Teacher\nnew,New\n")
    with service.database.reading() as session:
        found = {row.key: (row.name, row.role) for row in session.query(PersonRow)}
    assert found["co"] == ("Co Teacher", "instructor")
    assert found["new"] == ("New", "student")
