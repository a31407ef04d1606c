"""The drill: a large instance is saved under load, goes on publishing, is lost, and comes back from its backup."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from bench.population import Template, populate, write_posts
from tests.faults.hostile import HostileNetwork
from tests.faults.scene import Scene, Tenant, account_id, open_scene, post_id, sizes
from tests.faults.test_restore import elsewhere, saved
from tests.figures.record import Record, holds

from signalpost.accounts import token_store
from signalpost.kit import clock
from signalpost.main.backup import commands
from signalpost.main.backup.dump import VOLATILE
from signalpost.settings import Settings

__all__ = ["elsewhere"]

NETWORK_ACCOUNTS = 10
_OF_A_TENANT = """
select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and c.relname <> 'lane' and c.relname <> all($1)
"""
"""The tables with rows of workspaces. A restored instance has lanes of its own."""


async def _populate(scene: Scene, tenant: Tenant, workspaces: int, posts: int) -> None:
    """Write workspaces with a sandbox account each, and posts of theirs for next summer."""
    box = await tenant.sandbox()
    profile = await scene.value("id from profile where workspace_id = $1", tenant.login.workspace_id)
    later = clock.wire(clock.now() + timedelta(days=200))
    post = post_id(await tenant.post(box, text="template", scheduledAt=later))
    db = await asyncpg.connect(scene.dsn, command_timeout=600)
    try:
        template = Template(tenant.login.workspace_id, profile, account_id(box))
        await populate(db, scene.context.keys, template, workspaces=workspaces, accounts_each=1)
        await write_posts(db, post, posts, when=clock.now() + timedelta(days=200))
    finally:
        await db.close()


async def _digests(dsn: str, without: Tenant) -> dict[str, Any]:
    """A digest of all rows of each table, but for those of one workspace, to which somebody writes."""
    db = await asyncpg.connect(dsn, command_timeout=600)
    try:
        digest = "md5(string_agg(md5(t::text), '' order by md5(t::text)))"
        return {
            row["name"]: await db.fetchval(
                f'select {digest} from "{row["name"]}" t where workspace_id <> $1', without.login.workspace_id
            )
            for row in await db.fetch(_OF_A_TENANT, list(VOLATILE))
        }
    finally:
        await db.close()


async def _saved_under_load(scene: Scene, busy: Tenant, settings: Settings, file: Path) -> None:
    """Make a backup while somebody writes posts."""
    box = await busy.sandbox()
    saving = asyncio.create_task(commands.backup(settings, file, with_key=True, with_media=True))
    number = 0
    while not saving.done():
        number += 1
        later = clock.wire(clock.now() + timedelta(days=1))
        await busy.post(box, text=f"meanwhile {number}", scheduledAt=later)
    await saving
    assert number > 1, "nobody wrote while the backup was made"


async def _tokens_opened(scene: Scene, count: int) -> int:
    """Open the secrets of so many accounts, each of which is refused if it was changed; return how many there are."""
    keys = scene.context.keys
    rows = await scene.query("select id, workspace_id, secrets from account order by id limit $1", count)
    return len([token_store.unseal(keys, row["workspace_id"], row["id"], row["secrets"]) for row in rows])


@pytest.mark.alone
@holds("O1")
@sizes("size", quick=(300, 5, 10), heavy=(100_000, 100, 100))
async def test_a_drill_loses_nothing_and_repeats_nothing(
    scene: Scene, elsewhere: Settings, tmp_path: Path, network: HostileNetwork, record: Record,
    size: tuple[int, int, int],
) -> None:  # fmt: skip
    """`size`: posts for later, their workspaces, posts that go out after the backup, half to a network without keys."""
    posts, workspaces, sent = size
    network.knows_keys = False
    owner, busy = await scene.tenants(2)
    await owner.late_policy()
    await _populate(scene, owner, workspaces, posts)
    connect = (owner.mastodon, owner.bluesky)
    accounts = [await connect[number % 2](network, f"a{number}") for number in range(NETWORK_ACCOUNTS)]
    soon = clock.wire(clock.now() + timedelta(seconds=1))
    due = [
        await owner.post(accounts[number % NETWORK_ACCOUNTS], text=f"number {number} goes out", scheduledAt=soon)
        for number in range(sent)
    ]
    settings, file = saved(scene, tmp_path)
    before = await _digests(scene.dsn, busy)
    await _saved_under_load(scene, busy, settings, file)
    await scene.worker()
    for post in due:
        await owner.ends(post, "published")
    scene.close()
    public, calls = sorted(network.public()), (len(network.calls), network.lookups)

    began = clock.monotonic()
    await commands.restore(elsewhere, file)
    seconds = clock.monotonic() - began
    assert elsewhere.database_url is not None
    after = await _digests(elsewhere.database_url, busy)
    differ = [name for name in before if before[name] != after[name]]
    async with open_scene(elsewhere, elsewhere.database_url, tmp_path) as other:
        opened = await _tokens_opened(other, workspaces)
        worker = await other.worker()
        await other.until(lambda: "engine.held" in worker.log_file.read_text(), "a held engine")
        held_calls = len(network.calls) + network.lookups - sum(calls)
        await commands.resume(other.context)
        await other.age_sent_parts()
        again = Tenant(other, owner.login)
        for post in due:
            await again.ends(post, "published")
        tried = {"posts": posts, "posts sent after the backup": sent, "tokens opened": opened}
        measured = {
            "seconds of the restore": round(seconds, 1), "calls while held": held_calls,
            "doubles": len(network.doubles()), "tables that differ": len(differ),
        }  # fmt: skip
        record("O1", tried=tried, measured=measured)
    assert seconds <= 60
    assert differ == []
    assert (opened, held_calls) == (workspaces, 0)
    assert network.doubles() == {}
    assert sorted(network.public()) == public
