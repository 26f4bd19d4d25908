"""oidc.py and its routes: single sign-on with an issuer that runs inside the test and signs with real keys."""

import base64
import json
import time
from urllib.parse import parse_qsl, urlsplit

import pytest
from joserfc.jwk import OctKey, RSAKey
from sign_in_methods import SECRET, at_university, enter, issuing

from grader.common.errors import InputError
from grader.common.secret import Secret
from grader.common.sign_in import UniversityRules
from grader.service.network.throttle import RateLimiter
from grader.service.people.auth.oidc import University


@pytest.fixture
def issuer():
    with issuing() as made:
        yield made


def begin(service, client=None):
    client = client or service.browser()
    said = client.get("/sign-on")
    assert said.status_code == 303
    return client, said.headers["location"]


def attempt(service, issuer):
    """Sign in at the issuer and return to the service. Return the browser and the service's response."""
    client, address = begin(service)
    return client, client.get("/sign-on/back", params=issuer.authorize(address))


def test_who_is_signed_in_at_the_university_is_signed_in_here(service, issuer):
    """Single sign-on uses a state, a nonce and a PKCE challenge. It sends the client secret only to the issuer."""
    at_university(service, issuer)
    assert "Sign in at Example University" in service.browser().get("/sign-in").text
    client, address = begin(service)
    asked = dict(parse_qsl(urlsplit(address).query))
    assert asked["redirect_uri"] == f"{service.origin}/sign-on/back"
    assert (asked["response_type"], asked["scope"], asked["code_challenge_method"]) == ("code", "openid email", "S256")
    assert SECRET not in address
    assert client.get("/sign-on/back", params=issuer.authorize(address)).status_code == 303
    assert "Ada" in client.get("/").text
    assert len(issuer.seen) == 1


def test_a_code_signs_in_once_and_only_in_the_browser_that_began(service, issuer):
    """A code works once, and only in the browser that began the sign-on. An attacker therefore cannot sign a victim in
    to the attacker's account.
    """
    at_university(service, issuer)
    client, address = begin(service)
    back = issuer.authorize(address)
    assert service.browser().get("/sign-on/back", params=back).status_code == 409
    other, _ = begin(service)
    assert other.get("/sign-on/back", params=back).status_code == 409
    assert issuer.seen == []
    assert client.get("/sign-on/back", params=back).status_code == 303
    assert client.get("/sign-on/back", params=back).status_code == 409


@pytest.mark.sampled
@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ["grader", "another"], "azp": "another"},
        {"nonce": "another"},
        pytest.param({"exp": int(time.time()) - 3600}, id="expired"),
        # The test may run an hour after its import.
        pytest.param({"iat": int(time.time()) + 24 * 3600}, id="of a day from now"),
        {"email_verified": False},
        {"email": None},
        {"email": ["ada"]},
        {"at_hash": "another"},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_us_now_signs_nobody_in(service, issuer, claims):
    """A token is rejected if one of the required claims is wrong."""
    at_university(service, issuer)
    issuer.claims = claims
    client, said = attempt(service, issuer)
    assert said.status_code == 409
    assert client.get("/").status_code == 303


@pytest.mark.parametrize("forged", ["another key", "the client's secret", "none"])
def test_a_token_that_the_issuer_has_not_signed_signs_nobody_in(service, issuer, monkeypatch, forged):
    """A token is rejected if it is unsigned, signed with another key, or signed with the client secret as its key."""
    at_university(service, issuer)
    if forged == "another key":
        issuer.signs_with = RSAKey.generate_key(2048, {"kid": "one"})
    elif forged == "none":
        monkeypatch.setattr(
            "sign_in_methods.jwt.encode",
            lambda _, claims, __: f"{part({'alg': 'none'})}.{part(claims)}.",
        )
    else:
        issuer.signs_with, issuer.header = OctKey.import_key(SECRET * 3), {"alg": "HS256"}
    client, said = attempt(service, issuer)
    assert said.status_code == 409
    assert client.get("/").status_code == 303


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "answer", [{"iss": "https://evil.example"}, {"code": ""}, {"state": ""}, {"state": "x"}], ids=str
)
def test_an_answer_that_is_not_the_issuers_asks_it_nothing(service, issuer, answer):
    """The issuer receives no request for an answer that comes from another issuer or has a wrong code or state (mix-up
    attack).
    """
    at_university(service, issuer)
    client, address = begin(service)
    assert client.get("/sign-on/back", params=issuer.authorize(address) | answer).status_code == 409
    assert issuer.seen == []


def test_a_network_whose_sign_ons_fail_too_often_waits(service, issuer):
    """The number of failed sign-ons from a network is limited, because each forged cookie causes a request to the
    issuer.
    """
    at_university(service, issuer)
    enter(service, university=service.app_state.sign_in.university, failed_sign_ons=RateLimiter(2, 600))
    client = service.browser()
    client.cookies.set(service.app_state.sign_on_cookie, "state.nonce.verifier")
    asked = {"state": "state", "code": "made-up"}
    said = [client.get("/sign-on/back", params=asked).text for _ in range(3)]
    assert ["could not be completed" in each for each in said] == [True, True, False]
    assert "Too many sign-ins from your network have failed" in said[2]
    assert len(issuer.seen) == 2


def test_a_sign_on_that_succeeds_does_not_count_against_its_network(service, issuer):
    """Successful sign-ons do not count against a network, because everyone in a lecture room shares one address."""
    at_university(service, issuer)
    enter(service, university=service.app_state.sign_in.university, failed_sign_ons=RateLimiter(2, 600))
    assert [attempt(service, issuer)[1].status_code for _ in range(4)] == [303] * 4


def test_a_discovery_document_of_another_issuer_is_not_believed(service, issuer):
    """A discovery document that names another issuer is rejected, and the browser is not redirected."""
    at_university(service, issuer)
    issuer.metadata = {"issuer": "https://evil.example"}
    assert service.browser().get("/sign-on").status_code == 409


def test_the_claim_that_names_a_person_can_be_chosen(service, issuer):
    """The operator can choose the claim that identifies a person. An unknown person sees the value of that claim."""
    at_university(service, issuer, claim="uid")
    issuer.person = {"uid": "ben"}
    client, said = attempt(service, issuer)
    assert (said.status_code, "Ben" in client.get("/").text) == (303, True)
    issuer.person = {"uid": "stranger"}
    client, said = attempt(service, issuer)
    assert said.status_code == 403
    assert "knows you as stranger" in said.text


def test_an_issuer_that_is_away_is_one_sentence(service):
    """If the issuer cannot be reached, the page shows a single sentence. An issuer needs https unless it runs on this
    machine.
    """
    with issuing() as gone:
        at_university(service, gone)
    said = service.browser().get("/sign-on")
    assert said.status_code == 409
    assert "could not be completed" in said.text
    with pytest.raises(InputError, match="https"):
        University(UniversityRules(issuer="http://example.org", client_id="c", client_secret=Secret()), "s", "o")


def test_without_a_university_there_is_no_such_address(service):
    """If no university is configured, the sign-on routes answer 404."""
    client = service.browser()
    assert [client.get(each).status_code for each in ("/sign-on", "/sign-on/back")] == [404, 404]
