"""overview.py and its pages: a course with 13 assignments and 200 students, of which the pages show only
what is in use.
"""

import re

import pytest
from large_course import AHEAD, LEFT_OUT, NAMES, USED, large_service, needs_attention, statements
from services import Service, graded, post, visible

from grader.service.grades.overview import CourseFilter, columns_of, course_table, lines_of

STUDENTS = 200
PAGES = ("/course", "/course/points", f"/course/assignments/{USED[0]}")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a service with 13 assignments and 200 students."""
    service = large_service(tmp_path_factory.mktemp("large"), STUDENTS)
    needs_attention(service)
    return service


@pytest.fixture(scope="module")
def staff(large):
    return large.browser("staff")


def names_in(page):
    """Return the assignments of the table in their order, and the set of assignments in the closed list."""
    table, _, folded = page.partition("<details>")
    return tuple(re.findall(r'<th scope="row"><a href="/course/assignments/([^"]+)"', table)), set(
        re.findall(r'<li><a href="/course/assignments/([^"]+)"', folded)
    )


def headings(page):
    return re.findall(r'<th scope="col">([^<]*)</th>', page)


@pytest.mark.whole
def test_only_assignments_in_use_are_listed_and_the_others_are_folded(staff):
    """The table lists the assignments with attempts or a due date in the future. The five others are in a
    closed list.
    """
    listed, folded = names_in(staff.get("/course").text)
    assert set(listed) == {*USED, AHEAD}
    assert folded == set(NAMES) - {*USED, AHEAD}


def test_what_needs_a_person_comes_first_and_then_the_next_due_date(staff):
    """Assignments with questions come first, then those with faults, then those with results that are held back. After
    that, future due dates come before past ones. Waiting and running gradings do not affect the order.
    """
    listed, _ = names_in(staff.get("/course").text)
    assert listed[:3] == (USED[2], USED[1], USED[0])
    assert listed[3:] == (AHEAD, *reversed(USED[3:]))


def test_waiting_work_is_a_count_and_no_warning(staff):
    """Waiting and running gradings are numbers without links, and the page does not warn about them."""
    page = staff.get("/course").text
    assert '<td data-name="waiting">1</td>' in page
    assert '<td data-name="running">1</td>' in page
    assert "1 grading waiting, 1 running" in page
    assert 'class="note"' not in page


@pytest.mark.whole
def test_a_column_that_no_row_needs_is_left_out(tmp_path, staff):
    """The table has no column for questions, faults or waiting work if no row has any."""
    used = headings(staff.get("/course").text)
    assert {"Open questions", "Not graded, our fault", "Held back", "Waiting", "Running"} <= set(used)
    assert "Older version" not in used
    quiet = headings(large_service(tmp_path, 4).browser("staff").get("/course").text)
    assert quiet == ["Assignment", "Due", "Handed in", "Passed", "Partly"]


def test_the_table_of_points_has_the_columns_in_use(staff):
    """The table of points leaves out assignments without attempts. The filter can still select such an assignment."""
    assert headings_of_points(staff, "") == set(USED)
    assert headings_of_points(staff, f"?assignment={AHEAD}") == {AHEAD}


def headings_of_points(staff, query):
    table = staff.get(f"/course/points{query}").text.partition("<thead>")[2].partition("</thead>")[0]
    return set(re.findall(r'href="/course/assignments/([^"]+)"', table))


def test_causes_are_grouped_by_students_with_links_to_their_attempts(staff):
    """The page of an assignment lists each cause once, as a sentence with the number of students and links to all their
    attempts. The reason is a short code below. If several checks of a student have one cause, the student counts once.
    """
    page = staff.get(f"/course/assignments/{USED[0]}")
    causes = page.text.partition('<ol class="causes">')[2].partition("</ol>")[0]
    assert causes.count("<summary>50 students</summary>") == 3
    assert causes.count(LEFT_OUT) == 1
    first = next(each for each in causes.split("</li>") if LEFT_OUT in each)
    assert first.index(LEFT_OUT) < first.index("<code>WRONG_OUTPUT</code>")
    assert len(set(re.findall(r'href="(/attempts/[^"]+)"', first))) == 50
    assert "For example: C[3] is wrong." in " ".join(visible(page).split())


def test_the_number_of_statements_does_not_grow_with_students(tmp_path, staff, large):
    """Each page needs as many SQL statements for 200 students as for 20. The course page needs at most 20."""
    small = large_service(tmp_path, 20)
    needs_attention(small)
    few, many = small.browser("staff"), staff
    counted = [
        [number_of(service, client, page) for page in PAGES] for service, client in ((small, few), (large, many))
    ]
    assert counted[0] == counted[1]
    assert counted[1][0] <= 20


def number_of(service, client, page):
    assert client.get(page).status_code == 200  # modules and caches are loaded before statements are counted
    with statements(service.database) as seen:
        client.get(page)
    return len(seen)


def test_late_work_has_a_column_if_there_is_any(tmp_path):
    """The overview counts the students whose attempt that counts is late. Without late work, it has no such column."""
    service = Service(tmp_path, policies="due: 2026-11-20T12:00:00+00:00\n")
    staff = service.browser("staff")
    assert "Late" not in headings(staff.get("/course").text)
    service.graded(service.hand_in())
    page = staff.get("/course").text
    assert "Late" in headings(page)
    (link,) = re.findall('<td data-name="late"><a href="([^"]*)">1</a>', page)
    assert "Ada" in staff.get(link.replace("&amp;", "&")).text
    service.database.close()


@pytest.fixture
def table(service):
    """Return a table in which Ada is partly right, Ben passes, Cleo waits, Dora is absent, Eve is excused and Finn
    excluded.
    """
    service.graded(service.hand_in(), graded(service.course, passed=False))
    service.graded(service.hand_in(person=service.ben))
    service.person("dora", "student")
    eve = service.person("eve", "student")
    page = f"/course/people/{eve}/assignments/small"
    post(service.browser("staff"), f"{page}/decision", page, points="excused", comment="ill")
    page = service.page_of(service.graded(service.hand_in(person=service.person("finn", "student"))))
    post(service.browser("staff"), f"/course{page}/exclusion", page, reason="copied")
    service.hand_in(person=service.person("cleo", "student"))
    with service.database.reading() as session:
        return course_table(session, service.app_state.cache.all())


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({}, ["Ada", "Ben", "Cleo", "Dora", "Eve", "Finn"]),
        ({"find": " BE "}, ["Ben"]),
        ({"find": "a d"}, ["Ada", "Dora"]),
        ({"show": "partly"}, ["Ada"]),
        ({"show": "failed"}, []),
        ({"show": "passed"}, ["Ben"]),
        ({"show": "open"}, ["Cleo"]),
        ({"show": "nothing handed in"}, ["Dora"]),
        ({"show": "excused"}, ["Eve"]),
        ({"show": "excluded"}, ["Finn"]),
        ({"show": "late"}, []),
        ({"sort": "most points"}, ["Ben", "Ada", "Cleo", "Dora", "Eve", "Finn"]),
        ({"sort": "fewest points"}, ["Cleo", "Dora", "Eve", "Finn", "Ada", "Ben"]),
        ({"assignment": "small", "show": "passed"}, ["Ben"]),
        ({"assignment": "none", "show": "passed"}, []),
    ],
)
def test_the_lines_are_those_that_are_asked_for(table, wanted, names):
    """The filter returns the matching rows in the selected order."""
    assert [line.person.name for line in lines_of(table, CourseFilter(**wanted))] == names


def test_one_assignment_can_be_looked_at(table):
    """A filter by assignment keeps only the column of this assignment."""
    assert [each.name for each in columns_of(table, CourseFilter(assignment="small"))] == ["small"]
    assert columns_of(table, CourseFilter(assignment="none")) == ()
