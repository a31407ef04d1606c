"""One workspace cannot take the database away from another."""

import asyncio

from tests.web.conftest import SmallApp


async def test_a_workspace_with_slow_requests_leaves_half_of_the_connections_to_others(small_app: SmallApp) -> None:
    """Its own requests wait for each other; those of others do not notice."""
    small_app.gate.clear()
    slow = [
        asyncio.create_task(small_app.api.post("/things", json={"name": "waits"}, key="ann"))
        for _ in range(small_app.database.pool.size * 2)
    ]
    await asyncio.sleep(0.2)
    others = await asyncio.gather(*(small_app.api.get("/things", key="ben") for _ in range(20)))
    small_app.gate.set()
    answers = await asyncio.gather(*slow)

    assert {answer.status_code for answer in others} == {200}
    assert {answer.status_code for answer in answers} == {201}
