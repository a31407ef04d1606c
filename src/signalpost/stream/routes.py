"""The stream over HTTP."""

from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit.problems import RateLimited
from signalpost.stream.hub import Hub
from signalpost.stream.schemas import MissedChanges, StreamQuery
from signalpost.stream.server_sent import missed_changes, stream
from signalpost.web.caller import Caller
from signalpost.web.request import Request, check_media_types
from signalpost.web.routing import RawResponse, Recheck, Routes
from signalpost.web.streaming import Stream

routes = Routes("Event stream")
EVENT: Final = {
    "type": "object",
    "required": ["data"],
    "properties": {
        "id": {"type": "string", "description": "Send it as `Last-Event-ID` to go on after it."},
        "event": {"type": "string", "enum": ["ready", "change", "reset", "end"]},
        "data": {"type": "string", "description": "JSON. Of a `change`: `id`, `type`, `subject`, `targetId`."},
    },
}


@routes.get(
    "/events/stream",
    scope="posts:read",
    raises=(RateLimited,),
    documented_headers={
        "Last-Event-ID": "The id of the last event that you received: what happened since comes first.",
        "Accept": "`application/json` asks for what happened since that event, as `poll` does. All else streams.",
    },
    documented_response={"text/event-stream": {"schema": EVENT}},
)
async def stream_events(
    context: AppContext, caller: Caller, request: Request, recheck: Recheck, query: StreamQuery
) -> MissedChanges | RawResponse:
    """Stream what changes in the workspace, as server-sent events.

    A `change` has `id`, `type`, `subject` and `targetId` as its data; it says that something changed, and reading the
    subject says what it is now. Events about posts go to whoever may read them, all others to owners and admins. An
    event comes within a second or two of its commit, and may come twice. What you missed comes first, then `ready`:
    without `Last-Event-ID` that is what happened in the last ten seconds, so read what you show, then listen. After a
    `reset`, too much happened to list it, or a change took over a minute to be stored: read again. The stream ends with
    your session or key (`end`), after an hour, and when you do not read it; open it again with `Last-Event-ID`, as
    `EventSource` does by itself. At most 50 streams per owner; when all places of the service are taken, the owner with
    the most loses one.
    """
    check_media_types((), (), request.headers, b"")
    last_id = request.headers.get("last-event-id")
    if query.poll or request.headers.get("accept", "").startswith("application/json"):
        return await missed_changes(context, caller, last_id)
    owner_id = caller.tenant.id
    assert isinstance(owner_id, UUID)  # noqa: S101 - whoever may read posts has a workspace, and so an owner
    listener = await context.state(Hub).join(context.database, caller.workspace_id, owner_id)
    pieces = stream(context, caller, listener, last_id, recheck, request.receive)
    return RawResponse(Stream(pieces, None), "text/event-stream", headers={"X-Accel-Buffering": "no"})
