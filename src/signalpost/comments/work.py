"""Work of this room: asking networks for comments, sending answers, hiding some, forgetting what is old."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.comments import queries
from signalpost.comments.actions import collect, forget, hide, plan, push, send, together
from signalpost.comments.queries import ReplyError
from signalpost.comments.states import NOTES
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.engine.turns import Turns
from signalpost.kit import batches
from signalpost.kit.db import Db

LOOK: Final = "comments.plan"
"""Named as in earlier versions, whose row of this job goes on."""
LOOK_SECONDS: Final = 20
ADD_MISSED: Final = "comments.add_missed"
ADD_MISSED_SECONDS: Final = 3_600
PURGE: Final = "comments.purge"
PURGE_SECONDS: Final = 3_600
# An earlier version wrote that.
_SOURCES: Final = batches.delete("comment_source", "next_attempt_at is null")
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

    async def add_to(db: Db, positions: Mapping[UUID, None], share: int) -> Mapping[UUID, None]:
        await push.add_untried(context, db, list(positions))
        return await plan.add_missed(db, positions, share)

    async def subscribe(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await push.subscribe(context, lease, payload)

    missed: Turns[None] = Turns(plan.accounts, add_to, page=plan.ACCOUNTS, rows=plan.ROWS)

    async def add_missed(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Go through the accounts once."""
        return await missed.run(lease)

    looking = together.Looking(context)
    return [
        JobKind(LOOK, looking.run, LOOK_SECONDS),
        JobKind(together.SHARE, looking.run_share),
        JobKind(ADD_MISSED, add_missed, ADD_MISSED_SECONDS),
        JobKind(plan.COLLECT, collect_account),
        JobKind(push.SUBSCRIBE, subscribe),
        JobKind(send.SEND, send_reply, given_up=give_up),
        JobKind(hide.HIDE, hide_comments, given_up=hide.give_up),
        JobKind(PURGE, purge, PURGE_SECONDS),
    ]


async def give_up(lease: Lease, payload: Mapping[str, Any], _error: Exception | None) -> None:
    """Note on an answer that nobody will send it any more."""
    async with lease.transaction() as db:
        answer = await queries.reply(db, UUID(payload["reply_id"]))
        if answer is not None:
            code = "internal_error" if answer.intent is None else "outcome_unknown"
            note = NOTES.get(code, "Sending the answer failed unexpectedly.")
            await db.execute(_GIVE_UP, answer.id, ReplyError(code, note))
