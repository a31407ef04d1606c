"""Creating many posts in one transaction: read once, decide on each, write once. One that is refused stops no other."""

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

import asyncpg
from msgspec import Struct, field

from signalpost import networks
from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.kit.pace import Pace
from signalpost.kit.problems import Problem
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.plans.limits import Counted
from signalpost.posts import duplicates, queries
from signalpost.posts.compose import preflight
from signalpost.posts.compose.draft import Existing, PostDraft, build_draft
from signalpost.posts.compose.fetch import Fetched
from signalpost.posts.compose.media import MediaRows, read_media
from signalpost.posts.duplicates import Duplicate, Duplicates
from signalpost.posts.errors import ExternalIdConflict
from signalpost.posts.many.batch_slots import BatchSlots, FileSlots, GapLeftError
from signalpost.posts.queries import ProfileWithAccounts
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.schemas.responses import Source
from signalpost.posts.write import guards, writer
from signalpost.posts.write.create import ATTEMPTS_MAX, events_of, heard_sql, new_post
from signalpost.posts.write.writer import NewPost
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

TARGETS_MAX: Final = 500
"""Targets of all posts of a batch: each one that is queued locks its content until the end of the transaction."""
CHARACTERS_MAX: Final = 1_000_000
"""Characters of all texts of a batch, which travel to the database at once."""


class Item(Struct):
    """A post of a batch: its body, and what is not for clients to say. `fetched`: see `build_draft`."""

    data: PostCreate
    source: Source
    fetched: Fetched = field(default_factory=dict)
    fanout_id: UUID | None = None
    source_post_id: UUID | None = None
    recurrence_parent_id: UUID | None = None


Outcome = NewPost | Problem
"""What became of an item: it was written, or why not."""


async def create_batch(
    context: AppContext, db: Db, caller: Caller, items: Sequence[Item], *, file_slots: FileSlots | None = None
) -> list[Outcome]:
    """Write those of the posts that nothing stands in the way of; say of each other one why it was not written.

    `db` is inside a transaction. Nothing is fetched and no permission is checked here. The number of statements does
    not depend on the number of posts. `file_slots`: the last slots of this batch are added to it.

    Raises:
        TooManyItems: they have more than `TARGETS_MAX` targets.
        PlanLimitReached: the plan does not cover all of them; the transaction must be rolled back.
        Unavailable: profiles or accounts change too often.
    """
    batch = _Batch(context, db, caller, items, file_slots or FileSlots())
    for _ in range(ATTEMPTS_MAX):
        await batch.write_waiting()
        if not batch.waiting:
            return [batch.outcomes[index] for index in range(len(items))]
    raise problems.Unavailable("Too many concurrent changes to the same data.", headers={"Retry-After": "1"})


class _Batch:
    def __init__(
        self, context: AppContext, db: Db, caller: Caller, items: Sequence[Item], file_slots: FileSlots
    ) -> None:
        self.context, self.db, self.caller, self.items = context, db, caller, items
        self.outcomes: dict[int, Outcome] = {}
        self.over_limit: dict[str, Problem] = {}
        self.slots = BatchSlots(db, caller, file_slots)

    @property
    def waiting(self) -> list[int]:
        """The items that have no outcome yet."""
        return [index for index in range(len(self.items)) if index not in self.outcomes]

    async def write_waiting(self) -> None:
        """Decide on every item that waits. Those that meet a change of this moment go on waiting."""
        built = await self._build(self.waiting)
        in_slots = {index: self.items[index].data for index in built if self.items[index].data.publish_mode == "slot"}
        await self.slots.lock({(data.profile_id, data.queue_id) for data in in_slots.values()})
        first, followers = _first_of_equals(built)
        free = await self._without_duplicates(first) if first else {}
        free, refused = await self.slots.give(free, in_slots)
        self.outcomes |= refused
        written = await self._write(free) if free else set()
        for index, new in free.items():
            if new.post.id in written:
                self.outcomes[index] = new
        for index, duplicate in followers.items():
            if duplicate.post_id in written:
                self.outcomes[index] = guards.duplicate_problem(built[index].post, duplicate)

    async def _build(self, indexes: Iterable[int]) -> dict[int, NewPost]:
        items = {index: self.items[index] for index in indexes}
        heard = heard_sql(self.context, self.caller.mode)
        profiles = await _read_profiles(self.db, self.caller, [item.data for item in items.values()], heard)
        bodies = ((item.data, item.fetched) for item in items.values())
        media_rows = await read_media(self.db, self.caller, bodies)
        built: dict[int, NewPost] = {}
        pace, targets, characters = Pace(), 0, 0
        for index, item in items.items():
            try:
                built[index] = await self._build_one(item, profiles.get(item.data.profile_id), media_rows)
            except problems.Unavailable:
                raise  # it says nothing of this item
            except Problem as problem:
                self.outcomes[index] = problem
            else:
                targets += len(built[index].targets)
                characters += _length(built[index])
            _require_small(targets, characters)
            await pace.keep()
        return built

    async def _build_one(self, item: Item, profile: ProfileWithAccounts | None, media_rows: MediaRows) -> NewPost:
        if profile is None:
            raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
        draft = await build_draft(
            self.context,
            self.db,
            self.caller,
            item.data,
            existing=Existing(item.fetched or {}, profile, media_rows, slot_later=item.source == "bulk"),
        )
        draft.post.source, draft.post.fanout_id = item.source, item.fanout_id
        draft.post.source_post_id = item.source_post_id
        draft.post.recurrence_parent_id = item.recurrence_parent_id
        issues = await preflight.run_preflight(self.context, draft)
        await self._require_within_plan(draft)
        return new_post(self.context, self.caller, draft, issues)

    async def _require_within_plan(self, draft: PostDraft) -> None:
        """Do what `guards.require_within_plan` does, with one statement for all items."""
        over: Counted | None = limits.PROFILES if draft.profile.over_limit else None
        if over is None and any(target.account.over_limit for target in draft.targets):
            over = limits.ACCOUNTS
        if over is not None:
            if over.name not in self.over_limit:
                self.over_limit[over.name] = await plans.over_limit(self.db, self.caller, over)
            raise self.over_limit[over.name]

    async def _without_duplicates(self, new_posts: dict[int, NewPost]) -> dict[int, NewPost]:
        others = await duplicates.duplicates_of_many(self.db, [
            (new.post, new.contents) for new in new_posts.values()])  # fmt: skip
        free = {}
        for index, new in new_posts.items():
            if duplicate := others.of(new.post, new.contents):
                self.outcomes[index] = guards.duplicate_problem(new.post, duplicate)
            else:
                free[index] = new
        return free

    async def _write(self, new_posts: dict[int, NewPost]) -> set[UUID]:
        """Return the ids of those that were written: none, if one that was given a slot would not be."""
        if not self.slots.given:
            return await self._write_all(list(new_posts.values()))
        try:
            async with self.db.transaction():
                return await self._write_all(list(new_posts.values()))
        except GapLeftError:
            return set()

    async def _write_all(self, new_posts: Sequence[NewPost]) -> set[UUID]:
        try:
            obstacles = await writer.write(self.db, new_posts)
        except ExternalIdConflict as error:  # of this moment: once more, and the look before finds it
            raise asyncpg.SerializationError("another transaction took an external id") from error
        if "full" in obstacles:
            scheduled = sum(new.post.status == "scheduled" for new in new_posts)
            await plans.require_capacity(self.db, self.caller, limits.SCHEDULED_POSTS, scheduled)
        if "limit" in obstacles:
            await plans.check_spent(self.db, self.caller, limits.POSTS, None)
        written = [new for new, obstacle in zip(new_posts, obstacles, strict=True) if obstacle is None]
        ids = {new.post.id for new in written}
        await self.slots.take(ids)
        await self.context.emit(self.db, *(event for new in written for event in events_of(new)))
        return ids


def _length(new: NewPost) -> int:
    """Return the number of characters of the texts of a post."""
    texts = [new.post.text, new.post.notes, new.post.first_comment]
    texts += [part.text for part in new.post.thread] + [target.text for target in new.targets]
    return sum(map(len, filter(None, texts)))


def _require_small(targets: int, characters: int) -> None:
    for count, maximum, what in ((targets, TARGETS_MAX, "targets"), (characters, CHARACTERS_MAX, "characters of text")):
        if count > maximum:
            message = f"All posts of a request together have at most {maximum} {what}: split it."
            raise problems.TooManyItems(message, limit={"max": maximum})


async def _read_profiles(
    db: Db, caller: Caller, bodies: Sequence[PostCreate], heard: str
) -> dict[UUID, ProfileWithAccounts]:
    """Return the profiles with the accounts that the bodies may mean."""
    slugs = {slug for data in bodies for slug in data.platforms or ()}
    platforms = [platform for slug in slugs if (platform := networks.canonical(slug)) is not None]
    account_ids = [target.account_id for data in bodies for target in data.targets or ()]
    profile_ids = {data.profile_id for data in bodies}
    return await queries.profiles_with_accounts(
        db, caller, profile_ids, account_ids=account_ids, platforms=platforms, heard=heard
    )


def _first_of_equals(new_posts: dict[int, NewPost]) -> tuple[dict[int, NewPost], dict[int, Duplicate]]:
    """Separate posts from later ones that have the content or the external id of an earlier one."""
    taken = Duplicates()
    first, followers = {}, {}
    for index, new in new_posts.items():
        if duplicate := taken.of(new.post, new.contents):
            followers[index] = duplicate
            continue
        first[index] = new
        for target in new.targets:
            if (content := guards.guarded_content(new.post, target)) is not None:
                taken.contents[content] = Duplicate(new.post.id, target.account_id)
        if new.post.external_id is not None:
            taken.externals[new.post.external_id] = Duplicate(new.post.id, None)
    return first, followers
