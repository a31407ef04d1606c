"""History is append-only, survives what it tells of, and its chain shows the first entry that somebody touched."""

import json
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.audit.actions import purge
from signalpost.audit.actions import record as audit
from signalpost.audit.actions import seal as audit_seal
from signalpost.audit.actions.seal import SETTLED
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.kit import clock, ids
from signalpost.kit.db import Database, Db
from signalpost.main import operations

NOW = timedelta(seconds=-1)
SEALED = """
select s.seq - cardinality(s.entries) + u.nth as number, u.id
from audit_seal s cross join unnest(s.entries) with ordinality as u(id, nth) where s.workspace_id = $1 order by 1
"""
ACTOR = Actor(type="system", id=None, name="test")


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def write(db: Db, workspace_id: Any, count: int) -> None:
    for number in range(count):
        await audit.record(db, audit.Entry(workspace_id=workspace_id, action=f"action_{number}", actor=ACTOR))


async def seal_all(db: Db, *, limit: int = 10_000, settled: timedelta = NOW) -> int:
    """Seal once at most so many rows of each chain; return how many there were."""
    chains = dict.fromkeys(await audit_seal.chains(db, None, 10_000))
    return sum(done.rows for done in (await audit_seal.seal(db, chains, limit, settled=settled)).values())


async def seal_singly(db: Db) -> None:
    """Seal what there is, each entry by itself."""
    while await seal_all(db, limit=1):
        pass


async def tamper(db: Db, statement: str, *parameters: Any) -> None:
    """Do what only someone with all rights on the database can do."""
    for table in ("audit", "audit_seal"):
        await db.execute(f"alter table {table} disable trigger user")
    assert await db.execute(statement, *parameters) in ("UPDATE 1", "DELETE 1")
    for table in ("audit", "audit_seal"):
        await db.execute(f"alter table {table} enable trigger user")


@pytest.mark.parametrize("table", ["audit", "audit_seal"])
@pytest.mark.parametrize(
    "statement",
    ["update {} set workspace_id = workspace_id", "delete from {}", "truncate {}",
     "select set_config('signalpost.audit_purge', 'on', true); delete from {}"],
)  # fmt: skip
async def test_nothing_that_was_written_is_changed_or_deleted(
    database: Database, owner: Login, table: str, statement: str
) -> None:
    async with database.transaction() as db:
        await write(db, owner.workspace_id, 1)
        await seal_all(db)
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="append-only"):
        async with database.transaction() as db:
            await db.execute(statement.format(table))


async def test_the_history_of_a_post_outlives_it(api: Api, make: Make, owner: Login) -> None:
    await make.account(owner)
    post = await make.post(owner, draft=True)
    path = f"/posts/{post['id']}"
    assert (await api.delete(f"{path}?permanent=true", key=owner.key)).status_code == 200

    log = await api.get(f"{path}/audit", key=owner.key)
    assert [entry["action"] for entry in log.json()["data"]] == ["purged", "trashed", "created"]
    stranger = await make.owner()
    assert (await api.get(f"{path}/audit", key=stranger.key)).status_code == 404
    assert (await api.get(f"{path}/audit", key=owner.test_key)).status_code == 404
    entries = (await api.get(f"/audit?subject={post['id']}", key=owner.key)).json()["data"]
    assert [entry["action"] for entry in entries] == ["purged", "trashed", "created"]
    assert all(entry["address"] and entry["requestId"] for entry in entries)


async def test_a_change_names_who_from_where_and_what_it_was_before(api: Api, make: Make, owner: Login) -> None:
    profile = await make.profile(owner, name="Before")
    await api.patch(f"/profiles/{profile['id']}", json={"name": "After"}, key=owner.key)
    await api.delete(f"/profiles/{profile['id']}", key=owner.key)

    deleted, updated, created = (await api.get(f"/audit?subject={profile['id']}", key=owner.key)).json()["data"]

    assert (created["action"], updated["action"], deleted["action"]) == (
        "create_profile", "update_profile", "delete_profile",
    )  # fmt: skip
    assert updated["changes"] == [{"field": "name", "from": "Before", "to": "After"}]
    assert {"field": "name", "from": "After", "to": None} in deleted["changes"]
    assert updated["actor"]["type"] == "api_key"
    assert updated["address"].startswith("10.")


async def test_the_log_of_a_workspace_is_filtered_and_paged(api: Api, make: Make, owner: Login) -> None:
    for name in ("one", "two", "three"):
        await make.profile(owner, name=name)
    first = (await api.get("/audit?action=create_profile&limit=2", key=owner.key)).json()
    rest = (await api.get(f"/audit?action=create_profile&limit=2&cursor={first['nextCursor']}", key=owner.key)).json()
    names = [entry["changes"][0]["to"] for entry in (*first["data"], *rest["data"])]
    assert (names, rest["hasMore"]) == (["three", "two", "one"], False)
    actor = first["data"][0]["actor"]["id"]
    assert len((await api.get(f"/audit?action=create_profile&actorId={actor}", key=owner.key)).json()["data"]) == 3
    assert (await api.get("/audit?actorId=key_nobody", key=owner.key)).json()["data"] == []


async def test_the_log_is_filtered_by_kind_and_time(api: Api, make: Make, owner: Login) -> None:
    """What a page of the log needs besides; filters that exclude each other leave nothing."""

    async def listed(query: str) -> list[str]:
        answer = await api.get(f"/audit?{query}", key=owner.key)
        assert answer.status_code == 200, answer.text
        return [entry["action"] for entry in answer.json()["data"]]

    await make.account(owner)
    await make.post(owner, draft=True)
    await make.profile(owner)
    everything = (await api.get("/audit?limit=100", key=owner.key)).json()["data"]
    newest, oldest = everything[0]["at"], everything[-1]["at"]

    assert await listed("subjectType=prof") == ["create_profile"]
    assert await listed("subjectType=pst") == ["created"]
    assert await listed("subjectType=acc&actorType=api_key") == ["connect_account"]
    assert await listed("subjectType=acc&actorType=system") == []
    assert await listed("subjectType=xxx") == []
    assert len(await listed(f"from={oldest}&limit=100")) == len(everything)
    assert await listed(f"to={oldest}") == []
    assert "create_profile" in await listed(f"from={newest}")
    assert await listed(f"from={newest}&to={oldest}") == []
    assert len(await listed("from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&limit=100")) == len(everything)
    for wrong in ("from=2026-11-01T00:00:00", "to=yesterday", "actorType=robot", "subjectType=P%25"):
        assert (await api.get(f"/audit?{wrong}", key=owner.key)).status_code == 422, wrong


async def test_the_time_that_an_entry_shows_decides_whatever_its_id_tells(
    api: Api, database: Database, owner: Login
) -> None:
    """The clock of a machine makes ids; that of the database, or a moment later, makes the time that is shown."""
    shown = clock.now() + timedelta(seconds=5)
    insert = "insert into audit (id, workspace_id, at, action, actor) values ($1, $2, $3, 'action_0', $4)"
    async with database.transaction() as db:
        await db.execute(insert, ids.new_id(), owner.workspace_id, shown, ACTOR)
    after = shown + timedelta(milliseconds=1)

    async def is_listed(bound: str, instant: datetime) -> bool:
        answer = await api.get("/audit", params={bound: clock.wire(instant), "action": "action_0"}, key=owner.key)
        return [entry["at"] for entry in answer.json()["data"]] == [clock.wire(shown)]

    assert await is_listed("from", shown)
    assert not await is_listed("from", after)
    assert await is_listed("to", after)
    assert not await is_listed("to", shown)


async def test_history_has_the_real_time_whatever_time_a_test_key_says_it_is(
    api: Api, make: Make, owner: Login
) -> None:
    """Else whoever holds a key for tests could write entries of any year, which no filter by time finds."""
    body = {"profileId": owner.profile, "text": "Long ago", "draft": True}
    began = clock.wire(clock.actual())
    for year in (2001, 2099):
        headers = {"X-Test-Now": f"{year}-01-01T00:00:00Z"}
        post = (await api.post("/posts", json=body, key=owner.test_key, headers=headers)).json()
        assert post["createdAt"].startswith(str(year))
        named = await api.patch(
            f"/profiles/{owner.profile}", json={"name": f"{year}"}, key=owner.test_key, headers=headers
        )
        assert named.status_code == 200, named.text
        log = (await api.get(f"/posts/{post['id']}/audit", key=owner.test_key)).json()["data"]
        recent = (await api.get("/audit", params={"from": began}, key=owner.key)).json()["data"]
        assert [entry["action"] for entry in recent][:2] == ["update_profile", "created"]
        assert all(began <= entry["at"] <= clock.wire(clock.actual()) for entry in (*log, *recent))


async def test_only_those_who_see_all_of_a_workspace_read_its_log(api: Api, make: Make, owner: Login) -> None:
    editor = await make.member(owner, role="editor")
    limited = await make.member(owner, role="admin", profile_ids=[owner.profile])
    for key in (editor.key, limited.key, owner.test_key):
        assert (await api.get("/audit", key=key)).status_code == 403
    stranger = await make.owner()
    entries = (await api.get("/audit", key=stranger.key)).json()["data"]
    assert not any(owner.profile == entry["subject"] for entry in entries)


async def test_seals_cover_every_entry_once_in_batches(database: Database, owner: Login) -> None:
    async with database.transaction() as db:
        await seal_all(db)  # what other tests left, which is thousands of a workspace in a whole run
        await write(db, owner.workspace_id, 7)
        while await seal_all(db, limit=3):
            pass
        assert await seal_all(db) == 0
        verification = await audit_seal.verify(db, owner.workspace_id)
        count = await db.fetchval("select count(*) from audit where workspace_id = $1", owner.workspace_id)
    assert (verification.broken_at, verification.unsealed) == (None, 0)
    assert verification.sealed == verification.last_seq == count >= 7


async def test_what_was_just_written_waits_for_slower_transactions(database: Database, owner: Login) -> None:
    async with database.transaction() as db:
        await seal_all(db)
        await write(db, owner.workspace_id, 1)
        assert await seal_all(db, settled=SETTLED) == 0
    async with database.transaction() as db:  # one that began earlier, and ends later
        newest = "select id_before(id, '30 seconds') from audit where workspace_id = $1 order by id desc"
        late = await db.fetchval(newest, owner.workspace_id)
        await seal_all(db)
        await db.execute("insert into audit (id, workspace_id, action, actor) values ($1, $2, 'late', $3)",
                         late, owner.workspace_id, ACTOR)  # fmt: skip
        await write(db, owner.workspace_id, 1)
        assert await seal_all(db) == 2
        assert (await audit_seal.verify(db, owner.workspace_id)).broken_at is None


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ('update audit set actor = \'{{"type": "user", "id": null, "name": "Else"}}\' where {}', False),
        ("update audit set action = 'other' where {}", False),
        ("update audit set at = at + interval '1 microsecond' where {}", False),
        ("delete from audit where {}", True),
    ],
)
async def test_the_first_entry_that_was_touched_is_named(
    database: Database, owner: Login, statement: str, missing: bool
) -> None:
    """Each of a thousand entries: an even spread of them is tried."""
    async with database.transaction() as db:
        await write(db, owner.workspace_id, 1_000)
        await seal_all(db)
        sealed = await db.fetch(SEALED, owner.workspace_id)
        for seal in (sealed[0], sealed[-1], *sealed[37::96]):
            savepoint = db.transaction()
            await savepoint.start()
            await tamper(db, statement.format("workspace_id = $1 and id = $2"), owner.workspace_id, seal["id"])
            verification = await audit_seal.verify(db, owner.workspace_id)
            assert (verification.broken_at, verification.missing) == (seal["number"], missing)
            assert verification.broken_id == seal["id"]
            await savepoint.rollback()
        assert (await audit_seal.verify(db, owner.workspace_id)).broken_at is None


async def test_a_seal_that_was_made_again_does_not_agree_with_the_next_one(database: Database, owner: Login) -> None:
    forged = """
    with s as (select s.*, a from audit_seal s join audit a on a.id = s.audit_id where s.workspace_id = $1 and seq = 2)
    update audit_seal t set hash = sha256(s.previous || audit_digest(s.a)) from s
    where t.workspace_id = s.workspace_id and t.seq = s.seq
    """
    async with database.transaction() as db:
        await write(db, owner.workspace_id, 5)
        await seal_singly(db)
        entry = await db.fetchval("select audit_id from audit_seal where workspace_id = $1 and seq = 2",
                                  owner.workspace_id)  # fmt: skip
        await tamper(db, "update audit set action = 'other' where id = $1", entry)
        await tamper(db, forged, owner.workspace_id)
        assert (await audit_seal.verify(db, owner.workspace_id)).broken_at == 3
        await tamper(db, "delete from audit_seal where workspace_id = $1 and seq = 4", owner.workspace_id)
        assert (await audit_seal.verify(db, owner.workspace_id)).broken_at == 3


async def test_a_seal_covers_32_entries_and_the_chain_is_that_of_each(database: Database, owner: Login) -> None:
    """Its hash follows from all of them: the same as if each had a seal of its own."""
    chain = """
    select audit_chain('', audit_digest(a) order by id) from audit a where workspace_id = $1
    """
    async with database.transaction() as db:
        await seal_all(db)
        before = await db.fetchval("select max(seq) from audit_seal where workspace_id = $1", owner.workspace_id)
        await write(db, owner.workspace_id, 70)
        await seal_all(db)
        seals = (
            "select seq, entries, checks, audit_id from audit_seal where workspace_id = $1 and seq > $2 order by seq"
        )
        rows = await db.fetch(seals, owner.workspace_id, before)
        verification = await audit_seal.verify(db, owner.workspace_id)
        expected = await db.fetchval(chain, owner.workspace_id)
    assert [row["seq"] - before for row in rows] == [32, 64, 70]
    assert [len(row["entries"]) for row in rows] == [32, 32, 6]
    assert all(len(row["checks"]) == 4 * len(row["entries"]) for row in rows)
    assert all(row["audit_id"] == row["entries"][-1] == max(row["entries"]) for row in rows)
    assert (verification.head, verification.broken_at) == (expected.hex(), None)


async def test_seals_of_the_version_before_are_of_the_same_chain(database: Database, owner: Login) -> None:
    """They have no list: one entry each. What is wrong with one of them is found, and what follows is linked to it."""
    plain = "update audit_seal set entries = null, checks = null where workspace_id = $1 and seq = 2"
    async with database.transaction() as db:
        await write(db, owner.workspace_id, 3)
        await seal_singly(db)
        await tamper(db, plain, owner.workspace_id)
        await write(db, owner.workspace_id, 3)
        assert await seal_all(db) == 3
        verification = await audit_seal.verify(db, owner.workspace_id)
        assert (verification.broken_at, verification.unsealed) == (None, 0)
        assert await seal_all(db) == 0
        entry = await db.fetchval("select audit_id from audit_seal where workspace_id = $1 and seq = 2",
                                  owner.workspace_id)  # fmt: skip
        await tamper(db, "update audit set action = 'other' where id = $1", entry)
        verification = await audit_seal.verify(db, owner.workspace_id)
        assert (verification.broken_at, verification.broken_id, verification.missing) == (2, entry, False)


async def test_a_seal_that_was_touched_is_named_by_its_first_entry(database: Database, owner: Login) -> None:
    touched = "update audit_seal set hash = sha256(hash) where workspace_id = $1 and seq = $2"
    async with database.transaction() as db:
        await seal_all(db)
        before = await db.fetchval("select max(seq) from audit_seal where workspace_id = $1", owner.workspace_id)
        await write(db, owner.workspace_id, 40)
        await seal_all(db)
        await tamper(db, touched, owner.workspace_id, before + 32)
        verification = await audit_seal.verify(db, owner.workspace_id)
    assert (verification.broken_at, verification.missing) == (before + 1, False)


async def test_the_command_names_the_broken_entry(context: AppContext, database: Database, owner: Login) -> None:
    workspace = ids.encode("wsp", owner.workspace_id)
    async with database.transaction() as db:
        await write(db, owner.workspace_id, 3)
        await seal_all(db)
    assert (await operations.verify_history(context, None))[workspace].startswith("ok, ")
    async with database.transaction() as db:
        [entry] = await db.fetchrow(
            "select id from audit where workspace_id = $1 order by id desc", owner.workspace_id
        ) or [None]
        await tamper(db, "delete from audit where id = $1", entry)
    told = (await operations.verify_history(context, workspace))[workspace]
    assert told.startswith("PROBLEM: broken at ")
    assert f"entry {ids.encode('aud', entry)} is missing" in told


async def test_what_the_plan_no_longer_keeps_goes_and_the_chain_still_holds(database: Database, owner: Login) -> None:
    insert = "insert into audit (id, workspace_id, action, actor) values ($1, $2, 'old', $3)"
    async with database.transaction() as db:
        await db.execute("update workspace set plan = 'free' where id = $1", owner.workspace_id)
        await write(db, owner.workspace_id, 2)
        for days in (40, 35, 20):
            old = ids.first_at(clock.now() - timedelta(days=days))
            await db.execute(insert, old, owner.workspace_id, ACTOR)
        await seal_singly(db)
        await db.execute("alter table audit_seal disable trigger user")
        await db.execute("update audit_seal set sealed_at = time_of_id(audit_id)")
        await db.execute("alter table audit_seal enable trigger user")
        purged = await purge.purge(db, [owner.workspace_id], {"free": 30}, limit=10)
        assert purged == {owner.workspace_id: 2}
        verification = await audit_seal.verify(db, owner.workspace_id)
        assert (verification.broken_at, verification.unsealed) == (None, 0)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):  # it stays closed afterwards
            await db.execute("delete from audit where workspace_id = $1", owner.workspace_id)


async def test_a_purge_takes_whole_seals(database: Database, owner: Login) -> None:
    """It ends with the seal that it began, and leaves one that has younger entries as it is."""
    insert = "insert into audit (id, workspace_id, action, actor) values ($1, $2, 'old', $3)"
    counts = "select count(*) from audit where workspace_id = $1 and action = 'old'"
    async with database.transaction() as db:
        await db.execute("update workspace set plan = 'free' where id = $1", owner.workspace_id)
        for number in range(70):
            old = ids.first_at(clock.now() - timedelta(days=40, seconds=-number))
            await db.execute(insert, old, owner.workspace_id, ACTOR)
        await seal_all(db)
        await db.execute("alter table audit_seal disable trigger user")
        await db.execute("update audit_seal set sealed_at = now() - interval '39 days'")
        await db.execute("alter table audit_seal enable trigger user")
        purged = [(await purge.purge(db, [owner.workspace_id], {"free": 30}, limit=10))[owner.workspace_id]
                  for _ in range(3)]  # fmt: skip
        left = await db.fetchval(counts, owner.workspace_id)
        verification = await audit_seal.verify(db, owner.workspace_id)
    assert purged == [32, 32, 0]
    assert left == 6
    assert (verification.broken_at, verification.unsealed) == (None, 0)


async def test_guessing_fills_no_history(api: Api, make: Make, owner: Login, database: Database) -> None:
    email = owner.email.upper()
    for number in range(30):
        answer = await api.post("/auth/login", json={"email": email, "password": f"wrong guess {number}"})
        assert answer.status_code in (401, 429)
    entries = (await api.get("/audit?action=login_failed&limit=100", key=owner.key)).json()["data"]
    assert len(entries) == 10
    assert "guess" not in json.dumps(entries)
    assert {entry["subject"] for entry in entries} == {ids.encode("usr", owner.user_id)}
