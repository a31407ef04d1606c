"""Votes for suggestions: one of each user, whatever arrives at the same moment."""

from typing import Final

from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.support.queries import TicketRow
from signalpost.support.schemas import TicketVotes
from signalpost.support.states import SUGGESTION
from signalpost.web.caller import Caller
from signalpost.web.fields import TicketId
from signalpost.web.inputs import deleted_meanwhile

# The vote is written first: of two that are the same, the second one waits there, and then counts nothing.
_VOTE: Final = """
with vote as (
    insert into ticket_vote (ticket_id, user_id, workspace_id) select id, $2, $3 from ticket where id = $1
    on conflict (ticket_id, user_id) do nothing returning 1
)
update ticket set votes = votes + (select count(*) from vote) where id = $1 returning votes
"""
_TAKE_BACK: Final = """
with vote as (delete from ticket_vote where ticket_id = $1 and user_id = $2 returning 1)
update ticket set votes = votes - (select count(*) from vote) where id = $1 returning votes
"""


async def vote_for(db: Db, caller: Caller, ticket: TicketRow) -> TicketVotes:
    """Count the caller's vote, once.

    Raises:
        InvalidState: the ticket is not a suggestion, or goes on as another one.
        NotFound: it was deleted meanwhile.
    """
    _require_suggestion(ticket)
    if ticket.merged_into_id is not None:
        other = ids.encode("tkt", ticket.merged_into_id)
        raise problems.InvalidState(f"It was merged into {other}. Vote for that one.")
    return _votes(ticket, await db.fetchval(_VOTE, ticket.id, caller.user_id, caller.workspace_id), mine=True)


async def take_back(db: Db, caller: Caller, ticket: TicketRow) -> TicketVotes:
    """Take the caller's vote back, if there is one.

    Raises:
        InvalidState: the ticket is not a suggestion.
        NotFound: it was deleted meanwhile.
    """
    _require_suggestion(ticket)
    return _votes(ticket, await db.fetchval(_TAKE_BACK, ticket.id, caller.user_id), mine=False)


def _require_suggestion(ticket: TicketRow) -> None:
    if ticket.type != SUGGESTION:
        raise problems.InvalidState("Only suggestions have votes.")


def _votes(ticket: TicketRow, votes: int | None, *, mine: bool) -> TicketVotes:
    if votes is None:
        raise deleted_meanwhile(TicketId, ticket.id)
    return TicketVotes(ids.encode("tkt", ticket.id), votes, mine)
