"""Slots for the posts of a batch: in the order of the posts, and only for those that are written."""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from msgspec import Struct

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


QueueChoice = tuple[UUID, UUID | None]
"""A profile, and the queue that a post of it names; None: the default one."""


class FileSlots(Struct):
    """What the batches of a file have in common, by queue."""

    blocks: Mapping[UUID, int] = {}
    """The ids of the blocks of slots that are reserved for the file."""
    after: dict[UUID, datetime] = {}
    """The last slot that earlier batches got; those of the next one are later."""


class BatchSlots:
    """The queues that the posts of a batch name, locked until the end of the transaction, and what they give."""

    def __init__(self, db: Db, caller: Caller, file: FileSlots) -> None:
        self._db, self._caller, self._file = db, caller, file
        self._queues: dict[UUID, QueueRow] = {}
        self._default: dict[UUID, QueueRow] = {}
        self.given: list[Given] = []

    async def lock(self, choices: Collection[QueueChoice]) -> None:
        """Lock the queues that posts ask for, each once, before any content of theirs is locked."""
        if not choices:
            return
        # As every writer does, before it waits for anything else.
        await queries.share_profiles(self._db, list({profile_id for profile_id, _ in choices}))
        named = {queue_id for _, queue_id in choices if queue_id is not None}
        default_of = {profile_id for profile_id, queue_id in choices if queue_id is None}
        queues = await slots.lock_many(self._db, self._caller.workspace_id, named, default_of)
        self._queues = {queue.id: queue for queue in queues}
        self._default = {queue.profile_id: queue for queue in queues if queue.is_default}

    def queue_of(self, choice: QueueChoice) -> QueueRow | None:
        """Return the queue that a post asks for; None: its profile has no such queue."""
        profile_id, queue_id = choice
        queue = self._default.get(profile_id) if queue_id is None else self._queues.get(queue_id)
        return queue if queue is not None and queue.profile_id == profile_id else None

    async def give(
        self, new_posts: Mapping[int, NewPost], bodies: Mapping[int, PostCreate]
    ) -> tuple[dict[int, NewPost], dict[int, Problem]]:
        """Set the times of those posts that ask for a slot. Return which can be written, and why the others cannot."""
        self.given = []
        free, refused = dict(new_posts), dict[int, Problem]()
        by_queue: dict[UUID, list[int]] = {}
        for index in (index for index in new_posts if index in bodies):
            data = bodies[index]
            queue = self.queue_of((data.profile_id, data.queue_id))
            if queue is None:
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
                self._db, queue, accounts, taken, after=self._file.after.get(queue_id),
                block_id=self._file.blocks.get(queue_id),
            )  # fmt: skip
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
        self._file.after |= {slot.queue_id: slot.at for slot in self.given}  # of each queue the last


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
