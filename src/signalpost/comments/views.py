"""From rows to responses."""

from collections.abc import Sequence

from signalpost import networks
from signalpost.comments.queries import CommentRow, ReplyRow
from signalpost.comments.rule_schemas import CommentRule, CommentRuleUse, CommentRuleUseError
from signalpost.comments.rules import RuleRow, UseRow
from signalpost.comments.saved import SavedReplyRow
from signalpost.comments.schemas import (
    Comment,
    CommentActions,
    CommentAssignee,
    CommentAuthor,
    CommentReply,
    CommentReplyError,
    SavedReply,
)
from signalpost.comments.states import reply_error_code, rule_error_code
from signalpost.events import CommentData
from signalpost.kit import clock, ids


def comment(row: CommentRow, replies: Sequence[ReplyRow]) -> Comment:
    """Return a comment as the API shows it, with the answers from here."""
    return Comment(
        id=ids.encode("cmt", row.id),
        post_id=ids.encode("pst", row.post_id),
        target_id=ids.encode("tgt", row.target_id),
        profile_id=ids.encode("prof", row.profile_id),
        account_id=ids.encode("acc", row.account_id),
        platform=row.platform,
        platform_comment_id=row.remote_id,
        parent_id=ids.encode_or_none("cmt", row.parent_id),
        author=CommentAuthor(
            name=row.author_name,
            handle=row.author_handle,
            avatar_url=row.author_avatar_url,
            url=row.author_url,
            is_self=row.is_own,
        ),
        text=row.text,
        url=row.url,
        state=row.state,
        assignee=None
        if row.assignee_id is None
        else CommentAssignee(ids.encode("mem", row.assignee_id), row.assignee_name or ""),
        tags=row.tags,
        snoozed_until=clock.wire_or_none(row.snoozed_until),
        hidden=row.hidden,
        liked=row.liked,
        actions=actions(row),
        replies=[reply(answer) for answer in replies],
        answered_at=clock.wire_or_none(row.answered_at),
        posted_at=clock.wire(row.posted_at),
        edited_at=clock.wire_or_none(row.edited_at),
        deleted_at=clock.wire_or_none(row.deleted_at),
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def actions(row: CommentRow) -> CommentActions:
    """Return what can be done with a comment."""
    connector = networks.get(row.platform)
    if connector is None or row.deleted_at is not None:
        return CommentActions(reply=False, hide=False, like=False, delete=False)
    is_post = row.is_own and connector.facts.replies_are_posts
    remove = connector.delete if is_post else connector.delete_comment
    return CommentActions(
        reply=connector.reply is not None,
        hide=connector.hide_comment is not None and not row.is_own,
        like=connector.like_comment is not None,
        delete=remove is not None,
    )


def reply(row: ReplyRow) -> CommentReply:
    """Return an answer as the API shows it."""
    return CommentReply(
        id=ids.encode("rpl", row.id),
        comment_id=ids.encode("cmt", row.comment_id),
        text=row.text,
        state=row.state,
        author=row.author,
        decided_by=row.decided_by,
        platform_comment_id=row.remote_id,
        url=row.url,
        error=None if row.error is None else CommentReplyError(reply_error_code(row.error.code), row.error.message),
        created_at=clock.wire(row.created_at),
        sent_at=clock.wire_or_none(row.sent_at),
    )


def saved_reply(row: SavedReplyRow) -> SavedReply:
    """Return a saved reply as the API shows it."""
    return SavedReply(
        id=ids.encode("srp", row.id),
        profile_id=ids.encode_or_none("prof", row.profile_id),
        name=row.name,
        text=row.text,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def rule(row: RuleRow) -> CommentRule:
    """Return a rule as the API shows it."""
    return CommentRule(
        id=ids.encode("crl", row.id),
        name=row.name,
        enabled=row.enabled,
        held=row.held,
        words=row.words,
        authors=row.authors,
        profile_ids=None
        if row.on_profiles is None
        else [ids.encode("prof", profile_id) for profile_id in row.on_profiles],
        platforms=row.platforms,
        hide=row.hide,
        done=row.done,
        assignee_id=ids.encode_or_none("mem", row.assignee_id),
        tags=row.tags,
        created_by=row.created_by,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def rule_use(row: UseRow) -> CommentRuleUse:
    """Return what a rule did as the API shows it."""
    return CommentRuleUse(
        id=ids.encode("cru", row.id),
        rule_id=ids.encode("crl", row.rule_id),
        rule_name=row.rule_name,
        comment_id=ids.encode("cmt", row.comment_id),
        actions=row.actions,
        hiding=row.hiding,
        error=None if row.error is None else CommentRuleUseError(rule_error_code(row.error.code), row.error.message),
        created_at=clock.wire(row.created_at),
    )


def event_data(row: CommentRow, answer: ReplyRow | None = None) -> CommentData:
    """Return `data` of the events about a comment."""
    return CommentData(
        comment_id=ids.encode("cmt", row.id),
        post_id=ids.encode("pst", row.post_id),
        target_id=ids.encode("tgt", row.target_id),
        profile_id=ids.encode("prof", row.profile_id),
        account_id=ids.encode("acc", row.account_id),
        platform=row.platform,
        platform_comment_id=row.remote_id,
        parent_id=ids.encode_or_none("cmt", row.parent_id),
        author_name=row.author_name,
        author_handle=row.author_handle,
        text=row.text,
        url=row.url,
        posted_at=clock.wire(row.posted_at),
        reply_id=ids.encode_or_none("rpl", None if answer is None else answer.id),
        reply_text=None if answer is None else answer.text,
        reply_url=None if answer is None else answer.url,
    )
