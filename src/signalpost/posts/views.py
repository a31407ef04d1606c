"""From rows to what the API shows."""

from collections.abc import Sequence
from typing import Any

import msgspec

from signalpost.kit import clock, ids
from signalpost.posts import documents, progress
from signalpost.posts.rows import AuditRow, PostRow, TargetRow
from signalpost.posts.schemas.responses import (
    Approval,
    AttemptRecord,
    AuditEntry,
    FieldChange,
    FirstCommentState,
    MediaRef,
    Post,
    PostProgress,
    PostWarning,
    Recurrence,
    Target,
    TargetError,
    TargetSummary,
    ThreadPart,
    UserTag,
    Utm,
)


def post(row: PostRow, target_rows: Sequence[TargetRow]) -> Post:
    """Return the post with its targets."""
    at = clock.wire_or_none
    post_id = ids.encode("pst", row.id)
    targets = [target(target_row, post_id) for target_row in target_rows]
    by_platform: dict[str, list[Target]] = {}
    for item in targets:
        by_platform.setdefault(item.platform, []).append(item)
    return Post(
        id=post_id,
        profile_id=ids.encode("prof", row.profile_id),
        title=row.title,
        text=row.text,
        media=[media_ref(media) for media in row.media],
        link=row.link,
        thread=[thread_part(part) for part in row.thread],
        first_comment=row.first_comment,
        platforms=list(by_platform),
        targets=targets,
        status=progress.current_status(row, target_rows),
        approval=approval(row.approval),
        scheduled_at=at(row.scheduled_at),
        timezone=row.timezone,
        publish_mode=row.publish_mode,
        recurrence=None if row.recurrence is None else recurrence(row.recurrence),
        recurrence_parent_id=ids.encode_or_none("pst", row.recurrence_parent_id),
        source_post_id=ids.encode_or_none("pst", row.source_post_id),
        fanout_id=ids.encode_or_none("job", row.fanout_id),
        external_id=row.external_id,
        tags=row.tags,
        campaign=row.campaign,
        utm=None if row.utm is None else utm(row.utm),
        shorten_links=row.shorten_links,
        notes=row.notes,
        options=row.options,
        auto_fit=row.auto_fit,
        allow_duplicate=row.allow_duplicate,
        counts=progress.count(target_rows),
        platform_results=by_platform,
        warnings=[warning(document) for document in row.warnings],
        created_by=row.created_by,
        source=row.source,
        mode=row.mode,
        version=row.version,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
        queued_at=at(row.queued_at),
        published_at=at(row.published_at),
        deleted_at=at(row.deleted_at),
        purge_at=at(row.purge_at),
    )


def target(row: TargetRow, post_id: str) -> Target:
    """Return a target. `post_id`: its post's, encoded once for all of its targets."""
    at = clock.wire_or_none
    return Target(
        id=ids.encode("tgt", row.id),
        post_id=post_id,
        account_id=ids.encode("acc", row.account_id),
        platform=row.platform,
        username=row.username,
        status=row.status,
        delivery=row.delivery,
        text=row.text,
        media=None if row.media is None else [media_ref(media) for media in row.media],
        title=row.title,
        scheduled_at=at(row.scheduled_at),
        options=row.options,
        platform_post_id=row.remote_id,
        url=row.url,
        thread_ids=row.thread_ids,
        first_comment=first_comment(row.first_comment),
        attempts=row.attempts,
        next_attempt_at=at(row.next_attempt_at),
        error=None if row.error is None else target_error(row.error),
        started_at=at(row.started_at),
        published_at=at(row.published_at),
        removed_at=at(row.removed_at),
    )


def post_progress(row: PostRow, target_rows: Sequence[TargetRow]) -> PostProgress:
    """Return how far the post is, target by target."""
    counts = progress.count(target_rows)
    return PostProgress(
        post_id=ids.encode("pst", row.id),
        status=progress.current_status(row, target_rows),
        approval=approval(row.approval),
        published=counts.published,
        failed=counts.failed,
        pending=counts.pending,
        total=counts.total,
        scheduled_at=clock.wire_or_none(row.scheduled_at),
        next_attempt_at=clock.wire_or_none(progress.first_due(target_rows)),
        targets=[target_summary(target_row) for target_row in target_rows],
        updated_at=clock.wire(row.updated_at),
    )


def target_summary(row: TargetRow) -> TargetSummary:
    """Return the short form of a target."""
    return TargetSummary(
        target_id=ids.encode("tgt", row.id),
        platform=row.platform,
        account_id=ids.encode("acc", row.account_id),
        username=row.username,
        status=row.status,
        delivery=row.delivery,
        url=row.url,
        attempts=row.attempts,
        error=None if row.error is None else target_error(row.error),
    )


def audit_entry(row: AuditRow) -> AuditEntry:
    """Return an entry of the audit log."""
    return AuditEntry(
        id=ids.encode("aud", row.id),
        at=clock.wire(row.at),
        action=row.action,
        actor=row.actor,
        target_id=ids.encode_or_none("tgt", row.target_id),
        changes=None if row.changes is None else [change(document) for document in row.changes],
        attempt=None if row.attempt is None else attempt_record(row.attempt),
        request_id=row.request_id,
    )


# --- documents -----------------------------------------------------------------------------------------------------


def media_ref(document: documents.MediaRef) -> MediaRef:
    """Return a file of a post."""
    return MediaRef(
        media_id=ids.encode("med", document.media_id),
        alt_text=document.alt_text,
        thumbnail_media_id=ids.encode_or_none("med", document.thumbnail_media_id),
        thumbnail_time_ms=document.thumbnail_time_ms,
        user_tags=[UserTag(username=tag.username, x=tag.x, y=tag.y) for tag in document.user_tags],
    )


def thread_part(document: documents.ThreadPart) -> ThreadPart:
    """Return a further post of a thread."""
    return ThreadPart(text=document.text, media=[media_ref(media) for media in document.media])


def approval(document: documents.Approval) -> Approval:
    """Return the approval of a post."""
    return Approval(
        state=document.state,
        requested_by=document.requested_by,
        decided_by=document.decided_by,
        note=document.note,
        decided_at=clock.wire_or_none(document.decided_at),
    )


def recurrence(document: documents.Recurrence) -> Recurrence:
    """Return the repetition of a post."""
    return Recurrence(
        rrule=document.rrule,
        timezone=document.timezone,
        until=document.until,
        count=document.count,
        variations=document.variations,
    )


def utm(document: documents.Utm) -> Utm:
    """Return the campaign parameters of a post."""
    return Utm(
        source=document.source,
        medium=document.medium,
        campaign=document.campaign,
        term=document.term,
        content=document.content,
    )


def warning(document: documents.PostWarning) -> PostWarning:
    """Return a warning."""
    return PostWarning(
        code=document.code,
        path=document.path,
        message=document.message,
        platform=document.platform,
        account_id=ids.encode_or_none("acc", document.account_id),
    )


def first_comment(document: documents.FirstComment) -> FirstCommentState:
    """Return how far the first comment of a target is."""
    return FirstCommentState(status=document.status, id=document.id, error=document.error)


def target_error(document: documents.TargetError) -> TargetError:
    """Return why a target failed."""
    return TargetError(
        code=document.code,
        category=document.category,
        source=document.source,
        message=document.message,
        user_message=document.user_message,
        rule=document.rule,
        retryable=document.retryable,
        http_status=document.http_status,
        platform_code=document.platform_code,
        platform_response=document.platform_response,
        remediation=document.remediation,
        occurred_at=clock.wire(document.occurred_at),
    )


def attempt_record(document: documents.AttemptRecord) -> AttemptRecord:
    """Return the request and response of an attempt."""
    return AttemptRecord(
        number=document.number,
        duration_ms=document.duration_ms,
        request=document.request,
        http_status=document.http_status,
        response=document.response,
    )


def change(document: documents.Change) -> FieldChange:
    """Return a changed field, with the names that the API uses."""
    return FieldChange(
        field=_camel(document.field),
        before=_value(document.field, document.before),
        after=_value(document.field, document.after),
    )


def _value(field: str, value: Any) -> Any:
    """Return the value of a changed field; a document in it as the API shows it."""
    if field == "media":
        return [media_ref(media) for media in msgspec.convert(value, list[documents.MediaRef])]
    if field == "thread":
        return [thread_part(part) for part in msgspec.convert(value, list[documents.ThreadPart])]
    if field == "targets" and isinstance(value, list):
        return [overrides(entry) if isinstance(entry, dict) else entry for entry in value]
    return value


def overrides(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a target of the audit log: its account, and what differs there from the post."""
    document = msgspec.convert(entry, documents.TargetOverrides)
    media = None if document.media is None else [media_ref(media) for media in document.media]
    members = {
        "accountId": ids.encode("acc", document.account_id),
        "platform": document.platform,
        "text": document.text,
        "title": document.title,
        "media": media,
        "options": document.options,
        "scheduledAt": clock.wire_or_none(document.scheduled_at),
    }
    return {name: value for name, value in members.items() if value is not None}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
