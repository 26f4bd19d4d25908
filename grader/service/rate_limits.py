"""Rate limits, counted in memory, so that a person who is not signed in writes nothing to the database."""

from ipaddress import IPv6Address, ip_address

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

NETWORK = 64
"""Bits of an IPv6 address that name a network; one owner has all addresses in it."""


class RateLimiter:
    """Allows at most `most` events of each key within `seconds`, counted from the first event."""

    def __init__(self, most: int, seconds: int) -> None:
        self._item = RateLimitItemPerSecond(most, seconds)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def is_reached(self, key: str) -> bool:
        """True if no further event of this key is allowed now."""
        return not self._limiter.test(self._item, key)

    def count(self, key: str) -> None:
        """Count an event of this key."""
        self._limiter.hit(self._item, key)

    def allows(self, key: str) -> bool:
        """Count an event if one more is allowed; True if it is."""
        return self._limiter.hit(self._item, key)


def network_of(address: str) -> str:
    """Network of an address: an IPv4 address itself, or the first 64 bits of an IPv6 address. This machine is one
    network, so that a proxy that does not name its client cannot switch off the limits.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.is_loopback:
        return "this machine"
    return f"{int(parsed) >> (128 - NETWORK):x}::" if isinstance(parsed, IPv6Address) else str(parsed)
