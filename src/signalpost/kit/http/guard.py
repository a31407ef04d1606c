"""Where a call may lead, decided on the addresses that are about to be dialled, never on the name."""

from collections.abc import Sequence

from signalpost.kit.addresses import Address, AllowList, forbidden_because
from signalpost.kit.http.errors import UnsafeUrl
from signalpost.kit.http.urls import Target


class Guard:
    """The rules of one client. An operator's list is its only way around them."""

    def __init__(self, allowed: AllowList) -> None:
        self._allowed = allowed

    def judge_target(self, target: Target, *, schemes: Sequence[str] = ("https",)) -> None:
        """Judge what can be judged before a lookup: scheme and written-out address.

        Raises:
            UnsafeUrl: the scheme is plain http to a host that is not on the list, or the address is forbidden.
        """
        if target.address is not None:
            self.judge_addresses(target, [target.address], schemes=schemes)
        elif target.scheme not in schemes and not self._http_might_be_fine(target):
            raise _scheme_refused(schemes)

    def judge_addresses(
        self, target: Target, addresses: Sequence[Address], *, schemes: Sequence[str] = ("https",)
    ) -> None:
        """Judge all addresses a name has: one forbidden answer spoils the lot.

        Raises:
            UnsafeUrl: an address is forbidden, or the scheme is plain http and not all addresses are on the list.
        """
        if self._allowed.permits_name(target.host, target.port):
            return
        listed = [self._allowed.permits_address(address, target.port) for address in addresses]
        if target.scheme not in schemes and not all(listed):
            raise _scheme_refused(schemes)
        for address, is_listed in zip(addresses, listed, strict=True):
            if not is_listed and (why := forbidden_because(address)) is not None:
                raise UnsafeUrl(f"{target.host} leads to a forbidden address ({why})")

    def _http_might_be_fine(self, target: Target) -> bool:
        return bool(self._allowed.networks) or self._allowed.permits_name(target.host, target.port)


def _scheme_refused(schemes: Sequence[str]) -> UnsafeUrl:
    return UnsafeUrl(f"the address must start with {' or '.join(f'{scheme}://' for scheme in schemes)}")
