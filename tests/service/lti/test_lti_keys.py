"""keys.py: a new key is published before it signs, and the old one stays published after its last signature."""

from datetime import timedelta

import pytest

from grader.service.errors import RefusedError
from grader.service.lti.keys import LEAD, OVERLAP, ensure_key, published, rotate, signing_key

SECOND = timedelta(seconds=1)


def seen(service, first):
    """Return which keys are published now, and which one signs, as "old" and "new"."""
    with service.database.reading() as session:
        named = {each.kid: "old" if each.kid == first else "new" for each in published(session, service.now)}
        return [*named.values()], named[signing_key(session, service.now).kid]


def test_a_rotation_never_signs_with_a_key_that_platforms_do_not_know(service):
    """The new key signs an hour after its publication. The old key is published for two more days."""
    with service.database.writing() as session:
        ensure_key(session, service.now)
        ensure_key(session, service.now)
        first = signing_key(session, service.now).kid
    service.passes(days=30)
    with service.database.writing() as session:
        rotate(session, service.now)
    begun, found = service.now, []
    for passed in (timedelta(0), LEAD - SECOND, LEAD, LEAD + OVERLAP - SECOND, LEAD + OVERLAP):
        service.now = begun + passed
        found.append(seen(service, first))
    assert found == [
        (["old", "new"], "old"),
        (["old", "new"], "old"),
        (["old", "new"], "new"),
        (["old", "new"], "new"),
        (["new"], "new"),
    ]


def test_a_rotation_waits_for_the_end_of_the_last_one(service):
    """During a rotation, another one is refused, because platforms might not have read the new key yet."""
    for expected in (1, 2):
        with service.database.writing() as session:
            rotate(session, service.now)
            assert len(published(session, service.now)) == expected
    with service.database.writing() as session, pytest.raises(RefusedError, match="being rotated"):
        rotate(session, service.now)
    service.now += LEAD + OVERLAP
    with service.database.writing() as session:
        rotate(session, service.now)


def test_without_a_key_the_operator_gets_the_command(service):
    """A service without a key signs nothing, and the message names the command that creates one."""
    with service.database.reading() as session, pytest.raises(RefusedError, match="`grader lti add`"):
        signing_key(session, service.now)
