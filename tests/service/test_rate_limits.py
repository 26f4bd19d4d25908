"""rate_limits.py: so many events of each key in a while."""

import time

import pytest

from grader.service.rate_limits import RateLimiter, network_of


def test_a_key_has_so_many_events_in_a_while(monkeypatch):
    """The first one begins the while; each key has its own."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    limit = RateLimiter(2, 10)
    assert [limit.allows("a") for _ in range(3)] == [True, True, False]
    assert limit.allows("b")
    now += 9.9
    assert not limit.allows("a")
    now += 0.2
    assert limit.allows("a")


def test_a_look_counts_nothing():
    """Only what is counted brings the limit nearer."""
    limit = RateLimiter(2, 10)
    assert not any(limit.is_reached("a") for _ in range(10))
    limit.count("a")
    assert not limit.is_reached("a")
    limit.count("a")
    assert limit.is_reached("a")


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
    """A proxy on this machine that does not say for whom it asks counts as one, too: else nothing would be limited."""
    assert network_of(address) == network
