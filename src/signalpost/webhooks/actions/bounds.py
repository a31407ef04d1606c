"""How many webhooks a workspace may have whatever its plan says: one post must not become a thousand requests."""

from uuid import UUID

from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.kit.http import parse_url
from signalpost.web.caller import Caller, Mode

WORKSPACE_MAX = 100
HOST_MAX = 10
"""For one host, whatever its ports. Not for this machine itself, which is allowed for development only."""

_LOCK = "select pg_advisory_xact_lock(hashtextextended($1, 0))"
_ADDRESSES = "select url, mode from webhook where workspace_id = $1 and id <> $2 and deleted_at is null"


async def require_room(db: Db, caller: Caller, webhook_id: UUID, url: str, mode: Mode) -> bool:
    """Ensure that the workspace may have this webhook too, before it is written in the same transaction.

    Returns:
        whether another webhook of this mode has the same address. All count, but a test key learns of no live ones.

    Raises:
        TooManyItems: the workspace has enough webhooks, in all or for this host.
    """
    await db.execute(_LOCK, f"webhooks:{caller.workspace_id}")
    records = await db.fetch(_ADDRESSES, caller.workspace_id, webhook_id)
    addresses = [record["url"] for record in records]
    if len(addresses) >= WORKSPACE_MAX:
        raise problems.TooManyItems(f"A workspace can have at most {WORKSPACE_MAX} webhooks. Delete one first.")
    target = parse_url(url)
    is_this_machine = target.address is not None and target.address.is_loopback
    if not is_this_machine and sum(parse_url(address).host == target.host for address in addresses) >= HOST_MAX:
        raise problems.TooManyItems(
            f"A workspace can have at most {HOST_MAX} webhooks for one host, and {target.host} has as many."
            " Delete one of them, or let one webhook receive the events of several."
        )
    return (url, mode) in [tuple(record) for record in records]
