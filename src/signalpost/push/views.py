from signalpost.kit import clock, ids
from signalpost.push.queries import DeviceRow
from signalpost.push.schemas import PushDevice
from signalpost.web.caller import Caller


def device(caller: Caller, row: DeviceRow) -> PushDevice:
    """Return a device as the API shows it."""
    return PushDevice(
        id=ids.encode("psh", row.id),
        current=row.session_id == caller.session_id,
        user_agent=row.user_agent,
        service=row.service,
        created_at=clock.wire(row.created_at),
        sent_at=clock.wire_or_none(row.sent_at),
        error=row.error,
    )
