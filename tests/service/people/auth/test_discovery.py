"""discovery.py: only the discovery document and the keys of the right issuer are trusted."""

import pytest
from sign_in_methods import issuing

from grader.common.errors import InputError
from grader.service.people.auth.discovery import keys_in, metadata_of, require_safe_issuer


@pytest.fixture(scope="module")
def running():
    """Run an issuer for the tests of this module."""
    with issuing() as made:
        yield made


@pytest.fixture
def issuer(running):
    """Return the issuer with its usual answers."""
    running.metadata = {}
    return running


def test_the_keys_of_an_issuer_are_found_by_its_address(issuer):
    """The discovery document leads to the keys. A slash at the end of the address is ignored."""
    metadata = metadata_of(issuer.address)
    assert [each.kid for each in keys_in(metadata).keys] == ["one"]
    issuer.metadata = {"issuer": f"{issuer.address}/"}
    assert metadata_of(f"{issuer.address}/")["jwks_uri"] == metadata["jwks_uri"]


@pytest.mark.parametrize("stated", ["https://evil.example", "", None])
def test_a_document_of_another_issuer_is_not_believed(issuer, stated):
    """The document must state the address at which it was found, so that one issuer cannot pose as another."""
    issuer.metadata = {"issuer": stated}
    with pytest.raises(ValueError, match="another issuer"):
        metadata_of(issuer.address)


def test_an_address_without_keys_is_an_error_that_callers_catch(issuer):
    """A missing address of keys, an answer without keys, and an unreachable issuer are documented errors."""
    metadata = metadata_of(issuer.address)
    with pytest.raises(KeyError):
        keys_in({name: value for name, value in metadata.items() if name != "jwks_uri"})
    with pytest.raises(ValueError, match="key"):
        keys_in({**metadata, "jwks_uri": f"{issuer.address}/.well-known/openid-configuration"})
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
