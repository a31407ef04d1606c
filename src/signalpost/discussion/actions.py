"""Writes of discussions: a message, with mail to those who are mentioned, and its end."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost import mail
from signalpost.context import AppContext
from signalpost.discussion import queries, views
from signalpost.discussion.queries import Mention, MessageRow
from signalpost.discussion.schemas import PostMessage, PostMessageCreate
from signalpost.events import Actor
from signalpost.identity import members, roles
from signalpost.identity.members import Reader
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.posts.rows import PostRow
from signalpost.web.caller import Caller
from signalpost.web.fields import MemberId, PostMessageId

MESSAGES_MAX: Final = 500
"""About one post."""
_TITLE_MAX: Final = 80
_INSERT: Final = rows.insert("post_message", MessageRow)
_DELETE: Final = "delete from post_message where workspace_id = $1 and id = $2"


async def add_message(
    context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostMessageCreate
) -> PostMessage:
    """Say something about a post; who is mentioned gets a mail, unless they wrote it.

    Raises:
        Forbidden, InsufficientScope: the caller only reads.
        ValidationFailed: an unknown member or message, or one who does not see the post.
        TooManyItems: there are too many messages about the post.
    """
    _require_writing(caller)
    mentioned = await _mentioned(db, post, data.mentions)
    if data.reply_to is not None and not await queries.find(db, post.workspace_id, post.id, data.reply_to):
        raise problems.ValidationFailed(errors=[PostMessageId.not_found("/replyTo")])
    row = await _write(
        db, post, data.text, author=caller.actor, user_id=caller.user_id, reply_to_id=data.reply_to, mentioned=mentioned
    )
    recipients = [reader for reader in mentioned if reader.user_id != caller.user_id]
    await _mail(context, db, post, row, recipients, is_mention=True)
    return views.message(row)


async def add_of_guest(
    context: AppContext, db: Db, post: PostRow, text: str, guest: Actor, *, maker_id: UUID
) -> MessageRow:
    """Write what someone says by a link, and mail it to who wrote the post and who made the link.

    Raises:
        TooManyItems: there are too many messages about the post.
    """
    row = await _write(db, post, text, author=guest, user_id=None, reply_to_id=None, mentioned=())
    people = {maker_id} if post.created_by_user_id is None else {maker_id, post.created_by_user_id}
    readers = await members.readers_by_user(db, post.workspace_id, sorted(people), post.profile_id)
    await _mail(context, db, post, row, readers, is_mention=False)
    return row


async def delete_message(db: Db, caller: Caller, post: PostRow, message_id: UUID) -> None:
    """Delete a message: one's own, or as an admin any.

    Raises:
        NotFound: there is no such message about this post.
        Forbidden: it is someone else's.
    """
    row = await queries.find(db, post.workspace_id, post.id, message_id)
    if row is None:
        raise problems.NotFound(PostMessageId.not_found_detail(ids.encode("pmg", message_id)))
    _require_writing(caller)
    if row.user_id != caller.user_id and not roles.may_manage_workspace(caller.role):
        raise problems.Forbidden("Only an admin may delete messages of others.")
    await db.execute(_DELETE, row.workspace_id, row.id)


def _require_writing(caller: Caller) -> None:
    if not roles.may_discuss(caller.role):
        raise problems.Forbidden(f"The role {caller.role} may not write about posts.")
    if caller.auth == "api_key" and caller.role != "approver" and "posts:write" not in caller.scopes:
        raise problems.InsufficientScope("This API key lacks the scope posts:write.")


async def _mentioned(db: Db, post: PostRow, member_ids: Sequence[UUID]) -> Sequence[Reader]:
    if not member_ids:
        return ()
    by_id = {reader.id: reader for reader in await members.readers(db, post.workspace_id, member_ids, post.profile_id)}
    issues: list[Issue] = [
        MemberId.not_found(f"/mentions/{index}") for index, member_id in enumerate(member_ids) if member_id not in by_id
    ]
    if issues:
        raise problems.ValidationFailed(errors=issues)
    return [by_id[member_id] for member_id in dict.fromkeys(member_ids)]


async def _write(
    db: Db,
    post: PostRow,
    text: str,
    *,
    author: Actor,
    user_id: UUID | None,
    reply_to_id: UUID | None,
    mentioned: Sequence[Reader],
) -> MessageRow:
    if await queries.count(db, post.id) >= MESSAGES_MAX:
        raise problems.TooManyItems(f"There are {MESSAGES_MAX} messages about this post, which is as many as it keeps.")
    row = MessageRow(
        id=ids.new_id(),
        workspace_id=post.workspace_id,
        post_id=post.id,
        reply_to_id=reply_to_id,
        author=author,
        user_id=user_id,
        text=text,
        mentions=[Mention(reader.id, reader.name) for reader in mentioned],
        created_at=clock.actual(),
    )
    await db.execute(_INSERT, *rows.values(row))
    return row


async def _mail(
    context: AppContext, db: Db, post: PostRow, row: MessageRow, readers: Sequence[Reader], *, is_mention: bool
) -> None:
    if post.mode != "live":
        return
    for reader in readers:
        values = {
            "by": row.author.name or "",
            "title": " ".join((post.title or post.text or "…")[:_TITLE_MAX].split()),
            "lines": row.text.splitlines(),
            "is_mention": is_mention,
            "link": f"{context.base_url}/console/posts/{ids.encode('pst', post.id)}",
        }
        message = mail.Message(to=reader.email, template="post_message", values=values)
        await mail.enqueue(db, message, workspace_id=post.workspace_id)
