"""Having numbers of posts collected now, by staff or from cron."""

import hmac
from collections.abc import Callable
from typing import Final
from uuid import UUID

from signalpost.admin.schemas import MetricsSync, SyncStart
from signalpost.analytics.actions import plan
from signalpost.analytics.actions.plan import Requested
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.identity.authenticate import authenticator
from signalpost.kit import ids, log, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.publishing.errors import InvalidQueueSecret
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId, PostId, ProfileId
from signalpost.web.serve import Authenticate

Header = Callable[[str], str | None]
"""Of a request: (name) -> value, or None."""
_PROFILE: Final = "select exists (select from profile where id = $1 and deleted_at is null)"
_ACCOUNT: Final = "select exists (select from account where id = $1)"
_POSTS: Final = "select id from post where id = any($1) and deleted_at is null"


class _Staff:
    """Resolves the bearer of the one operation that takes either a secret or a bearer: `context.state(_Staff)`."""

    authenticate: Authenticate | None = None


async def sync_metrics(db: Db, data: SyncStart) -> MetricsSync:
    """Have the numbers of these posts collected soon; of nothing in particular, those that are due.

    Raises:
        ValidationFailed: there is no such profile, account or post.
    """
    if issues := await _issues(db, data):
        raise problems.ValidationFailed(errors=issues)
    if data.profile_id is None and data.account_id is None and data.post_ids is None:
        return _view(await plan.request_due(db))
    requested = await plan.request(
        db,
        profile_id=data.profile_id,
        account_id=data.account_id,
        post_ids=None if data.post_ids is None else [UUID(int=post_id.int) for post_id in data.post_ids],
        force=data.force,
    )
    return _view(requested)


async def sync_due(context: AppContext, db: Db, header: Header) -> MetricsSync:
    """Have all numbers collected that are due. Any number of calls at once is one.

    Raises:
        Unauthenticated: there is neither a secret nor a bearer, or the bearer is not valid.
        InvalidQueueSecret: the secret is wrong or not set up.
        InsufficientScope: the bearer is not one of staff.
    """
    secret = header("x-queue-secret")
    if secret is None:
        caller = await _caller(context, header)
        entry = audit.Entry(workspace_id=audit.INSTALLATION, action="sync_due_metrics", actor=caller.actor)
        await audit.record(db, entry)
    else:
        expected = context.settings.queue_secret
        if not expected or not hmac.compare_digest(secret.encode(), expected.encode()):
            raise InvalidQueueSecret("The value of the header X-Queue-Secret is another one.")
    return _view(await plan.request_due(db))


async def _caller(context: AppContext, header: Header) -> Caller:
    scheme, _, bearer = (header("authorization") or "").partition(" ")
    if scheme.lower() != "bearer" or not bearer.strip():
        raise problems.Unauthenticated(
            "Send X-Queue-Secret, or the bearer of staff.", headers={"WWW-Authenticate": "Bearer"}
        )
    state = context.state(_Staff)
    state.authenticate = state.authenticate or authenticator(context)
    caller = await state.authenticate(bearer.strip(), header("x-workspace-id"), log.client_address.get() or "unknown")
    if "instance:admin" not in caller.scopes:
        if caller.auth != "api_key":
            raise problems.Forbidden(f"The role {caller.role} does not include instance:admin.")
        raise problems.InsufficientScope("This is for staff: the scope instance:admin is missing.")
    return caller


async def _issues(db: Db, data: SyncStart) -> list[Issue]:
    issues = []
    if data.profile_id is not None and not await db.fetchval(_PROFILE, data.profile_id):
        issues.append(ProfileId.not_found("/profileId"))
    if data.account_id is not None and not await db.fetchval(_ACCOUNT, data.account_id):
        issues.append(AccountId.not_found("/accountId"))
    existing = {record[0] for record in await db.fetch(_POSTS, data.post_ids)} if data.post_ids else set()
    issues += [
        PostId.not_found(f"/postIds/{index}")
        for index, post_id in enumerate(data.post_ids or ())
        if post_id not in existing
    ]
    return issues


def _view(requested: Requested) -> MetricsSync:
    return MetricsSync(ids.encode("job", requested.job_id), requested.accepted, requested.skipped)
