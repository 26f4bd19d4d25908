"""Decides which addresses the service may reach. A person who enters an address must not be able to make the service
send requests into the operator's network.
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from grader.service.errors import RefusedError

Network = IPv4Network | IPv6Network

ANY_NETWORK: tuple[Network, ...] = ip_network("0.0.0.0/0"), ip_network("::/0")
"""All networks, which are allowed for addresses that the operator enters, because the operator decides which addresses
the service may reach.
"""

EMBEDDING = tuple(
    map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "::ffff:0:0:0/96"))
)
"""IPv6 networks whose addresses contain an IPv4 address, which may be a private one."""

SPECIAL = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "100:0:0:1::/64", "3fff::/20", "5f00::/16")))
"""Networks that Python 3.11 takes to be public, but IANA has reserved for routers, examples and protocols."""

MAX_ADDRESS_LENGTH = 2000

HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]+", re.ASCII)
"""Pattern for a host. The content security policies of pages contain hosts, so no other characters are allowed."""

LOOPBACK = {"localhost": "127.0.0.1", "127.0.0.1": "127.0.0.1", "::1": "::1"}
"""Names of this machine, and their addresses. They may be used without TLS if the operator allows the addresses."""


def is_public(text: str) -> bool:
    """True if an address belongs to a machine in the public Internet. An IPv4-mapped IPv6 address is judged by its IPv4
    address. Other IPv6 addresses that embed an IPv4 address do not count as public.
    """
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if address.is_site_local or any(address in network for network in EMBEDDING):
            return False
    return address.is_global and not address.is_multicast and not any(address in network for network in SPECIAL)


def is_within(text: str, networks: Sequence[Network]) -> bool:
    """True if an address belongs to one of these networks."""
    address = ip_address(text.partition("%")[0])
    return any(address in each for each in networks)


def require_address(url: str, what: str, private: Sequence[Network]) -> str:
    """Return the address if the service may send requests to it. Otherwise, raises RefusedError, with `what` as the
    name of the address in the message. The IP addresses of its host are checked at each request.
    """
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError as error:
        raise RefusedError(f"The {what} is not an address: {url[:200]}.") from error
    odd = "@" in parts.netloc or parts.fragment or len(url) > MAX_ADDRESS_LENGTH or not url.isprintable()
    if odd or not HOST.fullmatch(host):
        raise RefusedError(f"The {what} is not an address: {url[:200]}.")
    allowed_here = host in LOOPBACK and is_within(LOOPBACK[host], private)
    if parts.scheme != "https" and not (parts.scheme == "http" and allowed_here):
        raise RefusedError(f"The {what} must begin with https://, not {url[:200]}.")
    return url
