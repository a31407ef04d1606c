"""Work of this room: deleting posts that were in the trash for 30 days, and following changes of time zone rules."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine import jobs as engine_jobs
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import log
from signalpost.kit.db import Db
from signalpost.posts import times
from signalpost.posts.actions.trash import delete_expired
from signalpost.posts.actions.zone_rules import OutdatedPost, apply_zone_rules, outdated_posts

JOB: Final = "posts.purge"
ZONE_RULES_JOB: Final = "posts.zone_rules"
EVERY_SECONDS: Final = 3_600
OLDER_SECONDS: Final = 60
_BATCH: Final = 200
_ZONE_BATCH: Final = 500
_logger = log.get("posts")


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(JOB, purge, EVERY_SECONDS), JobKind(ZONE_RULES_JOB, follow_zone_rules)]


async def enqueue_zone_rules(db: Db) -> None:
    """Have posts for a wall time moved to where it is by the rules of this program. Call it at every start."""
    payload = {"version": times.tzdata_version()}
    await engine_jobs.enqueue(db, ZONE_RULES_JOB, payload, unique_key=ZONE_RULES_JOB)


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete posts whose time in the trash is over."""
    async with lease.transaction() as db:
        done = await delete_expired(db, _BATCH)
    return RunAgain(0) if done == _BATCH else None


async def follow_zone_rules(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
    """Move posts for a wall time if the rules of their zone changed; again an hour later if there were any.

    An older program may still run elsewhere and write posts by older rules. One that has older rules than those that
    the job was enqueued for leaves it to another.
    """
    version = times.tzdata_version()
    if version is None or (payload["version"] or "") > version:
        return RunAgain(OLDER_SECONDS)
    last: OutdatedPost | None = None
    while True:
        async with lease.transaction() as db:
            batch = await outdated_posts(db, last, _ZONE_BATCH)
            moved = await apply_zone_rules(db, batch)
        if moved:
            _logger.info("posts.moved_by_zone_rules", posts=moved, version=version)
        if len(batch) < _ZONE_BATCH:
            return RunAgain(EVERY_SECONDS) if last or batch else None
        last = batch[-1]
