"""When accounts last published, as people see it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from signalpost.kit.db import Db

# Whoever disconnects an account locks its row first and then waits for lanes, which the caller may hold: so this waits
# for no row. A row that is locked at that moment keeps its earlier time until the account publishes again.
_RECORD = """
update account a set last_published_at = greatest(a.last_published_at, $2)
from (select id from account where id = any($1) order by id for no key update skip locked) as unlocked
where a.id = unlocked.id
"""


async def record_publications(db: Db, account_ids: Sequence[UUID], at: datetime) -> None:
    """Record that the accounts published at that time; an earlier time than the stored one changes nothing."""
    await db.execute(_RECORD, account_ids, at)
