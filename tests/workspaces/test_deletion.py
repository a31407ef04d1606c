"""The end of a workspace: closed at once, restored with all it had, and erased without a rest after 30 days."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.blocked import until_blocked
from tests.helpers.contract import create_sample
from tests.helpers.factories import Login, Make
from tests.helpers.identity import code
from tests.helpers.mail import InTest

from signalpost.billing import queries as billing
from signalpost.context import AppContext
from signalpost.identity.actions import sign_in as identity_sign_in
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.main import operations
from signalpost.plans import actions as plans
from signalpost.workspaces import work
from signalpost.workspaces.actions.erase import ERASED, KEPT


class Lease(InTest):
    """Counts nothing."""

    def count(self, _name: str) -> None:
        pass


async def sign_in(context: AppContext, owner: Login) -> str:
    async with context.database.transaction() as db:
        opened = await identity_sign_in.open_session(
            db, context.keys, owner.user_id, owner.workspace_id, "owner", "203.0.113.9"
        )
    return opened.access_token


async def delete(api: Api, context: AppContext, owner: Login) -> dict[str, Any]:
    token = await sign_in(context, owner)
    [row] = (await api.get("/workspaces", key=token)).json()["data"]
    answer = await api.delete(f"/workspaces/{row['id']}", params={"name": row["name"]}, key=token)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def process(api: Api, context: AppContext) -> None:
    secret = {"X-Queue-Secret": context.settings.queue_secret or ""}
    assert (await api.post("/queue/process", json={"limit": 500}, headers=secret)).status_code == 200


async def test_only_the_signed_in_owner_deletes_and_says_the_name(api: Api, context: AppContext, make: Make) -> None:
    owner = await make.owner()
    token = await sign_in(context, owner)
    admin = await make.member(owner, role="admin")
    path = f"/workspaces/{ids.encode('wsp', owner.workspace_id)}"
    [row] = (await api.get("/workspaces", key=token)).json()["data"]
    name = {"name": row["name"]}

    answers = [
        await api.delete(path, params=name, key=owner.key),
        await api.delete(path, params=name, key=await sign_in(context, admin)),
        await api.delete(path, params={"name": "Another"}, key=token),
        await api.delete(path, key=token),
        await api.delete(path, params=name, key=(await make.owner()).key),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 422, 422, 404]
    assert await code(api, "/profiles", owner.key) == 200


async def test_everything_stops_at_once_and_comes_back_when_it_is_restored(
    api: Api, context: AppContext, make: Make
) -> None:
    """What was due meanwhile is held, neither sent nor lost."""
    owner = await make.owner()
    token = await sign_in(context, owner)
    await make.account(owner)
    post = await make.post(owner)

    deleted = await delete(api, context, owner)
    await process(api, context)

    assert deleted["deleted"] is True
    assert await code(api, "/profiles", owner.key) == "key_revoked"
    assert await code(api, "/profiles", token) == "unauthenticated"
    async with context.database.connection() as db:
        target = ids.decode("tgt", post["targets"][0]["id"])
        assert await db.fetchval("select held_reason from target where id = $1", target) == "plan"

    await operations.restore_workspace(context, deleted["id"])
    await process(api, context)

    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["status"] == "published"
    assert await code(api, "/profiles", token) == 200


async def test_a_restoration_waits_for_whoever_reads_the_subscription(
    api: Api, context: AppContext, make: Make, database: Database
) -> None:
    """Who does holds it before the workspace, whose plan it may change: in the same order, so no deadlock."""
    owner = await make.owner()
    await database.pool.execute(
        "insert into subscription (workspace_id, customer_id, status) values ($1, $2, 'expired')",
        owner.workspace_id, owner.workspace_id.hex,
    )  # fmt: skip
    deleted = await delete(api, context, owner)
    async with database.transaction() as db:
        await billing.find(db, owner.workspace_id, lock=True)
        restoring = asyncio.create_task(operations.restore_workspace(context, deleted["id"]))
        await until_blocked(database, db)
        await plans.change_plan(context, db, owner.workspace_id, "pro")
    await restoring

    assert await code(api, "/profiles", owner.key) == 200


async def test_a_workspace_that_is_charged_for_is_cancelled_first(
    api: Api, context: AppContext, make: Make, database: Database
) -> None:
    owner = await make.owner()
    async with database.transaction() as db:
        await db.execute(
            "insert into subscription (workspace_id, customer_id, status) values ($1, $2, 'active')",
            owner.workspace_id, owner.workspace_id.hex,
        )  # fmt: skip
    token = await sign_in(context, owner)
    [row] = (await api.get("/workspaces", key=token)).json()["data"]

    refused = await api.delete(f"/workspaces/{row['id']}", params={"name": row["name"]}, key=token)
    async with database.transaction() as db:
        await db.execute(
            "update subscription set cancel_at_period_end = true where workspace_id = $1", owner.workspace_id
        )

    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")
    assert (await delete(api, context, owner))["deleted"] is True


async def test_a_plan_that_changes_meanwhile_releases_nothing(
    api: Api, context: AppContext, make: Make, database: Database
) -> None:
    """The notification of a payment may come late."""
    owner = await make.owner()
    await make.account(owner)
    await delete(api, context, owner)

    async with database.transaction() as db:
        await plans.change_plan(context, db, owner.workspace_id, "max")

    async with database.connection() as db:
        assert await db.fetchval("select bool_and(over_limit) from account where workspace_id = $1", owner.workspace_id)


async def rows_by_table(database: Database, workspace_id: UUID) -> dict[str, int]:
    counts = {}
    async with database.connection() as db:
        for table in (*ERASED, *KEPT):
            counts[table] = await db.fetchval(f"select count(*) from {table} where workspace_id = $1", workspace_id)
    return counts


async def digests(database: Database, workspace_id: UUID) -> dict[str, str]:
    """What all rows of a workspace are, for each table that is erased; work that goes on by itself left out."""
    digest = "md5(string_agg(t::text, '' order by t::text))"
    async with database.connection() as db:
        return {
            table: await db.fetchval(f"select {digest} from {table} t where workspace_id = $1", workspace_id)
            for table in ERASED
            if table not in ("job", "lane")
        }


@holds("S14")
async def test_after_thirty_days_nothing_is_left_but_history_and_billing(
    api: Api, context: AppContext, make: Make, database: Database, data_dir: Path, record: Record
) -> None:
    """One of each thing is made, published and deleted; the neighbour keeps every row."""
    sample, neighbour = await create_sample(api, make), await create_sample(api, make)
    owner, name = sample.owner, ids.encode("wsp", sample.owner.workspace_id)
    await make.post(owner)
    token = await sign_in(context, owner)
    assert (await api.post(f"/workspaces/{name}/export", key=token)).status_code == 202
    await process(api, context)
    before = await rows_by_table(database, owner.workspace_id)
    tables = "post target media account webhook delivery ticket audit comment comment_reply"
    assert set(tables.split()) <= {table for table, rows in before.items() if rows}
    assert files_of(data_dir, name)
    await delete(api, context, owner)
    beside = await digests(database, neighbour.owner.workspace_id)

    lease: Any = Lease(database)
    await work.erase_expired(context, lease)
    assert (await rows_by_table(database, owner.workspace_id))["post"] == before["post"]  # the time is not over
    async with database.transaction() as db:
        await db.execute(
            "update workspace set deleted_at = now() - interval '31 days' where id = $1", owner.workspace_id
        )
    await work.erase_expired(context, lease)
    await work.erase_expired(context, lease)

    after = await rows_by_table(database, owner.workspace_id)
    assert {table for table, rows in after.items() if rows} <= KEPT.keys()
    assert after["audit"] >= before["audit"]
    assert files_of(data_dir, name) == []
    changed = [
        table for table, was in (await digests(database, neighbour.owner.workspace_id)).items() if was != beside[table]
    ]
    record(
        "S14", tried={"workspaces erased": 1},
        measured={"files left": len(files_of(data_dir, name)), "tables of others that differ": len(changed)},
    )  # fmt: skip
    assert beside["post"]
    assert changed == []
    with pytest.raises(Exception, match="There is no deleted workspace"):
        await operations.restore_workspace(context, name)


CANARY = "canary-8f31c2"
_AGE = """
update audit set id = (lpad(to_hex((extract(epoch from now() - interval '40 days') * 1000)::bigint), 12, '0')
    || substr(replace(id::text, '-', ''), 13))::uuid where workspace_id = $1
"""
_SEAL = """
insert into audit_seal (workspace_id, seq, audit_id, previous, hash, sealed_at)
select workspace_id, row_number() over (order by id), id, '', '', now() - interval '40 days' from audit
where workspace_id = $1
"""
_TABLES = """
select oid::regclass::text from pg_class
where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
"""


async def tables_with(database: Database, text: str) -> set[str]:
    """The tables that have it anywhere, also in columns of bytes."""
    digits = text.encode().hex()
    async with database.connection() as db:
        names = [row[0] for row in await db.fetch(_TABLES)]
        condition = (
            "select exists (select from {} t where t::text like '%' || $1 || '%' or t::text like '%' || $2 || '%')"
        )
        return {name for name in names if await db.fetchval(condition.format(name), text, digits)}


async def write_everywhere(api: Api, make: Make, owner: Login) -> None:
    """What users can write, wherever it is stored."""
    account = await make.account(owner, username=CANARY)
    profile = await make.profile(owner, name=CANARY, description=CANARY, metadata={"note": CANARY})
    post = await make.post(owner, text=CANARY, tags=[CANARY], notes=CANARY, externalId=CANARY)
    hook = {"url": f"http://127.0.0.1:9/{CANARY}", "name": CANARY}
    slots = {"profileId": profile["id"], "name": CANARY, "slots": [{"time": "09:00"}]}
    invite = {"profileId": owner.profile, "platforms": ["sandbox"], "label": CANARY}
    bodies = {
        "/webhooks": hook, "/queues": slots, "/platform-invites": invite, "/api-keys": {"name": CANARY},
        "/support": {"subject": CANARY, "body": CANARY},
        "/team/invite": {"email": f"{CANARY}@example.test", "role": "viewer", "message": CANARY},
        "/billing/feedback": {"reason": "other", "comment": CANARY, "stage": "cancel"},
    }  # fmt: skip
    for path, body in bodies.items():
        answer = await api.post(path, json=body, key=owner.key)
        assert answer.is_success, (path, answer.text)
    assert account["id"]
    assert post["id"]


@holds("S14")
async def test_after_erasure_nothing_that_people_wrote_is_left(
    api: Api, context: AppContext, make: Make, database: Database, record: Record
) -> None:
    """Searched in every table, whoever it belongs to; history as old as it is when a workspace is erased."""
    owner = await make.owner()
    await write_everywhere(api, make, owner)
    await process(api, context)
    before = await tables_with(database, CANARY)
    assert {
        "post",
        "profile",
        "account",
        "webhook",
        "audit",
        "ticket",
        "api_key",
        "member",
        "billing_feedback",
    } <= before
    name = (await delete(api, context, owner))["id"]
    async with database.transaction() as db:
        await db.execute("alter table audit disable trigger user; alter table audit_seal disable trigger user")
        await db.execute("delete from audit_seal where workspace_id = $1", owner.workspace_id)
        await db.execute(_AGE, owner.workspace_id)
        await db.execute(_SEAL, owner.workspace_id)
        await db.execute("alter table audit enable trigger user; alter table audit_seal enable trigger user")
        await db.execute(
            "update workspace set deleted_at = now() - interval '31 days' where id = $1", owner.workspace_id
        )

    lease: Any = Lease(database)
    while await work.erase_expired(context, lease):
        pass

    # Calls are dropped by the day, within a week, and responses are sealed and dropped within a day.
    left = await tables_with(database, CANARY) - {"request_log"}
    record("S14", tried={"workspaces erased": 1}, measured={"tables with a word of it": len(left)})
    assert left == set()
    async with database.connection() as db:
        assert await db.fetchval("select count(*) from audit where workspace_id = $1", owner.workspace_id) == 0
        erased = "select count(*) from audit where action = 'erase_workspace' and subject = $1"
        assert await db.fetchval(erased, name) == 1


def files_of(data_dir: Path, workspace: str) -> list[Path]:
    return [path for path in data_dir.rglob("*") if path.is_file() and workspace in str(path)]
