"""Nothing of an imported workspace goes out by itself: the one it came from may still publish, to the same accounts."""

from typing import Final
from uuid import UUID

import msgspec

from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.posts.states import UNDER_WAY, WAITING
from signalpost.posts.target_errors import target_error

_WHERE_IT_CAME_FROM: Final = (
    "The workspace was exported while this was under way. See at the network whether it is there."
)
_STOPPED: Final = "The workspace was exported before the rest was published."

# A post that nothing was tried of becomes a draft, with its time. Of the others, what waits is cancelled.
_DRAFTS: Final = """
with untouched as (
    update post p set status = 'draft', publish_mode = 'draft', queued_at = null
    where workspace_id = $1 and deleted_at is null and status in ('scheduled', 'queued', 'publishing') and not exists (
        select from target t where t.post_id = p.id and t.workspace_id = $1
            and (t.status not in ('pending', 'cancelled') or t.steps <> '{}'))
    returning id
)
update target t set status = 'pending'
from untouched u where t.post_id = u.id and t.workspace_id = $1
"""
_STOP: Final = """
update target t set status = case when t.steps = '{}' and t.remote_id is null then 'cancelled' else 'failed' end,
    error = case when t.steps = '{}' and t.remote_id is null then null else $3::jsonb end
from post p
where t.workspace_id = $1 and t.status = any($2) and p.id = t.post_id and p.workspace_id = $1 and p.status <> 'draft'
"""
_DOUBT: Final = """
update target set status = 'failed', error = $3, intent = null, pending_state = null
where workspace_id = $1 and status = any($2)
"""
_TAKE_OFF: Final = """
update target set due_at = null, next_attempt_at = null, held_reason = null
where workspace_id = $1 and next_attempt_at is not null
"""
_FOLLOW: Final = """
update post p set status = (
    select case
        when count(*) = 0 then 'draft'
        when count(*) filter (where t.status = 'failed') = 0 then 'published'
        when count(*) filter (where t.status = 'failed') = count(*) then 'failed'
        else 'partial' end
    from target t where t.post_id = p.id and t.workspace_id = $1 and t.status <> 'cancelled')
where workspace_id = $1 and deleted_at is null and status in ('scheduled', 'queued', 'publishing')
"""


async def hold_imported(db: Db, workspace_id: UUID) -> None:
    """Take off everything that a worker would begin or go on with."""
    now = clock.now()
    stopped, doubtful = (
        msgspec.to_builtins(target_error(code, text, now))
        for code, text in (("cancelled", _STOPPED), ("outcome_unknown", _WHERE_IT_CAME_FROM))
    )
    await db.execute(_DRAFTS, workspace_id)
    await db.execute(_STOP, workspace_id, list(WAITING), stopped)
    await db.execute(_DOUBT, workspace_id, list(UNDER_WAY), doubtful)
    await db.execute(_TAKE_OFF, workspace_id)
    await db.execute(_FOLLOW, workspace_id)
