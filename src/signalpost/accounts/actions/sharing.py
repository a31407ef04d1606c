"""Accounts that were chosen from one grant: its tokens are theirs, in whatever profiles of the workspace they are."""

import random
from collections.abc import Sequence
from uuid import UUID

from signalpost.accounts import queries, states
from signalpost.accounts.actions.connect_request import ConnectRequest
from signalpost.accounts.moves import mark_ready
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.secrets import NoCredentials, grant_secrets, seal, unseal
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.networks.contract import Identity

_SECRETS = "select secrets from account where id = $1 and workspace_id = $2"
_UPDATE = """
update account set secrets = $3, secrets_version = secrets_version + 1, token_expires_at = $4, refreshable = $5,
    upkeep_at = $6, renewing_by = null, renewing_until = null, last_refresh_error = null, updated_at = now()
where id = $1 and workspace_id = $2
"""


async def lock_sharing(db: Db, request: ConnectRequest, grant: Identity | None) -> list[AccountRow]:
    """Lock the accounts that share a grant, before the account that is being connected; none without a grant."""
    if grant is None:
        return []
    return await queries.lock_sharing(db, request.workspace_id, request.platform, grant.remote_id)


def parent_of(
    request: ConnectRequest, identity: Identity, grant: Identity | None, sharing: Sequence[AccountRow]
) -> UUID | None:
    """Return the account that the others of its grant hang on: the person's own, else the first that was chosen."""
    if grant is None or identity.remote_id == grant.remote_id:
        return None
    mine = [row for row in sharing if row.profile_id == request.profile_id and row.remote_id != identity.remote_id]
    own = [row for row in mine if row.remote_id == grant.remote_id]
    first = [row for row in mine if row.parent_account_id is None]
    return next((row.id for row in (*own, *first, *mine)), None)


async def pass_on(context: AppContext, db: Db, others: Sequence[AccountRow], grant: Identity | None) -> None:
    """Give accounts the new tokens of the grant that they share; what only a new grant could repair is repaired."""
    if grant is None:
        return
    now, expires_at, refreshable = clock.now(), grant.token_expires_at, grant.refreshable
    upkeep_at = states.upkeep_at(now, expires_at, refreshable=refreshable, chance=random.random())  # noqa: S311 - jitter
    for other in others:
        sealed = await db.fetchval(_SECRETS, other.id, other.workspace_id)
        try:
            theirs = unseal(context.keys, other.workspace_id, other.id, sealed)
        except NoCredentials:
            theirs = {}  # sealed with a lost key: the tokens of the grant are there again, a page's own are not
        shared = grant_secrets(theirs)
        own = {name: value for name, value in theirs.items() if name not in shared}
        secrets = seal(context.keys, other.workspace_id, other.id, {**grant.secrets, **own})
        await db.execute(_UPDATE, other.id, other.workspace_id, secrets, expires_at, refreshable, upkeep_at)
        renewed = await queries.by_id(db, other.id)
        if renewed is not None and other.status in {"needs_reauth", "expiring"}:
            await mark_ready(context, db, renewed)
