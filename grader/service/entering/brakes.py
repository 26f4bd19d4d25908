"""Brakes: so many tries in a while. They are counted in memory, so that who is not signed in writes nothing."""

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from threading import Lock

REMEMBERED = 20_000
"""Keys of a brake that are remembered; the oldest is forgotten."""

NETWORK = 64
"""Bits of an address of IPv6 that name a network: who has one has all addresses in it."""


class Brake:
    """Counts the tries of each key in a while that begins with the first of them."""

    def __init__(self, tries: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._tries, self._seconds, self._clock = tries, seconds, clock
        self._counted: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = Lock()

    def allows(self, key: str) -> bool:
        """Whether one more try is allowed; it is counted."""
        now = self._clock()
        with self._lock:
            until, tries = self._counted.get(key, (0.0, 0))
            if until <= now:
                self._counted.pop(key, None)
                until, tries = now + self._seconds, 0
            self._counted[key] = until, tries + 1
            if len(self._counted) > REMEMBERED:
                self._counted.popitem(last=False)
            return tries < self._tries


def network_of(address: str) -> str:
    """Whose an address is: itself, or its network. A proxy on this machine that does not say for whom it asks is one,
    too.
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
