from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InvalidState, TooManyItems
from signalpost.kit.wire import Listing
from signalpost.support import queries, views
from signalpost.support.actions import answer, create, delete, move, vote, write
from signalpost.support.errors import require_live
from signalpost.support.queries import TicketRow
from signalpost.support.schemas import (
    MessageCreate,
    SuggestionQuery,
    Ticket,
    TicketCreate,
    TicketDeletion,
    TicketDetail,
    TicketMessage,
    TicketQuery,
    TicketStatusUpdate,
    TicketVotes,
)
from signalpost.web.caller import Caller
from signalpost.web.fields import TicketId
from signalpost.web.inputs import Mine
from signalpost.web.paging import Page
from signalpost.web.routing import Routes

routes = Routes("Support")

MyTicket = Annotated[TicketRow, Mine(TicketId, queries.find_mine)]
ReadableTicket = Annotated[TicketRow, Mine(TicketId, queries.find_readable)]
_SCOPE = "support:write"


@routes.post(
    "/support",
    scope=_SCOPE,
    raises=(TestModeOnlySandbox, TooManyItems),
    example={"subject": "Posts appear an hour late", "body": "Since *Sunday* …", "type": "bug"},
)
async def create_ticket(context: AppContext, db: Db, caller: Caller, data: TicketCreate) -> TicketDetail:
    """Open a ticket; staff are mailed.

    A ticket is seen by its workspace and by staff. A suggestion is public at once: users of all workspaces see its
    title, its messages and the names of those who wrote them, and can vote for it. A workspace has at most 100 open
    tickets.
    """
    return await create.create_ticket(context, db, caller, data)


@routes.get("/support", scope=_SCOPE, across_workspaces="staff", raises=(TestModeOnlySandbox,))
async def list_tickets(db: Db, caller: Caller, query: TicketQuery, page: Page) -> Listing[Ticket]:
    """List the tickets of the workspace, newest first; for staff, those of all workspaces."""
    require_live(caller)
    return page.of(await queries.listed(db, caller, query, page), lambda row: views.ticket(row, caller))


@routes.get("/support/suggestions", scope=_SCOPE, across_workspaces=True, raises=(TestModeOnlySandbox,))
async def list_suggestions(db: Db, caller: Caller, query: SuggestionQuery, page: Page) -> Listing[Ticket]:
    """List the suggestions of everyone, those with the most votes first.

    With `q`, for a search while someone types: those whose titles have the most of these words, in one page.
    """
    require_live(caller)
    if query.q is not None:
        rows = await queries.similar(db, caller, query.q, page.limit)
        return Listing(data=[views.ticket(row, caller) for row in rows])
    return page.of(
        await queries.suggestions(db, caller, page),
        lambda row: views.ticket(row, caller),
        position=queries.position_by_votes,
    )


@routes.get("/support/{id}", scope=_SCOPE, across_workspaces=True)
async def get_ticket(ticket: ReadableTicket, context: AppContext, db: Db, caller: Caller) -> TicketDetail:
    """Return a ticket with its messages, oldest first. Of a suggestion of others, what is public."""
    return await write.read_detail(context, db, caller, ticket)


@routes.delete(
    "/support/{id}", scope=_SCOPE, across_workspaces="staff", history="action", raises=(Forbidden, InvalidState)
)
async def delete_ticket(ticket: MyTicket, db: Db, caller: Caller) -> TicketDeletion:
    """Delete a ticket with its messages. Its author may do so until staff have answered."""
    return await delete.delete_ticket(db, caller, ticket)


@routes.post(
    "/support/{id}/messages",
    scope=_SCOPE,
    across_workspaces="staff",
    history="action",
    raises=(Forbidden, InvalidState, TooManyItems),
)
async def add_ticket_message(
    ticket: MyTicket, context: AppContext, db: Db, caller: Caller, data: MessageCreate
) -> TicketMessage:
    """Write a message; the other side is mailed.

    A message of a user opens a ticket again that is `waiting_on_user`, or was `resolved` within 14 days. A closed one
    takes no messages. A ticket has at most 200.
    """
    return await answer.add_message(context, db, caller, ticket, data)


@routes.patch(
    "/support/{id}/status",
    scope=_SCOPE,
    across_workspaces="staff",
    history="action",
    raises=(Forbidden, InvalidState, TooManyItems),
)
async def update_ticket_status(
    ticket: MyTicket, context: AppContext, db: Db, caller: Caller, data: TicketStatusUpdate
) -> TicketDetail:
    """Set the status. The author may set `open` and `closed`; staff any that the type has.

    Tickets are `open`, `in_progress`, `waiting_on_user`, `resolved` or `closed`; suggestions `open`, `planned`,
    `in_progress`, `shipped`, `declined` or `closed`. A resolved ticket closes itself after 14 days.
    """
    row = await move.update_status(context, db, caller, ticket, data)
    return await write.read_detail(context, db, caller, row)


@routes.post("/support/{id}/vote", scope=_SCOPE, across_workspaces=True, raises=(InvalidState,))
async def vote_for_suggestion(ticket: ReadableTicket, db: Db, caller: Caller) -> TicketVotes:
    """Vote for a suggestion. Each user has one vote; repeating it changes nothing."""
    return await vote.vote_for(db, caller, ticket)


@routes.delete("/support/{id}/vote", scope=_SCOPE, across_workspaces=True, raises=(InvalidState,))
async def remove_vote(ticket: ReadableTicket, db: Db, caller: Caller) -> TicketVotes:
    """Take a vote back. Repeating it changes nothing."""
    return await vote.take_back(db, caller, ticket)
