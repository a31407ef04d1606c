import hashlib
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.kit import rows
from signalpost.kit.crypto import KeyRing, SealedColumn
from signalpost.kit.db import Db


class Subscription(Struct):
    """What a browser gave us, as it is sealed."""

    endpoint: str
    point: bytes
    auth: bytes


class DeviceRow(Struct):
    """A device whose session is open."""

    id: UUID
    session_id: UUID
    service: str
    created_at: datetime
    sent_at: datetime | None
    error: str | None
    user_agent: str | None


_COLUMNS: Final = rows.columns(DeviceRow, "d", user_agent="s.user_agent")
_OPEN: Final = "join session s on s.id = d.session_id and s.revoked_at is null and s.expires_at > now()"
_OF_USER: Final = f"""
select {_COLUMNS} from push_device d {_OPEN} where d.user_id = $1 order by d.created_at desc, d.id desc
"""  # noqa: S608 - constants only
_TO_SEND: Final = f"select d.subscription from push_device d {_OPEN} where d.id = $1"  # noqa: S608 - constants only
_read: Final = rows.reader(DeviceRow)


async def of_user(db: Db, user_id: UUID) -> list[DeviceRow]:
    """Return the devices of a person, the latest first: few, since their number is bounded."""
    return await rows.read_all(db, _read, _OF_USER, user_id)


async def subscription_of(db: Db, keys: KeyRing, device_id: UUID) -> Subscription | None:
    """Return what to send to; None: the device was turned off, or its session has ended."""
    sealed = await db.fetchval(_TO_SEND, device_id)
    if sealed is None:
        return None
    return msgspec.json.decode(keys.open(sealed, context=_sealed_as(device_id)), type=Subscription)


def seal(keys: KeyRing, device_id: UUID, subscription: Subscription) -> bytes:
    """Return a subscription as it is stored: whoever has it and our key can send to it."""
    return keys.seal(msgspec.json.encode(subscription), context=_sealed_as(device_id))


def hash_of(endpoint: str) -> bytes:
    """Return by what the subscription of a browser is found again."""
    return hashlib.sha256(endpoint.encode("utf-8", "surrogatepass")).digest()


def _sealed_as(device_id: UUID) -> str:
    return f"push_device|{device_id}"


SEALED: Final = SealedColumn("push_device", {"id": "uuid"}, "subscription", lambda row: _sealed_as(row["id"]))
