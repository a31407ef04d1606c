"""Mail to authors about what was not published: by a job for each post, since the end of an attempt holds a lane."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost import events, mail, networks
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.identity import members
from signalpost.kit import ids, rows
from signalpost.kit.db import Db

JOB: Final = "posts.failure_mail"
TARGETS_MAX: Final = 20
"""Named in one message; the others are counted."""
_TITLE_MAX: Final = 80
# The sandbox fails on demand, and a test post is of nobody.
_WORTH_A_MAIL: Final = """
select p.id, p.workspace_id from post p
where p.id = any($1) and p.mode = 'live' and p.created_by_user_id is not null and p.status in ('failed', 'partial')
    and exists (select from target t where t.post_id = p.id and t.status = 'failed' and t.platform <> 'sandbox')
order by p.id
"""


class _Failure(Struct):
    id: UUID
    profile_id: UUID
    created_by_user_id: UUID
    client: str
    title: str
    is_partial: bool


class _Target(Struct):
    platform: str
    username: str
    reason: str


_COLUMNS: Final = rows.columns(
    _Failure,
    "p",
    client="f.name",
    title=f"left(coalesce(nullif(p.title, ''), nullif(p.text, ''), '…'), {_TITLE_MAX})",
    is_partial="p.status = 'partial'",
)
_FAILED: Final = f"""
select {_COLUMNS} from post p join profile f on f.id = p.profile_id
where p.workspace_id = $1 and p.id = $2 and p.deleted_at is null and p.status in ('failed', 'partial')
"""  # noqa: S608 - columns of a struct
_TARGETS: Final = """
select t.platform, a.username, coalesce(t.error ->> 'message', '') as reason
from target t join account a on a.id = t.account_id
where t.post_id = $1 and t.status = 'failed' order by t.platform, a.username, t.id
"""
_read: Final = rows.reader(_Failure)
_read_target: Final = rows.reader(_Target)


async def on_posts_settled(_context: AppContext, db: Db, settled: Sequence[events.PostSettled]) -> None:
    """Have authors mailed what was not published, or only in part."""
    failed = [event.post_id for event in settled if event.status in ("failed", "partial")]
    if not failed:
        return
    for record in await db.fetch(_WORTH_A_MAIL, failed):
        payload = {"workspace_id": str(record["workspace_id"]), "post_id": str(record["id"])}
        key = f"{JOB}:{record['id']}"
        await jobs.enqueue(db, JOB, payload, unique_key=key, workspace_id=record["workspace_id"])


async def mail_author(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Mail whoever wrote a post where it was not published, unless that was repaired meanwhile."""
    workspace_id, post_id = UUID(payload["workspace_id"]), UUID(payload["post_id"])
    async with lease.transaction() as db:
        post = await rows.read_one(db, _read, _FAILED, workspace_id, post_id)
        if post is None:
            return
        author = await members.readers_by_user(db, workspace_id, [post.created_by_user_id], post.profile_id)
        targets = await rows.read_all(db, _read_target, _TARGETS, post_id)
        if not author or not targets:  # they have left, or do not see the client any more
            return
        values = {
            "title": " ".join(post.title.split()),
            "client": post.client,
            "published": post.is_partial,
            "lines": [
                {"account": f"{networks.name_of(target.platform)}: {target.username}", "reason": target.reason}
                for target in targets[:TARGETS_MAX]
            ],
            "more": max(0, len(targets) - TARGETS_MAX),
            "link": f"{context.base_url}/console/posts/{ids.encode('pst', post.id)}",
        }
        message = mail.Message(to=author[0].email, template="post_failed", values=values)
        await mail.enqueue(db, message, workspace_id=workspace_id)
