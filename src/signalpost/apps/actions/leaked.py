"""Tokens and secrets of apps that were found where they should not be."""

from typing import Final
from uuid import UUID

from signalpost import mail
from signalpost.api_keys.actions import leaked
from signalpost.apps import queries, tokens
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.kit import crypto, ids
from signalpost.kit.crypto import ApiKeyParts
from signalpost.kit.db import Db

ACTION: Final = "revoke_leaked_app_secret"
_REVOKE: Final = """
update app a set secret_hmac = null, updated_at = now() where secret_hmac = any($1)
returning a.id, a.workspace_id, a.name, (select w.name from workspace w where w.id = a.workspace_id) as workspace
"""
_PEOPLE: Final = """
select u.email from member m join app_user u on u.id = m.user_id
where m.workspace_id = $1 and m.status = 'active' and m.role in ('owner', 'admin') limit 20
"""


async def revoke_leaked(context: AppContext, text: str, url: str, source: str) -> list[UUID] | None:
    """Revoke what a token or secret gives: a grant by one of its tokens, expired ones too, or the secret of an app.

    Returns the ids of the keys that ended; None: it is not one of ours, or was revoked before.
    """
    parts = crypto.parse_api_key(text)
    async with context.database.transaction() as db:
        if parts and parts.prefix == tokens.SECRET_PREFIX:
            return await _end_secret(context, db, parts, url, source)
        grant_id = await _grant_of(context, db, text, parts)
        return None if grant_id is None else await leaked.revoke_token(context, db, grant_id, url, source)


async def _grant_of(context: AppContext, db: Db, text: str, parts: ApiKeyParts | None) -> UUID | None:
    """Return the grant of an access token or refresh token."""
    if parts is None:
        refresh = tokens.read_refresh_token(context.keys, text)
        return refresh[0] if refresh else None
    if parts.prefix != tokens.ACCESS_PREFIX or (grant := await queries.find_grant_of_key(db, parts.key_id)) is None:
        return None
    stored = (grant.access_hmac, grant.former_hmac)
    return grant.id if any([tokens.is_stored(context.keys, parts, secret) for secret in stored]) else None  # noqa: C419 - all are compared


async def _end_secret(context: AppContext, db: Db, parts: ApiKeyParts, url: str, source: str) -> list[UUID] | None:
    """Have the app need another secret. What people allowed it goes on."""
    app = await db.fetchrow(_REVOKE, tokens.hmacs(context.keys, parts))
    if app is None:
        return None
    if app["workspace_id"] is not None:
        actor = Actor(type="system", id=None, name=source)
        subject = ids.encode("app", app["id"])
        await audit.record(
            db, audit.Entry(workspace_id=app["workspace_id"], action=ACTION, actor=actor, subject=subject)
        )
        values = {"workspace": app["workspace"], "name": app["name"], "source": source, "url": url}
        for person in await db.fetch(_PEOPLE, app["workspace_id"]):
            message = mail.Message(to=person["email"], template="app_secret_leaked", values=values)
            await mail.enqueue(db, message, workspace_id=app["workspace_id"])
    return []
