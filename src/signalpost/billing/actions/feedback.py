"""Keep what people say about plans and prices; `signalpost feedback list` shows it to the operator."""

from uuid import UUID

from signalpost.billing.schemas import FeedbackCreate
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.web.caller import Caller

PER_DAY = 20
"""Of one workspace."""

_LOCK = "select pg_advisory_xact_lock(hashtextextended($1, 0))"
_INSERT = """
insert into billing_feedback (id, workspace_id, user_id, plan, reason, stage, comment, rating)
select $1, $2, $3, $4, $5, $6, $7, $8
where (select count(*) from billing_feedback where workspace_id = $2 and created_at > now() - interval '1 day') < $9
returning id
"""


async def give_feedback(db: Db, caller: Caller, data: FeedbackCreate) -> None:
    """Keep it.

    Raises:
        RateLimited: the workspace has said enough for a day.
    """
    await db.execute(_LOCK, f"billing-feedback:{caller.workspace_id}")
    written = await db.fetchval(
        _INSERT, ids.new_id(), caller.workspace_id, caller.user_id, caller.plan, data.reason, data.stage,
        data.comment, data.rating, PER_DAY,
    )  # fmt: skip
    if written is None:
        raise problems.RateLimited(
            f"A workspace can send feedback {PER_DAY} times a day.", headers={"Retry-After": "86400"}
        )


_FORGET = "update billing_feedback set comment = null where workspace_id = $1 and comment is not null"


async def forget_comments(db: Db, workspace_id: UUID) -> None:
    """Remove what people of an erased workspace wrote; what they chose stays, as a record of billing."""
    await db.execute(_FORGET, workspace_id)
