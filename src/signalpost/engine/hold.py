"""A hold on the engine of a restored instance: no worker of the database claims anything until it is lifted."""

from datetime import datetime
from typing import Final

from signalpost.kit.db import Db

MADE_AT: Final = "select backup_made_at from engine_hold"
"""When the backup was made that the database came from; no row while nothing is held."""
_FREE_LANES = "update lane set owner = null where owner is not null"
_BEGIN = """
insert into engine_hold (reason, backup_made_at) values ('restored', $1)
on conflict (singleton) do update set backup_made_at = excluded.backup_made_at, held_at = now()
"""
_LIFT = "delete from engine_hold returning backup_made_at"


def sentence(backup_made_at: datetime) -> str:
    """Return why nothing is done, and what to do."""
    return (
        f"This instance was restored from a backup of {backup_made_at:%Y-%m-%d %H:%M} UTC, so nothing is published or"
        " delivered. Stop the instance that was saved, then run `signalpost resume`."
    )


async def free_lanes(db: Db) -> None:
    """Take all lanes from their workers, which knew another state of the database."""
    await db.execute(_FREE_LANES)


async def begin(db: Db, backup_made_at: datetime) -> None:
    """Hold the engine of a database whose rows come from a backup."""
    await free_lanes(db)
    await db.execute(_BEGIN, backup_made_at)


async def lift(db: Db) -> datetime | None:
    """Let all workers claim again from their next heartbeat on; return when the backup was made, None if none held."""
    made_at: datetime | None = await db.fetchval(_LIFT)
    return made_at  # a heartbeat of each worker tells it
