"""api_tokens.py and its page: a token lasts until its owner revokes it or it expires, and grants only chosen rights."""

import re
from datetime import timedelta

import pytest
from services import ORIGIN, Service, parts, post

from grader.service.db.tables.access import ApiTokenRow, DeviceSignInRow
from grader.service.db.tables.people import PersonRow
from grader.service.network.throttle import RateLimiter
from grader.service.people.auth.api_tokens import CODE_LIFETIME, MAX_TOKENS, POLL_SECONDS, TOKEN_LIFETIME
from grader.service.people.auth.sessions import invite
from grader.service.web.routes.machines.oauth import DEVICE_GRANT

FORM = {"content-type": "application/x-www-form-urlencoded"}


def caller(service, person=None, scopes="read submit"):
    client = service.browser()
    client.headers["authorization"] = f"Bearer {service.token(person or service.ada, scopes)}"
    return client


def rows(service, table):
    with service.database.reading() as session:
        return session.query(table).all()


def test_a_token_ends_when_it_is_revoked_by_its_owner_alone_or_runs_out(service):
    """A token ends at once when it expires or its owner revokes it. Other users cannot revoke it."""
    client = caller(service)
    number = rows(service, ApiTokenRow)[0].id
    post(service.browser("ben"), f"/tokens/{number}/revoke")
    assert client.get("/api/v1/me").status_code == 200
    ada = service.browser("ada")
    assert "laptop" in ada.get("/tokens").text
    post(ada, f"/tokens/{number}/revoke")
    assert client.get("/api/v1/me").status_code == 401
    late = caller(service)
    service.now += TOKEN_LIFETIME - timedelta(seconds=1)
    assert late.get("/api/v1/me").status_code == 200
    service.passes(seconds=1)
    said = late.get("/api/v1/me")
    assert (said.status_code, said.headers["www-authenticate"]) == (401, "Bearer")
    assert "grader login" in said.json()["detail"]


def test_the_oldest_of_too_many_tokens_ends(service):
    """The number of tokens of a person is limited, so that no one can fill the table. A further token ends the oldest
    one.
    """
    first = caller(service)
    for _ in range(MAX_TOKENS - 1):
        service.token(service.ada, "read")
    assert first.get("/api/v1/me").status_code == 200
    service.token(service.ada, "read")
    assert first.get("/api/v1/me").status_code == 401


def test_a_token_made_on_the_page_is_shown_once_and_does_what_was_chosen(service):
    """A token that is made on the page is shown once, has the selected scopes and expires after the selected time."""
    client = service.browser("ada")
    made = post(client, "/tokens", form="/tokens", name="a <b>script</b>", submit="yes", days="7")
    token = re.search('class="secret">([^<]+)<', made.text)[1]
    assert token not in client.get("/tokens").text
    assert '<td data-name="permissions">hand in and cancel</td>' in client.get("/tokens").text
    assert "a &lt;b&gt;script" in client.get("/tokens").text
    bearer = {"authorization": f"Bearer {token}"}
    assert service.browser().get("/api/v1/me", headers=bearer).json()["key"] == "ada"
    assert service.browser().get("/api/v1/assignments", headers=bearer).status_code == 401
    service.passes(days=7)
    assert service.browser().get("/api/v1/me", headers=bearer).status_code == 401


@pytest.mark.parametrize("missing", [{"name": " "}, {"read": ""}, {"days": "365"}, {"days": ""}], ids=str)
def test_a_token_needs_a_name_a_scope_and_an_end(service, missing):
    """A token needs a name, a scope and a valid lifetime. Otherwise, it is not created."""
    said = post(service.browser("ada"), "/tokens", **{"name": "laptop", "read": "yes", "days": "7", **missing})
    assert (said.status_code, rows(service, ApiTokenRow)) == (422, [])


def begun(service, scope="read submit"):
    asked = {"client_id": "laptop", "scope": scope}
    return service.browser().post("/api/v1/device/code", data=asked)


def polled(service, code):
    return service.browser().post("/api/v1/device/token", data={"grant_type": DEVICE_GRANT, "device_code": code})


def error(answer):
    assert answer.status_code == 400
    return answer.json()["error"]


def confirmed(service, code, answer="allow", who="ada"):
    return post(service.browser(who), "/device", code=code, answer=answer)


def test_a_terminal_gets_one_token_once_its_owner_has_confirmed_the_code(service):
    """A terminal waits until its owner confirms the code and then gets one token. The code cannot be used again."""
    told = begun(service).json()
    assert error(polled(service, told["device_code"])) == "authorization_pending"
    asked = service.browser("ada").get("/device", params={"code": told["user_code"].lower()}).text
    assert "laptop</b>. It asks for permission to: read everything that you can see; hand in and cancel." in asked
    assert confirmed(service, told["user_code"]).status_code == 303
    given = polled(service, told["device_code"]).json()
    assert (given["token_type"], given["scope"]) == ("Bearer", "read submit")
    me = service.browser().get("/api/v1/me", headers={"authorization": f"Bearer {given['access_token']}"})
    assert me.json()["key"] == "ada"
    assert error(polled(service, told["device_code"])) == "expired_token"
    assert confirmed(service, told["user_code"], who="ben").status_code == 422


@pytest.mark.parametrize("origin", [ORIGIN, "https://grader.example.org"])
def test_a_code_is_kept_over_the_sign_in(tmp_path, origin):
    """During sign-in, a code is kept, and afterwards it leads once to the page that confirms it. An invalid code is not
    kept.
    """
    service = Service(tmp_path, origin=origin)
    code, client = begun(service).json()["user_code"], service.browser()
    assert not client.get("/device", params={"code": "//evil.example"}).cookies
    kept = client.get("/device", params={"code": code})
    assert kept.headers["location"] == "/sign-in"
    assert ("Secure" in kept.headers["set-cookie"]) is origin.startswith("https")
    assert "HttpOnly" in kept.headers["set-cookie"]
    for where in (f"/device?code={code}", "/"):
        with service.database.writing() as session:
            token = invite(session, session.get(PersonRow, service.ada), "test", service.now)
        assert client.post("/join", files=parts(token=token)).headers["location"] == where
    assert rows(service, ApiTokenRow) == []
    assert "laptop" in client.get("/device", params={"code": code}).text


def test_a_cookie_that_is_no_code_leads_nowhere(service):
    """A forged cookie with an invalid code does not redirect a person after sign-in."""
    client = service.browser()
    client.cookies.set("grader-code", "@evil.example")
    with service.database.writing() as session:
        token = invite(session, session.get(PersonRow, service.ada), "test", service.now)
    assert client.post("/join", files=parts(token=token)).headers["location"] == "/"


@pytest.mark.whole
def test_a_terminal_that_is_denied_or_late_gets_nothing(service):
    """A terminal whose code is denied or expires gets no token, and no token is created."""
    denied, late = begun(service).json(), begun(service).json()
    confirmed(service, denied["user_code"], "deny")
    assert error(polled(service, denied["device_code"])) == "access_denied"
    service.now += CODE_LIFETIME
    assert confirmed(service, late["user_code"]).status_code == 422
    assert error(polled(service, late["device_code"])) == "expired_token"
    assert rows(service, ApiTokenRow) == []


def test_a_terminal_that_asks_too_often_is_slowed_down(service):
    """A terminal that polls too often must wait five seconds longer each time, as RFC 8628 requires."""
    code = begun(service).json()["device_code"]
    said = []
    for pause in (POLL_SECONDS, 1, POLL_SECONDS, 3 * POLL_SECONDS):
        service.passes(seconds=pause)
        said.append(error(polled(service, code)))
    assert said == ["authorization_pending", "slow_down", "slow_down", "authorization_pending"]


def test_what_is_no_question_of_a_terminal_is_refused_in_the_words_of_the_standard(service):
    """An invalid request from a terminal is answered with the error code of the standard, and nothing is stored."""
    client = service.browser()
    assert error(begun(service, "admin")) == "invalid_scope"
    assert error(client.post("/api/v1/device/code", content=b"\xff", headers=FORM)) == "invalid_request"
    assert error(client.post("/api/v1/device/code", content=b"a&" * 30_000, headers=FORM)) == "invalid_request"
    assert error(client.post("/api/v1/device/token", data={"grant_type": "password"})) == "unsupported_grant_type"
    assert rows(service, DeviceSignInRow) == []


def test_secrets_are_kept_as_hashes(service):
    """Tokens and codes are stored as hashes, so a person who reads the database cannot use the API with them."""
    token, code = service.token(service.ada, "read"), begun(service).json()["device_code"]
    kept = [each.token_sha256 for each in rows(service, ApiTokenRow)]
    kept += [each.device_sha256 for each in rows(service, DeviceSignInRow)]
    assert not {token, code} & set(kept)
    assert {len(each) for each in kept} == {64}


def test_a_network_that_asks_for_many_terminals_waits(service):
    """The number of terminal codes that a network may request is limited, because anyone can request them and there is
    a fixed number in all.
    """
    object.__setattr__(service.app_state, "terminal_codes", RateLimiter(2, 600))
    client = service.browser()
    said = [client.post("/api/v1/device/code", data={"client_id": "laptop"}).status_code for _ in range(3)]
    assert said == [200, 200, 409]
