"""Hiding what rules want hidden, as a person would: some of an account at a time, and publishing goes first.

A comment at which the network fails waits alone, longer each time; the others of its account go on.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from signalpost.comments import queries, rules
from signalpost.comments.actions import moderate
from signalpost.comments.actions import rule as actions
from signalpost.comments.queries import CommentRow, ReplyError
from signalpost.comments.rules import UseRow
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease, LeaseLost
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, log
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.kit.problems import Problem, Unavailable
from signalpost.web.caller import Caller

HIDE: Final = "comments.hide"
_KEY: Final = f"{HIDE}/"
AT_ONCE: Final = 10
"""Comments of an account in a run; the rest follows after a pause, so that publishing keeps the network's quota."""
PAUSE_SECONDS: Final = 20.0
BEGIN_SECONDS_MAX: Final = 10.0
"""From the beginning of a run: then it begins with no further comment. So a network that hangs costs a run one call."""
RETRIES: Final = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=20), timedelta(hours=1))
"""Until a comment at which the network failed is tried again; after the last one it is given up."""
_logger = log.get("comments")
_ENDED: Final = ReplyError(
    "rule_ended", "The rule was deleted or switched off, or whoever answered for it may no longer hide comments."
)
_UNEXPECTED: Final = ReplyError("internal_error", "Hiding the comment failed unexpectedly.")

_TRY: Final = """
update comment_rule_use set attempts = attempts + 1
where comment_id = $1 and workspace_id = $2 and hiding = 'pending' returning attempts
"""
_LATER: Final = """
update comment_rule_use set retry_at = now() + $3::interval
where comment_id = $1 and workspace_id = $2 and hiding = 'pending'
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
# To write a job again that pauses would have it run at once. One that waits longer does so for comments that failed.
_PAUSES: Final = f"""
select exists (select from job where unique_key = $1 and next_attempt_at > now()
    and next_attempt_at <= now() + interval '{PAUSE_SECONDS} seconds')
"""  # noqa: S608 - constants only


async def enqueue(db: Db, account_id: UUID, workspace_id: UUID) -> None:
    """Have what waits for an account hidden, in the transaction that notes it."""
    key = f"{_KEY}{account_id}"
    if not await db.fetchval(_PAUSES, key):
        payload = {"account_id": str(account_id)}
        await jobs.enqueue(db, HIDE, payload, unique_key=key, workspace_id=workspace_id)


async def hide_some(context: AppContext, lease: Lease, account_id: UUID) -> RunAgain | None:
    """Hide the next comments of an account; return when to go on. Repeating it hides nothing twice."""
    async with context.database.connection() as db:
        if await queries.publishes_soon(db, account_id):
            return RunAgain(PAUSE_SECONDS)
        uses = await rules.pending(db, account_id, AT_ONCE)
    stop_at = clock.monotonic() + BEGIN_SECONDS_MAX
    for comment_id in dict.fromkeys(use.comment_id for use in uses):
        if clock.monotonic() > stop_at:
            break
        await _hide(context, lease, [use for use in uses if use.comment_id == comment_id])
    async with context.database.connection() as db:
        wait_seconds = await rules.seconds_until_pending(db, account_id)
    return None if wait_seconds is None else RunAgain(max(wait_seconds, PAUSE_SECONDS))


async def _hide(context: AppContext, lease: Lease, uses: Sequence[UseRow]) -> None:
    """Hide a comment for the rules that want it, or note when to try again."""
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
        return
    error, may_pass = None, False
    if not comment.hidden:
        failpoint("rule-before-hide")
        error, may_pass = await _ask(context, caller, comment)
        failpoint("rule-after-hide")
    tried = (attempts or 1) - 1
    retries = may_pass and tried < len(RETRIES)
    async with lease.transaction() as db:
        if error is None:
            await db.execute(_DONE, comment_id, workspace_id)
        elif retries:
            await db.execute(_LATER, comment_id, workspace_id, RETRIES[tried])
        else:
            await db.execute(_FAILED, comment_id, workspace_id, error)
    lease.count("hidden" if error is None else "retrying" if retries else "failed")


async def _ask(context: AppContext, caller: Caller, comment: CommentRow) -> tuple[ReplyError | None, bool]:
    """Have the network hide a comment; return why it is not hidden, and whether that may pass."""
    try:
        await moderate.hide(context, caller, comment, hidden=True)
    except (LeaseLost, Unavailable):
        raise
    except Problem as problem:
        return ReplyError(problem.code, problem.detail), problem.retryable
    except Exception:
        _logger.exception("comments.unexpected_error", platform=comment.platform, account=str(comment.account_id))
        return _UNEXPECTED, True
    return None, False


async def give_up(lease: Lease, payload: Mapping[str, object], _error: Exception | None) -> None:
    """Note that nobody will hide what waits."""
    async with lease.transaction() as db:
        await db.execute(_GIVE_UP, UUID(str(payload["account_id"])), _UNEXPECTED)
