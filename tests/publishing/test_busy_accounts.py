"""An account is disconnected and connected again while posts keep coming for it and are published."""

import asyncio
import secrets

from tests.helpers.publishing import StagedNetwork

from signalpost.kit import ids


async def test_disconnecting_a_busy_account_leaves_nothing_behind(stage: StagedNetwork) -> None:
    """Neither the API that writes nor the worker that publishes makes it fail, or escapes it."""
    account = await stage.account("busy")
    api, key, statuses = stage.make.api, stage.owner.key, list[int]()
    engine = stage.engine()
    running = asyncio.create_task(engine.run())
    going = True

    async def write() -> None:
        body = {"profileId": stage.owner.profile, "targets": [{"accountId": account}]}
        while going:
            response = await api.post("/posts", json=body | {"text": secrets.token_hex(8)}, key=key)
            statuses.append(response.status_code)

    writers = [asyncio.create_task(write()) for _ in range(6)]
    changes: list[int] = []
    for _ in range(5):
        while 201 not in statuses:
            await asyncio.sleep(0)
        changes.append((await api.delete(f"/platforms/accounts/{account}", key=key)).status_code)
        left = await _count(stage, account, "next_attempt_at is not null and status in ('pending', 'retrying')")
        assert left == 0
        statuses.clear()
        await stage.account("busy")
        changes.append(200)
    changes.append((await api.delete(f"/platforms/accounts/{account}", key=key)).status_code)
    going = False
    await asyncio.gather(*writers)
    await engine.stop(10)
    await running
    assert set(changes) == {200}
    assert set(statuses) <= {201, 422}
    assert await _count(stage, account, "status not in ('published', 'failed')") == 0


async def _count(stage: StagedNetwork, account: str, condition: str) -> int:
    async with stage.context.database.connection() as db:
        count: int = await db.fetchval(
            f"select count(*) from target where account_id = $1 and {condition}", ids.decode("acc", account)
        )
    return count
