"""brakes.py: so many tries in a while, for each key, in bounded memory."""

import pytest

from grader.service.entering import brakes
from grader.service.entering.brakes import Brake, network_of


def test_a_key_has_so_many_tries_in_a_while():
    """And again when the while is over; another key's are its own."""
    now = 0.0
    brake = Brake(2, 10, lambda: now)
    assert [brake.allows("a") for _ in range(3)] == [True, True, False]
    assert brake.allows("b")
    now = 9.9
    assert not brake.allows("a")
    now = 10.0
    assert brake.allows("a")


def test_what_is_remembered_has_a_limit(monkeypatch):
    """Or anybody could fill the memory with names."""
    monkeypatch.setattr(brakes, "REMEMBERED", 100)
    brake = Brake(1, 10)
    for number in range(1000):
        brake.allows(str(number))
    assert len(brake._counted) == 100
    assert not brake.allows("999")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "20010db800010002::"),
        ("2001:db8:1:2::1", "20010db800010002::"),
        ("127.0.0.1", "this machine"),
        ("::1", "this machine"),
        ("::ffff:127.0.0.1", "this machine"),
        ("testclient", "testclient"),
    ],
)
def test_whoever_has_a_network_of_addresses_counts_once(address, network):
    """A proxy on this machine that does not say for whom it asks counts as one, too: else nothing would be braked."""
    assert network_of(address) == network
