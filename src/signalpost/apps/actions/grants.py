"""The end of what a person allowed an app."""

from typing import Final
from uuid import UUID

from signalpost.api_keys.actions.keys import revoke_key
from signalpost.apps.queries import GrantRow
from signalpost.apps.schemas import AppGrantRevocation
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.identity.caller_cache import CallerCache
from signalpost.kit import clock, ids
from signalpost.kit.db import Db

APP_ENDS: Final = "end_app_grant"


async def end(context: AppContext, db: Db, grant_id: UUID) -> None:
    """End a grant at once; repeating it changes nothing.

    What the app made goes with it as with a leaked key, webhooks too: nobody here can look at what another product
    goes on to receive.
    """
    for key_id in {grant_id, *await revoke_key(db, grant_id, cause="key_leaked")}:
        context.state(CallerCache).invalidate(key_id)


async def end_recorded(context: AppContext, db: Db, grant: GrantRow, *, why: str) -> None:
    """End a grant that no person of the workspace ended; history says why."""
    if grant.revoked_at is not None:
        return
    await end(context, db, grant.id)
    actor = Actor(type="api_key", id=ids.encode("key", grant.id), name=grant.app_name)
    await audit.record(
        db,
        audit.Entry(workspace_id=grant.workspace_id, action=why, actor=actor, subject=ids.encode("agr", grant.id)),
    )


async def revoke_grant(context: AppContext, db: Db, grant: GrantRow) -> AppGrantRevocation:
    """End a grant, for a member of its workspace; repeating it changes nothing."""
    await end(context, db, grant.id)
    return AppGrantRevocation(
        id=ids.encode("agr", grant.id), status="revoked", revoked_at=clock.wire(grant.revoked_at or clock.actual())
    )
