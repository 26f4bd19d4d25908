"""navigation.py: the entries for each role, and the mark of the current one."""

import re

import pytest

STAFF = ["Course", "People", "Questions", "System"]
STUDENT = ["Course", "Reading a report", "Terminals", "Your data"]


def entries(page):
    """Return all entries of the navigation, and those that are marked as current with their marks."""
    inside = page.text.partition('<nav aria-label="Pages">')[2].partition("</nav>")[0]
    found = re.findall(r'<a href="[^"]+"(?: aria-current="(\w+)")?>([^<]+)</a>', inside)
    return [name for _, name in found], [(name, mark) for mark, name in found if mark]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("path", "current"),
    [
        ("/course", ("Course", "page")),
        ("/course/points", ("Course", "true")),
        ("/course/assignments/small", ("Course", "true")),
        ("/course/extensions", ("Course", "true")),
        ("/course/exports", ("Course", "true")),
        ("/", ("Course", "true")),
        ("/course/people", ("People", "page")),
        ("/course/people/1", ("People", "true")),
        ("/course/invitations", ("People", "true")),
        ("/course/requests", ("Questions", "page")),
        ("/course/system", ("System", "page")),
        ("/course/audit", ("System", "true")),
    ],
)
def test_staff_have_four_entries_of_which_one_is_current(service, path, current):
    """Staff see Course, People, Questions and System in this order on each page. The current entry is marked."""
    assert entries(service.browser("staff").get(path)) == (STAFF, [current])


@pytest.mark.parametrize(
    ("path", "current"),
    [("/", ("Course", "page")), ("/assignments/small", ("Course", "true")), ("/tokens", ("Terminals", "page"))],
)
def test_students_have_the_course_and_their_own_pages(service, path, current):
    """Students see the course and pages of their own."""
    assert entries(service.browser("ada").get(path)) == (STUDENT, [current])


def test_each_page_that_was_in_the_navigation_is_still_linked(service):
    """Staff reach the audit trail through System, exports and extensions through Course, and their own pages through
    their name.
    """
    staff = service.browser("staff")
    linked = {page: set(re.findall(r'href="([^"#?]+)', staff.get(page).text)) for page in ("/course", "/course/system")}
    assert {"/course/exports", "/course/extensions", "/course/points", "/course/overview", "/"} <= linked["/course"]
    assert {"/course/audit", "/api"} <= linked["/course/system"]
    assert "/data" in linked["/course"]
    assert {"/tokens", "/guide"} <= set(re.findall(r'href="([^"]+)"', staff.get("/data").text))
