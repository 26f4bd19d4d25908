"""groups.py and the pages of groups: an attempt belongs to all who were in the group when it was handed in."""

import pytest
from final_grades import DUE, handed_in, opened, standing
from large_course import statements
from services import post, upload

from grader.service.course.groups import history, history_of, past_of
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import ShareRow
from grader.service.errors import RefusedError


def test_a_group_hands_in_once_for_all(tmp_path):
    """An attempt of a group is graded once and counts for both members and for the group's limit. Other students cannot
    see it.
    """
    service = opened(tmp_path, DUE + "groups: 2\nattempts: {most: 2}\ncounts: best\n")
    staff = service.browser("staff")
    roster = ("roster.csv", b"key,name,group\nada,Ada,7\nben,Ben,7\ncleo,Cleo,\n")
    assert post(staff, "/course/people/roster", file=roster).status_code == 303
    attempt = handed_in(service, 12.0, person=service.ada)
    ben = service.browser("ben")
    page = ben.get("/assignments/small").text
    assert "you, Ada: an attempt of one counts for all" in page
    assert "12 of 15 points" in page
    assert "1 of 2" in page
    assert (
        ben.get(service.page_of(attempt)).status_code
        == ben.get(f"{service.page_of(attempt)}/report").status_code
        == 200
    )
    assert "as Ada" not in ben.get(service.page_of(attempt)).text
    assert service.browser("cleo").get(service.page_of(attempt)).status_code == 404
    handed_in(service, 3.0, person=service.ben)
    assert "used all of your 2 attempts" in upload(service.browser("ada")).text
    assert len(service.gradings(attempt)) == 1
    assert [standing(service, each).points for each in (service.ada, service.ben)] == [12, 12]
    assert ben.get("/assignments/small/compare?old=1&new=2").status_code == 200
    service.database.close()


def test_what_was_handed_in_for_a_group_stays_with_those_who_were_in_it(tmp_path):
    """An attempt stays with the members who were in the group when it was made. Ben keeps it after he leaves, and the
    next attempt counts only for Ada.
    """
    service = opened(tmp_path, DUE + "groups: 2\n")
    with service.database.writing() as session:
        for number in (service.ada, service.ben):
            session.get_one(PersonRow, number).team = "7"
    handed_in(service, 12.0, person=service.ada)
    left = ("roster.csv", b"key,name,group\nben,Ben,-\n")
    post(service.browser("staff"), "/course/people/roster", file=left)
    handed_in(service, 5.0, person=service.ada)
    assert [standing(service, each).points for each in (service.ada, service.ben)] == [5, 12]
    assert "Ben, student, group 7 -&gt; Ben, student" in service.browser("staff").get("/course/audit").text
    service.database.close()


@pytest.mark.whole
def test_a_member_who_joins_brings_what_they_used_and_it_is_not_added_up(tmp_path):
    """A new group has as many attempts left as the member with the fewest. Of three attempts, Ada used one and Ben two,
    so one is left.
    """
    service = opened(tmp_path, DUE + "groups: 2\nattempts: {most: 3}\n")
    for person in (service.ada, service.ben, service.ben):
        handed_in(service, 3.0, person=person)
    with service.database.writing() as session:
        for number in (service.ada, service.ben):
            session.get_one(PersonRow, number).team = "7"
    pages = [service.browser(key).get("/assignments/small").text for key in ("ada", "ben")]
    assert all("1 of 3" in page for page in pages)
    handed_in(service, 5.0, person=service.ada)
    with pytest.raises(RefusedError, match="used all of your 3 attempts"):
        handed_in(service, 5.0, person=service.ada)
    with service.database.writing() as session:
        session.get_one(PersonRow, service.ben).team = None
    handed_in(service, 5.0, person=service.ada)
    service.database.close()


def test_a_group_that_is_too_large_is_told_so(tmp_path):
    """A group that is too large is refused, and no attempt is stored or used up."""
    service = opened(tmp_path, DUE + "groups: 2\n")
    with service.database.writing() as session:
        for number in (service.ada, service.ben, service.person("cleo", "student")):
            session.get_one(PersonRow, number).team = "7"
    with pytest.raises(RefusedError, match="Your group has 3 members, and this assignment allows 2 members"):
        handed_in(service, 1.0)
    service.database.close()


def test_a_deactivated_member_no_longer_hands_in_with_the_group(tmp_path):
    """A deactivated member does not count towards the size of the group, and attempts of the group do not count for
    them.
    """
    service = opened(tmp_path, DUE + "groups: 2\n")
    with service.database.writing() as session:
        cleo = service.person("cleo", "student")
        for number in (service.ada, service.ben, cleo):
            session.get_one(PersonRow, number).team = "7"
        session.get_one(PersonRow, cleo).deactivated = service.now
    handed_in(service, 1.0)
    with service.database.reading() as session:
        assert {row.person_id for row in session.query(ShareRow)} == {service.ben}
    service.database.close()


def test_a_newer_attempt_of_the_group_supersedes_one_of_another_member(tmp_path):
    """A newer attempt of one member supersedes a waiting attempt of another member."""
    service = opened(tmp_path, DUE + "groups: 2\n")
    with service.database.writing() as session:
        for number in (service.ada, service.ben):
            session.get_one(PersonRow, number).team = "7"
    assert upload(service.browser("ada")).status_code == upload(service.browser("ben")).status_code == 303
    assert [service.state(number) for number in (1, 2)] == ["superseded", "waiting"]
    service.database.close()


def test_an_attempt_that_counts_for_somebody_else_too_is_not_superseded(tmp_path):
    """A waiting attempt that also counts for a former member is not superseded. Otherwise, that member
    would lose it.
    """
    service = opened(tmp_path, DUE + "groups: 2\n")
    zoe = service.person("zoe", "student")

    def team(**teams):
        with service.database.writing() as session:
            for name, team in teams.items():
                session.get_one(PersonRow, {"ada": service.ada, "ben": service.ben, "zoe": zoe}[name]).team = team

    team(ada="7", ben="7")
    assert upload(service.browser("ben")).status_code == 303
    team(ada="8", zoe="8")
    assert upload(service.browser("ada")).status_code == 303
    assert [service.state(number) for number in (1, 2)] == ["waiting", "waiting"]
    service.database.close()


@pytest.fixture
def shared(service):
    """Return the attempts of Ada, of Ben, and of Ada for both, in this order. Only the first is graded."""
    attempts = [service.graded(service.hand_in())]
    for person in (service.ben, service.ada):
        service.passes(minutes=1)
        attempts.append(service.hand_in(person=person))
    with service.database.writing() as session:
        session.add(ShareRow(attempt_id=attempts[2], person_id=service.ben))
    return attempts


def test_a_student_has_the_attempts_of_the_group(service, shared):
    """Each member has the shared attempt and their own attempts, but none of another assignment."""
    own, common, theirs = shared[0], shared[2], shared[1]
    with service.database.reading() as session:
        ada, ben = (history(session, each, "small") for each in (service.ada, service.ben))
        assert ([each.id for each in ada], sorted(each.id for each in ben)) == ([own, common], sorted([theirs, common]))
        assert history(session, service.ada, "other") == []
        both = history_of(session, frozenset({service.ada, service.ben}), "small")
        assert sorted(each.id for each in both) == sorted(shared)


def test_the_grading_that_counts_costs_no_further_query(service, shared):
    """One query reads the attempts with all their gradings. The grading that counts is one of them."""
    service.regrade(shared[0])
    with service.database.reading() as session, statements(service.database) as read:
        first, second = history(session, service.ada, "small")
        assert (first.counted.id, second.counted) == (first.gradings[0].id, None)
        assert len(first.gradings) == 2
    assert sum(each.startswith("SELECT") for each in read) == 1


@pytest.mark.usefixtures("shared")
def test_rules_know_whose_attempt_it_was_and_how_it_ended(service):
    """The rules get the owners of an attempt within the group, its state, and true if its grading has begun."""
    service.claim()
    team = frozenset({service.ada, service.ben})
    with service.database.reading() as session:
        attempts = sorted(history_of(session, team, "small"), key=lambda each: each.id)
        past = past_of(session, attempts, team)
        alone = past_of(session, history(session, service.ada, "small"), frozenset({service.ada}))
    assert [each.people for each in past] == [{service.ada}, {service.ben}, team]
    assert [(each.state, each.begun) for each in past] == [
        (State.DONE, True),
        (State.RUNNING, True),
        (State.WAITING, False),
    ]
    assert [each.received for each in past] == [each.received for each in attempts]
    assert [each.people for each in alone] == [{service.ada}] * 2


def test_an_attempt_that_is_graded_again_stays_done(service, shared):
    """While an attempt with a result is graded again, it counts as done."""
    service.regrade(shared[0])
    with service.database.reading() as session:
        first, _ = past_of(session, history(session, service.ada, "small"), frozenset({service.ada}))
    assert first.state == State.DONE
