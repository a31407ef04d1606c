"""A flood of comments in one workspace: the posts of others go out on time, and their comments are there soon."""

import pytest
from tests.faults.scene import MOST, Scene, Tenant, account_id, percentile, post_id, sizes
from tests.figures.record import Record, holds

from signalpost.comments.actions import plan
from signalpost.kit import clock

_IS_DUE = """
update comment_source set next_attempt_at = now() where account_id = any($1) returning account_id, workspace_id
"""
_LATE = """
select extract(epoch from published_at - due_at)::float8 as seconds from target where post_id = any($1)
"""


async def _late(quiet: list[tuple[Tenant, str]], rounds: int, word: str) -> list[float]:
    """Have each tenant publish a post in each round; return how long after their time they were public."""
    posts = []
    for number in range(rounds):
        made = [(tenant, await tenant.post(box, text=f"{word} {number}")) for tenant, box in quiet]
        for tenant, post in made:
            await tenant.ends(post, "published")
        posts += [post_id(post) for _, post in made]
    return [row["seconds"] for row in await quiet[0][0].scene.query(_LATE, posts)]


async def _collect(scene: Scene, *boxes: str) -> None:
    """Have the comments of these accounts collected now."""
    async with scene.database.transaction() as db:
        due = await db.fetch(_IS_DUE, [account_id(box) for box in boxes])
        assert len({row["account_id"] for row in due}) == len(boxes)
        for row in due:
            await plan.enqueue(db, row["account_id"], row["workspace_id"])


@pytest.mark.alone
@holds("R24")
@sizes("size", quick=(4, 50, 2, 3), heavy=(120, 1_000, 10, 50))
async def test_a_flood_of_comments_delays_nobody_else(
    scene: Scene, record: Record, size: tuple[int, int, int, int]
) -> None:
    """`size`: posts of the flood, comments under each, quiet tenants, how often each of them publishes meanwhile."""
    flooded, comments, others, rounds = size
    noisy = await scene.tenant()
    boxes = [await noisy.sandbox(f"noisy{number}") for number in range(flooded)]
    quiet = [(tenant, await tenant.sandbox()) for tenant in await scene.tenants(others)]
    await scene.worker()
    for number, box in enumerate(boxes):
        post = await noisy.post(box, text=f"flooded {number} [[comments:{comments}]]")
        await noisy.ends(post, "published")
    calm = await _late(quiet, 2, "calm")
    await _collect(scene, *boxes)
    await scene.until(lambda: scene.value("exists (select from comment)"), "beginning of the flood")
    tenant = quiet[0][0]
    reader = await tenant.sandbox("reader")  # has nothing to publish any more, which would go first
    await tenant.ends(await tenant.post(reader, text="quiet [[comments:3]]"), "published")
    began = clock.monotonic()
    await _collect(scene, reader)
    mine = "count(*) = 3 from comment where workspace_id = $1"
    await scene.until(lambda: scene.value(mine, tenant.login.workspace_id), "comments of the quiet tenant")
    seconds = clock.monotonic() - began
    busy = await _late(quiet, rounds, "busy")
    stored = await scene.value("count(*) from comment")
    late = round(1000 * percentile(busy, 0.99))
    tried = {"comments": stored, "posts beside the flood": len(busy)}
    measured = {"p99 of a post beside it, ms": late, "s until the comments of others": round(seconds, 1)}
    record("R24", tried=tried, measured=measured)
    if flooded >= 120:  # a small one may be over before they have published
        assert stored < flooded * comments, "the flood was over before the quiet tenants had published"
        assert late <= 250, (calm, busy)
        assert seconds <= 5
    assert percentile(busy, MOST) - percentile(calm, 0.5) <= 3.0, (calm, busy)
