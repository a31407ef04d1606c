"""Sending an answer. Its journal is on disk before the one call that makes it public; an open intent is looked for."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.secrets import NoCredentials
from signalpost.accounts.token_store import open_session
from signalpost.comments import queries, views
from signalpost.comments.queries import CommentRow, ReplyError, ReplyRow
from signalpost.comments.states import APPROVAL_UNKNOWN, NOTES
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease, LeaseLost
from signalpost.engine.jobs import RunAgain
from signalpost.events import CommentReplied
from signalpost.kit import clock, ids, log, rows
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.kit.http import HttpFailure
from signalpost.kit.problems import Unavailable
from signalpost.networks.contract import (
    ApiError,
    Http,
    NeedsReconnect,
    Outcome,
    OutcomeUnknown,
    OutgoingReply,
    Pending,
    Published,
    Refused,
    Response,
    TryLater,
)
from signalpost.networks.outcome_mapping import failure_outcome

SEND: Final = "comments.send"
CALL_SECONDS_MAX: Final = 60.0
DELAYS: Final = (5.0, 30.0, 120.0, 600.0, 1_800.0, 3_600.0, 7_200.0)
"""Seconds before the next attempts; after the last one it is given up."""
_logger = log.get("comments")

_BEGIN: Final = """
update comment_reply set attempts = attempts + 1 where id = $1 and workspace_id = $2 and state = 'sending'
returning attempts
"""
_STEP: Final = """
update comment_reply set steps = steps || $3,
    intent = case when $4::text is null then intent when $5 then null else $4 end
where id = $1 and workspace_id = $2 and state = 'sending'
    and (select status <> 'disconnected' from account where id = account_id)
returning true
"""
_SENT: Final = """
update comment_reply set state = 'sent', remote_id = $3, url = $4, sent_at = $5, error = null, intent = null
where id = $1 and workspace_id = $2 and state = 'sending' returning true
"""
_ANSWERED: Final = """
update comment set answered_at = coalesce(answered_at, $3), state = 'done', snoozed_until = null, updated_at = $3
where id = $1 and workspace_id = $2
"""
_OWN: Final = f"{rows.insert('comment', CommentRow)} on conflict (account_id, remote_id) do nothing"
_END: Final = """
update comment_reply set state = $3, error = $4 where id = $1 and workspace_id = $2 and state = 'sending'
"""
# All of them: when the database was last known to be complete is known to some seconds only. What waits for an approval
# may have got it since, and approved again it would be sent again.
_DOUBT: Final = "update comment_reply set state = 'unknown', error = $2 where state = $1"


async def doubt_what_is_sent(db: Db, _since: datetime) -> None:
    """Send nothing that was being sent, or waited: workers that knew more than this database may have sent it since."""
    await db.execute(_DOUBT, "sending", ReplyError("outcome_unknown", NOTES["outcome_unknown"]))
    await db.execute(_DOUBT, "pending", ReplyError("outcome_unknown", APPROVAL_UNKNOWN))


async def enqueue(db: Db, answer: ReplyRow) -> None:
    """Have an answer sent, in the transaction that accepts it."""
    key = f"{SEND}/{answer.id}"
    await jobs.enqueue(db, SEND, {"reply_id": str(answer.id)}, unique_key=key, workspace_id=answer.workspace_id)


async def send(context: AppContext, lease: Lease, reply_id: UUID) -> RunAgain | None:
    """Send an answer that is to be sent, or find out what became of it; return when to go on."""
    async with context.database.connection() as db:
        answer = await queries.reply(db, reply_id)
        comment = None if answer is None else await queries.by_id(db, answer.comment_id)
        account = None if answer is None else await accounts.by_id(db, answer.account_id)
        post_id = None if comment is None else await queries.post_remote_id(db, comment)
    if answer is None or answer.state != "sending" or comment is None:
        return None
    async with lease.transaction() as db:
        attempt = await db.fetchval(_BEGIN, answer.id, answer.workspace_id)
    failpoint("reply-begun")
    journal = ReplyJournal(lease, answer)
    outcome = await _outcome(context, answer, comment, account, post_id, journal, attempt or 1)
    failpoint("reply-answered")
    return await _settle(context, lease, answer, comment, outcome, journal, attempt or 1)


async def _outcome(  # noqa: PLR0911 - one for each way it can end; what it is about
    context: AppContext,
    answer: ReplyRow,
    comment: CommentRow,
    account: AccountRow | None,
    post_id: str | None,
    journal: "ReplyJournal",
    attempt: int,
) -> Outcome:
    connector = networks.get(comment.platform)
    if account is None or account.status == "disconnected" or connector is None or connector.reply is None:
        return Refused(code="account_disconnected", message=NOTES["account_disconnected"])
    if post_id is None or (comment.deleted_at is not None and journal.intent is None):
        return Refused(code="destination_missing", message=NOTES["comment_gone"])
    try:
        async with asyncio.timeout(CALL_SECONDS_MAX):
            return await _ask(context, answer, comment, account, post_id, journal, attempt)
    except (LeaseLost, Unavailable):
        raise
    except AccountGone:
        return Refused(code="account_disconnected", message=NOTES["account_disconnected"])
    except NoCredentials as error:
        return NeedsReconnect(message=str(error))
    except ApiError as error:
        return connector.explain(error)
    except HttpFailure as failure:
        return failure_outcome(failure, creating=journal.intent is not None)
    except TimeoutError:
        return _broke_off(journal, f"The network took longer than {CALL_SECONDS_MAX:.0f} s.", "platform_timeout")
    except Exception as error:
        _logger.exception("reply.unexpected_error", reply=ids.encode("rpl", answer.id), platform=comment.platform)
        return _broke_off(journal, f"The connector failed: {type(error).__name__}.", "internal_error")


async def _ask(
    context: AppContext,
    answer: ReplyRow,
    comment: CommentRow,
    account: AccountRow,
    post_id: str,
    journal: "ReplyJournal",
    attempt: int,
) -> Outcome:
    connector = networks.get(comment.platform)
    assert connector is not None  # noqa: S101 - the caller looked
    assert connector.reply is not None  # noqa: S101
    session = await open_session(context, account, context.http.publishing)
    session.server = replace(session.server, http=_LeasedHttp(session.server.http, journal))
    outgoing = OutgoingReply(
        post_id=post_id,
        comment_id=comment.remote_id,
        author_handle=comment.author_handle,
        reference=comment.reference,
        text=answer.text,
        dedupe_key=answer.id.hex,
        created_at=answer.created_at,
        attempt=attempt,
    )
    return await connector.reply(session, outgoing, journal)


def _broke_off(journal: "ReplyJournal", message: str, code: str) -> OutcomeUnknown | TryLater:
    if journal.intent is not None:
        return OutcomeUnknown(message=message)
    return TryLater(message=message, code=code)


async def _settle(
    context: AppContext,
    lease: Lease,
    answer: ReplyRow,
    comment: CommentRow,
    outcome: Outcome,
    journal: "ReplyJournal",
    attempt: int,
) -> RunAgain | None:
    """Write what became of an attempt; return when to try again, or to look again."""
    if isinstance(outcome, Published):
        async with lease.transaction() as db:
            await _write_sent(context, db, answer, comment, outcome)
        lease.count("sent")
        return None
    if isinstance(outcome, TryLater | OutcomeUnknown | Pending) and attempt <= len(DELAYS):
        lease.count("retrying")
        return RunAgain(_wait_seconds(outcome, attempt))
    # Once a call may have got through, only finding the answer, or a refusal to create it again, would settle it.
    may_be_there = journal.intent is not None and not isinstance(outcome, Refused)
    code = "outcome_unknown" if may_be_there else _code(outcome)
    note = NOTES.get(code, "")
    message = f"{getattr(outcome, 'message', '')} {note}".strip()[:1_000]
    async with lease.transaction() as db:
        state = "unknown" if may_be_there else "failed"
        await db.execute(_END, answer.id, answer.workspace_id, state, ReplyError(code, message))
    lease.count("unknown" if may_be_there else "failed")
    return None


def _wait_seconds(outcome: TryLater | OutcomeUnknown | Pending, attempt: int) -> float:
    if isinstance(outcome, Pending):
        return outcome.poll_after_seconds
    named = outcome.tells_after_seconds if isinstance(outcome, OutcomeUnknown) else outcome.after_seconds
    return max(named or 0.0, DELAYS[attempt - 1] if named is None else 1.0)


def _code(outcome: Outcome) -> str:
    if isinstance(outcome, NeedsReconnect):
        return "account_restricted" if outcome.restricted else "auth_expired"
    return getattr(outcome, "code", "platform_unavailable")


async def _write_sent(context: AppContext, db: Db, answer: ReplyRow, comment: CommentRow, published: Published) -> None:
    now = clock.actual()
    sent = await db.fetchval(_SENT, answer.id, answer.workspace_id, published.remote_id, published.url, now)
    if not sent:
        return
    await db.execute(_ANSWERED, comment.id, comment.workspace_id, now)
    await db.execute(_OWN, *rows.values(_own(answer, comment, published)))
    stored = await queries.reply(db, answer.id) or answer
    await context.emit(
        db,
        CommentReplied(
            workspace_id=comment.workspace_id,
            at=now,
            profile_id=comment.profile_id,
            mode=comment.mode,
            data=views.event_data(comment, stored),
        ),
    )


def _own(answer: ReplyRow, comment: CommentRow, published: Published) -> CommentRow:
    """Return the answer as a comment of the thread: the network lists it a little later."""
    now = clock.actual()
    return CommentRow(
        id=ids.new_id(),
        workspace_id=comment.workspace_id,
        profile_id=comment.profile_id,
        account_id=comment.account_id,
        post_id=comment.post_id,
        target_id=comment.target_id,
        platform=comment.platform,
        mode=comment.mode,
        remote_id=published.remote_id,
        parent_id=comment.id,
        thread_id=comment.thread_id,
        reference={},
        author_id="",
        author_name="",
        author_handle=None,
        author_avatar_url=None,
        author_url=None,
        is_own=True,
        text=answer.text[:5_000],
        url=published.url,
        posted_at=now,
        created_at=now,
        updated_at=now,
        state="done",
    )


class AccountGone(Exception):
    """The account was disconnected, or the answer was erased, while it was being sent."""


class ReplyJournal:
    """What was done for an answer; implements `networks.contract.Journal`. Each step is on disk before it returns."""

    def __init__(self, lease: Lease, answer: ReplyRow) -> None:
        self._lease = lease
        self._answer = answer
        self._steps = dict(answer.steps)
        self.intent = answer.intent

    @property
    def steps(self) -> Mapping[str, Any]:
        return self._steps

    async def record(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`."""
        await self._write(step, value, None, closes=False)

    async def intend(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`; on return the call may be made at once."""
        failpoint("reply-before-intent")
        await self._write(step, value, step, closes=False)
        self.intent = step
        failpoint("reply-after-intent")
        self._lease.ensure_fresh()

    async def done(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`."""
        failpoint("reply-before-done")
        await self._write(step, value, step, closes=True)
        self.intent = None
        failpoint("reply-after-done")

    async def _write(self, step: str, value: Any, intent: str | None, *, closes: bool) -> None:
        async with self._lease.transaction() as db:
            written = await db.fetchval(
                _STEP, self._answer.id, self._answer.workspace_id, {step: value}, intent, closes
            )
        if not written and not closes:
            raise AccountGone
        self._steps[step] = value

    async def send(self, http: Http, method: str, url: str, options: Mapping[str, Any]) -> Response:
        """Send a request; one that may create the answer ends before the lease does."""
        if self.intent is None:
            return await http.request(method, url, **options)
        failpoint("reply-before-call")
        async with self._lease.while_fresh():
            response = await http.request(method, url, before_send=self._lease.ensure_fresh, **options)
        failpoint("reply-after-call")
        return response


class _LeasedHttp:
    """The outgoing client of a journal."""

    def __init__(self, http: Http, journal: ReplyJournal) -> None:
        self._http = http
        self._journal = journal

    async def request(self, method: str, url: str, **options: Any) -> Response:
        """See `networks.contract.Http`."""
        return await self._journal.send(self._http, method, url, options)
