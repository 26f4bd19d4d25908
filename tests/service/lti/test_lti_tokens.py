"""tokens.py: platforms verify messages of the service with its public keys, which reveal no private part."""

import time

import pytest
from joserfc import jwt
from joserfc.errors import BadSignatureError
from joserfc.jwk import KeySet
from lti_platforms import TOOL_KEY

from grader.service.lti.tokens import MESSAGE_LIFETIME_SECONDS, client_assertion, new_key, public_key_set, signed


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
