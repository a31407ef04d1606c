"""Group commit of new posts: those of a workspace that arrive together are written by one statement, with one commit.

No timer: while one statement is under way, the next posts gather; one that arrives alone is written at once. What is in
the way of a post, or wrong with it, concerns that post only (decision 0144).
"""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from itertools import chain
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec
from msgspec import Struct

from signalpost.kit import clock
from signalpost.kit.db import ACQUIRE_SECONDS, DATABASE_UNREACHABLE, Database
from signalpost.kit.problems import Unavailable
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import progress
from signalpost.posts.actions import write
from signalpost.posts.actions.guards import guarded_contents
from signalpost.posts.actions.write import NewPost, Obstacle
from signalpost.web.caller import Mode

POSTS_MAX: Final = 32
TARGETS_MAX: Final = 128
"""Of one statement: each of them takes two locks."""

_POST: Final = {
    "id": "uuid", "profile_id": "uuid", "timezone": "text", "text": "text", "status": "text", "publish_mode": "text",
    "scheduled_at": "timestamptz", "scheduled_local": "timestamp", "tzdata_version": "text", "created_by": "jsonb",
    "created_by_user_id": "uuid", "source": "text", "created_at": "timestamptz", "updated_at": "timestamptz",
    "queued_at": "timestamptz",
}  # fmt: skip
"""The columns in which the posts of a group differ, with their types. All others have the defaults of the table."""
_TARGET: Final = {
    "id": "uuid", "account_id": "uuid", "platform": "text", "content_hash": "bytea", "due_at": "timestamptz",
}  # fmt: skip
_BESIDE: Final = {
    "digest": "bigint",
    "heard": "bool",
    "first_due": "timestamptz",
    "request_id": "text",
    "address": "text",
}


def _unnest(columns: dict[str, str], first: int) -> str:
    """Return arrays as a table. JSON travels as text: an array of JSON arrays would be one of two dimensions."""
    types = ("text" if type_ == "jsonb" else type_ for type_ in columns.values())
    return ", ".join(f"${number}::{type_}[]" for number, type_ in enumerate(types, first))


@cache
def _sql(heard_sql: str) -> str:
    """Return the statement. $1: workspace, $2: mode, $3: month; then arrays, one element for each post.

    After these: for each target the number of its post, from 1, and its columns; for each entry of the history the
    same, its id and its action. All profiles and contents are locked first, in the order in which everyone does.
    """
    post = {**_POST, **_BESIDE}
    target_at = 4 + len(post)
    history_at = target_at + 1 + len(_TARGET)
    own = ", ".join(f"p.{name}::{type_}" if type_ == "jsonb" else f"p.{name}" for name, type_ in _POST.items())
    ledger = plans.count_sql(
        limits.POSTS, workspace_id="$1", month="$3::date", units="count(*)",
        source="from new_posts having count(*) > 0",
    )  # fmt: skip
    return f"""
with given as materialized (
    select p.* from unnest({_unnest(post, 4)}) with ordinality as p({", ".join(post)}, number)
), given_targets as materialized (
    select t.* from unnest(${target_at}::int[], {_unnest(_TARGET, target_at + 1)}) with ordinality
        as t(number, {", ".join(_TARGET)}, place)
), profiles as materialized (
    select pg_advisory_xact_lock_shared(profile_lock(id)) from (
        select distinct profile_id as id from given order by 1) p
), contents as materialized (
    select pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 0)) from (
        select distinct content_hash as hash from given_targets order by 1) c
    where (select count(*) from profiles) > 0
), checked as materialized (
    select g.*, case when ({heard_sql}) is distinct from g.heard then 'changed' else prepare_post(
        p.workspace_id, p.id, g.digest, t.account_ids, t.platforms, t.due_ats, g.first_due, $2, t.hashes, null)
        end as obstacle
    from given g
    join (
        select number, array_agg(account_id order by place) as account_ids,
            array_agg(platform order by place) as platforms, array_agg(due_at order by place) as due_ats,
            array_agg(content_hash order by content_hash) as hashes
        from given_targets group by number) t using (number),
    lateral (select $1::uuid as workspace_id, g.profile_id as id) p
    where (select count(*) from contents) > 0
), new_posts as (
    insert into post (workspace_id, mode, counted, {", ".join(_POST)})
    select $1, $2, true, {own} from checked p where obstacle is null
    returning id
), new_targets as (
    insert into target (post_id, workspace_id, position, status, next_attempt_at, dedupe_key, {", ".join(_TARGET)})
    select p.id, $1, t.place - min(t.place) over (partition by t.number), 'pending', t.due_at,
        replace(t.id::text, '-', ''), {", ".join(f"t.{name}" for name in _TARGET)}
    from given_targets t join checked p using (number) where p.obstacle is null
), history as (
    insert into audit (id, workspace_id, post_id, at, action, actor, request_id, address)
    select a.id, $1, p.id, p.created_at, a.action, p.created_by::jsonb, p.request_id, p.address
    from unnest(${history_at}::int[], ${history_at + 1}::uuid[], ${history_at + 2}::text[]) as a(number, id, action)
    join checked p using (number) where p.obstacle is null
), ledger as ({ledger})
select obstacle from checked order by number
"""  # noqa: S608 - names of columns only


def is_groupable(new: NewPost) -> bool:
    """Whether the statement of a group can write the post: it is queued, and has the usual defaults."""
    return new.accepted and new.post.external_id is None and write.is_common(new.post, new.targets)


class _Key(Struct, frozen=True):
    """What the posts of a group have in common."""

    workspace_id: UUID
    mode: Mode
    heard_sql: str
    month: date


class _Waiting(Struct):
    new: NewPost
    contents: list[bytes]
    since: float
    written: "asyncio.Future[Obstacle | None]"

    def fail(self, error: Exception) -> None:
        if not self.written.done():
            self.written.set_exception(error)


class GroupWriter:
    """Writes the new posts of this process: `context.state(GroupWriter)`."""

    def __init__(self) -> None:
        self._waiting: dict[_Key, list[_Waiting]] = {}
        """A key stands here while a statement of its posts is under way."""
        self._flushes: set[asyncio.Task[None]] = set()

    async def create(self, database: Database, new: NewPost) -> Obstacle | None:
        """Write a post for which `is_groupable` holds, as `write.create` does.

        Raises:
            Unavailable: the database cannot be reached, or is too slow for all that is to be written.
        """
        post = new.post
        key = _Key(post.workspace_id, post.mode, new.seen.heard_sql, plans.month_of(post.created_at))
        if (waiting := self._waiting.get(key)) is not None:
            written: asyncio.Future[Obstacle | None] = asyncio.get_running_loop().create_future()
            waiting.append(_Waiting(new, guarded_contents(post, new.targets), clock.monotonic(), written))
            return await written
        self._waiting[key] = []
        try:
            async with database.connection() as db:
                return await write.create(db, new)
        finally:
            if self._waiting[key]:
                flush = asyncio.create_task(self._flush(database, key), name="posts.group")
                self._flushes.add(flush)
                flush.add_done_callback(self._flushes.discard)
            else:
                del self._waiting[key]

    async def _flush(self, database: Database, key: _Key) -> None:
        """Write what waits, group by group, until nothing does."""
        group: list[_Waiting] = []
        try:
            while self._waiting[key]:
                group = self._take(key)
                await _write_group(database, key, group)
        finally:
            for item in (*group, *self._waiting.pop(key)):  # there are some only if this task was cancelled
                item.fail(Unavailable("The service is stopping."))

    def _take(self, key: _Key) -> list[_Waiting]:
        """Return the next group, in the order of arrival; of posts with the same content only the first."""
        group: list[_Waiting] = []
        left: list[_Waiting] = []
        contents: set[bytes] = set()
        targets, oldest = 0, clock.monotonic() - ACQUIRE_SECONDS
        for item in self._waiting[key]:
            if item.written.done():
                continue  # its request was cancelled
            fits = not group or (len(group) < POSTS_MAX and targets + len(item.new.targets) <= TARGETS_MAX)
            if item.since < oldest:
                item.fail(Unavailable("The database is too slow right now.", headers={"Retry-After": "2"}))
            elif fits and contents.isdisjoint(item.contents):
                group.append(item)
                contents.update(item.contents)
                targets += len(item.new.targets)
            else:
                left.append(item)
        self._waiting[key] = left
        return group


async def _write_group(database: Database, key: _Key, group: Sequence[_Waiting]) -> None:
    """Write these posts; each by itself if one of them made the statement fail."""
    if not group:
        return
    try:
        async with database.connection() as db:
            if len(group) == 1:
                obstacles = [await write.create(db, group[0].new)]
            else:
                rows = await db.fetch(_sql(key.heard_sql), *_values(key, [item.new for item in group]))
                obstacles = [row[0] for row in rows]
    except Exception as error:  # noqa: BLE001 - it is raised where the post waits
        if len(group) > 1 and isinstance(error, asyncpg.PostgresError) and not isinstance(error, DATABASE_UNREACHABLE):
            for item in group:
                await _write_group(database, key, [item])
            return
        for item in group:
            item.fail(error)
        return
    for item, obstacle in zip(group, obstacles, strict=True):
        if not item.written.done():
            item.written.set_result(obstacle)


def _values(key: _Key, news: Sequence[NewPost]) -> Iterable[Any]:
    """Return the parameters of `_sql`."""
    posts, targets = [new.post for new in news], [target for new in news for target in new.targets]
    history = [entry for new in news for entry in new.history]
    numbers = range(1, len(news) + 1)
    actors = [msgspec.json.encode(post.created_by).decode() for post in posts]
    return chain(
        (key.workspace_id, key.mode, key.month),
        (actors if type_ == "jsonb" else [getattr(post, name) for post in posts] for name, type_ in _POST.items()),
        (
            [new.seen.digest for new in news],
            [new.seen.heard for new in news],
            [progress.first_due(new.targets) for new in news],
            [new.history[0].request_id for new in news],
            [new.history[0].address for new in news],
            [number for number, new in zip(numbers, news, strict=True) for _ in new.targets],
        ),
        ([getattr(target, name) for target in targets] for name in _TARGET),
        (
            [number for number, new in zip(numbers, news, strict=True) for _ in new.history],
            [entry.id for entry in history],
            [entry.action for entry in history],
        ),
    )
