"""history.py: a student has all attempts of the group, in order, with the grading that counts."""

import pytest
from large_course import statements

from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import ShareRow
from grader.service.submissions.history import history, history_of, past_of


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
