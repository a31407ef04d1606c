"""From documents, the JSON columns of posts, to what the API shows."""

from typing import Any

import msgspec
from msgspec import structs

from signalpost.kit import clock, ids
from signalpost.posts import documents
from signalpost.posts.schemas.responses import (
    Approval,
    AttemptRecord,
    Crop,
    FieldChange,
    FirstCommentState,
    MediaRef,
    PostWarning,
    Recurrence,
    TargetError,
    ThreadPart,
    UserTag,
)
from signalpost.profiles.schemas import Utm


def media_ref(document: documents.MediaRef) -> MediaRef:
    """Return a file of a post."""
    return MediaRef(
        media_id=ids.encode("med", document.media_id),
        alt_text=document.alt_text,
        thumbnail_media_id=ids.encode_or_none("med", document.thumbnail_media_id),
        thumbnail_time_ms=document.thumbnail_time_ms,
        user_tags=[UserTag(username=tag.username, x=tag.x, y=tag.y) for tag in document.user_tags],
        crops={platform: Crop(**structs.asdict(crop)) for platform, crop in document.crops.items()},
    )


def thread_part(document: documents.ThreadPart) -> ThreadPart:
    """Return a further post of a thread."""
    return ThreadPart(text=document.text, media=[media_ref(media) for media in document.media])


def approval(document: documents.Approval) -> Approval:
    """Return the approval of a post."""
    return Approval(
        state=document.state,
        requested_by=document.requested_by,
        requested_at=clock.wire(document.requested_at) if document.requested_at else None,
        decided_by=document.decided_by,
        note=document.note,
        decided_at=clock.wire_or_none(document.decided_at),
    )


def recurrence(document: documents.Recurrence) -> Recurrence:
    """Return the repetition of a post."""
    return Recurrence(**structs.asdict(document))


def utm(document: documents.Utm) -> Utm:
    """Return the campaign parameters of a post."""
    return Utm(**structs.asdict(document))


def warning(document: documents.PostWarning) -> PostWarning:
    """Return a warning."""
    return PostWarning(
        code=document.code,
        path=document.path,
        message=document.message,
        platform=document.platform,
        account_id=ids.encode_or_none("acc", document.account_id),
        remediation=None,
    )


def first_comment(document: documents.FirstComment) -> FirstCommentState:
    """Return how far the first comment of a target is."""
    return FirstCommentState(status=document.status, id=document.id, error=document.error)


def target_error(document: documents.TargetError) -> TargetError:
    """Return why a target failed."""
    return TargetError(**structs.asdict(document) | {"occurred_at": clock.wire(document.occurred_at)})


def attempt_record(document: documents.AttemptRecord) -> AttemptRecord:
    """Return the request and response of an attempt."""
    return AttemptRecord(**structs.asdict(document))


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
