from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.paging import Page, keyset


class Mention(Struct, frozen=True):
    """A member of the JSON column `mentions`."""

    member_id: UUID
    name: str


class MessageRow(Struct, frozen=True):
    """A message, as it is stored. `user_id` None: of someone with a link."""

    id: UUID
    workspace_id: UUID
    post_id: UUID
    reply_to_id: UUID | None
    author: Actor
    user_id: UUID | None
    text: str
    mentions: list[Mention]
    created_at: datetime


_COLUMNS: Final = rows.columns(MessageRow, "m")
_read: Final = rows.reader(MessageRow)
_LISTED: Final = f"""
select {_COLUMNS} from post_message m
where m.workspace_id = $1 and m.post_id = $2 and {keyset("m.created_at", "m.id", first=3, ascending=True)}
"""  # noqa: S608 - constants only
_FIND: Final = f"select {_COLUMNS} from post_message m where m.workspace_id = $1 and m.post_id = $2 and m.id = $3"  # noqa: S608
_COUNT: Final = "select count(*) from post_message where post_id = $1"
_BY_LINK: Final = f"""
select {_COLUMNS} from post_message m
where m.workspace_id = $1 and m.post_id = any($2) and m.author ->> 'type' = 'approval_link' and m.author ->> 'id' = $3
order by m.created_at, m.id
"""  # noqa: S608 - constants only


async def listed(db: Db, workspace_id: UUID, post_id: UUID, page: Page) -> Sequence[MessageRow]:
    """Return a page of what was said about a post, oldest first."""
    return await rows.read_all(db, _read, _LISTED, workspace_id, post_id, *page.bounds)


async def find(db: Db, workspace_id: UUID, post_id: UUID, message_id: UUID) -> MessageRow | None:
    """Return a message about this post."""
    return await rows.read_one(db, _read, _FIND, workspace_id, post_id, message_id)


async def count(db: Db, post_id: UUID) -> int:
    """Return how many messages there are about a post."""
    number: int = await db.fetchval(_COUNT, post_id)
    return number


async def by_link(db: Db, workspace_id: UUID, post_ids: Sequence[UUID], link_id: str) -> dict[UUID, list[MessageRow]]:
    """Return what was said about these posts by a link with this public id."""
    by_post: dict[UUID, list[MessageRow]] = {post_id: [] for post_id in post_ids}
    for record in await db.fetch(_BY_LINK, workspace_id, post_ids, link_id):
        row = _read(record)
        by_post[row.post_id].append(row)
    return by_post
