"""No post is early, nor seems to be."""

import asyncio
from datetime import datetime, timedelta

from tests.helpers.publishing import StagedNetwork, until

from signalpost.engine.wake import wake
from signalpost.kit import clock


async def test_a_post_is_never_early_by_the_clock_of_the_database(stage: StagedNetwork) -> None:
    """A post due in 600 ms is published after that time."""
    post = await stage.post(draft=True)
    engine = stage.engine()
    running = asyncio.create_task(engine.run())
    async with stage.context.database.transaction() as db:
        row = await db.fetchrow(
            "update target set due_at = now() + interval '0.6 s', next_attempt_at = now() + interval '0.6 s'"
            " where post_id = $1 returning account_id, due_at",
            stage.id(post),
        )
        assert row is not None
        await wake(
            db,
            "target",
            [row["account_id"]],
            workspace_id=stage.owner.workspace_id,
            platforms=["stage"],
            due=[row["due_at"]],
        )
    await until(lambda: stage.sent)
    await engine.stop(5)
    await running

    late = await stage.context.database.pool.fetchval(
        "select extract(epoch from started_at - $2)::float8 from target where post_id = $1",
        stage.id(post),
        row["due_at"],
    )
    assert late >= 0


async def test_a_post_does_not_seem_to_start_before_its_time(stage: StagedNetwork) -> None:
    """Times are shown cut off to the millisecond; what is due within one starts in the next."""
    engine = stage.engine()
    running = asyncio.create_task(engine.run())
    when = clock.now().replace(microsecond=999) + timedelta(seconds=3)
    post = await stage.post(scheduledAt=when.isoformat(timespec="microseconds"))
    await until(lambda: stage.sent)
    await engine.stop(5)
    await running

    assert (await stage.target(post))["due_at"] == when + timedelta(microseconds=1)
    started = (await stage.make.api.get(f"/posts/{post}", key=stage.owner.key)).json()["targets"][0]["startedAt"]
    assert datetime.fromisoformat(started) >= when
