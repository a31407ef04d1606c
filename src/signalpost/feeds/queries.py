"""Reads of feeds and of their items."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urldefrag, urlsplit
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.feeds.document import Item
from signalpost.feeds.states import FeedState, HeldReason, ItemState, PublishMode, ReadError
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset


class FeedRow(Struct, frozen=True):
    """A feed of a profile that is not deleted. `scopes` to `created_by`: who answers for it, and what they could do."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    mode: Mode
    url: str
    account_ids: list[UUID] | None
    template: str
    include: list[str]
    exclude: list[str]
    publish_mode: PublishMode
    queue_id: UUID | None
    daily_max: int
    latest: int
    scopes: list[str]
    profile_ids: list[UUID] | None
    user_id: UUID
    key_id: UUID | None
    created_by: Actor
    created_at: datetime
    updated_at: datetime
    next_attempt_at: datetime | None
    state: FeedState = "active"
    held_reason: HeldReason | None = None
    feed_url: str | None = None
    title: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    failures: int = 0
    last_error: ReadError | None = None
    last_read_at: datetime | None = None
    document_at: datetime | None = None
    version: int = 1
    waiting: int = 0
    archived: bool = False  # its profile is
    posted: int = 0


class ItemRow(Struct, frozen=True):
    """An item that was seen, and what became of it. `reason`: the code of why not, or why it became a draft only."""

    id: UUID
    feed_id: UUID
    content: Item
    published_at: datetime | None
    seen_at: datetime
    created_at: datetime
    state: ItemState
    reason: str | None
    post_id: UUID | None


COMPUTED: Final = ("waiting", "posted", "archived")
_COUNT: Final = "(select count(*) from feed_item i where i.feed_id = f.id and i.state = '{}')"
_COMPUTED: Final = {
    "waiting": _COUNT.format("waiting"), "posted": _COUNT.format("posted"), "archived": "p.archived_at is not null"
}  # fmt: skip
_SELECT: Final = f"""
select {rows.columns(FeedRow, "f", **_COMPUTED)}
from feed f join profile p on p.id = f.profile_id and p.workspace_id = f.workspace_id and p.deleted_at is null
"""  # noqa: S608 - constants only
_SEEN: Final = "f.workspace_id = $1 and ($2 or f.mode = 'test') and ($3::uuid[] is null or f.profile_id = any($3))"
_MINE: Final = f"{_SELECT} where {_SEEN} and f.id = $4"
_VISIBLE: Final = f"""{_SELECT}
where {_SEEN} and ($4::uuid is null or f.profile_id = $4) and {keyset("f.created_at", "f.id", first=5)}
"""
_BY_ID: Final = f"{_SELECT} where f.id = $1"
_LOCK: Final = f"{_SELECT} where f.id = $1 and f.workspace_id = $2 for no key update of f"
_OLDER: Final = "select count(*) from feed where workspace_id = $1 and (created_at, id) < ($2, $3)"
_ITEMS: Final = f"""
select {rows.columns(ItemRow, "i")} from feed_item i
where i.feed_id = $1 and i.workspace_id = $2 and {keyset("i.created_at", "i.id", first=3)}
"""  # noqa: S608 - constants only
_NEXT: Final = f"""
select {rows.columns(ItemRow, "i")} from feed_item i
where i.feed_id = $1 and i.workspace_id = $2 and i.state = 'waiting' order by i.id limit 1 for no key update
"""  # noqa: S608 - constants only
_TODAY: Final = """
select count(*) from feed_item where feed_id = $1 and workspace_id = $2 and posted_at > now() - interval '1 day'
"""
_KNOWN: Final = """
select id, key_hash, link_hash, seen_at < now() - interval '7 days' from feed_item
where feed_id = $1 and workspace_id = $2 and (key_hash = any($3) or link_hash = any($4))
"""

_read: Final = rows.reader(FeedRow)
_read_item: Final = rows.reader(ItemRow)


def _visible_to(caller: Caller) -> tuple[UUID, bool, list[UUID] | None]:
    return caller.workspace_id, caller.mode == "live", caller.sees_profiles


async def find_mine(db: Db, caller: Caller, feed_id: UUID) -> FeedRow | None:
    """Return the feed if this caller may see it."""
    return await rows.read_one(db, _read, _MINE, *_visible_to(caller), feed_id)


async def visible(db: Db, caller: Caller, profile_id: UUID | None, page: Page) -> Sequence[FeedRow]:
    """Return the caller's feeds, newest first."""
    return await rows.read_all(db, _read, _VISIBLE, *_visible_to(caller), profile_id, *page.bounds)


async def find(db: Db, feed_id: UUID) -> FeedRow | None:
    """Return a feed by its id; None too if its profile was deleted."""
    return await rows.read_one(db, _read, _BY_ID, feed_id)


async def lock(db: Db, workspace_id: UUID, feed_id: UUID) -> FeedRow | None:
    """Return the feed as it is now, and keep it so until the transaction ends."""
    return await rows.read_one(db, _read, _LOCK, feed_id, workspace_id)


async def count_older(db: Db, feed: FeedRow) -> int:
    """Return how many feeds of the workspace were made before this one."""
    return int(await db.fetchval(_OLDER, feed.workspace_id, feed.created_at, feed.id))


async def items(db: Db, feed: FeedRow, page: Page) -> Sequence[ItemRow]:
    """Return what was seen in a feed, newest first."""
    return await rows.read_all(db, _read_item, _ITEMS, feed.id, feed.workspace_id, *page.bounds)


async def next_waiting(db: Db, feed: FeedRow) -> ItemRow | None:
    """Return the oldest item that waits, locked."""
    return await rows.read_one(db, _read_item, _NEXT, feed.id, feed.workspace_id)


async def posted_today(db: Db, feed: FeedRow) -> int:
    """Return how many items became posts in the last 24 hours."""
    return int(await db.fetchval(_TODAY, feed.id, feed.workspace_id))


class Identity(Struct, frozen=True):
    """By what an item is known: its id, and its link unless others have it too."""

    key: bytes
    link: bytes | None


def identities(items: Sequence[Item]) -> list[Identity]:
    """Return by what the items of a document are known. A link that several have, or to a home page, tells nothing."""
    links = [None if item.link is None else urldefrag(item.link).url for item in items]
    alone = {link for link in links if link is not None and links.count(link) == 1 and _is_of_a_page(link)}
    return [
        Identity(_hash(item.key), _hash(link) if link is not None and link in alone else None)
        for item, link in zip(items, links, strict=True)
    ]


def _is_of_a_page(link: str) -> bool:
    parts = urlsplit(link)
    return bool(parts.path.strip("/") or parts.query)


def _hash(value: str) -> bytes:
    return hashlib.sha256(value.encode("utf-8", "replace")).digest()


class Earlier(Struct, frozen=True):
    """What is known of the items of a document, and which rows say so that nobody has seen for days."""

    keys: frozenset[bytes]
    links: frozenset[bytes]
    stale: list[UUID]

    def has(self, identity: Identity) -> bool:
        """Whether the item was seen before, under this id or with this link."""
        return identity.key in self.keys or identity.link in self.links


async def seen_before(db: Db, feed: FeedRow, of: Sequence[Identity]) -> Earlier:
    """Return which of these were seen before."""
    links = [identity.link for identity in of if identity.link is not None]
    records = await db.fetch(_KNOWN, feed.id, feed.workspace_id, [identity.key for identity in of], links)
    return Earlier(
        frozenset(record[1] for record in records),
        frozenset(record[2] for record in records if record[2] is not None),
        [record[0] for record in records if record[3]],
    )
