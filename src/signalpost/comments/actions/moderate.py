"""Hiding, liking and deleting comments at their network, while the request waits. Repeating any of it does no harm."""

from collections.abc import Awaitable, Callable
from typing import Final

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.actions.ask import ask
from signalpost.audit.actions import record as audit
from signalpost.comments import queries, views
from signalpost.comments.errors import CommentActionUnavailable
from signalpost.comments.queries import CommentRow
from signalpost.comments.schemas import Comment
from signalpost.context import AppContext
from signalpost.identity import roles
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import ids
from signalpost.kit.problems import Forbidden, InvalidState
from signalpost.networks.contract import Connector, NetworkSession
from signalpost.web.caller import Caller

_HIDE: Final = "update comment set hidden = $3, updated_at = now() where id = $1 and workspace_id = $2"
_LIKE: Final = "update comment set liked = $3, updated_at = now() where id = $1 and workspace_id = $2"
_REMOVE: Final = """
update comment set deleted_at = coalesce(deleted_at, now()), removed = true, text = '', author_id = '',
    author_name = '', author_handle = null, author_avatar_url = null, author_url = null, reference = '{}',
    updated_at = now()
where id = $1 and workspace_id = $2
"""
_Call = Callable[[NetworkSession], Awaitable[None]]


async def hide(context: AppContext, caller: Caller, comment: CommentRow, *, hidden: bool) -> Comment:
    """Hide a comment from others at its network, or show it again.

    Raises:
        CommentActionUnavailable: the network cannot, or the comment is deleted.
        and what `_ask` raises.
    """
    connector = _require(caller, comment)
    function = connector.hide_comment
    if function is None or comment.is_own:
        raise CommentActionUnavailable(_cannot(connector, "hide this comment"))
    await _ask(
        context, comment, connector, lambda session: function(session, comment.remote_id, comment.reference, hidden)
    )
    return await _write(context, caller, comment, _HIDE, "hide_comment" if hidden else "unhide_comment", hidden)


async def like(context: AppContext, caller: Caller, comment: CommentRow, *, liked: bool) -> Comment:
    """Like a comment as the account, or take that back. Raises what `hide` raises."""
    connector = _require(caller, comment)
    function = connector.like_comment
    if function is None:
        raise CommentActionUnavailable(_cannot(connector, "like comments"))
    await _ask(
        context, comment, connector, lambda session: function(session, comment.remote_id, comment.reference, liked)
    )
    return await _write(context, caller, comment, _LIKE, "like_comment" if liked else "unlike_comment", liked)


async def delete(context: AppContext, caller: Caller, comment: CommentRow) -> None:
    """Delete a comment at its network; one that is not there counts as deleted. Raises what `hide` raises."""
    if comment.deleted_at is not None:
        return
    connector = _require(caller, comment)
    post, others = connector.delete, connector.delete_comment
    is_post = comment.is_own and connector.facts.replies_are_posts
    if is_post and post is not None:
        call: _Call = lambda session: post(session, comment.remote_id, ())  # noqa: E731 - as short as it can be
    elif not is_post and others is not None:
        call = lambda session: others(session, comment.remote_id, comment.reference)  # noqa: E731
    else:
        raise CommentActionUnavailable(_cannot(connector, "delete this comment"))
    await _ask(context, comment, connector, call)
    await _write(context, caller, comment, _REMOVE, "delete_comment")


def _cannot(connector: Connector, words: str) -> str:
    note = networks.no_comments(connector)
    return f"{connector.facts.name} cannot {words} from here.{f' {note}' if note else ''}"


def _require(caller: Caller, comment: CommentRow) -> Connector:
    if caller.mode == "test" and comment.mode == "live":
        raise TestModeOnlySandbox("A test key changes no live comment.")
    if not roles.may_publish(caller.role):
        raise Forbidden(f"The role {caller.role} may not act at a network. Someone who may publish does it.")
    connector = networks.get(comment.platform)
    if connector is None:
        raise InvalidState("This installation does not have the network of this comment.")
    if comment.deleted_at is not None:
        raise CommentActionUnavailable("The comment was deleted.")
    return connector


async def _ask(context: AppContext, comment: CommentRow, connector: Connector, call: _Call) -> None:
    """Call the network, with no transaction open.

    Raises:
        InvalidState: the account has to be connected again, or the network refuses.
        PlatformError, PlatformTimeout: the network gave no usable response.
    """
    async with context.database.connection() as db:
        account = await accounts.by_id(db, comment.account_id)
    if account is None or account.status == "disconnected":
        raise InvalidState("The account is disconnected. Connect it again.")
    await ask(context, account, connector, call)


async def _write(
    context: AppContext, caller: Caller, comment: CommentRow, statement: str, action: str, *values: bool
) -> Comment:
    async with context.database.transaction() as db:
        await db.execute(statement, comment.id, comment.workspace_id, *values)
        subject = ids.encode("cmt", comment.id)
        entry = audit.Entry(workspace_id=comment.workspace_id, action=action, actor=caller.actor, subject=subject)
        await audit.record(db, entry)
        row = await queries.by_id(db, comment.id) or comment
        replies = await queries.replies(db, row.workspace_id, [row.id])
    return views.comment(row, replies[row.id])
