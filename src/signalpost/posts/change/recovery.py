"""What a database from a backup does not know: posts that the saved instance published after the backup was made.

They are treated like posts whose response was lost: the network is asked before anything is sent. See decision 0240.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.networks.threads import RESTORED

# The next part of a thread that is not known to be public is the one to look for.
_SUSPECT: Final = """
with suspect as (
    select t.id, 'part:' || (
        select count(*) from jsonb_each(t.steps) s where s.key like 'part:%' and s.value ? 'id') as step
    from target t join post p on p.id = t.post_id
    where {condition} and t.status in ('pending', 'retrying', 'publishing', 'processing') and t.intent is null
        and p.deleted_at is null
)
update target t
set steps = t.steps || jsonb_build_object(s.step, $1::jsonb), updated_at = now(),
    intent = jsonb_build_object('step', s.step, 'value', $1::jsonb, 'at', now())
from suspect s where t.id = s.id and not t.steps ? s.step
"""
_WAITS = _SUSPECT.format(condition="t.due_at <= now()")
_OF_POST = _SUSPECT.format(condition="t.post_id = $2")
_SINCE = f"""
select min(steps #>> '{{part:0,at}}') from target where post_id = $1 and steps @? '$.*.{RESTORED}'
"""  # noqa: S608 - a constant


async def look_up_what_is_due(db: Db, since: datetime) -> int:
    """Have the networks asked for everything that is due by now before it is sent; return how many targets that is.

    `since`: the saved instance may have published it from then on.
    """
    status = await db.execute(_WAITS, _intended(since))
    return int(status.rpartition(" ")[2])


async def look_up_reposts(db: Db, source_id: UUID, post_id: UUID) -> None:
    """Have a repost looked up as well if its source was: the saved instance may have passed it on."""
    since = await db.fetchval(_SINCE, source_id)
    if since is not None:
        await db.execute(_OF_POST, {"at": since, RESTORED: True}, post_id)


def _intended(since: datetime) -> dict[str, object]:
    return {"at": clock.wire(since), RESTORED: True}
