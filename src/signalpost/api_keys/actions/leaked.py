"""API keys that were found where they should not be are revoked at once, and their people get a mail."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost import mail
from signalpost.api_keys.actions.keys import revoke_key
from signalpost.api_keys.secret_scanning import FoundKey
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.identity.authenticate import secret_hmacs
from signalpost.identity.caller_cache import CallerCache
from signalpost.kit import crypto, foreign, ids
from signalpost.kit.crypto import ApiKeyParts
from signalpost.kit.db import Db, Row
from signalpost.settings import BRAND_KEY

ACTION: Final = "revoke_leaked_key"
_URL_CHARACTERS_MAX: Final = 300

_KEYS: Final = """
select k.id, k.key_id, k.secret_hmac, k.mode, k.name, k.workspace_id, w.name as workspace
from api_key k join workspace w on w.id = k.workspace_id
where k.key_id = any($1) and k.revoked_at is null
"""
_KEY_BY_ID: Final = """
select k.id, k.mode, k.name, k.workspace_id, w.name as workspace
from api_key k join workspace w on w.id = k.workspace_id
where k.id = $1 and k.revoked_at is null
"""
_PEOPLE: Final = """
select distinct u.email from member m join app_user u on u.id = m.user_id
where m.workspace_id = $1 and m.status = 'active'
    and (m.role = 'owner' or m.user_id = (select created_by from api_key where id = $2))
"""

POSTS_COUNTED_MAX: Final = 1_000
_WAITING: Final = """
select count(*) from (
    select from post where workspace_id = $1 and stage = 'scheduled' and deleted_at is null
        and created_by ->> 'id' = $2 limit $3) waiting
"""


class Revoked(Struct):
    """What a report led to."""

    keys: list[UUID]
    """Revoked by it, with what they issued. Those that were revoked before are not among them."""
    unknown: int
    """How many tokens of the report are no valid key of this instance."""


async def revoke_leaked(context: AppContext, reported: Sequence[FoundKey], *, source: str) -> Revoked:
    """Revoke the keys that are ours, with all that they issued; repeating it changes nothing.

    Whoever reports a key has it whole: a key id alone, which is no secret, revokes nothing. `source`: who reports.
    """
    parsed = {key.text: crypto.parse_api_key(key.text) for key in reported}
    async with context.database.connection() as db:
        key_ids = [parts.key_id for parts in parsed.values() if parts]
        rows = {row["key_id"]: row for row in await db.fetch(_KEYS, key_ids)}
    revoked: list[UUID] = []
    unknown = 0
    for key in reported:
        url, parts = foreign.line(key.url, _URL_CHARACTERS_MAX), parsed[key.text]
        row = rows.get(parts.key_id) if parts else None
        if parts and row and _is(context, row, parts):
            async with context.database.transaction() as db:  # one for each: none wakes the lanes of two workspaces
                ended: list[UUID] | None = await _revoke(context, db, row, f"{row['mode']} API key", url, source)
        else:
            ended = await context.hooks.revoke_leaked_app_token(context, key.text, url, source)
        unknown += ended is None
        revoked += ended or ()
    return Revoked(revoked, unknown)


def _is(context: AppContext, row: Row, parts: ApiKeyParts) -> bool:
    if parts.prefix != f"{BRAND_KEY}_{row['mode']}":
        return False
    return any([crypto.equal(row["secret_hmac"], digest) for digest in secret_hmacs(context.keys, parts.secret)])  # noqa: C419 - all are compared


async def revoke_token(context: AppContext, db: Db, key_id: UUID, url: str, source: str) -> list[UUID] | None:
    """Revoke the key by which an app acts; return what ended with it, None if it was revoked before."""
    row = await db.fetchrow(_KEY_BY_ID, key_id)
    return None if row is None else await _revoke(context, db, row, "access of the app", url, source)


async def _revoke(context: AppContext, db: Db, row: Row, what: str, url: str, source: str) -> list[UUID]:
    ended = await revoke_key(db, row["id"], cause="key_leaked")
    if row["id"] in ended:  # else another report was first
        await _tell(db, row, what, url, source)
    for key_id in ended:
        context.state(CallerCache).invalidate(key_id)
    return ended


async def _tell(db: Db, row: Row, what: str, url: str, source: str) -> None:
    """Write history, and mail the owner and whoever created the key."""
    entry = audit.Entry(
        workspace_id=row["workspace_id"],
        action=ACTION,
        actor=Actor(type="system", id=None, name=source),
        subject=ids.encode("key", row["id"]),
    )
    await audit.record(db, entry)
    posts = await db.fetchval(_WAITING, row["workspace_id"], ids.encode("key", row["id"]), POSTS_COUNTED_MAX)
    values = {
        "workspace": row["workspace"], "name": row["name"], "what": what, "source": source, "url": url,
        "posts": f"{POSTS_COUNTED_MAX} or more" if posts == POSTS_COUNTED_MAX else posts,
    }  # fmt: skip
    for person in await db.fetch(_PEOPLE, row["workspace_id"], row["id"]):
        message = mail.Message(to=person["email"], template="key_leaked", values=values)
        await mail.enqueue(db, message, workspace_id=row["workspace_id"])
