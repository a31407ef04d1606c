"""Resolved tickets close themselves."""

from typing import Final

from signalpost.audit.actions import record as audit
from signalpost.events import Actor
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.support.states import CLOSES_AFTER

BATCH: Final = 500
TEXT: Final = "Closed: nobody wrote for 14 days after it was resolved."
_ACTOR: Final = Actor(type="system", id=None, name="support")
_DUE: Final = """
select id, workspace_id from ticket where status = 'resolved' and resolved_at < now() - $1::interval
order by resolved_at limit $2 for no key update skip locked
"""
_CLOSE: Final = """
update ticket set status = 'closed', resolved_at = null, closed_at = now(), updated_at = now(), last_message_at = now(),
    message_count = message_count + 1
where id = any($1)
"""
_WRITE: Final = """
insert into ticket_message (id, ticket_id, workspace_id, role, body, created_at)
select m.id, m.ticket_id, m.workspace_id, 'system', $4, now()
from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as m(id, ticket_id, workspace_id)
"""


async def close_resolved(db: Db) -> int:
    """Close a batch of the tickets that were resolved 14 days ago; return how many there were."""
    due = [(record[0], record[1]) for record in await db.fetch(_DUE, CLOSES_AFTER, BATCH)]
    if due:
        tickets, workspaces = [ticket for ticket, _ in due], [workspace for _, workspace in due]
        await db.execute(_CLOSE, tickets)
        await db.execute(_WRITE, [ids.new_id() for _ in due], tickets, workspaces, TEXT)
    for ticket_id, workspace_id in due:
        entry = audit.Entry(
            workspace_id=workspace_id, action="close_ticket", actor=_ACTOR, subject=ids.encode("tkt", ticket_id)
        )
        await audit.record(db, entry)
    return len(due)
