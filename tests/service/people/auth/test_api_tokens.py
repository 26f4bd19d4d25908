"""api_tokens.py and its page: a token lasts until its owner revokes it or it expires, and grants only chosen rights."""

import re
from datetime import timedelta

import pytest
from services import post

from grader.service.db.tables.access import ApiTokenRow
from grader.service.people.auth.api_tokens import MAX_TOKENS, TOKEN_LIFETIME


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
