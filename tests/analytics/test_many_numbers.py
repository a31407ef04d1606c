"""What the overview says equals a slow and obvious computation from every stored number, in plain Python."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.faults.scene import sizes
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.analytics.actions import collect, discover
from signalpost.analytics.queries import DueTarget
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.networks.contract import Metrics

ZONE = "Australia/Lord_Howe"
"""Its clocks change by half an hour."""
NUMBERS = ("views", "likes", "comments", "shares", "saves", "clicks", "impressions", "reach", "watch_time_seconds")
SUMS = {
    "totalViews": "views", "totalLikes": "likes", "totalComments": "comments", "totalShares": "shares",
    "totalSaves": "saves", "totalImpressions": "impressions",
}  # fmt: skip
BATCH = 50
_COLUMNS = """
select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> all($2)
"""
_COPIES = (
    ("post", "id", {"id": "n.post_id"}),
    ("target", "post_id", {
        "id": "n.target_id", "post_id": "n.post_id", "published_at": "n.at", "status": "'published'",
        "remote_id": "n.target_id::text", "dedupe_key": "n.target_id::text",
    }),
)  # fmt: skip


async def publish(database: Database, account: AccountRow, draft_id: str, moments: list[datetime]) -> list[DueTarget]:
    """Write copies of a draft with one target, published at these moments."""
    post_ids, target_ids = ([ids.new_id() for _ in moments] for _ in range(2))
    async with database.transaction() as db:
        for table, which, changes in _COPIES:
            rest = await db.fetchval(_COLUMNS, table, list(changes))
            await db.execute(
                f"insert into {table} ({', '.join(changes)}, {rest}) select {', '.join(changes.values())}, {rest}"
                f" from (select {rest} from {table} where {which} = $1) t,"
                " unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) as n(post_id, target_id, at)",
                ids.decode("pst", draft_id), post_ids, target_ids, moments,
            )  # fmt: skip
        await discover.bring_up_to_date(db, account.workspace_id)
    return [
        DueTarget(target_id, account.workspace_id, str(target_id), at)
        for target_id, at in zip(target_ids, moments, strict=True)
    ]


def numbers(chance: random.Random) -> Metrics:
    """Any numbers, of which any may be unknown; they may fall, as when a network takes false ones back."""
    return Metrics(
        **{name: chance.choice((None, 0, chance.randrange(10 ** chance.randrange(1, 9)))) for name in NUMBERS}
    )


async def collected(
    database: Database, account: AccountRow, targets: list[DueTarget], rounds: int, chance: random.Random
) -> None:
    """Have numbers collected as often; in each round the network says nothing of some posts."""
    began = datetime.now(UTC) - timedelta(hours=rounds)
    for number in range(rounds):
        with clock.at(began + timedelta(hours=number)):
            for start in range(0, len(targets), BATCH):
                batch = targets[start : start + BATCH]
                answer = {target.remote_id: numbers(chance) for target in batch if chance.random() < 0.95}
                async with database.transaction() as db:
                    await collect.store(db, account, batch, answer)


class Slow:
    """The sums of posts, one number after the other."""

    def __init__(self) -> None:
        self.posts = 0
        self.known: dict[str, list[int]] = {name: [] for name in NUMBERS}
        self.engaged, self.basis = 0, 0

    def add(self, row: Any) -> None:
        """Add a post with its newest numbers, if it has any."""
        self.posts += 1
        if row is None:
            return
        for name in NUMBERS:
            if row[name] is not None:
                self.known[name].append(row[name])
        reactions = [row[name] for name in ("likes", "comments", "shares") if row[name] is not None]
        bases = [row[name] for name in ("impressions", "reach", "views") if row[name] is not None]
        if reactions and bases:
            self.engaged += sum(reactions)
            self.basis += bases[0]

    def of(self, name: str) -> int | None:
        """The sum of a number; None if nothing is known of it."""
        return sum(self.known[name]) if self.known[name] else None


@sizes("size", quick=(40, 30), heavy=(2_000, 53))
async def test_sums_equal_a_slow_computation(api: Api, make: Make, database: Database, size: tuple[int, int]) -> None:
    """1,100 and 100,000 rows of random numbers."""
    count, rounds = size
    chance = random.Random(20261122)
    owner = await make.owner()
    account_id = ids.decode("acc", (await make.account(owner))["id"])
    assert account_id is not None
    await api.patch(f"/profiles/{owner.profile}", json={"timezone": ZONE}, key=owner.key)
    draft = await make.post(owner, publishMode="draft")
    async with database.connection() as db:
        account = await accounts.by_id(db, account_id)
    assert account is not None
    now = datetime.now(UTC)
    moments = [now - timedelta(minutes=chance.randrange(420 * 24 * 60)) for _ in range(count)]
    targets = await publish(database, account, draft["id"], moments)
    await collected(database, account, targets, rounds, chance)

    today = now.astimezone(ZoneInfo(ZONE)).date()
    start = today - timedelta(days=365)
    query = {"profileId": owner.profile, "startDate": str(start), "endDate": str(today)}
    found = (await api.get("/analytics/overview", params=query, key=owner.key)).json()

    newest: dict[UUID, Any] = {}
    async with database.connection() as db:
        rows = await db.fetch("select * from metric where account_id = $1", account_id)
    assert len(rows) > 0.9 * count * rounds
    for row in rows:
        if row["target_id"] not in newest or newest[row["target_id"]]["bucket"] < row["bucket"]:
            newest[row["target_id"]] = row
    total, days = Slow(), dict[date, Slow]()
    for target in targets:
        day = target.published_at.astimezone(ZoneInfo(ZONE)).date()
        if start <= day <= today:
            for slow in (total, days.setdefault(day, Slow())):
                slow.add(newest.get(target.target_id))

    assert found["totalPosts"] == total.posts
    assert {name: found[name] for name in SUMS} == {name: total.of(number) for name, number in SUMS.items()}
    assert found["sampleSizes"] == {name: len(total.known[name]) for name in found["sampleSizes"]}
    assert found["avgEngagementRate"] == round(100 * total.engaged / total.basis, 2)
    by_day = {day["date"]: day for day in found["dailyTrend"]}
    assert len(by_day) == 366
    for day, slow in days.items():
        assert by_day[str(day)] == {
            "date": str(day), "posts": slow.posts,
            **{name: slow.of(name) for name in ("views", "likes", "comments", "shares")},
        }  # fmt: skip
    assert sum(day["posts"] for day in by_day.values()) == total.posts
    shown = {target.target_id for target in targets if target.published_at.astimezone(ZoneInfo(ZONE)).date() >= start}
    views = [row["views"] for target_id, row in newest.items() if target_id in shown and row["views"] is not None]
    assert [post["views"] for post in found["topPosts"]] == sorted(views, reverse=True)[:5]
