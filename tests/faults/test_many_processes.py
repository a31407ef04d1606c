"""Several processes serve one installation: what is sold or protects is not multiplied by them."""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress

import httpx
from tests.faults.hostile import BUSY, HostileNetwork
from tests.faults.processes import Process
from tests.faults.scene import Scene, Tenant, sizes
from tests.figures.record import Record, holds

from signalpost.identity.login_throttle import FAILURES_OF_NETWORK, WINDOW_SECONDS
from signalpost.kit import clock
from signalpost.publishing.troubles import ACCOUNTS_MIN, LOOK_SECONDS
from signalpost.stream.places import HOLD_SECONDS, TENANT_MAX
from signalpost.web.limits import PER_ADDRESS

REQUESTS_PER_MINUTE = 300
UNDER_WAY_MAX = 32

Ask = Callable[[httpx.AsyncClient, int], Awaitable[httpx.Response]]


async def _answers(clients: list[httpx.AsyncClient], times: int, ask: Ask) -> tuple[Counter[str], float]:
    """Ask all processes by turns, many at a time; return the codes of the answers, and the seconds that it took."""
    places = asyncio.Semaphore(UNDER_WAY_MAX)
    began = clock.monotonic()

    async def one(number: int) -> str:
        async with places:
            answer = await ask(clients[number % len(clients)], number)
            return "ok" if answer.status_code == 200 else str(answer.json()["code"])

    codes = Counter(await asyncio.gather(*(one(number) for number in range(times))))
    return codes, clock.monotonic() - began


def _too_many(seen: int, capacity: int, window_seconds: float, seconds: float) -> int:
    """Return how many more were let through than one bucket holds and gets in that time."""
    return max(0, seen - capacity - math.ceil(seconds * capacity / window_seconds))


@holds("R19")
@sizes("size", quick=(3, 600, 60), heavy=(10, 2_000, 100))
async def test_processes_share_their_limits(scene: Scene, record: Record, size: tuple[int, int, int]) -> None:
    """`size`: processes, requests of one key, guesses of each kind. By turns at all processes, many at a time."""
    count, requests, guesses = size
    tenant = await scene.tenant()
    settings = {"SIGNALPOST_REQUESTS_PER_MINUTE": str(REQUESTS_PER_MINUTE), "SIGNALPOST_TRUSTED_PROXIES": "1"}
    served = [await scene.serve(**settings) for _ in range(count)]
    clients = [scene.client(process) for process in served]
    key = {"Authorization": f"Bearer {tenant.login.key}"}
    wrong_key = {"Authorization": "Bearer sp_live_wrong", "X-Forwarded-For": "203.0.113.5"}
    email = "somebody@example.test"
    try:
        used, used_seconds = await _answers(clients, requests, lambda client, _: client.get("/profiles", headers=key))
        keys, keys_seconds = await _answers(
            clients, guesses, lambda client, _: client.get("/profiles", headers=wrong_key)
        )
        sign_ins, sign_ins_seconds = await _answers(
            clients,
            guesses,
            lambda client, number: client.post(
                "/auth/login",
                json={"email": email, "password": "wrong horse battery"},
                headers={"X-Forwarded-For": f"198.51.100.{number % 200 + 1}"},
            ),
        )
    finally:
        for client in clients:
            await client.aclose()
    measured = {
        "requests too many": _too_many(used["ok"], REQUESTS_PER_MINUTE, 60, used_seconds),
        "guesses too many": _too_many(keys["unauthenticated"], PER_ADDRESS, 60, keys_seconds)
        + _too_many(sign_ins["invalid_credentials"], FAILURES_OF_NETWORK, WINDOW_SECONDS, sign_ins_seconds),
    }
    record("R19", tried={"processes": count, "requests": requests, "guesses": 2 * guesses}, measured=measured)
    assert measured == {"requests too many": 0, "guesses too many": 0}, (used, keys, sign_ins)
    assert used.keys() <= {"ok", "rate_limited"}
    assert used["ok"] >= REQUESTS_PER_MINUTE / 2
    assert keys.keys() == {"unauthenticated", "rate_limited"}
    assert sign_ins.keys() == {"invalid_credentials", "login_throttled"}


class _Streams:
    """Streams of one tenant at one process."""

    def __init__(self, stack: AsyncExitStack, client: httpx.AsyncClient) -> None:
        self._stack, self._client = stack, client
        self.open: list[httpx.Response] = []

    @classmethod
    async def at(cls, stack: AsyncExitStack, scene: Scene, process: Process, tenant: Tenant) -> "_Streams":
        return cls(stack, await stack.enter_async_context(scene.client(process, tenant)))

    async def more(self) -> int:
        """Open one more; return the status."""
        async with AsyncExitStack() as opening:
            response = await opening.enter_async_context(self._client.stream("GET", "/events/stream"))
            if response.status_code == 200:
                self.open.append(response)
                self._stack.push_async_callback(opening.pop_all().aclose)
        return response.status_code

    async def filled(self) -> bool:
        """Whether the tenant has all its streams here, after another try to open those that are missing."""
        await asyncio.gather(*(self.more() for _ in range(TENANT_MAX - len(self.open))))
        await asyncio.sleep(0.5)
        return len(self.open) == TENANT_MAX

    async def until_ended(self) -> None:
        async def read(response: httpx.Response) -> None:
            with suppress(httpx.HTTPError):
                async for _ in response.aiter_raw():
                    pass

        async with asyncio.timeout(60):
            await asyncio.gather(*(read(response) for response in self.open))


@sizes("size", quick=(3, 90), heavy=(10, 300))
async def test_processes_share_the_streams_of_an_owner(scene: Scene, size: tuple[int, int]) -> None:
    """`size`: processes, and streams that are opened at once, by turns. Then one is killed, all others but one freeze.

    The last one has all places within seconds; those that wake end what is too many.
    """
    count, tries = size
    tenant = await scene.tenant()
    served = [await scene.serve() for _ in range(count)]
    async with AsyncExitStack() as stack:
        streams = [await _Streams.at(stack, scene, process, tenant) for process in served]
        codes = Counter(await asyncio.gather(*(streams[number % count].more() for number in range(tries))))
        assert codes == {200: TENANT_MAX, 429: tries - TENANT_MAX}
        killed, *frozen, _ = served
        killed.kill()
        for process in frozen:
            process.freeze()
        last = streams[-1]
        await scene.until(last.filled, "places of processes that are gone", HOLD_SECONDS + 30)
        for process in frozen:
            process.thaw()
        for others in streams[1:-1]:
            await others.until_ended()
            assert await others.more() == 429
        assert await scene.value("sum(streams)::int from stream_place") == TENANT_MAX


@sizes("count", quick=2, heavy=10)
async def test_a_server_that_breaks_is_asked_by_one_process(scene: Scene, network: HostileNetwork, count: int) -> None:
    """`count`: workers. What three attempts met, at whichever of them, holds for all; one asks, with one post."""
    tenant = await scene.tenant()
    first = [await tenant.mastodon(network, f"first{number}") for number in range(ACCOUNTS_MIN)]
    late = [await tenant.mastodon(network, f"late{number}") for number in range(2 * count)]
    for _ in range(count):
        await scene.worker()
    network.on("", BUSY)
    for account in first:
        await tenant.post(account, text="first")
    broken = "exists (select from network_trouble where probe_at is not null)"
    await scene.until(lambda: scene.value(broken), "a broken server")
    before = len(network.calls)
    known_at = clock.monotonic() + LOOK_SECONDS
    await scene.until(lambda: clock.monotonic() > known_at, "knowledge of it")
    posts = [await tenant.post(account, text="late") for account in late]
    await scene.until(lambda: len(network.calls) > before, "look whether it works")
    over_at = clock.monotonic() + 3.0
    await scene.until(lambda: clock.monotonic() > over_at, "end of a look by others")
    assert len(network.calls) == before + 1
    network.on("", None)
    for post in posts:
        await tenant.ends(post, "published")
    assert network.doubles() == {}
