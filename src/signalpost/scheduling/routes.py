from typing import Annotated

import msgspec

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import AlreadyExists, InvalidState, TooManyItems, VersionConflict
from signalpost.kit.wire import Listing
from signalpost.profiles.errors import ProfileArchived
from signalpost.scheduling import queries, views
from signalpost.scheduling.actions import queues, reserve
from signalpost.scheduling.errors import NoFreeSlot
from signalpost.scheduling.queries import QueueRow
from signalpost.scheduling.schemas import (
    QueueCreate,
    QueueDeletion,
    QueueListQuery,
    QueueUpdate,
    SlotPreview,
    SlotPreviewQuery,
    SlotQueue,
)
from signalpost.web.caller import Caller
from signalpost.web.conditional import Conditional
from signalpost.web.fields import QueueId
from signalpost.web.inputs import IfMatch, Mine, require_profile
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes

routes = Routes("Slot queues")

MyQueue = Annotated[QueueRow, Mine(QueueId, queries.find_mine)]
_CHANGES = (AlreadyExists, PlanLimitReached, ProfileArchived, TestModeOnlySandbox)


@routes.post("/queues", scope="profiles:write", raises=(*_CHANGES, TooManyItems), etag=True)
async def create_queue(db: Db, caller: Caller, data: QueueCreate) -> SlotQueue:
    """Create a slot queue: weekly wall times of a profile.

    A post with `publishMode: slot` gets the next free slot. A profile has at most 50 queues; the first one is its
    default.
    """
    return await queues.create_queue(db, caller, data)


@routes.get("/queues", scope="profiles:read", limit_default=LIST_ALL)
async def list_queues(
    context: AppContext, db: Db, caller: Caller, query: QueueListQuery, page: Page
) -> Listing[SlotQueue]:
    """List slot queues, newest first. Without `limit`, up to 500 are returned."""
    rows = await queries.visible(db, caller, query.profile_id, page)
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    return page.of(rows, views.queue)


@routes.get("/queues/{id}", scope="profiles:read", etag=True)
async def get_queue(queue: MyQueue) -> Conditional[SlotQueue]:
    """Return a slot queue."""
    return Conditional(queue.version, msgspec.structs.astuple(queue), lambda: views.queue(queue))


@routes.patch("/queues/{id}", scope="profiles:write", raises=(*_CHANGES, InvalidState, VersionConflict), etag=True)
async def update_queue(queue: MyQueue, db: Db, caller: Caller, data: QueueUpdate, if_match: IfMatch) -> SlotQueue:
    """Change a slot queue. Posts that have a slot keep their times."""
    return await queues.update_queue(db, caller, queue, data, if_match)


@routes.delete(
    "/queues/{id}",
    scope="profiles:write",
    raises=(VersionConflict, PlanLimitReached, ProfileArchived, TestModeOnlySandbox),
)
async def delete_queue(queue: MyQueue, db: Db, caller: Caller, if_match: IfMatch) -> QueueDeletion:
    """Delete a slot queue. Posts that have a slot keep their times."""
    return await queues.delete_queue(db, caller, queue, if_match)


@routes.get("/queues/{id}/slots", scope="profiles:read", raises=(NoFreeSlot,))
async def preview_slots(queue: MyQueue, db: Db, query: SlotPreviewQuery) -> SlotPreview:
    """Return the next slots of a queue: which are free, and which posts have the others.

    A post takes the first free slot at which none of its accounts publishes another post.
    """
    return await reserve.preview(db, queue, query.count, after=query.from_)
