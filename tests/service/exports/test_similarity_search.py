"""similarity_search.py: similar sources are paired, but attempts that a group shares are not."""

import re

import pytest
from services import visible
from similar_sources import PAGE, RENAMED, SOLUTION, graded, pooled

from grader.service.db.tables.submissions import ShareRow

OTHER = (
    "__kernel void add() {\n" + "\n".join(f"for (int i{n} = 0; i{n} < {n}; ++i{n}) {{ }}" for n in range(9)) + "\n}\n"
)


def test_near_copies_stand_side_by_side_with_their_differences_marked(service, staff):
    """Near copies are shown in two columns with their differences marked, even if names were changed. Other solutions
    are not listed.
    """
    attempts = [graded(service, SOLUTION), graded(service, RENAMED, service.ben)]
    graded(service, OTHER, service.person("cleo", "student"))
    answer = staff.get(PAGE)
    page = answer.text
    for attempt in attempts:
        assert service.page_of(attempt) in page
    assert "Cleo" not in visible(answer)
    assert page.count("≠</td>") == 1
    assert "mine[7]" in page


def found_in(answer):
    """Return the text of each pair or group that was found."""
    return [" ".join(re.sub("<[^>]*>", "", line).split()) for line in re.findall("<li>(.*?)</li>", answer.text)]


@pytest.mark.whole
def test_identical_files_have_a_line_of_their_own(service, staff):
    """Identical files share one line, no matter how short they are. In a line of near copies, the first file represents
    all of them.
    """
    cleo, dora, eve = (service.person(key, "student") for key in ("cleo", "dora", "eve"))
    attempts = [graded(service, SOLUTION), graded(service, SOLUTION, service.ben), graded(service, RENAMED, cleo)]
    attempts += [graded(service, "__kernel void add() {}\n", person) for person in (dora, eve)]
    answer = staff.get(PAGE)
    same, short, (near, _, names) = (line.partition(": ") for line in found_in(answer))
    assert same == ("Identical files", ": ", "Ada, Ben")
    assert short == ("Identical files", ": ", "Dora, Eve")
    assert near.endswith("% alike")
    assert names == "Ada, Cleo"
    assert all(service.page_of(attempt) in answer.text for attempt in attempts)


@pytest.mark.whole
def test_the_text_of_a_source_is_text(service, staff):
    """The text of a source is escaped, so it cannot add markup."""
    for person in (service.ada, service.ben):
        graded(service, SOLUTION + f"// <script>{person}</script>\n", person)
    page = staff.get(PAGE).text
    assert "&lt;script&gt;" in page
    assert "<script>" not in page.partition("<main")[2]


@pytest.mark.whole
def test_what_everybody_may_use_makes_no_copies(service, staff):
    """Sources that all students may use do not count as copies, and neither does the skeleton."""
    graded(service, SOLUTION)
    graded(service, RENAMED, service.ben)
    assert pooled(staff, "allowed", SOLUTION.encode()).status_code == 303
    assert "No sources are similar" in staff.get(PAGE).text


@pytest.mark.whole
def test_a_group_that_hands_in_together_is_no_pair_of_copies(service, staff):
    """An attempt that a group shares is a single source, so the members are not a pair of copies."""
    shared = graded(service, SOLUTION)
    with service.database.writing() as session:
        session.add(ShareRow(attempt_id=shared, person_id=service.ben))
    page = staff.get("/course/points").text
    assert page.count(service.page_of(shared)) == 2
    assert "No sources are similar" in staff.get(PAGE).text


@pytest.fixture
def staff(service):
    return service.browser("staff")
