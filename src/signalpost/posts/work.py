"""Work of this room: deleting what was in the trash for 30 days, following time zone rules, indexing texts."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.engine.turns import Turns
from signalpost.kit import clock, log
from signalpost.posts import approval_mail, failure_mail, times
from signalpost.posts.change.trash import delete_expired
from signalpost.posts.change.zone_rules import OutdatedPost, apply_zone_rules, outdated_posts
from signalpost.posts.find import counts
from signalpost.posts.find.index_texts import index_texts, workspaces_after
from signalpost.posts.many import repost
from signalpost.posts.many.repeat import repeat_next

JOB: Final = "posts.purge"
ZONE_RULES_JOB: Final = "posts.zone_rules"
SEARCH_JOB: Final = "posts.search"
COUNT_JOB: Final = "posts.count"
COUNT_EVERY_SECONDS: Final = 15
RECURRENCE_JOB: Final = "posts.recurrence"
RECURRENCE_EVERY_SECONDS: Final = 60
EVERY_SECONDS: Final = 3_600
SEARCH_EVERY_SECONDS: Final = 60
DAY_SECONDS: Final = 86_400
_BATCH: Final = 200
_ZONE_BATCH: Final = 500
_WORKSPACES: Final = 100
_TEXTS: Final = 1_000
"""How many workspaces a transaction looks at, and how many texts it writes."""
_TRANSACTIONS: Final = 20
"""How many there are in a row before the worker looks at other jobs."""
_logger = log.get("posts")


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [
        JobKind(repost.JOB, partial(repost.pass_on, context), given_up=repost.give_up),
        JobKind(JOB, purge, EVERY_SECONDS),
        JobKind(approval_mail.JOB, partial(approval_mail.mail_deciders, context)),
        JobKind(approval_mail.REMINDER_JOB, partial(approval_mail.remind_deciders, context)),
        JobKind(failure_mail.JOB, partial(failure_mail.mail_author, context)),
        JobKind(RECURRENCE_JOB, partial(repeat_posts, context), RECURRENCE_EVERY_SECONDS),
        JobKind(ZONE_RULES_JOB, ZoneRules().follow, EVERY_SECONDS),
        JobKind(SEARCH_JOB, SearchTexts().write, SEARCH_EVERY_SECONDS),
        JobKind(COUNT_JOB, keep_counts, COUNT_EVERY_SECONDS),
    ]


async def repeat_posts(context: AppContext, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Create the next repetitions of posts whose last ones have become due."""
    for _ in range(_TRANSACTIONS):
        if not await repeat_next(context, lease):
            return None
    return RunAgain(0)


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete posts whose time in the trash is over."""
    async with lease.transaction() as db:
        done = await delete_expired(db, _BATCH)
    return RunAgain(0) if done == _BATCH else None


async def keep_counts(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Count posts from before the counts, and add up what has changed since."""
    for step in (counts.add_up, counts.count_next):
        for _ in range(_TRANSACTIONS):
            async with lease.transaction() as db:
                if not await step(db):
                    break
        else:
            return RunAgain(0)
    return None


class ZoneRules:
    """Moves posts for a wall time if the rules of their zone changed: the first time that this process has the job, and
    then once a day, since an older program may still run elsewhere and write posts by older rules.
    """

    def __init__(self) -> None:
        self._followed_at = float("-inf")
        self._last: OutdatedPost | None = None

    async def follow(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Look at posts for later that were resolved by older rules than those of this program, some steps of all."""
        if clock.monotonic() - self._followed_at < DAY_SECONDS:
            return None
        for _ in range(_TRANSACTIONS):
            async with lease.transaction() as db:
                batch = await outdated_posts(db, self._last, _ZONE_BATCH)
                moved = await apply_zone_rules(db, batch)
            if moved:
                _logger.info("posts.moved_by_zone_rules", posts=moved, version=times.tzdata_version())
            self._last = batch[-1] if len(batch) == _ZONE_BATCH else None
            if self._last is None:
                self._followed_at = clock.monotonic()
                return None
        return RunAgain(0)


class SearchTexts:
    """Writes the texts of posts where searches find them, of all workspaces in turns."""

    def __init__(self) -> None:
        self._turns: Turns[bool] = Turns(workspaces_after, index_texts, page=_WORKSPACES, rows=_TEXTS)

    async def write(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Do some steps; run again at once if there is more."""
        return await self._turns.run(lease)
