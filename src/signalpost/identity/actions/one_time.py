"""Tokens that carry all they say, sealed, and still work only once."""

from typing import Final

from signalpost.identity import tokens
from signalpost.kit.db import Db

_USE: Final = """
insert into one_time_token (hash, purpose, used_at, expires_at)
values ($1, 'oidc', now(), now() + make_interval(secs => $2))
on conflict (hash) do nothing returning true
"""


async def use_once(db: Db, token: str, *, lifetime_seconds: int) -> bool:
    """Note that the token is used, for as long as it could be used again; False if it was used before."""
    return bool(await db.fetchval(_USE, tokens.digest(token), lifetime_seconds))
