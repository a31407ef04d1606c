"""Reading a feed that is due, and writing what is new in it. The network is asked outside of any transaction."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.feeds import queries, reading, template
from signalpost.feeds.actions import hold
from signalpost.feeds.document import Document, Item
from signalpost.feeds.queries import FeedRow
from signalpost.feeds.reading import Failed, Read
from signalpost.feeds.states import ItemState
from signalpost.kit import clock, ids
from signalpost.kit.db import Db

EVERY: Final = timedelta(minutes=15)
BACKOFF_MAX: Final = timedelta(days=1)
_FAILED: Final = """
update feed set failures = failures + 1, last_error = $3, last_read_at = $4,
    next_attempt_at = case when state = 'active' then $5::timestamptz end
where id = $1 and workspace_id = $2
"""
_READ: Final = """
update feed set failures = 0, last_error = null, last_read_at = $3, feed_url = $4, etag = $5, last_modified = $6,
    title = coalesce($7, title), document_at = coalesce($8, document_at)
where id = $1 and workspace_id = $2
"""
_INSERT: Final = """
insert into feed_item (id, workspace_id, feed_id, key_hash, link_hash, content, published_at, seen_at, created_at,
    state)
values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)
on conflict do nothing
"""
_STILL_THERE: Final = "update feed_item set seen_at = $3 where id = any($1) and workspace_id = $2"


async def read_feed(context: AppContext, lease: Lease, feed: FeedRow) -> None:
    """Ask its server, and write what came."""
    try:
        read = await reading.read(
            context.http.pages, feed.feed_url or feed.url, etag=feed.etag, last_modified=feed.last_modified
        )
    except Failed as failure:
        async with lease.transaction() as db:
            await _write_failure(db, feed, failure)
        lease.count("failed")
        return
    async with lease.transaction() as db:
        await _write(db, feed, read)
    lease.count("unchanged" if read.document is None else "read")


async def _write_failure(db: Db, feed: FeedRow, failure: Failed) -> None:
    now = clock.actual()
    wait = max(EVERY * 2 ** min(feed.failures, 10), timedelta(seconds=failure.wait_seconds))
    next_at = now + min(wait, BACKOFF_MAX)
    await db.execute(_FAILED, feed.id, feed.workspace_id, failure.reason, now, next_at)
    if failure.is_gone and (current := await queries.lock(db, feed.workspace_id, feed.id)) is not None:
        await hold.hold(db, current, "gone")


async def _write(db: Db, feed: FeedRow, read: Read) -> None:
    """Write what is new: each item is a row, which is written once."""
    current = await queries.lock(db, feed.workspace_id, feed.id)
    if current is None:
        return
    now = clock.actual()
    document = read.document
    await db.execute(
        _READ, feed.id, feed.workspace_id, now, read.url, read.etag, read.last_modified,
        None if document is None else document.title or None, None if document is None else now,
    )  # fmt: skip
    if document is not None and await _add(db, current, document, now) and current.state == "active":
        await hold.hold(db, current, "flood")


async def _add(db: Db, feed: FeedRow, document: Document, now: datetime) -> bool:
    """Write the items that were not seen before; return whether more of them wait than may be posted in a day."""
    of = queries.identities(document.items)
    earlier = await queries.seen_before(db, feed, of)
    new = [(item, identity) for item, identity in zip(document.items, of, strict=True) if not earlier.has(identity)]
    states = _states(feed, [item for item, _ in new])
    if earlier.stale:
        await db.execute(_STILL_THERE, earlier.stale, feed.workspace_id, now)
    values = [
        (ids.new_id(), feed.workspace_id, feed.id, identity.key, identity.link, item, item.published_at, now, state)
        for (item, identity), state in zip(new, states, strict=True)
    ]
    await db.executemany(_INSERT, values)
    return feed.document_at is not None and states.count("waiting") > feed.daily_max


def _states(feed: FeedRow, items: Sequence[Item]) -> list[ItemState]:
    """Return what becomes of new items. At first, only the latest that were asked for, and what came since."""
    states: list[ItemState] = []
    latest = feed.latest if feed.document_at is None else 0
    for item in reversed(items):
        is_later = item.published_at > feed.created_at if item.published_at else feed.document_at is not None
        if not template.passes(item, feed.include, feed.exclude):
            states.append("filtered")
        elif is_later:
            states.append("waiting")
        elif latest > 0:
            latest -= 1
            states.append("waiting")
        else:
            states.append("before")
    return states[::-1]
