"""Slots for the posts of a batch: in the order of the posts, and only for those that are written."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.kit.problems import Problem, ValidationFailed
from signalpost.posts import progress, queries, times
from signalpost.posts.compose.slot import PickedSlot, no_queue
from signalpost.posts.documents import PostWarning
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.write.enqueue import due_at
from signalpost.posts.write.writer import NewPost
from signalpost.scheduling import queries as slots
from signalpost.scheduling.actions import reserve
from signalpost.scheduling.actions.reserve import Given
from signalpost.scheduling.errors import NoFreeSlot
from signalpost.scheduling.queries import QueueRow
from signalpost.web.caller import Caller


class GapLeftError(Exception):
    """A post that was given a slot was not written."""


class BatchSlots:
    """The queues that the posts of a batch name, locked until the end of the transaction, and what they give.

    `after`: by queue, the last slot that earlier batches of the same file got; those of this one are later.
    """

    def __init__(self, db: Db, caller: Caller, after: dict[UUID, datetime]) -> None:
        self._db, self._caller, self._after = db, caller, after
        self._queues: dict[UUID, QueueRow] = {}
        self._default: dict[UUID, QueueRow] = {}
        self.given: list[Given] = []

    async def lock(self, bodies: Mapping[int, PostCreate]) -> None:
        """Lock the queues of these posts, each once, before any content of theirs is locked."""
        if not bodies:
            return
        # As every writer does, before it waits for anything else.
        await queries.share_profiles(self._db, list({data.profile_id for data in bodies.values()}))
        named = {data.queue_id for data in bodies.values() if data.queue_id is not None}
        default_of = {data.profile_id for data in bodies.values() if data.queue_id is None}
        queues = await slots.lock_many(self._db, self._caller.workspace_id, named, default_of)
        self._queues = {queue.id: queue for queue in queues}
        self._default = {queue.profile_id: queue for queue in queues if queue.is_default}

    async def give(
        self, new_posts: Mapping[int, NewPost], bodies: Mapping[int, PostCreate]
    ) -> tuple[dict[int, NewPost], dict[int, Problem]]:
        """Set the times of those posts that ask for a slot. Return which can be written, and why the others cannot."""
        self.given = []
        free, refused = dict(new_posts), dict[int, Problem]()
        by_queue: dict[UUID, list[int]] = {}
        for index in (index for index in new_posts if index in bodies):
            data = bodies[index]
            queue = self._default.get(data.profile_id) if data.queue_id is None else self._queues.get(data.queue_id)
            if queue is None or queue.profile_id != data.profile_id:
                refused[index] = ValidationFailed(errors=[no_queue(data.queue_id)])
            else:
                by_queue.setdefault(queue.id, []).append(index)
        taken = {
            (target.account_id, target.next_attempt_at)
            for index, new in new_posts.items()
            if index not in bodies
            for target in new.targets
            if target.next_attempt_at is not None
        }
        for queue_id, indexes in by_queue.items():
            queue = self._queues[queue_id]
            accounts = [[target.account_id for target in new_posts[index].targets] for index in indexes]
            free_slots = await reserve.next_free_of_many(
                self._db, queue, accounts, taken, after=self._after.get(queue_id)
            )
            for index, slot in zip(indexes, free_slots, strict=False):
                _place(new_posts[index], PickedSlot(queue, slot))
                self.given.append(Given(queue_id, slot.at, new_posts[index].post.id))
            refused |= {index: NoFreeSlot(reserve.why_none(queue)) for index in indexes[len(free_slots) :]}
        return {index: new for index, new in free.items() if index not in refused}, refused

    async def take(self, written: set[UUID]) -> None:
        """Take the slots that were given, for posts that were just written.

        Raises:
            GapLeftError: one of the posts was not; what was written has to be undone.
        """
        if any(slot.post_id not in written for slot in self.given):
            raise GapLeftError
        if self.given:
            await reserve.take_many(self._db, self._caller.workspace_id, self.given)
        self._after |= {slot.queue_id: slot.at for slot in self.given}  # of each queue the last


def _place(new: NewPost, picked: PickedSlot) -> None:
    """Set the time of a post that is not yet written."""
    post, moment, now = new.post, picked.moment, clock.now()
    post.publish_mode, post.scheduled_at, post.timezone = "slot", moment.at, picked.queue.zone_name
    post.scheduled_local, post.tzdata_version = moment.local, times.tzdata_version()
    if moment.warning is not None:
        post.warnings.append(PostWarning("schedule.dst", "/publishMode", moment.warning))
    for target in new.targets:
        if target.scheduled_at is None:
            target.due_at = target.next_attempt_at = due_at(moment.at, now)
    post.status = progress.status_of(new.targets, now)
