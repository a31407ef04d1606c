"""The slots of a CSV file, reserved before its rows are written: side by side, whoever else takes slots meanwhile."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import log, problems
from signalpost.kit.db import DATABASE_DOWN, RETRYABLE
from signalpost.posts.many.batch_slots import BatchSlots, FileSlots, QueueChoice
from signalpost.scheduling.actions import reserve
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId, QueueId

QUEUES_MAX: Final = 50
"""Locked at once."""
_logger = log.get("posts")


def choice_of(body: Mapping[str, Any]) -> QueueChoice | None:
    """Return for which queue a row of a file asks. What is wrong with the row is said when it is created."""
    if body.get("publishMode") != "slot":
        return None
    profile_id = ProfileId.parse(body.get("profileId", ""))
    queue_id = QueueId.parse(body["queueId"]) if "queueId" in body else None
    return None if profile_id is None or (queue_id is None and "queueId" in body) else (profile_id, queue_id)


@asynccontextmanager
async def reserved(context: AppContext, caller: Caller, choices: Counter[QueueChoice]) -> AsyncIterator[FileSlots]:
    """Reserve so many slots of each queue; at the end leave to everybody what the file did not use."""
    blocks: dict[UUID, int] = {}
    block_ids: list[int] = []
    mine = [choice for choice in choices if caller.may_see_profile(choice[0])]
    try:
        for start in range(0, len(mine), QUEUES_MAX):
            some = {choice: choices[choice] for choice in mine[start : start + QUEUES_MAX]}
            block_ids += await _reserve(context, caller, some, blocks)
        yield FileSlots(blocks)
    finally:
        if block_ids:
            await _leave(context, caller, block_ids)


async def _reserve(
    context: AppContext, caller: Caller, choices: Mapping[QueueChoice, int], blocks: dict[UUID, int]
) -> list[int]:
    """Return the ids of the new blocks, and note the first one of each queue: it does not stand in its own way."""
    new: dict[UUID, int] = {}
    async with context.database.transaction() as db:
        queues = BatchSlots(db, caller, FileSlots())
        await queues.lock(choices.keys())
        counts = Counter[UUID]()
        by_id = {}
        for choice, count in choices.items():
            if (queue := queues.queue_of(choice)) is not None:
                by_id[queue.id] = queue
                counts[queue.id] += count
        for queue_id, count in counts.items():
            if (block_id := await reserve.reserve_block(db, by_id[queue_id], count)) is not None:
                new[queue_id] = block_id
    for queue_id, block_id in new.items():
        blocks.setdefault(queue_id, block_id)
    return list(new.values())


async def _leave(context: AppContext, caller: Caller, block_ids: list[int]) -> None:
    try:
        async with context.database.transaction() as db:
            await reserve.remove_blocks(db, caller.workspace_id, block_ids)
    except (problems.Unavailable, *RETRYABLE, *DATABASE_DOWN) as error:
        # The posts are written, and the caller hears so: the blocks end by themselves.
        _logger.warning("posts.blocks_left", blocks=len(block_ids), error=type(error).__name__)
