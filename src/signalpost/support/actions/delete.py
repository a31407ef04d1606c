"""Deleting a ticket."""

from typing import Final

from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.media.actions.sweep import release_files
from signalpost.support.actions import write
from signalpost.support.queries import TicketRow
from signalpost.support.schemas import TicketDeletion
from signalpost.web.caller import Caller

# A file may be attached to other tickets, too.
_FILES: Final = """
select unnest(attachments) from ticket_message where ticket_id = $1 and workspace_id = $2
except
select unnest(m.attachments) from ticket t join ticket_message m on m.ticket_id = t.id
where t.workspace_id = $2 and t.id <> $1
"""
_DELETE: Final = "delete from ticket where id = $1 and workspace_id = $2"


async def delete_ticket(db: Db, caller: Caller, ticket: TicketRow) -> TicketDeletion:
    """Delete a ticket with its messages and votes. History keeps that there was one.

    Raises:
        NotFound: it was deleted meanwhile.
        Forbidden: the caller is neither its author nor staff.
        InvalidState: the caller is its author, and staff have answered.
    """
    row = await write.lock(db, caller, ticket)
    if not caller.is_staff:
        if row.author_id != caller.user_id:
            raise problems.Forbidden("Only its author and staff delete a ticket.")
        if row.answered:
            raise problems.InvalidState("Staff have answered, so it can only be closed.")
    files = [record[0] for record in await db.fetch(_FILES, row.id, row.workspace_id)]
    await db.execute(_DELETE, row.id, row.workspace_id)
    await release_files(db, row.workspace_id, files)
    await write.record(db, caller, row, "delete_ticket")
    return TicketDeletion(ids.encode("tkt", row.id), deleted=True)
