"""Pages of instructors: links for students, the table of points, and students as they see themselves."""

import csv
import io
import re

import pytest
from hidden_parts import failing, right
from services import field, graded, post

from grader.results.verdicts import Reason
from grader.service.db.tables.people import CourseRole
from grader.service.station.grader import ready
from grader.service.web.routes.staff import overview as pages


@pytest.fixture
def staff(service):
    return service.browser("staff")


def rows(said):
    return list(csv.DictReader(io.StringIO(said.content.decode("utf-8-sig"))))


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
