"""Each filter in each order, page by page, against a plain reading of the same posts.

A list is read in several ways (indexes, the next posts, sets of ids); all of them have to find the same.
"""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.posts.find import listing

SORTS = ("createdAt", "-createdAt", "scheduledAt", "-scheduledAt")
STATUSES = ("draft", "scheduled", "queued", "publishing", "published", "partial", "failed")
APPROVALS = ("not_required", "approved", "changes_requested", "rejected")
ASKED = ("pending", *APPROVALS[1:])
Stored = dict[str, Any]

_CHANGE = """
update post set status = $2, created_at = $3, scheduled_at = $4, published_at = $5, tags = $6, approval = $7
where id = $1
"""


@pytest.fixture(autouse=True)
def short_looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of a few posts, some stand behind the next ones."""
    monkeypatch.setattr(listing, "_NEXT_POSTS", 3)
    for statement in (listing._statement, listing._last_of_next):
        statement.cache_clear()
    yield
    for statement in (listing._statement, listing._last_of_next):
        statement.cache_clear()


@pytest.fixture
async def stored(make: Make, database: Database) -> tuple[Login, list[Stored]]:
    """Posts in each status, with times before and after now and their creation; each third one has a tag."""
    owner = await make.owner()
    await make.account(owner, username="first")
    now, rows = clock.now().replace(microsecond=0), []
    for number in range(22):
        status = STATUSES[number % 7]
        created = now - timedelta(hours=number)
        scheduled = (None, created + timedelta(days=2), created - timedelta(days=1))[number % 3]
        if status in ("scheduled", "queued"):
            scheduled = created + timedelta(hours=(-1, 90, 1)[number % 3])
        rows.append(
            {
                "id": (await make.post(owner, draft=True, text=f"post {number}"))["id"],
                "status": status,
                "created": created,
                "scheduled": scheduled,
                "published": created + timedelta(minutes=5) if status in ("published", "partial") else None,
                "tags": ["spring", "b"] if number % 3 == 1 else ["springtime"] if number % 3 == 2 else [],
                "approval": "pending" if number % 4 == 3 else APPROVALS[0 if number % 4 < 2 else number % 3 + 1],
            }
        )
    async with database.transaction() as db:
        for row in rows:
            approval = {"state": row["approval"]}
            values = (row["status"], row["created"], row["scheduled"], row["published"], row["tags"], approval)
            await db.execute(_CHANGE, ids.decode("pst", row["id"]), *values)
    return owner, rows


def moment(row: Stored) -> datetime:
    found: datetime = row["scheduled"] or row["published"] or row["created"]
    return found


def status(row: Stored) -> str:
    is_due = (
        row["scheduled"] is not None
        and row["scheduled"] <= clock.now()
        and row["approval"] in ("not_required", "approved")
    )
    return "queued" if row["status"] == "scheduled" and is_due else str(row["status"])


def filters(now: datetime) -> dict[str, Callable[[Stored], bool]]:
    """Query strings, and what they say."""
    early, late, ahead = now - timedelta(hours=14), now - timedelta(hours=6), now + timedelta(hours=20)

    def text(at: datetime) -> str:
        return clock.wire(at)

    return {
        **{f"status={name}": lambda row, name=name: status(row) == name for name in STATUSES},
        "tag=spring": lambda row: "spring" in row["tags"],
        **{f"approval={state}": lambda row, state=state: row["approval"] == state for state in ASKED},
        "approval=pending&status=draft": lambda row: row["approval"] == "pending" and status(row) == "draft",
        "approval=pending&mine=true": lambda row: row["approval"] == "pending",
        f"approval=rejected&to={text(late)}": lambda row: row["approval"] == "rejected" and moment(row) < late,
        "tag=sprin": lambda _: False,
        "tag=spring&status=failed": lambda row: "spring" in row["tags"] and status(row) == "failed",
        f"to={text(late)}": lambda row: moment(row) < late,
        f"from={text(early)}": lambda row: moment(row) >= early,
        f"from={text(ahead)}": lambda row: moment(row) >= ahead,
        f"from={text(early)}&to={text(late)}": lambda row: early <= moment(row) < late,
        f"to={text(late)}&status=queued": lambda row: moment(row) < late and status(row) == "queued",
        f"to={text(late)}&status=draft&tag=b": lambda row: (
            moment(row) < late and status(row) == "draft" and "b" in row["tags"]
        ),
    }


async def pages(api: Api, owner: Login, query: str, limit: int) -> list[str]:
    seen: list[str] = []
    cursor = ""
    while cursor is not None:
        response = await api.get(f"/posts?{query}&limit={limit}&cursor={cursor}", key=owner.key)
        assert response.status_code == 200, response.text
        seen += [post["id"] for post in response.json()["data"]]
        cursor = response.json()["nextCursor"]
    return seen


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("few", [True, False])
async def test_every_filter_finds_the_same_in_every_order(
    api: Api, stored: tuple[Login, list[Stored]], monkeypatch: pytest.MonkeyPatch, sort: str, *, few: bool
) -> None:
    """`few`: a range of time is small enough to be put in order."""
    monkeypatch.setattr(listing, "_MOMENTS_MAX", 5_000 if few else 2)
    owner, rows = stored
    key = moment if sort.endswith("scheduledAt") else lambda row: row["created"]
    ordered = sorted(rows, key=lambda row: (key(row), ids.decode("pst", row["id"])), reverse=sort.startswith("-"))
    for query, meets in filters(max(row["created"] for row in rows)).items():
        expected = [row["id"] for row in ordered if meets(row)]
        for limit in (2, 20):
            assert await pages(api, owner, f"{query}&sort={sort}", limit) == expected, (query, limit)


async def test_tags_of_other_workspaces_are_not_found(api: Api, make: Make, stored: tuple[Login, list[Stored]]) -> None:
    stranger = await make.owner()
    mine = await make.post(stranger, draft=True, platforms=None, tags=["spring"])
    assert await pages(api, stranger, "tag=spring", 20) == [mine["id"]]


async def test_the_last_page_looks_at_nothing_twice(
    api: Api, stored: tuple[Login, list[Stored]], statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a large workspace, all posts with a frequent tag would be read for the few that are left."""
    monkeypatch.setattr(listing, "_NEXT_POSTS", 2_000)
    listing._statement.cache_clear()
    listing._last_of_next.cache_clear()
    owner, _ = stored
    assert len(await pages(api, owner, "tag=spring", 20)) == 7
    await asyncio.sleep(0)  # loggers are called in the loop's next round
    assert not any("posts_tagged" in statement for statement in statements)
