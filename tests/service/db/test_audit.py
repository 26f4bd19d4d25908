"""audit.py and its page: changes by people and by stations are listed on separate pages and exported as one file."""

import csv
import io
import re

import pytest
from services import graded, post
from sqlalchemy import insert

from grader.service.db.audit import LINES_PER_PAGE, LINES_PER_QUERY
from grader.service.db.tables.audit import AuditRow

TRAIL = "/course/audit"


@pytest.fixture
def staff(service):
    return service.browser("staff")


def noted(service, number, who="staff", what="line {}", **more):
    """Write this number of lines to the audit trail."""
    lines = [{"at": service.now, "who": who, "about": "", "what": what.format(at), **more} for at in range(number)]
    with service.database.writing() as session:
        session.execute(insert(AuditRow), lines)


def shown(said):
    """Return the texts of the lines on a page."""
    return re.findall('<td data-name="who">.*?</td><td>(.*?)</td>', said.text)


def test_a_regrading_pushes_no_decision_out(service, staff):
    """A regrading does not push decisions off the page, because lines by stations have a page of their own."""
    service.graded(service.hand_in())
    page = f"/course/people/{service.ada}/assignments/small"
    post(staff, f"{page}/decision", page, points="7", comment="so")
    post(staff, "/course/regrade", "/course", assignment="small", which="all")
    service.finish(service.claim(), graded(service.course, passed=False))
    noted(service, 2 * LINES_PER_PAGE, "a station", by_station=True)
    people, stations = shown(staff.get(TRAIL)), shown(staff.get(f"{TRAIL}?by=stations&find=graded+again"))
    assert any("decided nothing -&gt; by hand 7: so" in each for each in people)
    assert not any("graded again" in each for each in people)
    assert len(stations) == 1


@pytest.mark.whole
def test_page_by_page_every_line_comes_once(service, staff):
    """Paging through the trail shows each line exactly once, even if more lines are added meanwhile."""
    noted(service, 2 * LINES_PER_PAGE + 1)
    page, seen = f"{TRAIL}?find=line", []
    while page:
        said = staff.get(page)
        seen += shown(said)
        noted(service, 3)
        earlier = re.search('<a href="([^"]*)">Earlier entries', said.text)
        page = earlier and earlier[1].replace("&amp;", "&")
    assert seen == [f"line {number}" for number in reversed(range(2 * LINES_PER_PAGE + 1))]
    assert shown(staff.get(f"{TRAIL}?find=line"))[0] == "line 2"
    assert "Latest entries" in said.text


def test_links_for_all_students_are_one_entry_with_their_names(service, staff):
    """The lines of one click about many people are one entry that unfolds to their keys. Other lines stay as they are,
    and later entries do not fall off the page.
    """
    keys = [f"s{number}" for number in range(2 * LINES_PER_PAGE)]
    noted(service, 1, what="before")
    lines = [
        {"at": service.now, "who": "staff", "about": key, "what": f"made a sign-in link for {key}"} for key in keys
    ]
    with service.database.writing() as session:
        session.execute(insert(AuditRow), lines)
    service.passes(minutes=1)
    with service.database.writing() as session:
        session.execute(insert(AuditRow), [{**lines[0], "at": service.now}])
    said = shown(staff.get(f"{TRAIL}?find=link"))
    names = ", ".join(sorted(keys))
    assert said[0] == "made a sign-in link for s0"
    assert said[1] == f"made a sign-in link for 200 people<details><summary>Names</summary>{names}</details>"
    assert "before" in shown(staff.get(TRAIL))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("find", "found"), [("ADA small", 1), ("small 100%", 1), ("%", 1), ("_", 0), ("ada big", 0), ("small", 2)]
)
def test_a_line_is_found_by_each_of_its_words(service, find, found):
    """A search finds lines that contain all of its words, regardless of case. SQL wildcards are ordinary characters."""
    noted(service, 1, what="ada, small: 100% right")
    noted(service, 1, what="ben, small: decided")
    assert len(shown(service.browser("staff").get(TRAIL, params={"find": find}))) == found


@pytest.mark.sampled
@pytest.mark.parametrize("query", ["by=nobody", "before=0", "before=99999999999", "find=" + "x" * 201, "more=1"])
def test_a_filter_that_no_page_makes_is_not_found(staff, query):
    """A filter that no page produces is answered with 404, like any unknown address."""
    assert staff.get(f"{TRAIL}?{query}").status_code == 404


def test_all_lines_are_a_file_without_a_formula(service, staff):
    """The file has all lines, even if there are more than one query reads, from the oldest to the newest. It says
    whether a person or a station made the change, and has no formulas.
    """
    noted(service, LINES_PER_QUERY + 1)
    noted(service, 1, "a station", by_station=True)
    noted(service, 1, "=1+1")
    said = staff.get(f"{TRAIL}.csv")
    assert said.headers["content-disposition"] == 'attachment; filename="audit.csv"'
    lines = list(csv.DictReader(io.StringIO(said.content.decode("utf-8-sig"))))
    ours = [each for each in lines if each["what"].startswith("line ")]
    assert [each["what"] for each in ours] == [
        *(f"line {number}" for number in range(LINES_PER_QUERY + 1)),
        "line 0",
        "line 0",
    ]
    assert [each["by"] for each in ours] == ["person"] * (LINES_PER_QUERY + 1) + ["station", "person"]
    assert ours[-1]["who"] == "'=1+1"
    assert ours[0]["time"] == service.now.isoformat()
