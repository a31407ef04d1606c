"""What networks push: a hint that something was written under a post, so that it is looked at now.

Nothing of a call is stored but when to look. So a forged or repeated one costs at most one look of its account in
`INTERVAL`, and looks keep their own bounds.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.moves import set_comments_pushed
from signalpost.accounts.platforms import operator_app, pushes
from signalpost.accounts.secrets import NoCredentials
from signalpost.accounts.token_store import open_session
from signalpost.comments.actions import plan
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.identity.queries import tenant_sql
from signalpost.kit import clock, log, problems
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure
from signalpost.kit.tenant import Tenant, across_workspaces, work_for
from signalpost.kit.worker_threads import in_thread
from signalpost.networks.contract import ApiError, Connector, Hint, NetworkSession, TryLater

SUBSCRIBE: Final = "comments.subscribe"
INTERVAL: Final = timedelta(seconds=20)
"""Between two looks of an account that are brought forward. Each looks at no more than any other does."""
ACCOUNTS_MAX: Final = 100
"""Whose posts one call may concern: a network's id of an account may be connected in several workspaces."""
POSTS_MAX: Final = 100
"""Of one account in one call."""
RETRY_SECONDS: Final = 300.0
_INLINE_BYTES_MAX: Final = 50_000
"""A larger body is decoded in a thread."""
_WAITING_MAX: Final = 10_000
_logger = log.get("comments")

_CONCERNED: Final = f"""
select p.account_id, p.workspace_id, {tenant_sql("p.workspace_id")}, p.remote_id
from comment_push p join account a on a.id = p.account_id
where p.platform = $1 and p.remote_id = any($2) and a.status in ('active', 'expiring')
order by p.account_id limit $3
"""  # noqa: S608 - constants only
# What fails, or may not be read, keeps its own pause; what is over, or was removed, is not looked at again.
_BRING_FORWARD: Final = """
with concerned as materialized (
    select s.target_id, s.next_attempt_at from target t join comment_source s on s.target_id = t.id
    where t.account_id = $1 and t.workspace_id = $2 and t.remote_id = any($3)
        and t.published_at > now() - interval '30 days' and s.failures = 0 and s.last_error is null
        and s.next_attempt_at < s.published_at + $5::interval
    order by s.target_id for no key update of s
), look as (
    update comment_push p set look_at = case when p.look_at > now() then p.look_at
        else greatest(now(), p.look_at + $4::interval) end
    where p.account_id = $1 and p.workspace_id = $2 and exists (select from concerned where next_attempt_at
        > case when p.look_at > now() then p.look_at else greatest(now(), p.look_at + $4::interval) end)
    returning look_at
), brought_forward as (
    update comment_source s set next_attempt_at = look_at from look, concerned c
    where s.target_id = c.target_id and s.next_attempt_at > look_at
)
select (select look_at from look),
    (select min(least(c.next_attempt_at, l.look_at)) from concerned c left join look l on true)
"""
_ADD: Final = """
insert into comment_push (account_id, workspace_id, platform, remote_id)
select id, workspace_id, platform, remote_id from account
where id = $1 and status <> 'disconnected' and platform = any($2)
on conflict (account_id) do update set tried_at = null, last_error = null returning workspace_id
"""
_TRIED: Final = """
update comment_push set tried_at = now(), last_error = $2 where account_id = $1 returning true
"""
# Those that were connected before the operator set it up, and those whose network refused a day ago.
_UNTRIED: Final = """
select a.id, a.workspace_id from account a left join comment_push p on p.account_id = a.id
where a.id = any($1) and a.platform = any($2) and a.status in ('active', 'expiring') and not a.comments_pushed
    and (p.tried_at is null or p.tried_at < now() - interval '1 day')
"""
_REMOVE: Final = "delete from comment_push where account_id = $1"
_OTHERS: Final = "select exists (select from comment_push where platform = $1 and remote_id = $2)"


class Waiting:
    """Looks that were brought forward and did not begin yet: what is pushed before one begins is seen by it."""

    def __init__(self) -> None:
        self._until: OrderedDict[tuple[str, Hint], datetime] = OrderedDict()

    def covers(self, platform: str, hint: Hint, now: datetime) -> bool:
        """Whether a look at this post is ahead."""
        until = self._until.get((platform, hint))
        return until is not None and now < until

    def add(self, platform: str, hint: Hint, until: datetime) -> None:
        """Note when the next look at a post begins."""
        self._until[platform, hint] = until
        self._until.move_to_end((platform, hint))
        while len(self._until) > _WAITING_MAX:
            self._until.popitem(last=False)

    def clear(self) -> None:
        """Forget them: what is pushed next is written once more."""
        self._until.clear()


def connector_of(context: AppContext, platform: str) -> Connector | None:
    """Return the connector of a network that the operator has push comments here; None: it does not."""
    connector = networks.get(networks.canonical(platform) or "")
    return connector if connector is not None and pushes(context, connector) else None


def secrets_of(context: AppContext, connector: Connector | None) -> Sequence[str]:
    """Return what the network may sign with: none, one or two (decision 0455)."""
    app = operator_app(context, connector) if connector is not None else None
    if connector is None or app is None:
        return ()
    secret = context.settings.network(connector.facts.key, "webhook_secret")
    return (app.client_secret,) if secret is None else (app.client_secret, secret)


async def receive(context: AppContext, connector: Connector, body: bytes) -> None:
    """Have the posts looked at that a verified call concerns. What is unknown here is left out.

    Raises:
        MalformedRequest: the body is not JSON.
    """
    platform, waiting, now = connector.facts.key, context.state(Waiting), clock.actual()
    hints = [hint for hint in await _hints(connector, body) if not waiting.covers(platform, hint, now)]
    of_account: defaultdict[str, list[Hint]] = defaultdict(list)
    for hint in dict.fromkeys(hints):
        of_account[hint.account_id].append(hint)
    if not of_account:
        return
    with across_workspaces():
        async with context.database.connection() as db:
            concerned = await db.fetch(_CONCERNED, platform, list(of_account), ACCOUNTS_MAX)
    ahead: defaultdict[str, list[datetime]] = defaultdict(list)
    for account_id, workspace_id, tenant_id, remote_id in concerned:
        work_for(Tenant(tenant_id, workspace_id))
        look_at = await _bring_forward(context, account_id, workspace_id, of_account[remote_id][:POSTS_MAX])
        if look_at is not None:
            ahead[remote_id].append(look_at)
    for remote_id, looks in ahead.items():
        for hint in of_account[remote_id][:POSTS_MAX]:
            waiting.add(platform, hint, min(looks))


async def _hints(connector: Connector, body: bytes) -> Sequence[Hint]:
    assert connector.push is not None  # noqa: S101 - checked by `connector_of`
    read = connector.push.read
    try:
        if len(body) <= _INLINE_BYTES_MAX:
            return read(msgspec.json.decode(body))
        return await in_thread(lambda: read(msgspec.json.decode(body)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise problems.MalformedRequest("The body is not valid JSON.") from None


async def _bring_forward(
    context: AppContext, account_id: UUID, workspace_id: UUID, posts: Sequence[Hint]
) -> datetime | None:
    """Have posts of an account looked at, now or in `INTERVAL`; return when the first of them is, None if none is."""
    post_ids = [post_id for hint in posts for post_id in hint.post_ids]
    async with context.database.transaction() as db:  # one for each account: each wakes a lane
        values = (account_id, workspace_id, post_ids, INTERVAL, plan.FORGOTTEN_AFTER)
        ((brought_to, look_at),) = await db.fetch(_BRING_FORWARD, *values)
        if brought_to is not None:
            await plan.enqueue(db, account_id, workspace_id, brought_to)
    first: datetime | None = look_at
    return first


# --- having it pushed --------------------------------------------------------------------------------------------


def platforms(context: AppContext) -> list[str]:
    """Return the networks that the operator has push comments here."""
    return [key for key in plan.platforms() if connector_of(context, key) is not None]


async def add(context: AppContext, db: Db, account_id: UUID) -> None:
    """Have an account's comments pushed, if its network does that here."""
    workspace_id = await db.fetchval(_ADD, account_id, platforms(context))
    if workspace_id is not None:
        await _enqueue(db, account_id, workspace_id)


async def add_untried(context: AppContext, db: Db, account_ids: Sequence[UUID]) -> None:
    """Have those accounts' comments pushed that nobody tried it for."""
    if pushing := platforms(context):
        for account_id, _ in await db.fetch(_UNTRIED, account_ids, pushing):
            await add(context, db, account_id)


async def _enqueue(db: Db, account_id: UUID, workspace_id: UUID) -> None:
    await jobs.enqueue(
        db, SUBSCRIBE, {"account_id": str(account_id)}, unique_key=f"{SUBSCRIBE}/{account_id}",
        workspace_id=workspace_id,
    )  # fmt: skip


async def subscribe(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
    """Ask the network to push an account's comments. Repeating it does no harm."""
    async with context.database.connection() as db:
        row = await accounts.by_id(db, UUID(payload["account_id"]))
    connector = connector_of(context, row.platform) if row is not None and row.status != "disconnected" else None
    if row is None or connector is None or connector.push is None:
        return None
    again, error = None, None
    if missing := networks.missing_for_push(connector, row.scopes):
        error = f"the connection lacks {', '.join(missing)}"
    elif connector.push.subscribe is not None:
        try:
            await connector.push.subscribe(await open_session(context, row, context.http.publishing))
        except (ApiError, NoCredentials, HttpFailure) as failure:
            error = str(failure)
            outcome = connector.explain(failure) if isinstance(failure, ApiError) else None
            if isinstance(failure, HttpFailure) or isinstance(outcome, TryLater):
                again = RunAgain(max(getattr(outcome, "after_seconds", None) or 0.0, RETRY_SECONDS))
    if error is not None:
        _logger.info("comments.not_pushed", platform=row.platform, account=str(row.id), reason=error[:200])
    async with lease.transaction() as db:
        if await db.fetchval(_TRIED, row.id, error and error[:500]):
            await set_comments_pushed(db, row.id, pushed=error is None)
    return again


async def remove(db: Db, account_id: UUID) -> None:
    """Have nothing looked at any more that is pushed about an account."""
    await db.execute(_REMOVE, account_id)


async def end(context: AppContext, platform: str, remote_id: str, session: NetworkSession) -> None:
    """Have a network push no more, unless another account here is the same there."""
    connector = networks.get(platform)
    if connector is None or connector.push is None or connector.push.unsubscribe is None:
        return
    with across_workspaces():
        async with context.database.connection() as db:
            if await db.fetchval(_OTHERS, platform, remote_id):
                return
    try:
        await connector.push.unsubscribe(session)
    except (ApiError, HttpFailure) as failure:  # what it still pushes is of no account here
        _logger.info("comments.still_pushed", platform=platform, failure=type(failure).__name__)
