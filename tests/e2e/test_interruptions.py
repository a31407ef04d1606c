"""Killed at the worst moments, the service posts and reports once; a graceful shutdown leaves nothing behind."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.counterparts import OctokitReceiver, ReferencePds, octokit_receiver
from tests.helpers import bluesky_proxy
from tests.helpers.service_process import KILLED_BY_FAILPOINT, Api, Service, kill_postmaster, postmaster

from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import ids

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]


@pytest.fixture
async def receiver(api: Api) -> AsyncIterator[OctokitReceiver]:
    """Receives the events of published posts."""
    async with octokit_receiver() as opened:
        webhook = await api.post("/webhooks", json={"url": opened.url, "events": ["post.published"]})
        await opened.use(webhook["secret"])
        yield opened
        await api.call("DELETE", f"/webhooks/{webhook['id']}")


async def connect(api: Api, pds: ReferencePds) -> None:
    alice = pds.accounts[0]
    await api.connect("bluesky", identifier=alice.handle, appPassword=alice.app_password, service=pds.url)


async def connect_through(proxy: bluesky_proxy.Between, service: Service, api: Api, pds: ReferencePds) -> None:
    """A proxy is not the server that the account names, so only the operator may put it in its place."""
    alice = pds.accounts[0]
    await service.kill()
    await service.start(SIGNALPOST_BLUESKY_BASE_URL=proxy.url)
    await api.connect("bluesky", identifier=alice.handle, appPassword=alice.app_password)


async def check_events_once(receiver: OctokitReceiver) -> None:
    """One signed event for the target and one for the post."""
    deliveries = [await receiver.delivery() for _ in range(2)]
    assert all(delivery.verified for delivery in deliveries)
    assert sorted(delivery.json["data"]["scope"] for delivery in deliveries) == ["post", "target"]
    await asyncio.sleep(0.3)
    assert len(receiver.deliveries) == 2


@pytest.mark.parametrize(
    ("place", "parts", "public"),
    [
        ("after-intent", 1, 0),
        ("before-done", 1, 1),
        ("before-done:2", 3, 2),
    ],
)
async def test_a_crash_between_intent_and_response_posts_once(
    pds: ReferencePds, service: Service, api: Api, receiver: OctokitReceiver, place: str, parts: int, public: int
) -> None:
    """`public`: how many parts Bluesky has at the crash. In the end, every part exists once."""
    word = f"cut {place}"
    await connect(api, pds)
    await service.kill()
    await service.start(SIGNALPOST_TEST_FAILPOINT=place)

    thread = [{"text": f"{word} {number}"} for number in range(2, parts + 1)]
    post = await api.publish(["bluesky"], f"{word} 1", thread=thread)
    assert await service.ended() == KILLED_BY_FAILPOINT
    assert len(await bluesky_proxy.texts(pds, pds.accounts[0], word)) == public

    await service.start()
    ended = await api.ends(post)

    expected = [f"{word} {number}" for number in range(1, parts + 1)]
    assert await bluesky_proxy.texts(pds, pds.accounts[0], word) == expected
    assert len(ended["targets"][0]["threadIds"]) == parts - 1
    await check_events_once(receiver)


async def test_kill_9_before_the_response_arrives_posts_once(
    pds: ReferencePds, service: Service, api: Api, receiver: OctokitReceiver
) -> None:
    """Bluesky has created the record, but its response never arrives and the process is gone."""
    async with bluesky_proxy.between(pds) as proxy:
        await connect_through(proxy, service, api, pds)
        proxy.holding = True
        post = await api.publish(["bluesky"], "cut by the kernel")
        await proxy.has_answer.wait()
        await service.kill()
        proxy.let_go.set()
        proxy.holding = False

        await service.start()
        await api.ends(post)

        assert await bluesky_proxy.texts(pds, pds.accounts[0], "cut by the kernel") == ["cut by the kernel"]
        await check_events_once(receiver)


async def test_sigterm_waits_for_the_response_and_releases_every_lease(
    pds: ReferencePds, service: Service, api: Api
) -> None:
    """Work in flight is finished, not cancelled; the database stops with the service, and no lease is left in it."""
    async with bluesky_proxy.between(pds) as proxy:
        await connect_through(proxy, service, api, pds)
        proxy.holding = True
        post = await api.publish(["bluesky"], "in flight")
        await proxy.has_answer.wait()
        stopping = asyncio.create_task(service.stop())
        await asyncio.sleep(1)
        assert not stopping.done()
        proxy.let_go.set()

        assert await stopping == 0

    assert postmaster(service) is None
    cluster = await asyncio.to_thread(start_postgres, service.folder / "data")
    connection = await asyncpg.connect(cluster.dsn())
    post_id = ids.decode("pst", post["id"])
    assert await connection.fetchval("select status from post where id = $1", post_id) == "published"
    assert await connection.fetchval("select count(*) from lane where owner is not null") == 0
    assert await connection.fetchval("select count(*) from worker") == 0
    await connection.close()
    await asyncio.to_thread(cluster.stop)


async def test_a_killed_database_is_restarted(service: Service, api: Api) -> None:
    """After a kill -9 of the embedded PostgreSQL requests fail for a moment, then posts are published again."""
    await api.connect("sandbox", username="baker")
    before = postmaster(service)
    kill_postmaster(service)

    async def accepted() -> object:
        try:
            return await api.publish(["sandbox"], "after the restart")
        except AssertionError as error:
            if str(error).startswith("503 "):
                return None
            raise

    async def restarted() -> bool:
        return postmaster(service) not in (before, None)

    # Until then server processes whose postmaster is gone may still accept a post, and end before it is read.
    await service.until(restarted, "another postmaster")
    post = await service.until(accepted, "accepted post")
    await api.ends(post)
