"""Which internet addresses a user-given name may resolve to. Pure rules: no lookups, no sockets.

`ipaddress.is_global` alone is a hole: Python 3.11 calls NAT64 and 6to4 forms of 169.254.169.254, `fec0::1`, multicast
and the metadata address 168.63.129.16 global. So the tables below decide, and `is_global` can only forbid more.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from msgspec import Struct

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Source: IANA special-purpose address registries (RFC 6890 and its updates), read 2026-11-21, and cloud documentation.
_FORBIDDEN_V4: tuple[tuple[IPv4Network, str], ...] = tuple(
    (IPv4Network(network), why)
    for network, why in (
        ("0.0.0.0/8", "this host"),
        ("10.0.0.0/8", "private network"),
        ("100.64.0.0/10", "carrier network"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud metadata"),
        ("169.254.0.0/16", "link-local and cloud metadata"),
        ("172.16.0.0/12", "private network"),
        ("192.0.0.0/24", "protocol assignments and cloud metadata"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112 service"),
        ("192.52.193.0/24", "AMT relay"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private network"),
        ("192.175.48.0/24", "AS112 service"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved and broadcast"),
    )
)
_FORBIDDEN_V6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (IPv6Network(network), why)
    for network, why in (
        ("2001::/23", "protocol assignments and Teredo"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "AS112 service"),
        ("3ffe::/16", "retired test network"),
        ("3fff::/20", "documentation"),
    )
)
_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP_MARKS = frozenset({0x00005EFE, 0x02005EFE})


def forbidden_because(address: Address) -> str | None:
    """Return why only the operator may make us connect to `address`, or None if it is an ordinary public address."""
    if isinstance(address, IPv4Address):
        return _forbidden_v4(address)
    return _forbidden_v6(address)


def _forbidden_v4(address: IPv4Address) -> str | None:
    for network, why in _FORBIDDEN_V4:
        if address in network:
            return why
    return None if address.is_global else "not a public address"


def _forbidden_v6(address: IPv6Address) -> str | None:
    if address.scope_id is not None:
        return "tied to one network interface"
    if address in _NAT64:  # the only way out of an IPv6-only network, so the IPv4 address in it decides
        return _forbidden_v4(IPv4Address(int(address) & 0xFFFF_FFFF))
    if (
        address not in _GLOBAL_UNICAST_V6
    ):  # loopback, ::a.b.c.d, ::ffff:a.b.c.d, fc00::/7, fe80::/10, fec0::/10, ff00::/8
        return "not a public address"
    for network, why in _FORBIDDEN_V6:
        if address in network:
            return why
    if (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP_MARKS and _forbidden_v4(IPv4Address(int(address) & 0xFFFF_FFFF)):
        return "tunnel to a private address"
    return None if address.is_global else "not a public address"


def literal(host: str) -> Address | None:
    """Return the address if `host` is one in canonical notation, or None if it is a name (or another notation)."""
    try:
        return ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


class AllowList(Struct, frozen=True):
    """Private hosts and networks that the operator lets user-given addresses reach in spite of the rules above."""

    names: frozenset[tuple[str, int | None]] = frozenset()
    networks: tuple[tuple[Network, int | None], ...] = ()

    @classmethod
    def parse(cls, entries: Sequence[str]) -> "AllowList":
        """Read `host`, `host:port`, `address`, `address:port`, `[address]:port` and `network/bits` entries.

        A name allows whatever it resolves to; an address or network allows every name that resolves into it.

        Raises:
            ValueError: an entry has none of these forms; the message quotes it.
        """
        names: set[tuple[str, int | None]] = set()
        networks: list[tuple[Network, int | None]] = []
        for entry in entries:
            host, port = _split_port(entry.strip())
            try:
                networks.append((ip_network(host, strict=False), port))
            except ValueError:
                names.add((_plain_name(host, entry), port))
        return cls(frozenset(names), tuple(networks))

    def permits_name(self, host: str, port: int) -> bool:
        """Whether `host` is listed by name, so that all its addresses are allowed."""
        if not self.names:
            return False
        name = host.lower().removesuffix(".")
        return (name, None) in self.names or (name, port) in self.names

    def permits_address(self, address: Address, port: int) -> bool:
        """Whether `address` is in a listed network (for this port, if the entry names one)."""
        return any(
            address.version == network.version and address in network and only_port in (None, port)
            for network, only_port in self.networks
        )


def _split_port(entry: str) -> tuple[str, int | None]:
    """Split off a trailing `:port`; the colons of a bare IPv6 address are not one."""
    host, colon, port = entry.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if colon and port.isascii() and port.isdigit() and (bracketed or ":" not in host) and 0 < int(port) <= 65_535:
        return host.strip("[]"), int(port)
    return entry.strip("[]"), None


def _plain_name(host: str, entry: str) -> str:
    name = host.lower().removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(
        0 < len(label) <= 63 and label.isascii() and label.replace("-", "a").replace("_", "a").isalnum()
        for label in labels
    ):
        raise ValueError(f"{entry!r} is not a host name, an address or a network")
    return name
