"""Finding the next free slot of a queue, and taking it. The queue stays locked in between."""

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.kit import clock, ids, problems, zones
from signalpost.kit.db import Db
from signalpost.scheduling import queries, views
from signalpost.scheduling.errors import NoFreeSlot
from signalpost.scheduling.queries import Occupant, QueueRow
from signalpost.scheduling.schemas import SlotPreview
from signalpost.scheduling.week import SlotTime, occurrences

AHEAD_MAX: Final = timedelta(days=365)
_STEP: Final = 256
"""How many slots are looked at by one read."""

BLOCK_MAX: Final = 2_560
"""Slots of a block: ten reads under the lock of the queue. The rest of a longer file is in order, with gaps."""
BLOCK_LASTS: Final = timedelta(minutes=5)
"""How long a killed request keeps slots from others."""

_GIVE_UP = "delete from slot_reservation where post_id = $1 and workspace_id = $2"
# From whoever had the slot before and has given it up, and from no one else.
_TAKE = f"""
insert into slot_reservation (queue_id, at, workspace_id, post_id) values ($1, $2, $3, $4)
on conflict (queue_id, at) do update set post_id = excluded.post_id
    where not exists (select from post p where p.id = slot_reservation.post_id and {queries.HOLDS})
returning post_id
"""  # noqa: S608 - constants only

_TAKE_MANY = f"""
insert into slot_reservation (queue_id, at, workspace_id, post_id)
select u.queue_id, u.at, $1, u.post_id
from unnest($2::uuid[], $3::timestamptz[], $4::uuid[]) as u(queue_id, at, post_id)
on conflict (queue_id, at) do update set post_id = excluded.post_id
    where not exists (select from post p where p.id = slot_reservation.post_id and {queries.HOLDS})
returning post_id
"""  # noqa: S608 - constants only
_FORGET_BLOCKS = "delete from slot_block where queue_id = $1 and workspace_id = $2 and until <= now()"
_ADD_BLOCK = """
insert into slot_block (queue_id, workspace_id, first_at, last_at, until) values ($1, $2, $3, $4, now() + $5)
returning id
"""
_REMOVE_BLOCKS = "delete from slot_block where id = any($1) and workspace_id = $2"
Taken = set[tuple[UUID, datetime]]
"""Accounts, and the instants at which they publish something."""


class Given(NamedTuple):
    """A slot that a new post takes."""

    queue_id: UUID
    at: datetime
    post_id: UUID


async def next_free(
    db: Db, queue: QueueRow, account_ids: Collection[UUID], *, except_post: UUID | None = None
) -> SlotTime:
    """Return the first slot that no post of the queue has, and at which none of these accounts publishes anything.

    `queue` is locked; `except_post`: the post that is to be moved, whose own slot is free for it.

    Raises:
        NoFreeSlot: there is none within 365 days, or the queue is paused.
    """
    if queue.active:
        async for slot, occupant in _upcoming(db, queue, account_ids, except_post):
            if occupant is None:
                return slot
    raise NoFreeSlot(why_none(queue))


def why_none(queue: QueueRow) -> str:
    """Return why a queue gives out no slot."""
    if not queue.active:
        return f"The queue {queue.name!r} is paused: it gives out no slots."
    return f"Every slot of the queue {queue.name!r} within {AHEAD_MAX.days} days is taken."


async def take(db: Db, queue: QueueRow, at: datetime, post_id: UUID) -> None:
    """Give the post, which was just written, the slot that `next_free` returned; it gives up the one that it had.

    Raises:
        Unavailable: another post has it; the transaction must be rolled back. The lock of the queue prevents that.
    """
    await db.execute(_GIVE_UP, post_id, queue.workspace_id)
    if await db.fetchval(_TAKE, queue.id, at, queue.workspace_id, post_id) is None:
        raise problems.Unavailable("Another post took the slot at this moment.", headers={"Retry-After": "1"})


async def next_free_of_many(
    db: Db,
    queue: QueueRow,
    accounts: Sequence[Collection[UUID]],
    taken: Taken,
    *,
    after: datetime | None = None,
    block_id: int | None = None,
) -> list[SlotTime]:
    """Return a free slot for each new post, named by its accounts: that of each after that of the one before.

    The number of statements depends on how far away the last one is. `queue` is locked; `taken`, which grows by what is
    given, has what other new posts take. Slots begin after `after`; those of the block `block_id` are free for them.
    The list is shorter if the slots do not suffice.
    """
    zone = zones.zone(queue.zone_name)
    if zone is None or not queue.active:
        return []
    now, free_slots = clock.now(), list[SlotTime]()
    everybody = {account_id for of_post in accounts for account_id in of_post}
    times = occurrences(queue.slots, zone, max(now, after or now), now + AHEAD_MAX)
    while len(free_slots) < len(accounts) and (step := list(islice(times, _STEP))):
        occupants = await queries.occupants(db, queue, step, block_id=block_id)
        busy = taken | await queries.busy(db, queue.workspace_id, everybody, step)
        for slot in step:
            if len(free_slots) == len(accounts):
                break
            instants = {(account_id, slot.at) for account_id in accounts[len(free_slots)]}
            if occupants.of(slot) is None and busy.isdisjoint(instants):
                free_slots.append(slot)
                taken |= instants
    return free_slots


async def reserve_block(db: Db, queue: QueueRow, count: int) -> int | None:
    """Keep the next free slots, at most `BLOCK_MAX`, for posts that are about to be written; return the block's id.

    `queue` is locked. None: there are none. Until the block is removed, or `BLOCK_LASTS` is over, it is in the way of
    everyone who does not name it, and of those who reserved theirs later.
    """
    free = await next_free_of_many(db, queue, [()] * min(count, BLOCK_MAX), set())
    if not free:
        return None
    await db.execute(_FORGET_BLOCKS, queue.id, queue.workspace_id)
    block_id: int = await db.fetchval(_ADD_BLOCK, queue.id, queue.workspace_id, free[0].at, free[-1].at, BLOCK_LASTS)
    return block_id


async def remove_blocks(db: Db, workspace_id: UUID, block_ids: Collection[int]) -> None:
    """Leave what is free in these ranges to everybody."""
    await db.execute(_REMOVE_BLOCKS, list(block_ids), workspace_id)


async def take_many(db: Db, workspace_id: UUID, slots: Sequence[Given]) -> None:
    """Do what `take` does for new posts, with one statement."""
    columns = zip(*slots, strict=True)
    records = await db.fetch(_TAKE_MANY, workspace_id, *map(list, columns))
    if len(records) != len(slots):
        raise problems.Unavailable("Another post took a slot at this moment.", headers={"Retry-After": "1"})


async def preview(db: Db, queue: QueueRow, count: int, *, after: datetime | None = None) -> SlotPreview:
    """Return the next slots of a queue, from now or a later time on, and who has them."""
    slots, next_free_at = [], None
    async for slot, occupant in _upcoming(db, queue, (), None, after=after):
        slots.append(views.upcoming(slot, occupant))
        if occupant is None and next_free_at is None:
            next_free_at = clock.wire(slot.at)
        if len(slots) == count:
            break
    return SlotPreview(
        queue_id=ids.encode("slq", queue.id),
        timezone=queue.zone_name,
        next_free_at=next_free_at if queue.active else None,
        slots=slots,
    )


async def _upcoming(
    db: Db, queue: QueueRow, account_ids: Collection[UUID], except_post: UUID | None, *, after: datetime | None = None
) -> AsyncIterator[tuple[SlotTime, Occupant | None]]:
    """Yield the slots from now or a later time on, each with what stands in its way."""
    zone = zones.zone(queue.zone_name)
    if zone is None:  # a zone that the data of this machine no longer has
        raise NoFreeSlot(f"The time zone {queue.zone_name} of the queue {queue.name!r} is not known here.")
    now = clock.now()
    times = occurrences(queue.slots, zone, max(now, after or now), now + AHEAD_MAX)
    while step := list(islice(times, _STEP)):
        occupants = await queries.occupants(db, queue, step, account_ids, except_post=except_post)
        for slot in step:
            yield slot, occupants.of(slot)
