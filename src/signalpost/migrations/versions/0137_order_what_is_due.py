"""What is due is found in its order.

Posts of an account that are due at the same moment had one place in the index, a list that PostgreSQL neither reads in
order nor rids of those that are published: each post read all of them (decision 0468).
"""

from signalpost.kit.db import Db

_CREATE = """
create index concurrently if not exists target_queue on target (account_id, next_attempt_at, id)
    where next_attempt_at is not null
"""


async def run(db: Db) -> None:
    """Make the new index, then drop the one that it replaces: at each moment there is one for either version."""
    await db.execute(_CREATE)
    await db.execute("drop index concurrently if exists target_due")
