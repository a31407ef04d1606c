"""Group commit of new posts: those of a workspace that arrive together are written by one statement, with one commit.

No timer: while one statement is under way, the next posts gather. What is in the way of a post, or wrong with it,
concerns that post only (decision 0144).
"""

import asyncio
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import asyncpg
from msgspec import Struct, field

from signalpost.kit import clock, tracing
from signalpost.kit.db import ACQUIRE_SECONDS, DATABASE_UNREACHABLE, Database
from signalpost.kit.patience import Patience, patience
from signalpost.kit.problems import Unavailable
from signalpost.posts.errors import ExternalIdConflict
from signalpost.posts.write import writer
from signalpost.posts.write.writer import NewPost, Obstacle
from signalpost.web.caller import Mode

POSTS_MAX: Final = 32
TARGETS_MAX: Final = 128
"""Of one statement: each of them takes two locks."""

_Key = tuple[UUID, Mode, str]
"""What posts of one statement have in common: workspace, mode, and the condition under which they are heard of."""


class _Waiting(Struct):
    new: NewPost
    written: "asyncio.Future[Obstacle | None]"
    since: float = field(default_factory=clock.monotonic)


class CreateQueue:
    """The new posts of this process that wait to be written: `context.state(CreateQueue)`."""

    def __init__(self) -> None:
        self._waiting: dict[_Key, list[_Waiting]] = {}
        """A key stands here while a task writes its posts."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def write(self, database: Database, new: NewPost) -> Obstacle | None:
        """Do what `writer.write` does with a post of a plan without limits.

        Raises:
            Unavailable: the database cannot be reached, or is too slow for all that is to be written.
        """
        key = new.post.workspace_id, new.post.mode, new.seen.heard_sql
        item = _Waiting(new, asyncio.get_running_loop().create_future())
        if (waiting := self._waiting.get(key)) is not None:
            waiting.append(item)
        else:
            self._waiting[key] = []
            self._tasks.add(task := asyncio.create_task(self._write_all(database, key, [item]), name="posts.create"))
            task.add_done_callback(self._tasks.discard)
        return await item.written

    async def _write_all(self, database: Database, key: _Key, group: list[_Waiting]) -> None:
        """Write these, and then what has gathered, group by group, until nothing waits."""
        try:
            while group:
                patience.set(Patience())  # of the group, not of the request that came first
                await _write(database, group)
                group = self._take(key)
        finally:  # some are left only if this task was cancelled
            _fail((*group, *self._waiting.pop(key)), Unavailable("The service is stopping."))

    def _take(self, key: _Key) -> list[_Waiting]:
        """Return the next group, in the order of arrival; of posts with the same content or key only the first."""
        group, left, contents, targets = list[_Waiting](), list[_Waiting](), set[object](), 0
        oldest = clock.monotonic() - ACQUIRE_SECONDS
        for item in self._waiting[key]:
            if item.written.done():
                continue  # its request was cancelled
            own = item.new.exclusive
            fits = not group or (len(group) < POSTS_MAX and targets + len(item.new.targets) <= TARGETS_MAX)
            if item.since < oldest:
                _fail([item], Unavailable("The database is too slow right now.", headers={"Retry-After": "2"}))
            elif fits and contents.isdisjoint(own):
                group.append(item)
                contents.update(own)
                targets += len(item.new.targets)
            else:
                left.append(item)
        self._waiting[key] = left
        return group


async def _write(database: Database, group: Sequence[_Waiting]) -> None:
    """Write these posts; each by itself if one of them made the statement fail.

    A statement for several requests is in the trace of none of them.
    """
    tracing.current.set(group[0].new.span if len(group) == 1 else None)
    try:
        async with database.connection() as db:
            obstacles = await writer.write(db, [item.new for item in group])
    except Exception as error:  # noqa: BLE001 - it is raised where the post waits
        concerns_one = isinstance(error, asyncpg.PostgresError | ExternalIdConflict)
        if len(group) > 1 and concerns_one and not isinstance(error, DATABASE_UNREACHABLE):
            for item in group:
                await _write(database, [item])
        else:
            _fail(group, error)
        return
    for item, obstacle in zip(group, obstacles, strict=True):
        if not item.written.done():
            item.written.set_result(obstacle)


def _fail(items: Sequence[_Waiting], error: Exception) -> None:
    for item in items:
        if not item.written.done():
            item.written.set_exception(error)
