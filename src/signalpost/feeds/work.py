"""Work of this room: reading feeds that are due, making posts of what is new, and forgetting what is long gone."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Done, Lease, Source
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.feeds import queries
from signalpost.feeds.actions import manage, publish, read
from signalpost.feeds.document import ITEMS_MAX
from signalpost.feeds.queries import FeedRow
from signalpost.kit import batches, clock
from signalpost.kit.db import Db

PURGE_JOB: Final = "feeds.purge"
PURGE_SECONDS: Final = 3_600
# Only what has left the feed: what is forgotten while it is still there would be new again.
_PURGE: Final = batches.delete(
    "feed_item",
    "seen_at < now() - interval '90 days' and state <> 'waiting' and (select f.document_at from feed f"
    " where f.id = feed_id) > seen_at + interval '80 days'",
)
_DUE: Final = """
select k.key, f.id from unnest($1::uuid[]) as k(key) cross join lateral (
    select id from feed where id = k.key and next_attempt_at <= now() for no key update skip locked) f
"""
_LATER: Final = """
update feed set next_attempt_at = greatest(next_attempt_at, $3) where id = $1 and workspace_id = $2 and state = 'active'
"""
_REST: Final = "update feed set next_attempt_at = null where id = $1"
_AFTER_ERROR: Final = (
    "update feed set next_attempt_at = $2, failures = failures + 1 where id = any($1) and state = 'active'"
)
_LANES: Final = f"""
delete from lane where ctid = any(array(
    select ctid from lane where kind = '{manage.LANE}' and owner is null and next_due_at is null
        and not exists (select from feed where feed.id = lane.key) limit {batches.ROWS} for update skip locked))
"""  # noqa: S608 - constants only


class FeedSource(Source[UUID, None]):
    """Feeds that are due. One that is interrupted is read again: what it has written stays, once."""

    kind = manage.LANE
    table = "feed"
    key_column = "id"
    lanes = 32
    lanes_per_workspace = 4
    lanes_per_tenant = 8
    item_seconds_max = 120.0
    pauses_on_clock_step = False

    def __init__(self, context: AppContext) -> None:
        self._context = context

    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, UUID]]:
        """See `Source`."""
        del per_lane  # a lane is one feed
        return [(row[0], row[1]) for row in await db.fetch(_DUE, [lease.key for lease in leases])]

    async def run(self, lease: Lease, feed_id: UUID) -> None:
        """See `Source`."""
        async with self._context.database.connection() as db:
            feed = await queries.find(db, feed_id)
        if feed is None:  # deleted, or its profile is
            async with lease.transaction() as db:
                await db.execute(_REST, feed_id)
            return
        if feed.archived:  # it rests, and goes on by itself when its profile is restored
            async with lease.transaction() as db:
                await db.execute(_LATER, feed.id, feed.workspace_id, clock.actual() + read.EVERY)
            lease.count("archived")
            return
        if not await publish.require_answerable(self._context, lease, feed):
            lease.count("held")
            return
        await read.read_feed(self._context, lease, feed)
        await self._post(lease, feed)

    async def _post(self, lease: Lease, feed: FeedRow) -> None:
        """Make posts of what waits, at most those of a day, and have it read again later."""
        for _ in range(feed.daily_max + ITEMS_MAX):
            if not await publish.post_next(self._context, lease, feed):
                break
        async with lease.transaction() as db:
            await db.execute(_LATER, feed.id, feed.workspace_id, clock.actual() + read.EVERY)

    async def settle(self, db: Db, done: Sequence[Done[UUID, None]]) -> Collection[UUID]:
        """See `Source`: what failed by a fault of ours is tried again later."""
        failed = [end.item for end in done if end.error is not None]
        if failed:
            await db.execute(_AFTER_ERROR, failed, clock.actual() + read.EVERY)
        return ()


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(PURGE_JOB, purge, PURGE_SECONDS)]


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Forget items that left their feed long ago, and lanes of feeds that were deleted."""
    async with lease.transaction() as db:
        more = await batches.run(db, [_PURGE, _LANES])
    return RunAgain(0) if more else None
