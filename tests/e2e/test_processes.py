"""More than one process: the port, the shared database, and a worker of its own."""

import contextlib
from typing import Any

import httpx
import pytest
from tests.helpers.service_process import Api, Service, installed, postmaster

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]


async def test_a_busy_port_is_refused_with_a_message(service: Service) -> None:
    """Otherwise the two servers would silently share the port."""
    async with installed() as second:
        process = await second.launch("--port", str(service.port))
        assert await process.wait() == 1
        assert f"127.0.0.1:{service.port} is in use" in second.log
        assert "Traceback" not in second.log
        assert not (second.folder / "data").exists()


async def test_two_services_share_a_data_folder(service: Service, api: Api) -> None:
    """Both serve the same database, either may end first, and the last one stops it."""
    second = Service(service.folder)
    await second.start()
    await api.connect("sandbox", username="baker")
    there = Api(second, {"profileId": api.profile, "apiKey": api.key})
    await api.ends(await there.publish(["sandbox"], "by the second"))

    assert await service.stop() == 0
    await there.ends(await there.publish(["sandbox"], "after the first has gone"))
    assert await second.stop() == 0
    assert postmaster(service) is None


async def test_a_worker_of_its_own_does_the_work(service: Service, api: Api) -> None:
    """`serve --no-worker` reports that no engine runs until `worker` runs on the same database."""
    await api.connect("sandbox", username="baker")
    await service.stop()
    await service.launch("--port", str(service.port), "--no-worker")

    async def health() -> Any:
        with contextlib.suppress(httpx.TransportError):
            return await api.get("/healthz/api")

    assert (await service.until(health, "answer"))["reasons"][0].startswith("No engine is running")
    post = await api.publish(["sandbox"], "by a worker")
    worker = Service(service.folder)
    await worker.launch(command="worker")
    await api.ends(post)

    assert await service.stop() == 0
    assert postmaster(service) is not None
    assert await worker.stop() == 0
    assert postmaster(service) is None


async def test_a_first_start_with_a_database_of_its_own_makes_the_data_folder(fresh_dsn: str) -> None:
    async with installed() as first:
        await first.start(SIGNALPOST_DATABASE_URL=fresh_dsn)
        made = {path.name for path in (first.folder / "data").iterdir()}
        assert await first.stop() == 0
    assert "master.key" in made
    assert "postgres" not in made
