"""People of the fediverse, as the account's server knows them."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.mastodon.calls import call
from signalpost.networks.contract import NetworkSession, Person

_PEOPLE_MAX: Final = 10


class _Account(msgspec.Struct):
    acct: str
    display_name: str = ""


_accounts: Final = msgspec.json.Decoder(list[_Account])


async def people(session: NetworkSession, text: str) -> Sequence[Person]:
    """Search the accounts that the server has seen; it looks for none elsewhere."""
    query = {"q": text, "limit": str(_PEOPLE_MAX), "resolve": "false"}
    response = await call(session, "GET", "/api/v1/accounts/search", params=query)
    try:
        accounts = _accounts.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadResponse("the response is not a list of accounts", status=response.status) from None
    own = session.username.partition("@")[2] or urlsplit(session.server.base_url).netloc
    return [person for account in accounts[:_PEOPLE_MAX] if (person := _person(account, own)) is not None]


def _person(account: _Account, own: str) -> Person | None:
    """Return one of them, with its server: other servers may have someone else of that name."""
    handle = account.acct if "@" in account.acct else f"{account.acct}@{own}"
    try:
        return Person(handle=handle, name=account.display_name)
    except BadResponse:
        return None  # one that is malformed; the others are not
