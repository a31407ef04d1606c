"""The SSRF guard: it decides by the addresses that are about to be connected to, never by the name."""

from collections.abc import Sequence

from signalpost.kit.addresses import Address, AllowList, forbidden_because
from signalpost.kit.http.errors import UnsafeUrl
from signalpost.kit.http.urls import Target


class Guard:
    """The rules of one client. The only exceptions are the hosts that the operator allows."""

    def __init__(self, allowed: AllowList) -> None:
        self._allowed = allowed

    def check_target(self, target: Target, *, schemes: Sequence[str] = ("https",)) -> None:
        """Check what can be checked before a lookup: the scheme, and a host that is an address.

        Raises:
            UnsafeUrl: the scheme is http and the host is not allowed by the operator, or the address is forbidden.
        """
        if target.address is not None:
            self.check_addresses(target, [target.address], schemes=schemes)
        elif target.scheme not in schemes and not self._http_may_be_allowed(target):
            raise _scheme_refused(schemes)

    def check_addresses(
        self, target: Target, addresses: Sequence[Address], *, schemes: Sequence[str] = ("https",)
    ) -> None:
        """Check all addresses of a name: one forbidden address makes the name forbidden.

        Raises:
            UnsafeUrl: an address is forbidden, or the scheme is http and the operator does not allow all addresses.
        """
        if self._allowed.permits_name(target.host, target.port):
            return
        listed = [self._allowed.permits_address(address, target.port) for address in addresses]
        if target.scheme not in schemes and not all(listed):
            raise _scheme_refused(schemes)
        for address, is_listed in zip(addresses, listed, strict=True):
            if not is_listed and (why := forbidden_because(address)) is not None:
                raise UnsafeUrl(f"{target.host} resolves to a forbidden address ({why})")

    def _http_may_be_allowed(self, target: Target) -> bool:
        return bool(self._allowed.networks) or self._allowed.permits_name(target.host, target.port)


def _scheme_refused(schemes: Sequence[str]) -> UnsafeUrl:
    return UnsafeUrl(f"the address must start with {' or '.join(f'{scheme}://' for scheme in schemes)}")
