"""Which slot a post gets that asks for the next free one (`publishMode: slot`), and whether it still has it."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.posts import queries
from signalpost.posts.documents import PostWarning
from signalpost.posts.rows import PostRow
from signalpost.posts.times import Moment, dst_warning
from signalpost.scheduling import queries as slots
from signalpost.scheduling.actions import reserve
from signalpost.scheduling.queries import QueueRow
from signalpost.scheduling.week import SlotTime
from signalpost.web.fields import QueueId

TAKEN = PostWarning(
    "slot.taken", "/publishMode", "Another post has its slot now. Send `publishMode: slot` to get the next free one."
)
_NO_QUEUE = Issue(
    "/publishMode", "not_allowed", "The profile has no slot queue: create one by POST /queues, or send scheduledAt."
)


class PickedSlot(NamedTuple):
    """A free slot of a queue that is locked until the transaction ends."""

    queue: QueueRow
    slot: SlotTime

    @property
    def moment(self) -> Moment:
        """The time of the slot, as if a client had written it."""
        at, local, shift = self.slot
        return Moment(at, local, dst_warning(shift, at, self.queue.zone_name))


async def pick_slot(
    db: Db,
    workspace_id: UUID,
    profile_id: UUID,
    queue_id: UUID | None,
    account_ids: Collection[UUID],
    base: PostRow | None,
) -> PickedSlot:
    """Lock a queue of the profile and return its next free slot for a post on these accounts.

    `queue_id` None: the queue of which the stored post `base` had a slot, else the default one of the profile.

    Raises:
        ValidationFailed: there is no such queue.
        NoFreeSlot: all of its slots are taken.
    """
    await queries.share_profile(db, profile_id)  # as every writer of its posts does, before it waits for anything else
    post_id = None if base is None else base.id
    named = queue_id
    if named is None and post_id is not None:
        named = await slots.queue_of_post(db, workspace_id, post_id)
    queue = None
    if named is not None:
        queue = await slots.lock(db, workspace_id, named)
    elif queue_id is None:
        queue = await slots.lock_default(db, workspace_id, profile_id)
    if queue is None or queue.profile_id != profile_id:
        raise problems.ValidationFailed(errors=[no_queue(queue_id)])
    return PickedSlot(queue, await reserve.next_free(db, queue, account_ids, except_post=post_id))


def no_queue(queue_id: UUID | None) -> Issue:
    """Return what is wrong with a post for whose slot there is no queue; None: it named none."""
    return _NO_QUEUE if queue_id is None else QueueId.not_found("/queueId")


async def take_slot(db: Db, picked: PickedSlot | None, post: PostRow) -> None:
    """Give the slot to the post, which was just written in this transaction."""
    if picked is not None:
        await reserve.take(db, picked.queue, picked.slot.at, post.id)


async def lock_queue_of(db: Db, post: PostRow) -> None:
    """Lock the queue of a post that had a slot, before its lanes and itself are locked."""
    queue_id = await slots.queue_of_post(db, post.workspace_id, post.id)
    if queue_id is not None:
        await slots.lock(db, post.workspace_id, queue_id)


async def is_lost(db: Db, post: PostRow) -> bool:
    """Whether another post has the slot of this one, which gave it up. Its queue is locked."""
    return post.publish_mode == "slot" and not await slots.has_reservation(db, post.workspace_id, post.id)
