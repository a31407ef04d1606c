"""What a cascade removes from networks: whether that is still under way, and what became of it."""

import asyncio
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import clock, ids
from signalpost.kit.db import Db, Row
from signalpost.posts import progress
from signalpost.posts.documents import PostWarning
from signalpost.posts.rows import TargetRow
from signalpost.posts.schemas.responses import PlatformError
from signalpost.posts.schemas.responses import PostWarning as Warned

REMOVE: Final = "publishing.remove"
"""The job that removes what is public of one target."""
FAILED: Final = "removal_failed"
"""Code of the error of a target whose removal was given up."""
ANSWER_SECONDS: Final = 5.0
"""How long the answer to a cascade waits for the networks; the removals go on after it."""
CODES = UNDER_WAY, DONE = "removal.under_way", "removal.done"
STAYS: Final = "removal.not_requested"
_POLL_SECONDS: Final = 0.1
_FAILURES: Final = """
select id, platform, error ->> 'message' as message from target where id = any($1) and error ->> 'code' = $2
order by position
"""


def job_key(target_id: UUID) -> str:
    """Return the key by which there is one removal of a target at a time."""
    return f"{REMOVE}/{target_id}"


async def being_removed(db: Db, target_ids: Sequence[UUID]) -> list[UUID]:
    """Return which of these targets have a removal that is not over. Their posts must be locked."""
    open_keys = await jobs.open_keys(db, [job_key(target_id) for target_id in target_ids])
    return [target_id for target_id in target_ids if job_key(target_id) in open_keys]


async def wait_for(context: AppContext, target_ids: Sequence[UUID]) -> tuple[list[PlatformError], bool]:
    """Wait for the removals of these targets, no longer than `ANSWER_SECONDS` and without a connection meanwhile.

    Returns:
        What was given up, and whether some are still under way.
    """
    until = clock.monotonic() + ANSWER_SECONDS
    while True:
        async with context.database.connection() as db:
            is_pending = bool(await being_removed(db, target_ids))
            if not is_pending or clock.monotonic() >= until:
                return [_failure(row) for row in await db.fetch(_FAILURES, target_ids, FAILED)], is_pending
        await asyncio.sleep(_POLL_SECONDS)


def stays_public(post_id: UUID, targets: Sequence[TargetRow], *, in_trash: bool) -> list[Warned]:
    """Return what is public of a post that is deleted here only. `in_trash`: it can still be removed."""
    remedy = f"To remove it there too: DELETE /api/v1/posts/{ids.encode('pst', post_id)}?cascade=true."
    return [
        Warned(
            code=STAYS,
            path=f"/targets/{index}",
            message=f"The post stays public on {target.platform}: {target.url or target.remote_id}.",
            platform=target.platform,
            account_id=ids.encode("acc", target.account_id),
            remediation=remedy if in_trash else None,
        )
        for index, target in enumerate(targets)
        if target.status == "published"
    ]


def _failure(row: Row) -> PlatformError:
    return PlatformError(ids.encode("tgt", row["id"]), row["platform"], FAILED, row["message"])


async def warnings(db: Db, targets: Sequence[TargetRow]) -> list[PostWarning]:
    """Return what a cascade has removed of a post that is restored, and what it is about to remove. It is locked."""
    public = [target.id for target in targets if target.remote_id is not None and progress.public_parts(target)]
    under_way = {*await being_removed(db, public)} if public else set()
    removed: list[PostWarning] = []
    for target in targets:
        name = f"{target.username} on {target.platform}"
        if target.id in under_way:
            message = (
                "the post is being removed there, as requested when it was deleted; restoring it does not stop that."
            )
            removed.append(PostWarning(UNDER_WAY, "", f"{name}: {message}"))
        elif target.status == "removed":
            message = "the post was removed there. Duplicate it to publish it again."
            removed.append(PostWarning(DONE, "", f"{name}: {message}"))
    return removed
