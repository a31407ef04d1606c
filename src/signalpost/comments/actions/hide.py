"""Hiding what rules want hidden, as a person would: some of an account at a time, and publishing goes first."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from signalpost.accounts.errors import PlatformError, PlatformTimeout
from signalpost.comments import queries, rules
from signalpost.comments.actions import moderate
from signalpost.comments.actions import rule as actions
from signalpost.comments.queries import ReplyError
from signalpost.comments.rules import UseRow
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.kit.problems import HostNotFound, Problem

HIDE: Final = "comments.hide"
_KEY: Final = f"{HIDE}/"
AT_ONCE: Final = 10
"""Comments of an account in a run; the rest follows after a pause, so that publishing keeps the network's quota."""
PAUSE_SECONDS: Final = 20.0
RETRY_SECONDS: Final = 300.0
ATTEMPTS_MAX: Final = 5
_ENDED: Final = ReplyError(
    "rule_ended", "The rule was deleted or switched off, or whoever answered for it may no longer hide comments."
)
_UNEXPECTED: Final = ReplyError("internal_error", "Hiding the comment failed unexpectedly.")

_TRY: Final = """
update comment_rule_use set attempts = attempts + 1
where comment_id = $1 and workspace_id = $2 and hiding = 'pending' returning attempts
"""
_DONE: Final = """
update comment_rule_use set hiding = 'done', actions = array_append(actions, 'hide')
where comment_id = $1 and workspace_id = $2 and hiding = 'pending'
"""
_FAILED: Final = """
update comment_rule_use set hiding = 'failed', error = $3
where comment_id = $1 and workspace_id = $2 and hiding = 'pending'
"""
_FAILED_ONE: Final = """
update comment_rule_use set hiding = 'failed', error = $3 where id = $1 and workspace_id = $2 and hiding = 'pending'
"""
_GIVE_UP: Final = """
update comment_rule_use set hiding = 'failed', error = $2 where account_id = $1 and hiding = 'pending'
"""
# Not while the job waits for a network: to write it again would have it run at once.
_WAITS: Final = "select exists (select from job where unique_key = $1 and next_attempt_at > now())"


async def enqueue(db: Db, account_id: UUID, workspace_id: UUID) -> None:
    """Have what waits for an account hidden, in the transaction that notes it."""
    key = f"{_KEY}{account_id}"
    if not await db.fetchval(_WAITS, key):
        payload = {"account_id": str(account_id)}
        await jobs.enqueue(db, HIDE, payload, unique_key=key, workspace_id=workspace_id)


async def hide_some(context: AppContext, lease: Lease, account_id: UUID) -> RunAgain | None:
    """Hide the next comments of an account; return when to go on. Repeating it hides nothing twice."""
    async with context.database.connection() as db:
        if await queries.publishes_soon(db, account_id):
            return RunAgain(PAUSE_SECONDS)
        uses = await rules.pending(db, account_id, AT_ONCE)
    for comment_id in dict.fromkeys(use.comment_id for use in uses):
        waits = await _hide(context, lease, [use for use in uses if use.comment_id == comment_id])
        if waits:
            return RunAgain(RETRY_SECONDS)
    return RunAgain(PAUSE_SECONDS) if len(uses) == AT_ONCE else None


async def _hide(context: AppContext, lease: Lease, uses: Sequence[UseRow]) -> bool:
    """Hide a comment for the rules that want it; return whether the network has to be left alone for a while."""
    comment_id, workspace_id = uses[0].comment_id, uses[0].workspace_id
    async with lease.transaction() as db:
        comment = await queries.by_id(db, comment_id)
        attempts = await db.fetchval(_TRY, comment_id, workspace_id)
        existing = await rules.by_ids(db, workspace_id, [use.rule_id for use in uses])
        caller = None
        for use in uses:
            rule = existing.get(use.rule_id)
            answers = await actions.answering(context, db, rule) if rule is not None and rule.enabled else None
            if answers is None:
                await db.execute(_FAILED_ONE, use.id, workspace_id, _ENDED)
            caller = caller or answers
    if comment is None or caller is None:
        return False
    error: ReplyError | None = None
    if not comment.hidden:
        failpoint("rule-before-hide")
        try:
            await moderate.hide(context, caller, comment, hidden=True)
        except (PlatformError, PlatformTimeout, HostNotFound) as problem:
            if (attempts or 1) < ATTEMPTS_MAX:
                return True
            error = ReplyError(problem.code, problem.detail)
        except Problem as problem:
            if problem.status >= 500:
                raise
            error = ReplyError(problem.code, problem.detail)
        failpoint("rule-after-hide")
    async with lease.transaction() as db:
        if error is None:
            await db.execute(_DONE, comment_id, workspace_id)
        else:
            await db.execute(_FAILED, comment_id, workspace_id, error)
    lease.count("hidden" if error is None else "failed")
    return False


async def give_up(lease: Lease, payload: Mapping[str, object], _error: Exception | None) -> None:
    """Note that nobody will hide what waits."""
    async with lease.transaction() as db:
        await db.execute(_GIVE_UP, UUID(str(payload["account_id"])), _UNEXPECTED)
