"""Answers and messages with which a registered platform, or a visitor, attacks the service."""

import time
from base64 import urlsafe_b64encode
from contextlib import suppress

import pytest
from lti_platforms import AGS, CLAIM, SELECTION, TEACHER, arrive, member, platform_at_work, registered

from grader.service.db.tables.lti import LtiContextRow, LtiLineItemRow
from grader.service.errors import RefusedError
from grader.service.lti.platform_client import PlatformError
from grader.service.lti.roles import ASSISTANT
from grader.service.lti.services import paging
from grader.service.lti.services.line_items import under
from grader.service.lti.services.paging import NEXT
from grader.service.lti.services.roster import read_rosters
from grader.service.people.roster import import_roster

DEEP = "[" * 100_000


@pytest.fixture(scope="module")
def running():
    with platform_at_work() as made:
        yield made


@pytest.fixture
def platform(running, service):
    running.__init__(running.address)
    registered(service, running)
    return running


def roster_words(service):
    """Read the roster, and return the result in words."""
    with suppress(OSError):
        read_rosters(service.database, service.app_state.lti, service.now)
    with service.database.reading() as session:
        return session.query(LtiContextRow).one().roster_words


def test_a_long_link_header_is_searched_quickly():
    """The next page is found in time that grows with the length of the header, not with its square."""
    began = time.perf_counter()
    assert NEXT.search("<>;" * 300_000) is None
    assert NEXT.search('<a>; rel="first", <b>; x="1"; rel="next"')[1] == "b"
    assert time.perf_counter() - began < 2


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


def test_a_list_of_large_pages_is_given_up(service, platform, monkeypatch):
    """A platform cannot fill the memory with few members that have long fields on many pages."""
    monkeypatch.setattr(paging, "MAX_CHARACTERS", 50_000)
    asked = []

    def one(*_):
        asked.append(1)
        link = f'<{platform.address}/members?page={len(asked)}>; rel="next"'
        return 200, {"link": link}, {"members": [member("sub-ann", junk="x" * 20_000)]}

    platform.answers = {"/members": one}
    assert roster_words(service) == "The roster could not be read: the list is too large."
    assert len(asked) == 3


def test_a_refused_member_has_a_short_name_without_hidden_marks(service, platform):
    """The words about a roster contain at most a short part of a name, in characters that can be stored and shown."""
    platform.members = [member("\x00", name="\ud800\u202e\x00" + "n" * 100_000)]
    words = roster_words(service)
    assert len(words) < 300
    assert "\ufffd\ufffd\ufffdnnn" in words


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"azp": ["x"]}, "authorized party"),
        ({"exp": float("nan")}, "does not state when"),
        ({"exp": 10**400}, "does not state when"),
        ({"iat": 10**400}, "does not state when"),
        ({f"{CLAIM}deployment_id": "\x00"}, "no valid deployment"),
        ({AGS: {"lineitems": "\x00"}}, "claim/endpoint.lineitems"),
    ],
)
def test_claims_that_no_platform_sends_are_refused(service, platform, claims, words):
    """Values of another type, of another size or with a character that no database stores are refused in words."""
    said = platform.launch(service, service.browser(), **claims)
    assert said.status_code == 409
    assert words in said.text


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


def test_a_student_cannot_add_a_column_by_an_address(service, platform):
    """In some platforms, a student chooses the address that is launched. Without a column, it adds none."""
    client = service.browser()
    assert platform.launch(service, client).status_code == 303
    with service.database.reading() as session:
        assert session.query(LtiLineItemRow).all() == []
    platform.launch(service, client, **{AGS: {**platform.endpoint, "lineitem": f"{platform.address}/columns/1"}})
    with service.database.reading() as session:
        assert session.query(LtiLineItemRow).one().assignment == "small"


def test_an_assistant_of_a_platform_gets_no_account_of_an_instructor(service, platform):
    """A trusted claim does not join an assistant's account with an instructor, whose rights it would get."""
    registered(service, platform, matches="email")
    said = platform.launch(service, service.browser(), sub="sub-ta", role=ASSISTANT, email="staff")
    assert (said.status_code, "staff is an instructor here" in said.text) == (409, True)


def test_a_student_with_the_key_of_a_future_instructor_gets_no_role(service, platform):
    """A student may enter with the mail address of a person who is not in the course yet. The course's roster does not
    make the student an instructor afterwards.
    """
    client = service.browser()
    assert platform.launch(service, client, sub="sub-mallory", email="prof@example.org").status_code == 303
    with pytest.raises(RefusedError, match="only a learning platform has said"):
        import_roster(service.database, b"key,name,role\nprof@example.org,Prof,instructor\n", "staff", service.now)
    assert client.get("/course").status_code == 404
    import_roster(service.database, b"key,name\nprof@example.org,Prof\n", "staff", service.now)
