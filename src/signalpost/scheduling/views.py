from signalpost.kit import clock, ids
from signalpost.scheduling.queries import Occupant, QueueRow
from signalpost.scheduling.schemas import Slot, SlotQueue, UpcomingSlot
from signalpost.scheduling.week import SlotTime


def queue(row: QueueRow) -> SlotQueue:
    """Return the queue as the API shows it."""
    return SlotQueue(
        id=ids.encode("slq", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        name=row.name,
        slots=[Slot(time=slot.time, days=slot.days) for slot in row.slots],
        timezone=row.timezone,
        effective_timezone=row.zone_name,
        active=row.active,
        is_default=row.is_default,
        version=row.version,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def upcoming(slot: SlotTime, occupant: Occupant | None) -> UpcomingSlot:
    """Return a slot to come, and who has it, as the API shows it."""
    return UpcomingSlot(
        at=clock.wire(slot.at),
        local_time=slot.local.isoformat(),
        free=occupant is None,
        post_id=ids.encode_or_none("pst", occupant.post_id) if occupant else None,
    )
