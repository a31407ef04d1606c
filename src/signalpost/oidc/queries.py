from typing import Final
from uuid import UUID

from signalpost.kit.db import Db

_FIND: Final = """
update user_identity set last_used_at = now() where issuer = $1 and subject = $2 returning user_id
"""
_REPLACE: Final = "delete from user_identity where issuer = $1 and user_id = $2"
_LINK: Final = """
insert into user_identity (issuer, subject, user_id, email) values ($1, $2, $3, $4)
on conflict (issuer, subject) do nothing
returning true
"""
_UNLINK: Final = "delete from user_identity where user_id = $1 returning true"


async def use_identity(db: Db, issuer: str, subject: str) -> UUID | None:
    """Return the user who signs in as this subject of the provider, and note that they did."""
    user_id: UUID | None = await db.fetchval(_FIND, issuer, subject)
    return user_id


async def link(db: Db, issuer: str, subject: str, user_id: UUID, email: str) -> bool:
    """Have this subject sign in as the user from now on, and no other; False if it is another user's meanwhile."""
    await db.execute(_REPLACE, issuer, user_id)  # the provider has recreated the person
    return bool(await db.fetchval(_LINK, issuer, subject, user_id, email))


async def unlink(db: Db, user_id: UUID) -> bool:
    """End sign-in with providers for a user; return whether there was any."""
    return await db.fetchval(_UNLINK, user_id) is not None
