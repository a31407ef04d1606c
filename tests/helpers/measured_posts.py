"""Published posts with numbers, written by set-based statements where there are many."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from tests.helpers.factories import Login, Make

from signalpost.analytics.actions import discover
from signalpost.kit import ids
from signalpost.kit.db import Database

NUMBERS = ("views", "likes", "comments", "shares", "saves", "clicks", "impressions", "reach", "watch_time_seconds")
_PUBLISH = "update target set status = 'published', published_at = $2, remote_id = id::text where id = any($1)"
_STORE = f"""
update metric_latest set collected_at = $2, {", ".join(f"{name} = ${place}" for place, name in enumerate(NUMBERS, 3))}
where target_id = $1
"""


class Scene:
    """A workspace whose posts were published when a test says, with the numbers that it says."""

    def __init__(self, make: Make, database: Database, owner: Login) -> None:
        self.make = make
        self.database = database
        self.owner = owner

    async def published(
        self, at: datetime, *, key: str | None = None, content: Mapping[str, Any] | None = None, **numbers: int | None
    ) -> tuple[str, UUID]:
        """Publish a post at a time; return its id and that of its target. Numbers: what the network says of it."""
        post = await self.make.post(self.owner, key=key, publishMode="draft", **(content or {}))
        target_id = ids.decode("tgt", post["targets"][0]["id"])
        assert target_id is not None
        async with self.database.transaction() as db:
            await db.execute(_PUBLISH, [target_id], at)
            await self._discover(db)
            if numbers:
                await self._store(db, target_id, at, numbers)
        return post["id"], target_id

    async def history(self, posts: Sequence[tuple[datetime, int]]) -> None:
        """Publish posts at these times; two days later each has so many likes."""
        drafts = [await self.make.post(self.owner, publishMode="draft") for _ in posts]
        target_ids = [ids.decode("tgt", post["targets"][0]["id"]) for post in drafts]
        async with self.database.transaction() as db:
            for target_id, (at, _) in zip(target_ids, posts, strict=True):
                await db.execute(_PUBLISH, [target_id], at)
            await self._discover(db)
            likes = [number for _, number in posts]
            await db.execute(
                "update metric_latest l set likes = n.likes, collected_at = l.published_at + interval '2 days'"
                " from unnest($1::uuid[], $2::bigint[]) as n(target_id, likes) where l.target_id = n.target_id",
                target_ids, likes,
            )  # fmt: skip

    async def measured(self, target_id: UUID, at: datetime, **numbers: int | None) -> None:
        """Collect other numbers of a post."""
        async with self.database.transaction() as db:
            await self._store(db, target_id, at, numbers)

    async def _discover(self, db: Any) -> None:
        look_again = "update metric_account set scanned_until = null where workspace_id = $1"
        await db.execute(look_again, self.owner.workspace_id)
        await discover.bring_up_to_date(db, self.owner.workspace_id)

    async def _store(self, db: Any, target_id: UUID, at: datetime, numbers: Mapping[str, int | None]) -> None:
        values = [numbers.get(name) for name in NUMBERS]
        await db.execute(_STORE, target_id, at, *values)
        columns = ", ".join(NUMBERS)
        places = ", ".join(f"${place}" for place in range(3, 3 + len(NUMBERS)))
        await db.execute(
            f"insert into metric (target_id, bucket, workspace_id, account_id, collected_at, {columns})"
            f" select target_id, date_trunc('hour', $2::timestamptz), workspace_id, account_id, $2, {places}"
            " from metric_latest where target_id = $1 on conflict (target_id, bucket) do nothing",
            target_id, at, *values,
        )  # fmt: skip
