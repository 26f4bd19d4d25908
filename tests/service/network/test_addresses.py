"""addresses.py: addresses inside the operator's network are not public, and an address that a person enters must be
well-formed.
"""

from ipaddress import ip_network

import pytest

from grader.service.errors import RefusedError
from grader.service.network.addresses import is_public, require_address

LOCAL = (ip_network("127.0.0.0/8"),)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:169.254.169.254", False),
        ("::7f00:1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("::ffff:0:a9fe:a9fe", False),
        ("fec0::1", False),
        ("2002:7f00:1::", False),
        ("5f00::1", False),
        ("3fff::1", False),
        ("192.0.0.8", False),
    ],
)
def test_only_public_addresses_are_reached(address, public):
    """Addresses of this machine, of private networks and of clouds' metadata are not public, even if they are embedded
    in IPv6 addresses.
    """
    assert is_public(address) is public


@pytest.mark.parametrize(
    "url",
    [
        "http://lms.example/x",
        "ftp://lms.example",
        "https://",
        "https://u:p@lms.example",
        "https://[x",
        "file:///etc/passwd",
        "http://localhost/",
        "https://lms.example/\n",
        "https://lms.example:x/",
        "javascript:alert(1)",
        "https://lms.example;script-src *",
        "https://:pw@lms.example",
    ],
)
def test_an_address_that_must_not_be_requested_is_refused(url):
    """An address that is not https, has a password or is malformed is refused."""
    with pytest.raises(RefusedError):
        require_address(url, "address of the keys", ())


def test_only_this_machine_may_do_without_tls_if_the_operator_allows_it():
    """Plain HTTP is allowed for names of this machine in an allowed network, and for no other host."""
    assert require_address("http://localhost:1/x", "address", LOCAL) == "http://localhost:1/x"
    for url in ("http://[::1]/", "http://10.0.0.1/", "http://lms.example/"):
        with pytest.raises(RefusedError, match="must begin with https"):
            require_address(url, "address", LOCAL)
