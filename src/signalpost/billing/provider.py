"""When the provider of payments was heard last: an endpoint that nobody calls looks like a shop without customers."""

from datetime import datetime
from typing import Final

from msgspec import Struct

from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader


class Heard(Struct):
    """`notified_at`: the last notification that was accepted; `refused_at`: the last that could not be."""

    notified_at: datetime | None
    refused_at: datetime | None
    refused_code: str | None
    compared_at: datetime | None
    customers: bool  # whether anyone ever opened a payment page, so that silence means something

    @property
    def is_deaf(self) -> bool:
        """Whether something is wrong with the endpoint: nothing ever came, or the last that came was refused."""
        if self.refused_at is not None and (self.notified_at is None or self.refused_at > self.notified_at):
            return True
        return self.notified_at is None and self.customers

    @property
    def remedy(self) -> str:
        """What to do if it is deaf."""
        if self.refused_code is not None and self.refused_at is not None:
            return (
                f"The last one was refused ({self.refused_code}): compare SIGNALPOST_STRIPE_WEBHOOK_SECRET with the"
                " signing secret of the endpoint in Stripe."
            )
        return "Create the endpoint in Stripe, with the address of POST /billing/webhook: see the guide on billing."


_COLUMNS: Final = columns(Heard, "p", customers="exists (select from subscription)")
_read: Final = reader(Heard)
_HEARD: Final = f"select {_COLUMNS} from billing_provider p"  # noqa: S608 - columns of a struct
# At most one write in a minute, whoever calls.
_NOTED: Final = """
update billing_provider set notified_at = $1 where coalesce(notified_at < $1::timestamptz - interval '1 minute', true)
    or refused_at > notified_at
"""
_REFUSED: Final = """
update billing_provider set refused_at = $1, refused_code = $2
where coalesce(refused_at < $1::timestamptz - interval '1 minute', true)
"""


async def heard(db: Db) -> Heard:
    """Return when the provider was heard."""
    record = await db.fetchrow(_HEARD)
    assert record is not None  # noqa: S101 - the migration writes the one row
    return _read(record)


async def note_heard(db: Db, now: datetime) -> None:
    """Write that a notification was accepted."""
    await db.execute(_NOTED, now)


async def note_refused(db: Db, now: datetime, code: str) -> None:
    """Write that a notification could not be accepted."""
    await db.execute(_REFUSED, now, code)
