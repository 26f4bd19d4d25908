"""issuer_keys.py: an issuer's keys are kept for an hour. An unknown key makes the service read them again, but not too
often.
"""

import threading
import time

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey
from sign_in_methods import issuing

from grader.common.errors import InputError
from grader.service.errors import RefusedError
from grader.service.network.throttle import ConcurrencyLimiter
from grader.service.people.auth.issuer_keys import (
    IssuerKeys,
    UnsignedError,
    key_set,
    keys_in,
    metadata_of,
    require_safe_issuer,
)


class Issuer:
    """An issuer with a clock. It counts how often its keys are read, and does not answer while `is_gone` is true."""

    def __init__(self):
        self.key, self.reads, self.is_gone, self.now = made_key("one"), 0, False, 1000.0
        self.keys = IssuerKeys(self._fetch, ConcurrencyLimiter(1, "busy", wait_seconds=5.0), lambda: self.now)

    def _fetch(self):
        self.reads += 1
        if self.is_gone:
            raise OSError("gone")
        return key_set(KeySet([self.key]).as_dict(private=False))

    def is_signed(self, key):
        try:
            return self.keys.decoded(message(key)).claims == {"sub": "ada"}
        except UnsignedError:
            return False


def made_key(kid):
    return ECKey.generate_key("P-256", {"kid": kid})


def message(key):
    return jwt.encode({"alg": "ES256", "kid": key.kid}, {"sub": "ada"}, key)


@pytest.fixture
def issuer():
    return Issuer()


def test_keys_are_kept_for_an_hour(issuer):
    """Messages within an hour are checked with the keys that were read for the first message."""
    for age, reads in ((0, 1), (3599, 1), (3600, 2)):
        issuer.now = 1000.0 + age
        assert issuer.is_signed(issuer.key)
        assert issuer.reads == reads


def test_unknown_keys_cause_at_most_one_reading_a_minute(issuer):
    """Messages with unknown keys are refused. They make the service read the keys at most once a minute."""
    for _ in range(300):
        assert not issuer.is_signed(made_key("other"))
        issuer.now += 1
    assert issuer.reads == 5


def test_a_false_signature_with_a_known_name_is_refused(issuer):
    """A signature by a different key with the name of a known key is refused."""
    assert not issuer.is_signed(made_key("one"))
    issuer.now += 61
    assert not issuer.is_signed(made_key("one"))


def test_a_new_key_is_accepted_after_a_minute_and_the_old_one_is_not(issuer):
    """After a rotation, messages with the new key are accepted as soon as the keys may be read again, and messages with
    the old key are refused.
    """
    old = issuer.key
    assert issuer.is_signed(old)
    issuer.key = made_key("two")
    issuer.now += 59
    assert not issuer.is_signed(issuer.key)
    issuer.now += 1
    assert issuer.is_signed(issuer.key)
    assert not issuer.is_signed(old)
    assert issuer.reads == 2


def test_an_issuer_that_is_gone_harms_no_message_with_a_known_key(issuer):
    """If the issuer does not answer, known keys are used until they are an hour old. As soon as it answers again, its
    keys are used.
    """
    issuer.is_gone = True
    with pytest.raises(OSError, match="gone"):
        issuer.keys.current()
    issuer.is_gone = False
    assert issuer.is_signed(issuer.key)
    issuer.is_gone, issuer.now = True, issuer.now + 3599
    assert issuer.is_signed(issuer.key)
    with pytest.raises(OSError, match="gone"):
        issuer.is_signed(made_key("two"))
    assert issuer.is_signed(issuer.key)
    issuer.now += 1
    with pytest.raises(OSError, match="gone"):
        issuer.is_signed(issuer.key)
    issuer.is_gone = False
    assert issuer.is_signed(issuer.key)


def test_people_who_arrive_together_read_the_keys_once():
    """Threads that wait for the keys use those that the first thread has read. Further threads are refused."""
    asked, answered, reads, done = threading.Event(), threading.Event(), [], []
    key = made_key("one")

    def fetch():
        reads.append(1)
        asked.set()
        answered.wait(10)
        return key_set(KeySet([key]).as_dict(private=False))

    keys = IssuerKeys(fetch, ConcurrencyLimiter(1, "too many", max_waiting=1, wait_seconds=10.0))
    threads = [threading.Thread(target=lambda: done.append(keys.decoded(message(key)))) for _ in range(2)]
    threads[0].start()
    assert asked.wait(10)
    threads[1].start()
    while keys._limiter._admitted._value:  # only read: a permit taken here could be the one that the thread needs
        time.sleep(0.001)
    with pytest.raises(RefusedError, match="too many"):
        keys.current()
    answered.set()
    for each in threads:
        each.join()
    assert (len(reads), len(done)) == (1, 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a.b.c", "it is not a signed message"),
        (
            jwt.encode({"alg": "HS256"}, {}, OctKey.import_key("secret" * 8), algorithms=["HS256"]),
            "its signature algorithm is HS256, which is not accepted",
        ),
        (message(made_key("two")), "no key of the issuer has signed it"),
    ],
    ids=["noise", "shared secret", "unknown key"],
)
def test_a_message_that_is_not_signed_says_why(issuer, text, why):
    """The reason for refusing a message comes from its header."""
    with pytest.raises(UnsignedError) as refused:
        issuer.keys.decoded(text)
    assert str(refused.value) == why


def test_a_set_of_keys_leaves_out_those_of_other_kinds():
    """Keys of unknown types and keys for encryption are left out. A document without a usable key is refused."""
    keys = [made_key("one").as_dict(private=False), {"kty": "oct", "k": "eA"}, {"kty": "new"}]
    assert [each.kid for each in key_set({"keys": keys}).keys] == ["one"]
    for wrong in ({"keys": keys[1:]}, {"keys": [{**keys[0], "use": "enc"}]}, {}, [], None, {"keys": [3]}):
        with pytest.raises(ValueError, match="not a set of keys"):
            key_set(wrong)


@pytest.fixture(scope="module")
def running():
    """Run an issuer for the tests of this module."""
    with issuing() as made:
        yield made


@pytest.fixture
def discovered(running):
    """Return the issuer with its usual answers."""
    running.metadata = {}
    return running


def test_the_keys_of_an_issuer_are_found_by_its_address(discovered):
    """The discovery document leads to the keys. A slash at the end of the address is ignored."""
    metadata = metadata_of(discovered.address)
    assert [each.kid for each in keys_in(metadata).keys] == ["one"]
    discovered.metadata = {"issuer": f"{discovered.address}/"}
    assert metadata_of(f"{discovered.address}/")["jwks_uri"] == metadata["jwks_uri"]


@pytest.mark.parametrize("stated", ["https://evil.example", "", None])
def test_a_document_of_another_issuer_is_not_believed(discovered, stated):
    """The document must state the address at which it was found, so that one issuer cannot pose as another."""
    discovered.metadata = {"issuer": stated}
    with pytest.raises(ValueError, match="another issuer"):
        metadata_of(discovered.address)


def test_an_address_without_keys_is_an_error_that_callers_catch(discovered):
    """A missing address of keys, an answer without keys, and an unreachable issuer are documented errors."""
    metadata = metadata_of(discovered.address)
    with pytest.raises(KeyError):
        keys_in({name: value for name, value in metadata.items() if name != "jwks_uri"})
    with pytest.raises(ValueError, match="key"):
        keys_in({**metadata, "jwks_uri": f"{discovered.address}/.well-known/openid-configuration"})
    with pytest.raises(OSError, match="cannot be reached"):
        metadata_of("http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("issuer_address", "safe"),
    [
        ("https://login.example.org", True),
        ("http://localhost:8080", True),
        ("http://127.0.0.1", True),
        ("http://login.example.org", False),
        ("http://localhost.example.org", False),
        ("login.example.org", False),
    ],
)
def test_an_issuer_on_another_machine_needs_tls(issuer_address, safe):
    """Without TLS, anyone between the machines could replace the keys. On this machine, TLS is not needed."""
    if safe:
        require_safe_issuer(issuer_address, "sign_in.university.issuer")
        return
    with pytest.raises(InputError, match=r"^sign_in\.university\.issuer must begin with https://"):
        require_safe_issuer(issuer_address, "sign_in.university.issuer")
