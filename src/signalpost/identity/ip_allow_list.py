"""The addresses from which a key may be used."""

import ipaddress
from functools import lru_cache

from signalpost.kit import problems
from signalpost.web.caller import Caller


def require_allowed_address(caller: Caller, address: str) -> None:
    """Ensure that the key may be used from an address.

    Raises:
        Forbidden: it may not.
    """
    if caller.ip_allow_list and not _allowed(caller.ip_allow_list, address):
        raise problems.Forbidden(
            f"This API key may not be used from {address}, which is not in its ipAllowList.",
            remediation="Use it from an address of the list, or create a key with another list.",
        )


@lru_cache(maxsize=4_096)
def _allowed(networks: tuple[str, ...], address: str) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    return any(ip in ipaddress.ip_network(network) for network in networks)
