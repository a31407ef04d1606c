"""What a rule would have done with the comments of the last days. Nothing is saved, and nothing is done."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.comments import queries, views
from signalpost.comments.actions import rule as actions
from signalpost.comments.matching import Matcher
from signalpost.comments.queries import THERE
from signalpost.comments.rule_schemas import CommentRuleCreate, CommentRulePreview
from signalpost.context import AppContext
from signalpost.kit import clock, rows
from signalpost.kit.worker_threads import in_thread
from signalpost.web.caller import Caller

DAYS: Final = 30
LOOKED_AT: Final = 2_000
"""Comments that are compared at most, the newest first."""
STEP: Final = 250
"""Comments that are in memory at once: a text has up to 20 kB."""
SHOWN: Final = 10


class _Seen(Struct, frozen=True):
    """What is compared of a comment."""

    id: UUID
    profile_id: UUID
    platform: str
    author_handle: str | None
    author_name: str
    text: str
    created_at: datetime
    listed_at: datetime
    there: bool


_LISTED_AT: Final = "greatest(c.created_at, c.snoozed_until)"
# By the index of the inbox. What is in the trash, or of profiles that the caller does not see, is passed by here.
_NEXT: Final = f"""
select c.id, c.profile_id, c.platform, c.author_handle, c.author_name, c.text, c.created_at, {_LISTED_AT},
    c.mode = 'live' and c.deleted_at is null and c.created_at >= $3 and ($2::uuid[] is null or c.profile_id = any($2))
from comment c
where c.workspace_id = $1 and not c.is_own and {_LISTED_AT} >= $3
    and ({_LISTED_AT}, c.id) < (case when $4::timestamptz is null then 'infinity' else $4 end,
        case when $5::uuid is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else $5 end)
order by {_LISTED_AT} desc, c.id desc limit $6
"""  # noqa: S608 - constants only
_THESE: Final = f"""
select {rows.columns(queries.CommentRow, "c")} from comment c {THERE}
where c.workspace_id = $1 and c.id = any($2) order by {_LISTED_AT} desc, c.id desc
"""  # noqa: S608 - constants only
_read: Final = rows.reader(_Seen)
_read_comment: Final = rows.reader(queries.CommentRow)


async def preview(context: AppContext, caller: Caller, data: CommentRuleCreate) -> CommentRulePreview:
    """Return which comments of the last days a rule would have met. Raises what `rule.checked` raises."""
    async with context.database.connection() as db:
        rule = await actions.checked(db, caller, data)
    matcher, since = Matcher([rule]), clock.actual() - timedelta(days=DAYS)
    newest: list[UUID] = []
    matched, looked_at, after = 0, 0, None
    while looked_at < LOOKED_AT:
        position = (None, None) if after is None else (after.listed_at, after.id)
        async with context.database.connection() as db:
            page = await rows.read_all(
                db, _read, _NEXT, caller.workspace_id, caller.sees_profiles, since, *position, STEP
            )
        hits = await in_thread(_matching, matcher, page)
        matched, looked_at = matched + len(hits), looked_at + len(page)
        newest += hits[: SHOWN - len(newest)]
        after = page[-1] if page else after
        if len(page) < STEP:
            after = None
            break
    async with context.database.connection() as db:
        comments = await rows.read_all(db, _read_comment, _THESE, caller.workspace_id, newest)
        replies = await queries.replies(db, caller.workspace_id, [row.id for row in comments])
    return CommentRulePreview(
        matched=matched,
        looked_at=looked_at,
        since=clock.wire(since if after is None else after.listed_at),
        complete=after is None,
        comments=[views.comment(row, replies[row.id]) for row in comments],
    )


def _matching(matcher: Matcher, page: Sequence[_Seen]) -> list[UUID]:
    return [comment.id for comment in page if comment.there and matcher.rules_for(comment)]
