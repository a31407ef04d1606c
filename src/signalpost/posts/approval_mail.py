"""Mail about approvals: to deciders, what waits, and again before it is due; to authors, what was decided."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from signalpost import events, mail
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.identity import members
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader
from signalpost.posts.documents import Approval
from signalpost.posts.rows import PostRow
from signalpost.web.caller import Caller

JOB: Final = "posts.approval_mail"
DELAY_SECONDS: Final = 120
"""Requests of two minutes are one message, and a mailbox receives at most 30 in an hour."""
REMINDER_JOB: Final = "posts.approval_reminder"
AHEAD: Final = timedelta(hours=24)
"""So long before their time, deciders are reminded of posts that wait."""
PAUSE: Final = timedelta(hours=12)
"""Between two reminders of a workspace, and between a request and its reminder: a person gets two a day at most."""
POSTS_MAX: Final = 20
"""Named in one message; the others are counted."""
DECIDERS_MAX: Final = 20
_TITLE_MAX: Final = 80


class _PendingPost(Struct):
    id: UUID
    profile_id: UUID
    created_by_user_id: UUID | None
    client: str
    title: str
    approval: Approval
    scheduled_at: datetime | None
    timezone: str


_COLUMNS: Final = columns(
    _PendingPost,
    "p",
    client="f.name",
    title=f"left(coalesce(nullif(p.title, ''), nullif(p.text, ''), '…'), {_TITLE_MAX})",
)
_PENDING: Final = f"""
select {_COLUMNS} from post p join profile f on f.id = p.profile_id
where p.workspace_id = $1 and p.deleted_at is null and p.mode = 'live' and p.approval ->> 'state' = 'pending'
    and ($2::timestamptz is null or p.scheduled_at > $2 and p.scheduled_at <= $3)
order by p.created_at desc, p.id desc limit 500
"""  # noqa: S608 - columns of a struct
_NEXT: Final = """
select min(p.scheduled_at) from post p
where p.workspace_id = $1 and p.deleted_at is null and p.mode = 'live' and p.approval ->> 'state' = 'pending'
    and p.scheduled_at > $2
"""
_read: Final = reader(_PendingPost)


async def on_approval_requested(
    _context: AppContext, db: Db, requested: Sequence[events.PostApprovalRequested]
) -> None:
    """Have those mailed who may decide; posts that follow within two minutes are in the same message."""
    for workspace_id in sorted({event.workspace_id for event in requested if event.mode == "live"}):
        await jobs.enqueue(
            db,
            JOB,
            {"workspace_id": str(workspace_id)},
            run_at=clock.now() + clock.seconds(DELAY_SECONDS),
            unique_key=f"{JOB}:{workspace_id}",
            workspace_id=workspace_id,
        )
    await _have_reminded(db, requested)


async def _have_reminded(db: Db, requested: Sequence[events.PostApprovalRequested]) -> None:
    """Have deciders reminded of what has a time, by one job of the workspace: it runs when the first of it is near."""
    now, first = clock.now(), dict[UUID, datetime]()
    for event in requested:
        if event.mode == "live" and event.data.scheduled_at is not None:
            due = datetime.fromisoformat(event.data.scheduled_at)
            if due > now + PAUSE:
                first[event.workspace_id] = min(due, first.get(event.workspace_id, due))
    for workspace_id, due in sorted(first.items()):
        await jobs.enqueue(
            db,
            REMINDER_JOB,
            {"workspace_id": str(workspace_id)},
            run_at=max(due - AHEAD, now + PAUSE),
            unique_key=f"{REMINDER_JOB}:{workspace_id}",
            workspace_id=workspace_id,
        )


async def remind_deciders(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
    """Mail once more what waits and is due within a day; come back when the next of it is."""
    workspace_id, now = UUID(payload["workspace_id"]), clock.now()
    async with lease.transaction() as db:
        records = await db.fetch(_PENDING, workspace_id, now, now + AHEAD)
        soon = sorted((_read(record) for record in records), key=lambda post: post.scheduled_at or now)
        await _mail_each(context, db, workspace_id, soon, is_reminder=True)
        later: datetime | None = await db.fetchval(_NEXT, workspace_id, now + AHEAD)
    return None if later is None else RunAgain(max(later - AHEAD - now, PAUSE).total_seconds())


async def mail_deciders(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Mail what waits to everyone who may decide on it, the newest first, without what they wrote themselves."""
    workspace_id = UUID(payload["workspace_id"])
    async with lease.transaction() as db:
        posts = [_read(record) for record in await db.fetch(_PENDING, workspace_id, None, None)]
        await _mail_each(context, db, workspace_id, posts, is_reminder=False)


async def _mail_each(
    context: AppContext, db: Db, workspace_id: UUID, posts: Sequence[_PendingPost], *, is_reminder: bool
) -> None:
    deciders = await members.deciders(db, workspace_id, DECIDERS_MAX) if posts else []
    for decider in deciders:
        visible = [
            post
            for post in posts
            if (decider.profile_ids is None or post.profile_id in decider.profile_ids)
            and post.created_by_user_id != decider.user_id
        ]
        if visible:
            values = {
                "workspace": decider.workspace,
                "posts": [_line(context, post) for post in visible[:POSTS_MAX]],
                "more": max(0, len(visible) - POSTS_MAX),
                "link": f"{context.base_url}/console/approvals",
                "is_reminder": is_reminder,
            }
            message = mail.Message(to=decider.email, template="approval_requested", values=values)
            await mail.enqueue(db, message, workspace_id=workspace_id)


def _line(context: AppContext, post: _PendingPost) -> dict[str, str]:
    asker = post.approval.requested_by
    return {
        "client": post.client,
        "title": " ".join(post.title.split()),
        "by": (asker.name if asker else None) or "",
        "due": _due(post.scheduled_at, post.timezone),
        "note": post.approval.note or "",
        "link": _link(context, post.id),
    }


async def mail_author(context: AppContext, db: Db, caller: Caller, post: PostRow, approval: Approval) -> None:
    """Mail a decision to whoever wrote the post, unless it is their own. A guest's is not that of who made the link."""
    author = post.created_by_user_id
    if author is None or (author == caller.user_id and caller.guest is None) or post.mode != "live":
        return
    email = await members.mailbox(db, post.workspace_id, author)
    if email is None:  # they have left
        return
    values = {
        "by": caller.user_name if caller.guest is None else caller.guest.name,
        "decision": approval.state,
        "title": " ".join((post.title or post.text or "…")[:_TITLE_MAX].split()),
        "due": _due(post.scheduled_at, post.timezone),
        "note": approval.note or "",
        "link": _link(context, post.id),
    }
    message = mail.Message(to=email, template="approval_decided", values=values)
    await mail.enqueue(db, message, workspace_id=post.workspace_id)


def _due(at: datetime | None, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} ({zone})" if at else ""


def _link(context: AppContext, post_id: UUID) -> str:
    return f"{context.base_url}/console/posts/{ids.encode('pst', post_id)}"
