"""Webhooks of the service status: asked whether they want it, active once they say so, and few of one place."""

from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db
from signalpost.kit.http import parse_url
from signalpost.status.places import registrable_domain

ACTIVE_MAX: Final = 500
WAITING_MAX: Final = 500
PER_DOMAIN: Final = 5
PER_NETWORK: Final = 20
"""More than of a domain: many domains share the addresses of a hosting company."""

_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('status:webhooks', 0))"
# Whoever failed, then whoever has been silent for longest, gives way.
_LISTED: Final = """
select id, url, network from status_subscriber where url is not null and active = $1
order by failures desc, coalesce(heard_at, created_at), id
"""
_DROP: Final = "delete from status_subscriber where id = any($1)"
_ACTIVATE: Final = "update status_subscriber set active = true, heard_at = now(), failures = 0 where id = $1"


class Receiver(Struct, frozen=True):
    """A webhook and its place."""

    id: UUID
    url: str
    network: str | None


async def make_room(db: Db, url: str, network: str | None, *, active: bool) -> None:
    """Lock the webhooks, and let those that were heard least give way until one more fits, in all and of its place."""
    await db.execute(_LOCK)
    rows = [Receiver(*row) for row in await db.fetch(_LISTED, active)]
    dropped: set[UUID] = set()

    def keep(fitting: list[Receiver], maximum: int) -> None:
        excess = len(fitting) + 1 - maximum
        dropped.update(row.id for row in fitting[: max(excess, 0)])

    if not _is_here(url):
        domain = registrable_domain(url)
        keep([row for row in rows if registrable_domain(row.url) == domain], PER_DOMAIN)
        if network is not None:
            keep([row for row in rows if row.network == network and row.id not in dropped], PER_NETWORK)
    keep([row for row in rows if row.id not in dropped], ACTIVE_MAX if active else WAITING_MAX)
    if dropped:
        await db.execute(_DROP, [*dropped])


async def activate(db: Db, row: Any) -> None:
    """Give news to a receiver from now on, which has said that it wants them."""
    await make_room(db, row["url"], row["network"], active=True)
    await db.execute(_ACTIVATE, row["id"])


def _is_here(url: str) -> bool:
    """Whether this is an address of the same machine, which is allowed for development only."""
    address = parse_url(url).address
    return address is not None and address.is_loopback
