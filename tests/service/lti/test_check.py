"""check.py: the findings about a registration state each fault and the next step."""

import pytest
from lti_platforms import registered

from grader.service.lti.check import findings
from grader.service.lti.registrations import platforms


@pytest.fixture
def platform(running, service):
    running.__init__(running.address)
    registered(service, running)
    running.tool_keys = lambda: service.browser().get("/lti/keys").json()
    running.answers = {"/lti/keys": lambda *_: (200, {}, running.tool_keys())}
    return running


def checked(service, platform):
    with service.database.reading() as session:
        (row,) = platforms(session)
    found = findings(service.database, service.app_state.lti, row, platform.address, service.now)
    return [each.words for each in found if each.is_fault]


def test_a_check_says_in_words_what_is_wrong(service, platform):
    """A check finds each fault of a registration, and says the next step."""
    platform.answers["/token"] = lambda *_: (200, {"date": "Mon, 23 Nov 2026 12:00:30 GMT"}, {"access_token": "a"})
    assert [each for each in checked(service, platform) if "clock" not in each] == []
    refusal = {"error": "invalid_client"}
    platform.answers["/token"] = lambda *_: (401, {}, refusal)
    platform.answers["/keys"] = lambda *_: (200, {}, {"keys": []})
    platform.answers["/lti/keys"] = lambda *_: (200, {}, {"keys": [platform.key.as_dict(private=False)]})
    words = " ".join(checked(service, platform))
    assert "does not contain usable keys. Correct the address." in words
    assert "does not show the key of this database" in words
    assert "enter this service's address of keys" in words
    assert "clock is" in words  # the platform has the time of today, and the service that of November 2026
