"""Answers and messages with which a registered platform, or a visitor, attacks the service."""

from base64 import urlsafe_b64encode

import pytest
from lti_platforms import CLAIM, SELECTION, TEACHER, arrive, member, roster_words

from grader.service.db.tables.lti import LtiContextRow
from grader.service.lti.platform_client import PlatformError
from grader.service.lti.services.line_items import under

DEEP = "[" * 100_000


@pytest.mark.sampled
@pytest.mark.parametrize("place", ["/token", "/members"])
@pytest.mark.parametrize("answer", [DEEP, "3", "null", '{"access_token": "x", "expires_in": 1' + "0" * 400 + "}"])
def test_an_answer_of_another_form_is_a_sentence(service, platform, place, answer):
    """An answer that is no JSON of the right form leads to a sentence, not to an exception that ends the job."""
    platform.answers = {place: lambda *_: (200, {}, answer)}
    assert roster_words(service).startswith("The roster could not be read: the platform")


def test_addresses_that_are_none_are_sentences(service, platform):
    """An address that cannot be parsed is refused where it is used: of a roster, of its next page, and of a column."""
    platform.answers = {"/members": lambda *_: (200, {"link": '<https://[>; rel="next"'}, {"members": []})}
    assert "next page of the list is not valid" in roster_words(service)
    with service.database.writing() as session:
        row = session.query(LtiContextRow).one()
        row.memberships_url, row.roster_due = "https://[", service.now
    assert "sent an address that is not valid" in roster_words(service)
    with pytest.raises(PlatformError, match="an address that is not valid"):
        under("https://[", "scores")


def test_a_refused_member_has_a_short_name_without_hidden_marks(service, platform):
    """The words about a roster contain at most a short part of a name, in characters that can be stored and shown."""
    platform.members = [member("\x00", name="\ud800\u202e\x00" + "n" * 100_000)]
    words = roster_words(service)
    assert len(words) < 300
    assert "\ufffd\ufffd\ufffdnnn" in words


def test_texts_of_visitors_without_a_form_are_refused(service, platform):
    """A visitor cannot cause an exception by a nested header of a token or by an invalid address."""
    client = service.browser()
    head = urlsafe_b64encode(DEEP[:30_000].encode()).decode()
    said = arrive(service, client, platform.login(service, client)["state"], f"{head}.e30.x")
    assert (said.status_code, "not a signed message" in said.text) == (409, True)
    asked = {"iss": platform.address, "login_hint": "x", "target_link_uri": "https://["}
    said = client.get("/lti/login", params=asked, headers={"sec-fetch-dest": "iframe"})
    assert said.status_code == 200


@pytest.mark.parametrize("host", ["lms.example; script-src-elem *", "lms.example;x", "lms.exämple"])
def test_a_return_address_cannot_add_to_the_policy_of_a_page(service, platform, host):
    """The host of a return address becomes part of a header, so it may only have the characters of a host."""
    selection = {SELECTION: {"deep_link_return_url": f"https://{host}/x"}}
    stated = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", **selection}
    said = platform.launch(service, service.browser(), sub="sub-t", role=TEACHER, **stated)
    assert said.status_code == 409
    assert "script-src-elem" not in said.headers["content-security-policy"]
