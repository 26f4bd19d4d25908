"""roster.py and its page: a roster adds and changes people, and a faulty one changes nothing."""

import pytest
from services import post, visible
from sqlalchemy import insert

from grader.service.db.tables.people import PersonRow
from grader.service.people import roster as enrolling


@pytest.fixture
def staff(service):
    return service.browser("staff")


def roster(client, text):
    return post(client, "/course/people/roster", file=("roster.csv", text.encode()))


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
