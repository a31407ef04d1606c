"""Clocks that are wrong: nothing is published early, whose clock it may be, and people are told."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.faults.hostile import HostileNetwork
from tests.faults.own_postgres import OwnPostgres, fake_clock, own_postgres
from tests.faults.scene import Scene, open_scene
from tests.figures.record import Record, holds
from tests.helpers.service_process import Service

from signalpost.kit import clock
from signalpost.settings import Settings

WORKER, QUEUE = "a worker that starts then", "POST /queue/process"
HEAVY = (pytest.mark.heavy,)


@pytest.fixture
async def stepping(server_files: Path) -> AsyncIterator[tuple[OwnPostgres, Path]]:
    """A server whose clock goes wrong as soon as a test writes into the file."""
    with tempfile.TemporaryDirectory(prefix="signalpost-clock-") as name:
        folder = Path(name)
        await asyncio.to_thread(folder.chmod, 0o755)
        (folder / "offset").write_text("+0")
        async with own_postgres(server_files, fake_clock(folder / "offset")) as server:
            yield server, folder / "offset"
    clock.follow(datetime.now(UTC))  # the clock of this process went by that server


@holds("R2")
@pytest.mark.parametrize(
    ("who", "step"),
    [
        (WORKER, timedelta(hours=1)),
        (QUEUE, timedelta(hours=1)),
        pytest.param(WORKER, timedelta(minutes=-30), marks=HEAVY),
        pytest.param(WORKER, timedelta(days=400), marks=HEAVY),
        pytest.param(QUEUE, timedelta(days=400), marks=HEAVY),
    ],
    ids=str,
)
async def test_nothing_is_early_after_a_step_of_the_database_clock(
    settings: Settings, stepping: tuple[OwnPostgres, Path], network: HostileNetwork, tmp_path: Path, record: Record,
    who: str, step: timedelta,
) -> None:  # fmt: skip
    """The clock steps while a post is due in twenty minutes."""
    server, offset = stepping
    async with open_scene(settings, server.dsn, tmp_path) as scene:
        tenant = await scene.tenant()
        account = await tenant.mastodon(network)
        await scene.worker()
        post = await tenant.post(account, text="on time", scheduledAt=clock.wire(clock.now() + timedelta(minutes=20)))
        canary = await tenant.sandbox()
        await tenant.ends(await tenant.post(canary, text="before the step"), "published")
        offset.write_text(f"{step.total_seconds():+.0f}")

        async def told() -> bool:
            health = await scene.api.get("/healthz/api")
            return any("clock" in reason.lower() for reason in health.json()["reasons"])

        await scene.until(told, "word of the clock in /healthz/api")
        if who == QUEUE:
            headers = {"X-Queue-Secret": "queue-secret-of-the-tests"}
            for _ in range(2):
                await scene.api.post("/queue/process", headers=headers)
        else:
            await scene.worker()
        await scene.until(told, "word of the clock, again")
        record("R2", tried={"moves of the clock": 1}, measured={"early": len(network.calls)})
        assert network.calls == []

        offset.write_text("+0")  # it is set right again
        await tenant.ends(await tenant.post(await tenant.sandbox("after"), text="after the step"), "published")
        assert network.calls == []

        async def scheduled() -> bool:  # this process reads the clock again within seconds
            return bool((await tenant.status(post))["status"] == "scheduled")

        await scene.until(scheduled, "the post as it was")


@pytest.mark.parametrize("minutes", [30, -30])
async def test_the_clock_of_an_api_host_decides_nothing(
    scene: Scene, network: HostileNetwork, tmp_path: Path, minutes: int
) -> None:
    """The API host is half an hour off; database and worker are right. The post is for in 29.5 minutes."""
    tenant = await scene.tenant()
    account = await tenant.mastodon(network)
    await scene.worker()
    offset = tmp_path / "offset"
    offset.write_text(f"{minutes * 60:+d}")
    (tmp_path / "data").symlink_to(scene.context.settings.data_dir)
    host = Service(tmp_path)
    environment = scene.environment() | fake_clock(offset)
    await host.launch("--port", str(host.port), "--no-worker", **environment)
    try:
        async with scene.client_at(host.port, tenant) as client:

            async def answers() -> bool:
                assert host.runs, host.log
                return await scene.answers(client)

            await scene.until(answers, "an answer of the other host")
            at = clock.now() + timedelta(minutes=29, seconds=30)
            body = {"profileId": tenant.login.profile, "text": "on time", "targets": [{"accountId": account}]}
            made = await client.post("/posts", json=body | {"scheduledAt": clock.wire(at)})
            assert made.status_code == 201, made.text
            assert made.json()["status"] == "scheduled"
            soon = await client.post("/posts", json=body | {"text": "at once"})
            assert soon.status_code == 201, soon.text
            await tenant.ends(soon.json()["id"], "published")
            due = await scene.value("due_at from target order by due_at desc limit 1")
            assert abs((due - at).total_seconds()) < 1
            assert network.public() == ["at once"]
    finally:
        if host.runs:
            await host.kill()
