"""Commits stall, because the synchronous standby is away: an open stream of events hears of all of them afterwards."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.own_postgres import own_postgres
from tests.faults.scene import open_scene, sizes
from tests.stream.listening import listen_to

from signalpost.kit import clock
from signalpost.main import app
from signalpost.settings import Settings
from signalpost.stream import hub

POSTS = 5


@sizes("seconds", quick=2.0, heavy=14.0)
async def test_an_open_stream_hears_of_commits_that_stalled(
    settings: Settings, server_files: Path, network: HostileNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    seconds: float,
) -> None:  # fmt: skip
    """`seconds`: how long no commit ends; the posts are in their call when it begins."""
    if seconds < hub.OVERLAP.total_seconds():
        monkeypatch.setattr(hub, "OVERLAP", timedelta(seconds=seconds / 10))
    network.on("held", slow(1.0))
    async with own_postgres(server_files) as server, open_scene(settings, server.dsn, tmp_path) as scene:
        tenant = await scene.tenant()
        accounts = [await tenant.mastodon(network, f"a{number}") for number in range(POSTS)]
        await scene.worker()
        async with listen_to(app.create(scene.context))(tenant.login.key) as client:
            posts = [await tenant.post(account, text=f"held {n}") for n, account in enumerate(accounts)]
            await scene.until(lambda: len(network.calls) == POSTS, "calls under way")
            await server.execute("alter system set synchronous_standby_names = 'nobody'", "select pg_reload_conf()")
            until = clock.monotonic() + seconds
            await scene.until(lambda: clock.monotonic() > until, "end of the stall")
            assert await server.value("count(*) from pg_stat_activity where wait_event = 'SyncRep'") > 0
            await server.execute("alter system reset synchronous_standby_names", "select pg_reload_conf()")
            await scene.all_done()
            after = await tenant.post(accounts[0], text="after")
            await client.until(lambda client: ("created", after) in client.changes())
        assert {("target.published", post) for post in posts} <= set(client.changes())
        assert ("reset", {}) not in client.events
