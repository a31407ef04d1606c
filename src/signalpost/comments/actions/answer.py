"""Answering a comment: what is accepted here is sent by a job, so that a lost response never doubles it."""

from collections.abc import Sequence
from math import ceil
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.audit.actions import record as audit
from signalpost.comments import queries, views
from signalpost.comments.actions.send import enqueue
from signalpost.comments.errors import CommentActionUnavailable, CommentAnswered, ReplyLoop
from signalpost.comments.queries import CommentRow, ReplyRow
from signalpost.comments.schemas import CommentReply, CommentReplyCreate
from signalpost.comments.states import ON_ITS_WAY
from signalpost.identity import roles
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.networks import preflight
from signalpost.networks.contract import Connector
from signalpost.plans import limits
from signalpost.posts.write import permissions
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller
from signalpost.web.fields import CommentId, CommentReplyId
from signalpost.web.inputs import deleted_meanwhile

LOOP_MAX: Final = 20
"""Answers to one person under one post within an hour. Two programs may be answering each other: decision 0449."""
LOOP_THREAD_MAX: Final = 60
"""Answers in one thread within an hour."""
LOOP_POST_MAX: Final = 300
"""Answers under one post within an hour."""
REPLIES_MAX: Final = 100
"""Answers to one comment."""
_INSERT: Final = rows.insert("comment_reply", ReplyRow)
_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('answers:' || $1::uuid::text, 0))"
_COUNT: Final = "select count(*) from comment_reply where comment_id = $1 and workspace_id = $2"
_DECIDE: Final = "update comment_reply set state = $3, decided_by = $4 where id = $1 and workspace_id = $2"


async def reply(db: Db, caller: Caller, comment: CommentRow, data: CommentReplyCreate) -> CommentReply:
    """Accept an answer; it is sent at once, or waits for an approval if a contributor wrote it.

    Raises:
        Forbidden: the role does not answer.
        CommentActionUnavailable: the network takes no answers, or the comment is deleted.
        CommentAnswered: it has an answer, and the caller wants to know.
        ReplyLoop, TooManyItems: there are too many answers.
        InvalidState: the account is disconnected, or the post is not public any more.
        ProfileArchived: the profile of the post is archived.
        ValidationFailed: the network would refuse the text.
    """
    waits = _requires_approval(caller)
    if caller.mode == "test" and comment.mode == "live":
        raise TestModeOnlySandbox("A test key answers no live comment.")
    row = await queries.lock(db, comment.workspace_id, comment.id)  # one answer after the other
    if row is None:
        raise deleted_meanwhile(CommentId, comment.id)
    await profiles.require_in_use(db, row.workspace_id, row.profile_id)
    account, connector = await _require_answerable(db, row)
    _require_text(connector, account, row, data.text)
    await _require_room(db, row, if_unanswered=data.if_unanswered)
    answer = ReplyRow(
        id=ids.new_id(),
        workspace_id=row.workspace_id,
        comment_id=row.id,
        account_id=row.account_id,
        text=data.text,
        state="pending" if waits else "sending",
        author=caller.actor,
        user_id=caller.user_id,
        created_at=clock.actual(),
    )
    await db.execute(_INSERT, *rows.values(answer))
    await _record(db, caller, "reply_to_comment", row.id, row.workspace_id)
    if not waits:
        await enqueue(db, answer)
    return views.reply(answer)


async def decide(db: Db, caller: Caller, comment: CommentRow, reply_id: UUID, *, approved: bool) -> CommentReply:
    """Approve an answer that waits, so that it is sent, or reject it. Whoever wrote it may take it back.

    Raises:
        NotFound: there is no such answer to this comment.
        Forbidden: the caller does not decide.
        InvalidState: it waits for no decision.
        ProfileArchived: it would be sent, and the profile of the post is archived.
    """
    answer = await queries.lock_reply(db, comment.workspace_id, reply_id)
    if answer is None or answer.comment_id != comment.id:
        raise problems.NotFound(CommentReplyId.not_found_detail(ids.encode("rpl", reply_id)))
    if approved or answer.user_id != caller.user_id or "comments:write" not in caller.scopes:
        permissions.require_deciding(caller)
    if caller.mode == "test" and comment.mode == "live":
        raise TestModeOnlySandbox("A test key answers no live comment.")
    if answer.state != "pending":
        raise problems.InvalidState(f"This answer waits for no decision: its state is {answer.state}.")
    if approved:
        await profiles.require_in_use(db, comment.workspace_id, comment.profile_id)
    answer = replace(answer, state="sending" if approved else "rejected", decided_by=caller.actor)
    await db.execute(_DECIDE, answer.id, answer.workspace_id, answer.state, answer.decided_by)
    action = "approve_comment_reply" if approved else "reject_comment_reply"
    await _record(db, caller, action, comment.id, comment.workspace_id)
    if approved:
        await enqueue(db, answer)
    return views.reply(answer)


def _requires_approval(caller: Caller) -> bool:
    """Return whether an answer of the caller waits for an approval.

    Raises:
        Forbidden: the role does not answer, or the plan has no approvals for which it could wait.
    """
    if roles.may_publish(caller.role):
        return False
    if not roles.asks_approval(caller.role):
        raise problems.Forbidden(f"The role {caller.role} may not answer comments.")
    if not limits.APPROVALS.included_in(caller.plan):
        raise problems.Forbidden(
            f"The role {caller.role} answers with an approval, which the plan {caller.plan} does not include."
        )
    return True


async def _require_answerable(db: Db, row: CommentRow) -> tuple[AccountRow, Connector]:
    connector = networks.get(row.platform)
    if connector is None or connector.reply is None:
        raise CommentActionUnavailable("Comments on this network cannot be answered from here.")
    if row.deleted_at is not None:
        raise CommentActionUnavailable("The comment was deleted, so it cannot be answered.")
    account = await accounts.by_id(db, row.account_id)
    if account is None or account.status == "disconnected":
        raise problems.InvalidState("The account is disconnected. Connect it again, then answer.")
    if await queries.post_remote_id(db, row) is None:
        raise problems.InvalidState("The post is not public any more.")
    return account, connector


def _require_text(connector: Connector, account: AccountRow, row: CommentRow, text: str) -> None:
    issues: Sequence[Issue] = [
        Issue("/text", "content_invalid", issue.message, params=issue.params)
        for issue in preflight.check_reply(connector, text, row.author_handle, account.facts)
    ]
    if issues:
        raise problems.ValidationFailed(errors=issues)


async def _require_room(db: Db, row: CommentRow, *, if_unanswered: bool) -> None:
    earlier = (await queries.replies(db, row.workspace_id, [row.id]))[row.id]
    if if_unanswered and (row.answered_at or any(answer.state in ON_ITS_WAY for answer in earlier)):
        raise CommentAnswered("This comment has an answer, or one that is on its way.")
    if await db.fetchval(_COUNT, row.id, row.workspace_id) >= REPLIES_MAX:
        raise problems.TooManyItems(f"This comment has {REPLIES_MAX} answers, which is as many as are kept.")
    await db.execute(_LOCK, row.target_id)
    last = await queries.last_answers(db, row, ON_ITS_WAY)
    bounds = (
        (last.to_author, LOOP_MAX, "to the author of this comment under this post"),
        (last.in_thread, LOOP_THREAD_MAX, "in this thread"),
        (last.under_post, LOOP_POST_MAX, "under this post"),
    )
    for seconds_ago, most, where in bounds:
        if len(seconds_ago) >= most:
            wait = ceil(3_600 - sorted(seconds_ago)[most - 1])
            raise ReplyLoop(f"{most} answers went {where} within an hour.", headers={"Retry-After": str(max(1, wait))})


async def _record(db: Db, caller: Caller, action: str, comment_id: UUID, workspace_id: UUID) -> None:
    subject = ids.encode("cmt", comment_id)
    await audit.record(db, audit.Entry(workspace_id=workspace_id, action=action, actor=caller.actor, subject=subject))
