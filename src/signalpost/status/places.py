"""Where webhooks are: the registrable domain and the network, by which the places of the service status are shared."""

import ipaddress
from typing import Final

from signalpost.kit.http import parse_url

_SECOND_LEVEL: Final = frozenset({
    "ac", "asn", "co", "com", "edu", "go", "gob", "gouv", "gov", "govt", "gv", "id", "in", "info", "mil", "mod", "ne",
    "net", "nom", "nic", "nhs", "or", "org", "plc", "police", "sch", "web",
})  # fmt: skip
"""What registries of countries commonly put before the name that is registered, as in `example.co.uk`."""
_COUNTRY_LETTERS: Final = 2


def registrable_domain(url: str) -> str:
    """Return the name that someone registered to have this host, or the address if it has none.

    This is an estimate by the form of the name, and not the public suffix list, which would have to be kept current:
    the customers of a hosting company (`a.pages.example`) count as one. That costs nobody a place for good: whoever has
    listened least gives way.
    """
    target = parse_url(url)
    if target.address is not None:
        return str(target.address)
    labels = target.host.rstrip(".").split(".")
    is_below_country = len(labels) > _COUNTRY_LETTERS and len(labels[-1]) == _COUNTRY_LETTERS
    return ".".join(labels[-3:] if is_below_country and labels[-2] in _SECOND_LEVEL else labels[-2:])


def network_of(address: str) -> str | None:
    """Return the /24 of an IPv4 address, or the /48 of an IPv6 one; None of this machine, or of no address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    if parsed.is_loopback:
        return None
    return str(ipaddress.ip_network((parsed, 24 if parsed.version == 4 else 48), strict=False))
