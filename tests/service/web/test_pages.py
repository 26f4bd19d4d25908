"""pages.py and its files: vendored scripts are unchanged, and live checks look like those in the report."""

import hashlib
import json
import re

import pytest
from project import ROOT

from grader.reports.groups import SIGNS, STATES
from grader.service.web.pages import STATIC

VENDORED = sorted(path for room in ("grader", "tests") for path in (ROOT / room).rglob("vendor/**/SHA256SUMS"))

STAFF = ["Course", "People", "Questions", "System"]
STUDENT = ["Course", "Reading a report", "Terminals", "Your data"]


@pytest.mark.parametrize("sums", VENDORED, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_scripts_of_others_are_unchanged_and_have_their_licence(sums):
    """SHA256SUMS lists each file in a vendored folder with its original hash. The folder includes the licence."""
    lines = [line.split() for line in sums.read_text().splitlines() if not line.startswith("#")]
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sums.parent.iterdir()}
    del found[sums.name]
    assert found == {name: digest for digest, name in lines}
    assert "LICENSE" in found


@pytest.mark.parametrize(("reason", "said"), [("WRONG_OUTPUT", "✗failed"), ("NOT_RUN", "-skipped")])
def test_a_check_that_arrives_is_shown_as_in_the_report(browser, reason, said):
    """A live check that was not run because of another failure is shown as skipped. Other checks show their verdict."""
    script = STATIC["live.js"].decode()
    page = f'<meta http-equiv="Content-Security-Policy" content="script-src"><body><script>{script}</script></body>'
    note = f'{{check: "one", verdict: "failed", reason: "{reason}", words: ""}}'
    states = json.dumps({str(verdict): (SIGNS[word], word) for verdict, word in STATES.items()})
    (shown,) = browser.measure(page, [800], f"rowOf({note}, {states}).textContent")
    assert shown == f"{said}one {reason}"


def test_the_editors_script_is_among_the_files_of_pages():
    """The static files include the vendored editor and this project's own files."""
    assert {"codemirror.js", "codemirror.css", "clike.js", "editor.js", "style.css"} <= STATIC.keys()


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
