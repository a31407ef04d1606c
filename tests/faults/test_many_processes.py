"""Several processes serve one installation: what is sold or protects is not multiplied by them."""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable

import httpx
from tests.faults.scene import Scene, sizes
from tests.figures.record import Record, holds

from signalpost.identity.login_throttle import FAILURES_OF_NETWORK, WINDOW_SECONDS
from signalpost.kit import clock
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
