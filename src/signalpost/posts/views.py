"""From rows to what the API shows.

`post` takes the row structs of an action; `stored_post` takes what a read returned, without making row structs first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from signalpost.events import Actor
from signalpost.kit import clock, ids, rows
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
    PostStatus,
    PostWarning,
    Recurrence,
    Target,
    TargetError,
    TargetSummary,
    ThreadPart,
    UserTag,
    Utm,
)
from signalpost.web.conditional import Conditional

V = TypeVar("V", bound=Struct)


class StoredPost(NamedTuple):
    """A post and its targets, in their order: values of `POST_COLUMNS` and of `TARGET_COLUMNS`, as `view_columns`.

    `row_versions`: the transactions that wrote the post and its targets (`xmin`), if they were read too.
    """

    post: Sequence[Any]
    targets: list[Sequence[Any]]
    row_versions: Sequence[int] = ()


def conditional_post(stored: StoredPost) -> Conditional[Post]:
    """Return the post with its targets, to be made if the client does not have it.

    Each write gives a row another `xmin`; beside the rows, the post shows the time and the names of its accounts.
    """
    usernames = [target[_USERNAME] for target in stored.targets]
    state = (_current_status(stored), stored.row_versions, usernames)
    return Conditional(stored.post[_VERSION], state, lambda: stored_post(stored))


def stored_post(stored: StoredPost) -> Post:
    """Return the post with its targets."""
    post_id = stored.post[_ID]
    targets = [_target_of_values([*values, post_id, None]) for values in stored.targets]
    return _post(_post_of_values, stored.post, targets, _current_status(stored))


def post(row: PostRow, target_rows: Sequence[TargetRow]) -> Post:
    """Return the post with its targets."""
    targets = [_target_of_row([*msgspec.structs.astuple(target_row), None]) for target_row in target_rows]
    return _post(_post_of_row, msgspec.structs.astuple(row), targets, progress.current_status(row, target_rows))


def _post(
    build: Callable[[Sequence[Any]], Post], values: Iterable[Any], targets: list[Target], status: PostStatus
) -> Post:
    by_platform: dict[str, list[Target]] = {}
    for target in targets:
        by_platform.setdefault(target.platform, []).append(target)
    return build([*values, status, list(by_platform), targets, progress.count(targets), by_platform])


def _current_status(stored: StoredPost) -> PostStatus:
    """Return what `progress.current_status` does."""
    status: PostStatus = stored.post[_STATUS]
    if status != "scheduled" or stored.post[_DELETED_AT] is not None:
        return status
    now = clock.now_micros()
    for target in stored.targets:
        if target[_HELD_REASON] is not None:
            return "scheduled"
        if (next_attempt_at := target[_NEXT_ATTEMPT_AT]) is not None and next_attempt_at <= now:
            status = "queued"
    return status


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
        requested_at=clock.wire(document.requested_at) if document.requested_at else None,
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


# --- how values become fields ----------------------------------------------------------------------------------------

_SHORT: Final = 200  # characters


def _from_json(kind: Any, view: rows.Convert) -> rows.Convert:
    """Return a function from JSON text to `view` of it as a `kind`. It remembers short ones: most are alike."""
    decode = msgspec.json.Decoder(kind).decode

    def convert(text: str) -> Any:
        return view(decode(text))

    remembered = lru_cache(maxsize=256)(convert)
    return lambda text: remembered(text) if len(text) <= _SHORT else convert(text)


def _list_of(view: rows.Convert) -> rows.Convert:
    return lambda items: [view(item) for item in items]


def _itself(value: Any) -> Any:
    return value


_IDS: Final[dict[str, rows.Convert]] = {
    "id": partial(ids.encode, "pst"),
    "profile_id": partial(ids.encode, "prof"),
    "recurrence_parent_id": partial(ids.encode, "pst"),
    "source_post_id": partial(ids.encode, "pst"),
    "fanout_id": partial(ids.encode, "job"),
}
_TARGET_IDS: Final[dict[str, rows.Convert]] = {
    "id": partial(ids.encode, "tgt"),
    "post_id": partial(ids.encode, "pst"),
    "account_id": partial(ids.encode, "acc"),
}
_INSTANTS: Final = (
    "scheduled_at", "created_at", "updated_at", "queued_at", "published_at", "deleted_at", "purge_at"
)  # fmt: skip
_TARGET_INSTANTS: Final = ("scheduled_at", "next_attempt_at", "started_at", "published_at", "removed_at")
_DOCUMENTS: Final[dict[str, tuple[Any, rows.Convert]]] = {
    "media": (list[documents.MediaRef], _list_of(media_ref)),
    "thread": (list[documents.ThreadPart], _list_of(thread_part)),
    "approval": (documents.Approval, approval),
    "recurrence": (documents.Recurrence, recurrence),
    "utm": (documents.Utm, utm),
    "options": (dict[str, dict[str, Any]], _itself),
    "warnings": (list[documents.PostWarning], _list_of(warning)),
    "created_by": (Actor, _itself),
}
_TARGET_DOCUMENTS: Final[dict[str, tuple[Any, rows.Convert]]] = {
    "media": (list[documents.MediaRef], _list_of(media_ref)),
    "options": (dict[str, Any], _itself),
    "first_comment": (documents.FirstComment, first_comment),
    "error": (documents.TargetError, target_error),
}

_FROM_TARGETS: Final = ("status", "platforms", "targets", "counts", "platform_results")  # the status as of now

POST_COLUMNS: Final = tuple(name for name in PostRow.__struct_fields__ if name in Post.__struct_fields__)
TARGET_COLUMNS: Final = tuple(
    name
    for name in TargetRow.__struct_fields__
    if name in (*Target.__struct_fields__, "remote_id", "held_reason", "position") and name != "post_id"
)
"""What a read selects."""
_ID, _STATUS, _VERSION, _DELETED_AT = map(POST_COLUMNS.index, ("id", "status", "version", "deleted_at"))
POSITION, _USERNAME, _HELD_REASON, _NEXT_ATTEMPT_AT = map(
    TARGET_COLUMNS.index, ("position", "username", "held_reason", "next_attempt_at")
)


_Converts = Mapping[str, rows.Convert]
_Documents = Mapping[str, tuple[Any, rows.Convert]]


def _row_builder(
    view: type[V], names: Sequence[str], ids: _Converts, instants: Iterable[str], documents: _Documents
) -> Callable[[Sequence[Any]], V]:
    """Return a function that makes a `view` of the values of a row struct."""
    conversions = {
        **ids,
        **dict.fromkeys(instants, clock.wire),
        **{name: show for name, (_, show) in documents.items()},
    }
    return rows.builder(view, names, conversions=conversions)


def _stored_builder(
    view: type[V],
    names: Sequence[str],
    ids: _Converts,
    instants: Iterable[str],
    documents: _Documents,
    row: type[Struct],
) -> Callable[[Sequence[Any]], V]:
    """Return a function that makes a `view` of values that `view_columns` selected."""
    from_json = {name: _from_json(kind, show) for name, (kind, show) in documents.items()}
    conversions: _Converts = {**ids, **dict.fromkeys(instants, clock.wire_of_micros), **from_json}
    defaults = {name: documents[name][1](default) for name, default in rows.json_defaults(row).items()}
    return rows.builder(view, names, conversions=conversions, defaults=defaults)


def _api_names(columns: Iterable[str]) -> list[str]:
    return ["platform_post_id" if name == "remote_id" else name for name in columns]


_post_of_row: Final = _row_builder(Post, (*PostRow.__struct_fields__, *_FROM_TARGETS), _IDS, _INSTANTS, _DOCUMENTS)
_post_of_values: Final = _stored_builder(Post, (*POST_COLUMNS, *_FROM_TARGETS), _IDS, _INSTANTS, _DOCUMENTS, PostRow)
_target_of_row: Final = _row_builder(
    Target,
    (*_api_names(TargetRow.__struct_fields__), "metrics"),
    _TARGET_IDS,
    _TARGET_INSTANTS,
    _TARGET_DOCUMENTS,
)
_target_of_values: Final = _stored_builder(
    Target,
    (*_api_names(TARGET_COLUMNS), "post_id", "metrics"),
    _TARGET_IDS,
    _TARGET_INSTANTS,
    _TARGET_DOCUMENTS,
    TargetRow,
)
