"""People of Bluesky, found as the official app finds them while a person types."""

from collections.abc import Sequence
from typing import Any, Final

from signalpost.networks.connectors.bluesky.calls import call
from signalpost.networks.connectors.bluesky.identity import INVALID_HANDLE, is_handle
from signalpost.networks.contract import NetworkSession, Person
from signalpost.networks.responses import members, string

_PEOPLE_MAX: Final = 10


async def people(session: NetworkSession, text: str) -> Sequence[Person]:
    """Ask the account's server, which asks the network."""
    query = {"q": text, "limit": str(_PEOPLE_MAX)}
    response = await call(session, "GET", "app.bsky.actor.searchActorsTypeahead", params=query)
    actors = members(response).get("actors")
    entries = actors[:_PEOPLE_MAX] if isinstance(actors, list) else []
    return [person for entry in entries if (person := _person(entry)) is not None]


def _person(entry: Any) -> Person | None:
    """Return one of them; without a handle that is confirmed, nobody can be mentioned."""
    handle = string(entry.get("handle")) if isinstance(entry, dict) else None
    if handle is None or not is_handle(handle.lower()) or handle == INVALID_HANDLE:
        return None
    return Person(handle=handle, name=string(entry.get("displayName")) or handle)
