"""platform_client.py: a platform answers with a success or a reason, and an access token is used until it expires."""

import time

import pytest
from lti_platforms import SCOPES, THIS_MACHINE, TOOL_KEY, member, roster_words

from grader.service.lti import platform_client
from grader.service.lti.platform_client import (
    MAX_PAUSE_SECONDS,
    MAX_TOKEN_SECONDS,
    NEXT,
    Endpoints,
    FaultError,
    NoAnswerError,
    PlatformAnswer,
    PlatformClient,
    RejectedError,
    ServiceRequest,
    SlowDownError,
    succeeded,
)
from grader.service.network.client import HttpClient


@pytest.mark.parametrize(
    ("status", "headers", "text", "kind", "words"),
    [
        (429, {"retry-after": "120"}, "", SlowDownError, "fewer requests"),
        (
            403,
            {"x-rate-limit-remaining": "0.0"},
            "403 Forbidden (Rate Limit Exceeded)",
            SlowDownError,
            "fewer requests",
        ),
        (403, {}, "no column", RejectedError, "^403: no column$"),
        (400, {}, "", RejectedError, "^status 400$"),
        (401, {}, "", FaultError, "status 401$"),
        (503, {}, "closed <b>", FaultError, "status 503: closed <b>$"),
    ],
)
def test_an_answer_without_success_is_the_right_reason(status, headers, text, kind, words):
    """A refusal is final, a fault may be temporary, and a platform that asks for fewer requests gets a pause."""
    with pytest.raises(kind, match=words):
        succeeded(PlatformAnswer(status=status, headers=headers, text=text))


@pytest.mark.parametrize(
    ("stated", "seconds"), [("120", 120), ("9" * 30, MAX_PAUSE_SECONDS), ("-1", None), ("soon", None), ("²", None)]
)
def test_a_pause_has_a_limit(stated, seconds):
    """A platform cannot stop its scores for longer than an hour at a time, and an invalid pause causes no fault."""
    with pytest.raises(SlowDownError) as caught:
        succeeded(PlatformAnswer(status=429, headers={"retry-after": stated}, text=""))
    assert caught.value.seconds == seconds


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": 1}'], ids=["empty", "cut off", "deep", "an object"])
def test_an_answer_that_is_no_list_is_a_reason(text):
    """An answer that is not a list, or not JSON, has no rows. Values in a list that are not objects are left out."""
    with pytest.raises(NoAnswerError):
        _ = PlatformAnswer(status=200, headers={}, text=text).rows
    assert PlatformAnswer(status=200, headers={}, text='[1, {"id": 2}, null]').rows == [{"id": 2}]


@pytest.fixture
def tried(running):
    """Return a platform whose access tokens last for `lasts` seconds, a client, and the time of its clock."""
    running.__init__(running.address)
    running.lasts, running.served, moment = 3600, (200, {}, []), [0.0]
    running.answers = {
        "/token": lambda *_: (200, {}, {"access_token": "access", "expires_in": running.lasts}),
        "/columns": lambda *_: running.served,
    }
    return running, PlatformClient(http=HttpClient(private=THIS_MACHINE), clock=lambda: moment[0]), moment


def ask(platform, client):
    """Ask for the columns, and return the number of access tokens that were requested until now."""
    endpoints = Endpoints(
        number=1,
        client_id="client-1",
        token_url=f"{platform.address}/token",
        token_audience="",
        jwks_url=f"{platform.address}/keys",
    )
    asked = ServiceRequest(method="GET", url=f"{platform.address}/columns", scopes=tuple(SCOPES[:1]), accept="*/*")
    client.ask(endpoints, TOOL_KEY, asked)
    return sum(path == "/token" for _, path, _ in platform.requests)


def test_a_token_is_used_until_shortly_before_it_ends(tried):
    """An access token is used for many requests and renewed a minute before it expires."""
    platform, client, moment = tried
    assert [ask(platform, client) for _ in range(3)] == [1, 1, 1]
    moment[0] = 3600 - 61
    assert ask(platform, client) == 1
    moment[0] = 3600 - 59
    assert ask(platform, client) == 2


@pytest.mark.parametrize("lasts", [MAX_TOKEN_SECONDS + 1, -1, "long", None])
def test_a_token_with_a_lifetime_that_is_not_believed_is_used_once(tried, lasts):
    """A token that would last for more than a week, or does not say how long, is used for one request."""
    platform, client, _ = tried
    platform.lasts = lasts
    assert [ask(platform, client) for _ in range(3)] == [1, 2, 3]


def test_a_token_that_was_revoked_is_replaced_once(tried):
    """If a platform no longer accepts a token, the request is repeated once with a new one, and then given up."""
    platform, client, _ = tried
    platform.served = 401, {}, "revoked"
    with pytest.raises(FaultError, match="status 401"):
        ask(platform, client)
    assert [path for _, path, _ in platform.requests] == ["/token", "/columns"] * 2


def test_a_long_link_header_is_searched_quickly():
    """The next page is found in time that grows with the length of the header, not with its square."""
    began = time.perf_counter()
    assert NEXT.search("<>;" * 300_000) is None
    assert NEXT.search('<a>; rel="first", <b>; x="1"; rel="next"')[1] == "b"
    assert time.perf_counter() - began < 2


def test_a_list_of_large_pages_is_given_up(service, platform, monkeypatch):
    """A platform cannot fill the memory with few members that have long fields on many pages."""
    monkeypatch.setattr(platform_client, "MAX_CHARACTERS", 50_000)
    asked = []

    def one(*_):
        asked.append(1)
        link = f'<{platform.address}/members?page={len(asked)}>; rel="next"'
        return 200, {"link": link}, {"members": [member("sub-ann", junk="x" * 20_000)]}

    platform.answers = {"/members": one}
    assert roster_words(service) == "The roster could not be read: the list is too large."
    assert len(asked) == 3
