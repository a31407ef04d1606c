"""What staff see of the whole installation: right, bounded, and cheap."""

import secrets
from datetime import timedelta

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.mail import Inbox, serving, text_of, with_smtp

from signalpost.admin import queries
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.main import app


@pytest.fixture
async def staff(make: Make) -> Login:
    return await make.staff()


async def test_the_figures_are_those_of_all_workspaces(api: Api, make: Make, staff: Login, database: Database) -> None:
    before = (await api.get("/admin/stats", key=staff.key)).json()
    owner = await make.owner()
    await make.account(owner)
    await make.post(owner, scheduledAt=clock.wire(clock.now() + timedelta(days=30)))
    done = await make.post(owner, text="[[fail:text_too_long]] " + secrets.token_hex(8))
    secret = {"X-Queue-Secret": make.context.settings.queue_secret or ""}
    assert (await api.post("/queue/process", json={"limit": 500}, headers=secret)).status_code == 200
    assert (await api.get(f"/posts/{done['id']}", key=owner.key)).json()["status"] == "failed"

    stats = (await api.get("/admin/stats", key=staff.key)).json()

    for name, more in (("users", 1), ("workspaces", 1), ("profiles", 1)):
        assert stats[name] - before[name] == more, name
    assert stats["accounts"]["byPlatform"]["sandbox"] == before["accounts"]["byPlatform"].get("sandbox", 0) + 1
    assert stats["accounts"]["total"] == sum(stats["accounts"]["byStatus"].values())
    assert stats["posts"]["total"] == before["posts"]["total"] + 2 == sum(stats["posts"]["byStatus"].values())
    assert stats["posts"]["last24h"] == before["posts"]["last24h"] + 2
    assert stats["posts"]["byStatus"]["failed"] == before["posts"]["byStatus"].get("failed", 0) + 1
    assert 0 <= stats["successRate24h"]["sandbox"] < 1
    assert stats["queue"]["waiting"] >= 1
    assert stats["estimated"] == []
    assert (stats["version"], stats["uptimeSeconds"] >= 0) == (make.context.version, True)


async def test_a_large_table_is_counted_by_a_sample(database: Database) -> None:
    """About right from a twentieth of it, and said to be an estimate."""
    async with database.transaction() as db:
        await db.execute(
            "create temporary table many on commit drop as"
            " select case when n % 4 = 0 then 'a' else 'b' end as kind, repeat('x', 100) as filler"
            " from generate_series(1, 100000) n"
        )
        counted = await queries.count(
            db, "select kind, count(*) from many tablesample system ($1) group by 1", 100_000 * 20
        )
        exact = await queries.count(db, "select kind, count(*) from many tablesample system ($1) group by 1", 5_000)

    assert (exact.numbers[("a",)], exact.total, exact.estimated) == (25_000, 100_000, False)
    assert counted.estimated
    assert 0 < counted.numbers[("a",)] < counted.numbers[("b",)]


async def test_no_figure_reads_a_table_whole(database: Database) -> None:
    """Apart from samples, every part of the statements ends at a number or begins at yesterday."""
    bounded = (queries._CREATED, queries._RATES, queries._QUEUE, queries._ITEMS, queries._DELIVERIES, queries._WORKERS)
    assert all("limit" in sql for sql in bounded)
    assert all("tablesample system ($1)" in sql for _, sql in queries._SAMPLED.values())


async def test_the_queue_shows_what_waits_longest_first(api: Api, make: Make, staff: Login, database: Database) -> None:
    owner = await make.owner()
    await make.account(owner)
    posts = [await make.post(owner) for _ in range(2)]
    async with database.connection() as db:
        for hours, post in zip((30, 20), posts, strict=True):
            await db.execute(
                "update target set next_attempt_at = now() - make_interval(hours => $2) where id = $1",
                ids.decode("tgt", post["targets"][0]["id"]), hours,
            )  # fmt: skip

    seen = (await api.get("/admin/queue", key=staff.key)).json()

    mine = [item for item in seen["items"] if item["workspaceId"] == ids.encode("wsp", owner.workspace_id)]
    assert [item["postId"] for item in mine] == [post["id"] for post in posts]
    assert {item["state"] for item in mine} <= {"ready", "leased"}
    assert seen["oldestDueAgeSeconds"] >= 30 * 3_600 - 5
    assert seen["counts"]["ready"] >= 2
    assert len(seen["items"]) <= 100


async def test_the_test_mail_goes_to_whoever_asks_and_says_what_it_says(context: AppContext, make: Make) -> None:
    staff = await make.staff()
    inbox = Inbox()
    async with serving(inbox) as address, Api(app.create(with_smtp(context, address))) as api:
        mine = (await api.post("/admin/email/test-welcome", key=staff.key)).json()
        other = (await api.post("/admin/email/test-welcome", json={"to": "x@nobody.test"}, key=staff.key)).json()

    (email,) = inbox.messages
    assert (mine["sent"], mine["transport"], mine["error"]) == (True, "smtp", None)
    assert email["To"] == staff.email
    assert email["Message-ID"].startswith(f"<{mine['messageId']}@")
    assert email["Subject"] == mine["preview"]["subject"]
    assert mine["preview"]["text"].splitlines()[0] in text_of(email)
    assert (other["sent"], other["messageId"]) == (False, None)
    assert "mailbox" in other["error"] or "recipient" in other["error"]


async def test_without_a_mail_server_the_test_mail_says_so(api: Api, staff: Login) -> None:
    answer = (await api.post("/admin/email/test-welcome", key=staff.key)).json()

    assert (answer["sent"], answer["transport"]) == (False, "none")
    assert "SIGNALPOST_SMTP_URL" in answer["error"]
