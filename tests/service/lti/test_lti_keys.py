"""keys.py: a new key is published before it signs, and the old one stays published after its last signature."""

import time
from datetime import timedelta

import pytest
from joserfc import jwt
from joserfc.errors import BadSignatureError
from joserfc.jwk import KeySet
from lti_platforms import TOOL_KEY

from grader.service.errors import RefusedError
from grader.service.lti.keys import (
    LEAD,
    MESSAGE_LIFETIME_SECONDS,
    OVERLAP,
    client_assertion,
    ensure_key,
    new_key,
    public_key_set,
    published,
    rotate,
    signed,
    signing_key,
)

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


def test_a_platform_reads_a_message_with_the_published_key():
    """A message is verified with the published key set, states when it ends, and differs each time."""
    keys = KeySet.import_key_set(public_key_set([new_key(), TOOL_KEY]))
    messages = [jwt.decode(signed({"aud": "x"}, TOOL_KEY), keys, ["RS256"]) for _ in range(2)]
    claims = messages[0].claims
    assert (messages[0].header["kid"], claims["aud"]) == (TOOL_KEY.kid, "x")
    assert claims["exp"] - claims["iat"] == MESSAGE_LIFETIME_SECONDS
    assert abs(claims["iat"] - time.time()) < 60
    assert claims["nonce"] != messages[1].claims["nonce"]


def test_another_key_of_the_same_name_is_not_believed():
    """A message that another key has signed is refused, even if that key has the same name."""
    other = new_key()
    forged = type(other)(kid=TOOL_KEY.kid, pem=other.pem)
    keys = KeySet.import_key_set(public_key_set([TOOL_KEY]))
    with pytest.raises(BadSignatureError):
        jwt.decode(signed({}, forged), keys, ["RS256"])


def test_published_keys_have_no_private_part():
    """The key set has only the fields of public keys."""
    (key,) = public_key_set([TOOL_KEY])["keys"]
    assert key.keys() == {"kty", "n", "e", "kid", "use", "alg"}


def test_a_proof_for_a_token_is_for_one_platform():
    """The proof names this service as its subject and the platform's address as its audience."""
    keys = KeySet.import_key_set(public_key_set([TOOL_KEY]))
    claims = jwt.decode(client_assertion("client-1", "https://lms.example/token", TOOL_KEY), keys, ["RS256"]).claims
    assert (claims["iss"], claims["sub"], claims["aud"]) == ("client-1", "client-1", "https://lms.example/token")
