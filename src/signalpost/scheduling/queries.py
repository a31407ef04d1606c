"""Reads of slot queues, and of who has which of their slots. A caller sees the queues of the profiles that it sees."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.profiles import queries as profiles
from signalpost.scheduling.week import SlotTime, WeeklySlot
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset


class QueueRow(Struct, frozen=True):
    """A slot queue of a profile that is not deleted. `profile_timezone` is the profile's."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    name: str
    created_at: datetime
    updated_at: datetime
    slots: list[WeeklySlot] = []
    timezone: str | None = None
    active: bool = True
    is_default: bool = False
    version: int = 1
    profile_timezone: str = "UTC"

    @property
    def zone_name(self) -> str:
        """The zone of the slots."""
        return self.timezone or self.profile_timezone


class Occupant(NamedTuple):
    """What stands in the way of a slot: a post that has it, an account that publishes something else then, or a file.

    `post_id` None: one of the latter two.
    """

    at: datetime
    local: datetime | None
    timezone: str | None
    post_id: UUID | None


class Occupants:
    """What stands in the way of slots: by instant, or by wall time if the rules of the zone changed meanwhile."""

    def __init__(self, zone_name: str, occupants: Iterable[Occupant]) -> None:
        self._by_at: dict[datetime, Occupant] = {}
        self._by_local: dict[datetime, Occupant] = {}
        for occupant in occupants:
            self._by_at.setdefault(occupant.at, occupant)
            if occupant.local is not None and occupant.timezone == zone_name:
                self._by_local[occupant.local] = occupant

    def of(self, slot: SlotTime) -> Occupant | None:
        """Return what stands in the way of this one; None: it is free."""
        return self._by_at.get(slot.at) or self._by_local.get(slot.local)


_read = rows.reader(QueueRow)
COMPUTED: Final = ("profile_timezone",)
_SELECT: Final = f"""
select {rows.columns(QueueRow, "q", profile_timezone="p.timezone")}
from slot_queue q join profile p on p.id = q.profile_id and p.deleted_at is null
where q.workspace_id = $1
"""  # noqa: S608 - constants only
_BY_ID = f"{_SELECT} and q.id = $2"
_LOCK = f"{_BY_ID} for no key update of q"
_LOCK_DEFAULT = f"{_SELECT} and q.profile_id = $2 and q.is_default for no key update of q"
_LOCK_OF_PROFILES = """
select from slot_queue where profile_id = any($1) and workspace_id = $2 order by id for no key update
"""
_LOCK_MANY = f"""{_SELECT}
and (q.id = any($2) or q.profile_id = any($3) and q.is_default) order by q.id for no key update of q
"""
_VISIBLE = f"""{_SELECT}
and ($2::uuid[] is null or q.profile_id = any($2)) and ($3::uuid is null or q.profile_id = $3)
and ($4 or not exists (select from account a
    where a.profile_id = p.id and a.platform <> 'sandbox' and a.status <> 'disconnected'))
and {keyset("q.created_at", "q.id", first=5)}
"""
_OF_POST = "select queue_id from slot_reservation where post_id = $1 and workspace_id = $2"
# A reservation counts as long as its post is on its way at that time because of it: a draft, a post in the trash, a
# failed one or one with another time has given up its slot without anything being written.
HOLDS: Final = """p.publish_mode = 'slot' and p.deleted_at is null and p.status not in ('draft', 'failed')"""
_OCCUPANTS = f"""
select p.scheduled_at, p.scheduled_local, p.timezone, p.id
from slot_reservation r join post p on p.id = r.post_id
where r.queue_id = $1 and r.workspace_id = $2 and r.at between $3::timestamptz - interval '2 days'
    and $4::timestamptz + interval '2 days' and {HOLDS} and p.id is distinct from $5
union all
select distinct t.next_attempt_at, null::timestamp, null, null::uuid
from target t where t.account_id = any($6) and t.workspace_id = $2 and t.next_attempt_at = any($7)
    and t.post_id is distinct from $5
union all
select s.at, null, null, null
from slot_block b join unnest($7::timestamptz[]) as s(at) on s.at between b.first_at and b.last_at
where b.queue_id = $1 and b.workspace_id = $2 and b.until > now() and ($8::bigint is null or b.id < $8)
"""  # noqa: S608 - constants only
_BUSY = """
select distinct account_id, next_attempt_at from target
where account_id = any($1) and workspace_id = $2 and next_attempt_at = any($3)
"""
_HELD = f"""
select count(*) from slot_reservation r join post p on p.id = r.post_id
where r.queue_id = $1 and r.workspace_id = $2 and p.scheduled_at > now() and {HOLDS}
"""  # noqa: S608 - constants only
_STILL_HAS = "select exists (select from slot_reservation where post_id = $1 and workspace_id = $2)"


async def find_mine(db: Db, caller: Caller, queue_id: UUID) -> QueueRow | None:
    """Return the queue if this caller may see its profile."""
    record = await db.fetchrow(_BY_ID, caller.workspace_id, queue_id)
    queue = None if record is None else _read(record)
    return queue if queue is not None and await profiles.find_mine(db, caller, queue.profile_id) else None


async def visible(db: Db, caller: Caller, profile_id: UUID | None, page: Page) -> list[QueueRow]:
    """Return the caller's queues, newest first."""
    return await rows.read_all(
        db, _read, _VISIBLE, caller.workspace_id, caller.sees_profiles, profile_id, caller.mode == "live", *page.bounds
    )


async def lock(db: Db, workspace_id: UUID, queue_id: UUID) -> QueueRow | None:
    """Return the queue as it is now; nobody else changes it, or takes one of its slots, until the transaction ends."""
    return await rows.read_one(db, _read, _LOCK, workspace_id, queue_id)


async def lock_default(db: Db, workspace_id: UUID, profile_id: UUID) -> QueueRow | None:
    """Do the same with the queue that a profile uses where none is named."""
    return await rows.read_one(db, _read, _LOCK_DEFAULT, workspace_id, profile_id)


async def lock_many(
    db: Db, workspace_id: UUID, queue_ids: Collection[UUID], default_of: Collection[UUID]
) -> list[QueueRow]:
    """Do the same with several queues, and with the default ones of these profiles; in the order of their ids."""
    return await rows.read_all(db, _read, _LOCK_MANY, workspace_id, list(queue_ids), list(default_of))


async def lock_of_profiles(db: Db, workspace_id: UUID, profile_ids: Sequence[UUID]) -> None:
    """Have whoever wants a slot of these profiles wait for the end of this transaction."""
    await db.execute(_LOCK_OF_PROFILES, profile_ids, workspace_id)


async def queue_of_post(db: Db, workspace_id: UUID, post_id: UUID) -> UUID | None:
    """Return the queue of which the post had a slot last, unless the slot was given to another post since."""
    queue_id: UUID | None = await db.fetchval(_OF_POST, post_id, workspace_id)
    return queue_id


async def has_reservation(db: Db, workspace_id: UUID, post_id: UUID) -> bool:
    """Whether no other post was given the slot that this one had. Lock its queue first."""
    return bool(await db.fetchval(_STILL_HAS, post_id, workspace_id))


async def occupants(
    db: Db,
    queue: QueueRow,
    times: Sequence[SlotTime],
    account_ids: Collection[UUID] = (),
    *,
    except_post: UUID | None = None,
    block_id: int | None = None,
) -> Occupants:
    """Return what may stand in the way of these slots, which follow each other.

    `account_ids`: also what these accounts publish at such an instant. `except_post` is not in its own way, nor is the
    block `block_id`, or one that was reserved later.
    """
    records = await db.fetch(
        _OCCUPANTS, queue.id, queue.workspace_id, times[0].at, times[-1].at, except_post, list(account_ids),
        [slot.at for slot in times], block_id,
    )  # fmt: skip
    return Occupants(queue.zone_name, (Occupant(*record) for record in records))


async def busy(
    db: Db, workspace_id: UUID, account_ids: Collection[UUID], times: Sequence[SlotTime]
) -> set[tuple[UUID, datetime]]:
    """Return which of these accounts publish something at the instant of one of these slots."""
    records = await db.fetch(_BUSY, list(account_ids), workspace_id, [slot.at for slot in times])
    return {(account_id, at) for account_id, at in records}


async def count_held(db: Db, queue: QueueRow) -> int:
    """Return how many posts wait for a slot of the queue."""
    return int(await db.fetchval(_HELD, queue.id, queue.workspace_id))
