"""What staff see of the whole installation: right, bounded, and cheap."""

import secrets
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.mail import Inbox, serving, text_of, with_smtp

from signalpost.admin import queries
from signalpost.context import AppContext
from signalpost.engine import buckets, jobs
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.main import app
from signalpost.settings import Settings


@pytest.fixture
async def staff(make: Make) -> Login:
    return await make.staff()


@pytest.fixture
async def installation(settings: Settings, fresh_dsn: str) -> AsyncIterator[Make]:
    """One of its own: what other tests left due would be published, and counted, with the rest."""
    async with app.open_context(settings, fresh_dsn) as context, Api(app.create(context)) as api:
        yield Make(context, api)
        assert context.engine is not None
        await context.engine.stop(0)


async def test_the_figures_are_those_of_all_workspaces(installation: Make) -> None:
    make, api = installation, installation.api
    staff = await make.staff()
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


async def test_staff_find_workspaces_and_users(api: Api, make: Make, staff: Login, database: Database) -> None:
    """By parts of names, by the owner's address and by ids; numbers are of each; a page says how to read the next."""
    owner = await make.owner()
    await make.account(owner)
    await make.member(owner, role="viewer")
    workspace, user = ids.encode("wsp", owner.workspace_id), ids.encode("usr", owner.user_id)

    async def workspaces(**query: str) -> list[dict[str, Any]]:
        answer = await api.get("/admin/workspaces", params=query, key=staff.key)
        assert answer.status_code == 200, answer.text
        return list(answer.json()["data"])

    [found] = await workspaces(q=workspace)
    assert found["ownerEmail"] == owner.email
    assert (found["members"], found["accounts"], found["state"]) == (2, 1, "active")
    for text in (owner.email.upper(), found["slug"][1:], found["name"].upper()):
        assert workspace in [each["id"] for each in await workspaces(q=text)], text
    assert await workspaces(q=workspace, state="deleted") == []
    assert workspace not in [each["id"] for each in await workspaces(q="%")]
    first = (await api.get("/admin/workspaces?limit=1", key=staff.key)).json()
    second = await workspaces(limit="1", cursor=first["nextCursor"])
    assert second[0]["createdAt"] <= first["data"][0]["createdAt"]
    assert second[0]["id"] != first["data"][0]["id"]

    people = (await api.get("/admin/users", params={"q": owner.email[1:]}, key=staff.key)).json()["data"]
    assert [(each["id"], each["staff"], each["workspaces"]) for each in people] == [(user, False, 1)]
    administrators = (await api.get("/admin/users?staff=true&limit=100", key=staff.key)).json()["data"]
    assert ids.encode("usr", staff.user_id) in [each["id"] for each in administrators]
    assert all(each["staff"] for each in administrators)


async def test_a_job_that_failed_for_good_runs_again(api: Api, make: Make, staff: Login, database: Database) -> None:
    """Once: while it runs it is refused. The log of the installation says who had it run."""
    kind = f"tests.{secrets.token_hex(4)}"
    async with database.transaction() as db:
        job = await jobs.enqueue(db, kind, {"secret": "of a workspace"})
        await db.execute(
            "update job set state = 'failed', attempts = 5, next_attempt_at = null, failed_at = now(),"
            " failure_code = 'failed', last_error = 'TimeoutError()' where id = $1", job,
        )  # fmt: skip

    async def listed(state: str) -> list[dict[str, Any]]:
        answer = await api.get("/admin/jobs", params={"state": state, "kind": kind}, key=staff.key)
        return list(answer.json()["data"])

    [failed] = await listed("failed")
    assert (failed["kind"], failed["attempts"], failed["error"]) == (kind, 5, "TimeoutError()")
    assert "secret" not in str(failed)
    again = await api.post(f"/admin/jobs/{failed['id']}/run", key=staff.key)
    assert (again.status_code, again.json()["state"], again.json()["attempts"]) == (201, "waiting", 0)
    assert [each["id"] for each in await listed("waiting")] == [failed["id"]]
    async with database.transaction() as db:
        lane = await db.fetchval(
            "select next_due_at <= now() from lane l join job j on j.queue = l.key where j.id = $1", job
        )
        await db.execute("update job set started_at = now() where id = $1", job)
    assert lane
    running = await api.post(f"/admin/jobs/{failed['id']}/run", key=staff.key)
    assert (running.status_code, running.json()["code"]) == (409, "invalid_state")
    assert [each["state"] for each in await listed("running")] == ["running"]
    async with database.transaction() as db:
        written = await db.fetch("select actor from audit where action = 'run_job' and subject = $1", failed["id"])
        await db.execute("delete from job where id = $1", job)
    assert [row["actor"]["type"] for row in written] == ["api_key"]


async def test_what_is_kept_back_is_listed_and_goes_on(api: Api, make: Make, staff: Login, database: Database) -> None:
    """An account that has something due, and an app at a network; not an account whose posts are for next month."""
    owner = await make.owner()
    paused, later = await make.account(owner), await make.account(owner)
    post = await make.post(owner, targets=[{"accountId": paused["id"]}])
    await make.post(
        owner, targets=[{"accountId": later["id"]}], scheduledAt=clock.wire(clock.now() + timedelta(days=30))
    )
    app = f"mastodon:{secrets.token_hex(4)}"
    lanes = [ids.decode("acc", account["id"]) for account in (paused, later)]
    async with database.transaction() as db:
        await db.execute("update lane set not_before = now() + interval '1 hour' where key = any($1)", lanes)
        await buckets.declare(db, app, capacity=1, per_second=1)
        await buckets.pause(db, app, 3_600)

    async def pauses() -> dict[str, dict[str, Any]]:
        found = (await api.get("/admin/pauses?limit=100", key=staff.key)).json()["data"]
        return {pause["subject"]: pause for pause in found}

    seen = await pauses()
    assert post["targets"][0]["accountId"] == paused["id"]
    assert (seen[paused["id"]]["kind"], seen[paused["id"]]["platform"]) == ("account", "sandbox")
    assert seen[paused["id"]]["workspaceId"] == ids.encode("wsp", owner.workspace_id)
    assert (seen[app]["kind"], seen[app]["platform"], seen[app]["workspaceId"]) == ("network", "mastodon", None)
    assert later["id"] not in seen
    for subject in (paused["id"], app):
        ended = await api.call("DELETE", f"/admin/pauses/{seen[subject]['id']}", key=staff.key)
        assert ended.json() == {"id": seen[subject]["id"]}
    assert not {paused["id"], app} & (await pauses()).keys()
    gone = await api.call("DELETE", f"/admin/pauses/{seen[app]['id']}", key=staff.key)
    assert gone.status_code == 404
