"""Asking a network what people wrote under an account's posts. Publishing always goes first."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.secrets import NoCredentials
from signalpost.accounts.token_store import open_session
from signalpost.comments import queries
from signalpost.comments.actions import plan
from signalpost.comments.actions.plan import Looked
from signalpost.comments.actions.store import store
from signalpost.comments.queries import DueTarget
from signalpost.context import AppContext
from signalpost.engine.contract import Lease, LeaseLost
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, log
from signalpost.kit.db import Db
from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.kit.problems import Unavailable
from signalpost.networks.contract import ApiError, Comments, Connector, NeedsReconnect, Outcome, Refused, TryLater

CALLS_MAX: Final = 10
"""Of one account in a run; the rest follows after a pause, so that publishing keeps most of the network's quota."""
PAUSE_SECONDS: Final = 60.0
ASK_SECONDS_MAX: Final = 60.0
"""For one call of a connector, however many requests it makes of it."""
BACKOFF_MAX: Final = timedelta(days=1)
_logger = log.get("comments")

_FAILED: Final = """
update comment_source set next_attempt_at = coalesce($3, published_at + $5::interval), failures = failures + 1,
    last_error = $4
where target_id = any($1) and workspace_id = $2
"""
_LEAVE_ALONE: Final = """
update comment_source set next_attempt_at = now() + interval '1 day', last_error = $3
where account_id = $1 and workspace_id = $2 and next_attempt_at <= now()
"""


class Asking(Struct):
    """An account whose network is being asked."""

    context: AppContext
    row: AccountRow
    connector: Connector
    transaction: Callable[[], AbstractAsyncContextManager[Db]]
    """For what is stored."""
    count: Callable[[str], None]
    seconds: float | None = None
    """For one call beside the work of others, which a longer one leaves to a job; None: as long as any may take."""
    comments_max: int | None = None
    """How many are stored beside the work of others; None: as many as there are."""
    looked: list[Looked] = []
    """What is to be written of the posts that were asked for."""


class TooLarge(Exception):
    """It takes a job of the account's own."""


class TooSlow(TooLarge):
    """A call took longer than it may beside the work of others."""


async def collect(context: AppContext, lease: Lease, account_id: UUID) -> RunAgain | None:
    """Ask for the comments of what is due on an account, and store them. Repeating it stores nothing twice."""
    async with context.database.connection() as db:
        row = await accounts.by_id(db, account_id)
        connector = networks.get(row.platform) if row else None
        if row is None or connector is None or connector.comments is None:
            return None
        if await queries.publishes_soon(db, account_id):
            return RunAgain(PAUSE_SECONDS)
        per_call = connector.facts.comments_per_call
        due = await queries.due(db, account_id, row.workspace_id, per_call * CALLS_MAX + 1)
    asking = Asking(context, row, connector, lease.transaction, lease.count)
    again = await ask(asking, due[: per_call * CALLS_MAX])
    if asking.looked:
        async with lease.transaction() as db:
            await plan.write_looks(db, asking.looked)
    if again is not None:
        return again
    return RunAgain(PAUSE_SECONDS) if len(due) > per_call * CALLS_MAX else None


async def ask(asking: Asking, due: Sequence[DueTarget]) -> RunAgain | None:
    """Ask for these posts, call by call, and store what is new; return when to go on if the account needs a pause.

    Raises:
        TooLarge: `asking` allows less. Nothing is stored of the post that it happened at.
    """
    if due and (missing := networks.missing_for_comments(asking.connector, asking.row.scopes)):
        await _leave_alone(asking, f"the connection lacks {', '.join(missing)}")
        return None
    per_call = asking.connector.facts.comments_per_call
    for start in range(0, len(due), per_call):
        batch = due[start : start + per_call]
        try:
            again = await _ask_for(asking, batch)
        except HttpFailure as failure:
            await _postpone(asking, batch, str(failure))
            return RunAgain(PAUSE_SECONDS)  # what waits for a network that hangs must not hold up other accounts
        if again is not None:
            return again if again.after_seconds else None
    return None


async def _ask_for(asking: Asking, batch: Sequence[DueTarget]) -> RunAgain | None:
    """Ask for one batch; return when to go on if the network wants a pause, 0 if the account gets none."""
    began_at, read_at = clock.now(), clock.actual()
    try:
        listed = await _call(asking, batch)
    except (ApiError, NoCredentials) as error:
        outcome = asking.connector.explain(error) if isinstance(error, ApiError) else None
        if isinstance(outcome, TryLater):
            await _postpone(asking, batch, str(error))
            return RunAgain(max(outcome.after_seconds or 0.0, PAUSE_SECONDS))
        if isinstance(error, NoCredentials) or isinstance(outcome, NeedsReconnect) or _is_not_allowed(outcome):
            await _leave_alone(asking, str(error))
            return RunAgain(0)
        await _postpone(asking, batch, str(error))
        return None
    if (
        asking.comments_max is not None
        and sum(len(comments.items) for comments in listed.values() if comments) > asking.comments_max
    ):
        raise TooLarge
    for target in batch:
        if target.remote_id not in listed:
            await _postpone(asking, [target], "the network did not say")
        else:
            await _keep(asking, target, listed[target.remote_id], began_at, read_at)
    return None


async def _keep(
    asking: Asking, target: DueTarget, comments: Comments | None, began_at: datetime, read_at: datetime
) -> None:
    """Store what was listed under a post; None: the post is not there."""
    if comments is None:
        asking.looked.append(plan.at_the_end(target.target_id, target.published_at, read_at))
        return
    new = await store(asking.context, asking.transaction, asking.row, target, comments, began_at=began_at)
    asking.count("new" if new else "unchanged")
    at = plan.next_at(target.published_at, clock.actual())
    asking.looked.append(Looked(target.target_id, at, read_at, len(comments.items)))


def _is_not_allowed(outcome: Outcome | None) -> bool:
    """Return whether a permission is missing: asking for the next post would be refused as well."""
    return isinstance(outcome, Refused) and outcome.code == "permission_missing"


async def _call(asking: Asking, batch: Sequence[DueTarget]) -> Mapping[str, Comments | None]:
    """Ask a connector.

    Raises:
        ApiError, NoCredentials, HttpFailure: it gave no comments.
        TooSlow: it did not within `asking.seconds`.
    """
    function, platform = asking.connector.comments, asking.row.platform
    if function is None:
        raise LookupError(f"{platform} gives no comments")
    seconds = ASK_SECONDS_MAX if asking.seconds is None else asking.seconds
    session = await open_session(asking.context, asking.row, asking.context.http.publishing)
    since = min((target.read_at for target in batch if target.read_at), default=None)
    if any(target.read_at is None for target in batch):
        since = None
    try:
        async with asyncio.timeout(seconds):
            return await function(session, [target.remote_id for target in batch], since)
    except (ApiError, HttpFailure, NoCredentials, LeaseLost, Unavailable):
        raise
    except TimeoutError:
        if asking.seconds is not None:
            raise TooSlow from None
        raise BadResponse(f"the network took longer than {seconds:.0f} s") from None
    except Exception as error:
        _logger.exception("comments.unexpected_error", platform=platform, account=str(asking.row.id))
        raise BadResponse(f"the connector failed: {type(error).__name__}") from None


async def _postpone(asking: Asking, batch: Sequence[DueTarget], reason: str) -> None:
    """Ask for these posts later, the more often it failed in a row the later."""
    now = clock.actual()
    _logger.warning("comments.not_read", platform=asking.row.platform, account=str(asking.row.id), reason=reason[:200])
    async with asking.transaction() as db:
        for target in batch:
            wait = min(timedelta(minutes=5) * 2 ** min(target.failures, 10), BACKOFF_MAX)
            next_at = plan.next_at(target.published_at, now)
            at = None if next_at is None else max(next_at, now + wait)
            await db.execute(
                _FAILED, [target.target_id], asking.row.workspace_id, at, reason[:500], plan.FORGOTTEN_AFTER
            )


async def _leave_alone(asking: Asking, why: str) -> None:
    """Ask again in a day: the account has to be connected again, or may not read comments."""
    row, reason = asking.row, why[:500]
    _logger.warning("comments.refused", platform=row.platform, account=str(row.id), reason=reason[:200])
    async with asking.transaction() as db:
        await db.execute(_LEAVE_ALONE, row.id, row.workspace_id, reason)
