"""What `GET /posts/stats` says equals a slow count of every post, whatever happened, and reads no more for it."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from tests.helpers.api import Api
from tests.helpers.counted import CountedLease
from tests.helpers.factories import Login, Make
from tests.posts.test_create import soon

from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.posts import work
from signalpost.posts.documents import TargetError
from signalpost.posts.find import counts
from signalpost.posts.states import POST_STATUSES

STEPS = 220
_START_AGAIN = """
lock table post in share mode;
delete from post_count; delete from post_count_change;
update post_count_progress set counted_until = '00000000-0000-0000-0000-000000000000',
    last_id = (select id from post order by id desc limit 1)
"""


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    await make.account(owner, username="second")
    return owner


async def slow(database: Database, owner: Login, *, mode: str | None = None) -> dict[str, Any]:
    """The same from every row, in plain Python."""
    statuses: Counter[str] = Counter()
    outcomes: Counter[tuple[str, str]] = Counter()
    days: Counter[tuple[str, str]] = Counter()
    now = datetime.now(UTC)
    async with database.connection() as db:
        posts = await db.fetch("select * from post where workspace_id = $1", owner.workspace_id)
        targets = await db.fetch("select * from target where workspace_id = $1", owner.workspace_id)
    shown = {post["id"] for post in posts if post["deleted_at"] is None and mode in (None, post["mode"])}
    trashed = sum(1 for post in posts if post["deleted_at"] is not None and mode in (None, post["mode"]))
    for post in posts:
        if post["id"] in shown:
            is_due = post["status"] == "scheduled" and post["scheduled_at"] <= now
            may_go = post["approval"]["state"] in ("not_required", "approved")
            statuses["queued" if is_due and may_go else post["status"]] += 1
    for target in targets:
        outcome = {"published": "published", "removed": "published", "failed": "failed"}.get(target["status"])
        if outcome is None or target["post_id"] not in shown:
            continue
        outcomes[target["platform"], outcome] += 1
        at = target["published_at"] or datetime.fromisoformat(target["error"]["occurred_at"])
        days[at.astimezone(UTC).date().isoformat(), outcome] += 1
    platforms = {platform for platform, _ in outcomes}
    return {
        "total": sum(statuses.values()),
        "trashed": trashed,
        "byStatus": {status: statuses[status] for status in POST_STATUSES},
        "byPlatform": {
            platform: {outcome: outcomes[platform, outcome] for outcome in ("published", "failed")}
            for platform in platforms
        },
        "last7Days": [
            {"date": day, "published": days[day, "published"], "failed": days[day, "failed"]}
            for day in [(now - timedelta(days=back)).date().isoformat() for back in range(6, -1, -1)]
        ],
    }


async def told(api: Api, key: str) -> dict[str, Any]:
    answer = (await api.get("/posts/stats", key=key)).json()
    return {name: answer[name] for name in ("total", "trashed", "byStatus", "byPlatform", "last7Days")}


def error_at(at: datetime) -> TargetError:
    """Why a target failed then."""
    return TargetError("content_rejected", "content", "platform", "No.", "No.", None, False, 400, None, None, None, at)


class History:
    """Anything that may happen to posts, at random: by the API, and by the statements of workers."""

    def __init__(self, api: Api, make: Make, owner: Login, database: Database, seed: int) -> None:
        self.api, self.make, self.owner, self.database = api, make, owner, database
        self.chance = random.Random(seed)
        self.posts: list[str] = []

    async def step(self) -> None:
        """Do one thing."""
        acts = (self.create, self.create, self.settle, self.settle, self.settle, self.change_status, self.trash,
                self.restore, self.delete, self.remove_target, self.move_time, self.add_up)  # fmt: skip
        await self.chance.choice(acts)()

    def _post(self) -> Any:
        return ids.decode("pst", self.chance.choice(self.posts))

    async def create(self) -> None:
        """A draft, a scheduled post or one for now, of either mode."""
        key = self.chance.choice((self.owner.key, self.owner.key, self.owner.test_key))
        how: dict[str, Any] = self.chance.choice(
            ({"publishMode": "draft"}, {"scheduledAt": soon(days=3)}, {"publishMode": "now"})
        )
        self.posts.append((await self.make.post(self.owner, key=key, **how))["id"])

    async def settle(self) -> None:
        """A target and its post end, perhaps differently, on one of the last days."""
        at = datetime.now(UTC) - timedelta(days=self.chance.randrange(9), minutes=1)
        outcome = self.chance.choice(("published", "published", "failed", "removed", "pending"))
        post_status = self.chance.choice(("published", "partial", "failed", "publishing"))
        post_id = self._post()
        async with self.database.transaction() as db:
            await db.execute(
                "with t as (update target set status = $2, published_at = $3, error = $4, next_attempt_at = null"
                " where post_id = $1)"
                " update post set status = $5 where id = $1",
                post_id, outcome, at if outcome in ("published", "removed") else None,
                msgspec.to_builtins(error_at(at)) if outcome == "failed" else None, post_status,
            )  # fmt: skip

    async def change_status(self) -> None:
        """A post is a draft again, waits for its time, or is under way."""
        status = self.chance.choice(("draft", "queued", "publishing", "failed"))
        async with self.database.transaction() as db:
            await db.execute("update post set status = $2 where id = $1", self._post(), status)

    async def remove_target(self) -> None:
        """A target is taken off."""
        async with self.database.transaction() as db:
            await db.execute(
                "delete from target where id = (select id from target where post_id = $1 limit 1)", self._post()
            )

    async def move_time(self) -> None:
        """A scheduled post is due by now."""
        async with self.database.transaction() as db:
            await db.execute(
                "update post set scheduled_at = now() - interval '1 s' where id = $1 and status = 'scheduled'",
                self._post(),
            )

    async def trash(self) -> None:
        """By the API, which refuses some."""
        await self.api.delete(f"/posts/{self.chance.choice(self.posts)}", key=self.owner.key)

    async def restore(self) -> None:
        """By the API, which refuses some."""
        await self.api.post(f"/posts/{self.chance.choice(self.posts)}/restore", key=self.owner.key)

    async def delete(self) -> None:
        """For good, by the API or with all that hangs on it."""
        if self.chance.random() < 0.5:
            await self.api.delete(f"/posts/{self.chance.choice(self.posts)}?permanent=true", key=self.owner.key)
        else:
            async with self.database.transaction() as db:
                await db.execute("delete from post where id = $1", self._post())

    async def add_up(self) -> None:
        """What the job does."""
        async with self.database.transaction() as db:
            await counts.add_up(db)


async def test_counts_equal_those_of_every_row_after_any_history(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    history = History(api, make, owner, database, 20261124)
    for _ in range(5):
        await history.create()
    for number in range(STEPS):
        await history.step()
        if number % 10 == 9:
            assert await told(api, owner.key) == await slow(database, owner), f"after {number} steps"
            assert await told(api, owner.test_key) == await slow(database, owner, mode="test")
    assert (await told(api, owner.key))["total"] > 20


async def test_posts_from_before_the_counts_are_counted_in_steps_while_others_change(
    api: Api, make: Make, owner: Login, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then the answers are right too. A change of a post that is not counted yet is not counted twice."""
    history = History(api, make, owner, database, 7)
    for _ in range(5):
        await history.create()
    for _ in range(60):
        await history.step()
    async with database.transaction() as db:
        await db.execute(_START_AGAIN)
        ahead = await db.fetchval("select count(*) from post where workspace_id <> $1", owner.workspace_id)
    monkeypatch.setattr(counts, "POSTS", max(3, ahead // 10))
    assert await told(api, owner.key) == await slow(database, owner), "not counted yet"
    more = True
    while more:
        async with database.transaction() as db:
            more = await counts.count_next(db)
        await history.step()
        assert await told(api, owner.key) == await slow(database, owner)
    async with database.connection() as db:
        assert await counts.are_complete(db)
    for _ in range(20):
        await history.step()
    assert await told(api, owner.key) == await slow(database, owner), "all are counted"


async def test_a_step_of_the_count_waits_for_who_changes_an_old_post(
    make: Make, owner: Login, database: Database
) -> None:
    """Otherwise neither would count the change: the step does not see it, and it does not know of the step."""
    post = await make.post(owner, publishMode="draft")
    async with database.transaction() as db:
        await db.execute(_START_AGAIN)
    async with database.transaction() as changing:
        await changing.execute("update post set status = 'published' where id = $1", ids.decode("pst", post["id"]))
        async with database.transaction() as counting:
            await counting.execute("set local lock_timeout = '50ms'")
            with pytest.raises(Exception, match="lock timeout"):
                await counting.fetchval("select count_next_posts(1000000)")
            await counting.execute("rollback")
            await counting.execute("begin")
    async with database.transaction() as db:
        while await counts.count_next(db):
            pass
        found = await db.fetch(
            "select what, sum(count) from post_count_change where workspace_id = $1 group by 1", owner.workspace_id
        )
    assert [tuple(row) for row in found] == [("published", 1)]


async def test_the_job_adds_up_all_changes_a_bounded_number_at_a_time(
    api: Api, make: Make, owner: Login, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease: Any = CountedLease(database)
    while await work.keep_counts(lease, {}):  # what other tests have changed, which is thousands in a full run
        pass
    lease.transactions.clear()
    monkeypatch.setattr(counts, "CHANGES", 7)
    for _ in range(20):
        await make.post(owner, publishMode="draft")
    while await work.keep_counts(lease, {}):
        pass
    assert len(lease.transactions) >= 3
    assert max(step.written.get("post_count_change", 0) for step in lease.transactions) <= 7
    async with database.connection() as db:
        assert await db.fetchval("select count(*) from post_count_change") == 0
    assert await told(api, owner.key) == await slow(database, owner)


async def test_a_create_for_now_notes_nothing(make: Make, owner: Login, database: Database) -> None:
    """The path that has to be fast: posts under way are few, and counted when somebody asks."""
    await make.post(owner, publishMode="now")
    async with database.connection() as db:
        noted = "select count(*) from post_count_change where workspace_id = $1"
        assert await db.fetchval(noted, owner.workspace_id) == 0
