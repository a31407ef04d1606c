"""The address of an instance, for networks of which everybody may run a server."""

from signalpost.kit.http import UnsafeUrl, parse_url
from signalpost.networks.contract import InvalidField


def base_url_of(instance: str, *, example: str) -> str:
    """Return the address that a user means by `instance.example`, an address there, or `@alice@instance.example`.

    Raises:
        InvalidField: `instanceUrl` names none; `example` is one that does.
    """
    scheme, _, rest = instance.strip().rpartition("://")
    authority, slash, path = rest.partition("/")
    try:
        return parse_url(f"{scheme or 'https'}://{authority.rpartition('@')[2]}{slash}{path}").base_url
    except UnsafeUrl:
        raise InvalidField("instanceUrl", f"Enter the address of your server, for example {example}.") from None
