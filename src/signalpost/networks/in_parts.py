"""The functions of a connector whose posts are published and found part by part, and nothing besides."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from signalpost.networks.contract import ApiError, Journal, NetworkSession, Outcome, Outgoing, Published, Reconciled
from signalpost.networks.outcome_mapping import Publish, map_errors
from signalpost.networks.threads import (
    CreatePart,
    FindPart,
    PublicPart,
    ToPublished,
    publish_parts,
    reconcile_parts,
)


class InParts(NamedTuple):
    """What `Connector` has by these names; `poll` goes on where the journal says."""

    publish: Publish
    poll: Callable[[NetworkSession, Outgoing, Journal, Mapping[str, Any]], Awaitable[Outcome]]
    reconcile: Callable[[NetworkSession, Outgoing, Journal], Awaitable[Reconciled]]


def published_thread(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    """Return the outcome of a post whose first part has the address, and whose others are its thread."""
    first = posted[0]
    return Published(remote_id=first["id"], url=first.get("url"), thread_ids=tuple(part["id"] for part in posted[1:]))


def in_parts(
    explain: Callable[[ApiError], Outcome],
    *,
    find: FindPart,
    create: CreatePart,
    published: ToPublished = published_thread,
) -> InParts:
    """Make the functions of what `publish_parts` needs."""

    @map_errors(explain)
    async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
        return await publish_parts(session, outgoing, journal, find=find, create=create, published=published)

    async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
        return await publish(session, outgoing, journal)

    async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
        return await reconcile_parts(session, outgoing, journal, find=find, published=published)

    return InParts(publish, poll, reconcile)
