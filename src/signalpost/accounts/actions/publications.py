from datetime import datetime
from uuid import UUID

from signalpost.kit.db import Db

_RECORD = "update account set last_published_at = greatest(last_published_at, $2) where id = $1"


async def record_publication(db: Db, account_id: UUID, at: datetime) -> None:
    """Record that the account published a post at that time; an earlier time than the stored one changes nothing."""
    await db.execute(_RECORD, account_id, at)
