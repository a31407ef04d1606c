"""Packets to the database vanish: every operation answers within ten seconds, and says in a problem what is wrong."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from tests.faults.own_postgres import own_postgres
from tests.faults.scene import Scene, open_scene, sizes
from tests.faults.tcp_proxy import TcpProxy
from tests.helpers.contract import ENDPOINTS, PreparedRequest, Sample, create_sample, name_of

from signalpost.identity.caller_cache import CHANGING_MAX, CallerCache
from signalpost.kit import clock
from signalpost.kit.lru import LruDict
from signalpost.settings import Settings

ANSWER_SECONDS = 10.0
AT_ONCE = 12
"""Fewer than a process has connections: each request waits for a statement of its own, not for a connection."""


class _Answer(NamedTuple):
    name: str
    response: httpx.Response
    seconds: float

    @property
    def is_good(self) -> bool:
        """Whether it came in time, and is what was asked for or a problem that is not a fault of ours."""
        status, media_type = self.response.status_code, self.response.headers.get("content-type")
        says_why = status < 400 or (media_type == "application/problem+json" and self.response.json()["code"])
        return bool(says_why) and status != 500 and self.seconds <= ANSWER_SECONDS


def _requests(sample: Sample, nth: int) -> list[tuple[str, PreparedRequest]]:
    """Return every nth operation's, those that write also under an Idempotency-Key."""
    requests = []
    for endpoint in ENDPOINTS[::nth]:
        requests.append((name_of(endpoint), sample.prepare(endpoint)))
        if endpoint.method == "POST":
            again = sample.prepare(endpoint)
            again.headers["Idempotency-Key"] = f"silent {endpoint.path}"
            requests.append((f"{name_of(endpoint)} with a key", again))
    return requests


async def _warm_up(scene: Scene, sample: Sample) -> None:
    """Open connections, and have the callers known, so that what is silent first is what an operation reads."""
    callers = scene.context.state(CallerCache)
    callers.seconds, callers.changing = 3_600.0, LruDict(CHANGING_MAX)
    keys = [sample.owner.key, sample.staff.key] * (AT_ONCE // 2)
    while {answer.status_code for answer in await asyncio.gather(*(_read(scene, key) for key in keys))} != {200}:
        await asyncio.sleep(0.1)


async def _read(scene: Scene, key: str) -> httpx.Response:
    return await scene.api.get("/profiles", key=key)


async def _answered(scene: Scene, name: str, request: PreparedRequest) -> _Answer:
    began = clock.monotonic()
    response = await request.send(scene.api)
    return _Answer(name, response, clock.monotonic() - began)


@pytest.mark.alone
@sizes("nth", quick=40, heavy=1)
async def test_every_operation_answers_though_the_database_is_silent(
    settings: Settings, server_files: Path, tmp_path: Path, nth: int
) -> None:
    """`nth`: of how many operations one is tried. A dozen at a time, on connections that worked a moment ago."""
    answers: list[_Answer] = []
    async with own_postgres(server_files) as server, TcpProxy(server.socket) as proxy:
        dsn = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
        async with open_scene(settings, dsn, tmp_path) as scene:
            sample = await create_sample(scene.api, scene.make, ENDPOINTS[::nth])
            requests = _requests(sample, nth)
            for first in range(0, len(requests), AT_ONCE):
                await _warm_up(scene, sample)
                proxy.swallow()
                some = requests[first : first + AT_ONCE]
                answers += await asyncio.gather(*(_answered(scene, name, request) for name, request in some))
                proxy.forward()
    codes = Counter(answer.response.status_code for answer in answers)
    assert codes[503] > len(answers) / 2, codes
    bad = [(answer.name, answer.response.status_code, answer.seconds) for answer in answers if not answer.is_good]
    assert bad == []
