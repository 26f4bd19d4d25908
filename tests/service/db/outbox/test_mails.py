"""mails.py: a mail about an attempt goes to all its owners, and each chooses the kinds of mail."""

from grader.service.db.outbox.mails import MailKind, choose_mails, put_mails_about, switched_off
from grader.service.db.tables.outbox import MailRow
from grader.service.db.tables.submissions import AttemptRow, ShareRow


def about(service, number):
    """Put a mail about an attempt in the outbox, and return all mails."""
    with service.database.writing() as session:
        put_mails_about(session, MailKind.REGRADED, session.get_one(AttemptRow, number), service.now)
    with service.database.reading() as session:
        return [(each.person_id, each.kind, each.path) for each in session.query(MailRow).order_by(MailRow.id)]


def test_each_owner_of_an_attempt_gets_a_mail(service):
    """The student who handed in and the other members of the group each get one mail, which leads to the attempt."""
    number = service.hand_in()
    with service.database.writing() as session:
        session.add(ShareRow(attempt_id=number, person_id=service.ben))
    assert about(service, number) == [
        (person, "regraded", service.page_of(number)) for person in (service.ada, service.ben)
    ]


def test_a_trial_run_leads_to_no_mail(service):
    """A person who teaches gets no mail about a trial run."""
    assert about(service, service.hand_in(person=service.staff)) == []


def test_a_choice_of_mails_replaces_the_last_one_and_is_ones_own(service):
    """All kinds are sent at first. A choice replaces the last one, and does not affect other people."""

    def off(person):
        with service.database.reading() as session:
            return switched_off(session, person)

    assert off(service.ada) == frozenset()
    for wanted in ((), (MailKind.GRADED, MailKind.EXTENDED)):
        with service.database.writing() as session:
            choose_mails(session, service.ada, wanted)
        assert off(service.ada) == frozenset(MailKind) - set(wanted)
    assert off(service.ben) == frozenset()
