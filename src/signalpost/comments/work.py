"""Work of this room: asking networks for comments, sending answers, hiding some, forgetting what is old."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.comments import queries
from signalpost.comments.actions import collect, forget, hide, plan, send
from signalpost.comments.queries import ReplyError
from signalpost.comments.states import NOTES
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.engine.turns import Turns
from signalpost.kit import batches

PLAN: Final = "comments.plan"
PLAN_SECONDS: Final = 20
PURGE: Final = "comments.purge"
PURGE_SECONDS: Final = 3_600
_SOURCES: Final = batches.delete("comment_source", "published_at < now() - interval '40 days'")
_GIVE_UP: Final = """
update comment_reply set state = case when intent is null then 'failed' else 'unknown' end, error = $2
where id = $1 and state = 'sending'
"""


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def collect_account(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await collect.collect(context, lease, UUID(payload["account_id"]))

    async def send_reply(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await send.send(context, lease, UUID(payload["reply_id"]))

    async def hide_comments(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await hide.hide_some(context, lease, UUID(payload["account_id"]))

    turns = forget.turns(context.settings)

    async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        async with lease.transaction() as db:
            more = await batches.run(db, (_SOURCES,))
        return await turns.run(lease) or (RunAgain(0) if more else None)

    return [
        JobKind(PLAN, Planning().run, PLAN_SECONDS),
        JobKind(plan.COLLECT, collect_account),
        JobKind(send.SEND, send_reply, given_up=give_up),
        JobKind(hide.HIDE, hide_comments, given_up=hide.give_up),
        JobKind(PURGE, purge, PURGE_SECONDS),
    ]


class Planning:
    """Has what is due collected, of one page of accounts after the other."""

    def __init__(self) -> None:
        self._turns = Turns(plan.accounts, plan.dispatch, page=plan.ACCOUNTS, rows=plan.ROWS)

    async def run(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Go through the accounts once."""
        return await self._turns.run(lease)


async def give_up(lease: Lease, payload: Mapping[str, Any], _error: Exception | None) -> None:
    """Note on an answer that nobody will send it any more."""
    async with lease.transaction() as db:
        answer = await queries.reply(db, UUID(payload["reply_id"]))
        if answer is not None:
            code = "internal_error" if answer.intent is None else "outcome_unknown"
            note = NOTES.get(code, "Sending the answer failed unexpectedly.")
            await db.execute(_GIVE_UP, answer.id, ReplyError(code, note))
