"""Tells public addresses from addresses inside the operator's network. A user who enters an address must not be able to
make the service send requests into this network.
"""

from ipaddress import IPv6Address, ip_address, ip_network

EMBEDDING = tuple(
    map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "::ffff:0:0:0/96"))
)
"""IPv6 networks whose addresses contain an IPv4 address, which may be a private one."""


def is_public(text: str) -> bool:
    """True if an address belongs to a machine in the public Internet. An IPv6 address that contains an IPv4 address is
    judged by the IPv4 address.
    """
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if address.is_site_local or any(address in network for network in EMBEDDING):
            return False
    return address.is_global and not address.is_multicast
