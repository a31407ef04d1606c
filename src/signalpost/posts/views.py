"""From rows to what the API shows.

`post` takes the row structs of an action; `stored_post` takes what a read returned, without making row structs first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from signalpost import networks
from signalpost.events import Actor
from signalpost.kit import clock, ids, rows
from signalpost.posts import document_views, documents, progress
from signalpost.posts.holds import USABLE, Hold, HoldReason, Waiting, holds_of, message_of
from signalpost.posts.rows import AuditRow, PostRow, TargetRow
from signalpost.posts.schemas.responses import (
    AuditEntry,
    Post,
    PostProgress,
    PostStatus,
    PostWarning,
    Target,
    TargetSummary,
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

    Each write gives a row another `xmin`; beside the rows, the post shows the time and the states of its accounts.
    """
    usernames = [target[_USERNAME] for target in stored.targets]
    holds = [(hold.message, hold.until) for hold in _stored_holds(stored)]
    state = (_current_status(stored), stored.row_versions, usernames, *holds)
    return Conditional(stored.post[_VERSION], state, lambda: stored_post(stored))


def stored_post(stored: StoredPost) -> Post:
    """Return the post with its targets."""
    post_id = stored.post[_ID]
    targets = [_target_of_values([*values, post_id, None]) for values in stored.targets]
    return _post(_post_of_values, stored.post, targets, _current_status(stored), _stored_holds(stored))


def post(row: PostRow, target_rows: Sequence[TargetRow]) -> Post:
    """Return the post with its targets."""
    targets = [_target_of_row([*msgspec.structs.astuple(target_row), None]) for target_row in target_rows]
    status = progress.current_status(row, target_rows)
    return _post(_post_of_row, msgspec.structs.astuple(row), targets, status, row_holds(row, target_rows))


def _post(
    build: Callable[[Sequence[Any]], Post],
    values: Iterable[Any],
    targets: list[Target],
    status: PostStatus,
    holds: Sequence[Hold],
) -> Post:
    by_platform: dict[str, list[Target]] = {}
    for target in targets:
        by_platform.setdefault(target.platform, []).append(target)
    held = held_state(holds) if holds else _FREE
    built = build([*values, status, list(by_platform), targets, progress.count(targets), by_platform, *held])
    if holds:
        built.warnings = [*built.warnings, *map(hold_warning, holds)]
    for index, target in enumerate(targets):
        if target.delivery == "private" and (warning := _kept_private(built, target, index)) is not None:
            built.warnings = [*built.warnings, warning]
    return built


def _kept_private(built: Post, target: Target, index: int) -> PostWarning | None:
    """Return a warning that a network keeps private what was to be public; None if the post asked for that."""
    connector = networks.get(target.platform)
    rule = None if connector is None else connector.facts.kept_private
    if rule is None:
        return None
    options = {**built.options.get(target.platform, {}), **(target.options or {})}
    if options.get(rule.option) == rule.value:
        return None
    return PostWarning(
        code=f"{target.platform}.delivery.private",
        path=f"/targets/{index}/delivery",
        message=rule.message,
        platform=target.platform,
        account_id=target.account_id,
        remediation=None,
    )


class HeldState(NamedTuple):
    """What a post on the queue waits for, as it is shown."""

    held: bool
    held_reason: HoldReason | None
    held_until: str | None
    held_message: str | None


_FREE: Final = HeldState(held=False, held_reason=None, held_until=None, held_message=None)


def held_state(holds: Iterable[Hold]) -> HeldState:
    """Return what keeps targets on the queue; the first reason stands for all."""
    queued = [hold for hold in holds if hold.target.queued]
    if not queued:
        return _FREE
    until = max((hold.until for hold in queued if hold.until is not None), default=None)
    return HeldState(True, queued[0].reason, clock.wire_or_none(until), message_of(queued))  # noqa: FBT003 - a field


def hold_warning(hold: Hold) -> PostWarning:
    """Return a hold as a warning: what stands in the way, and what to do."""
    of_account = hold.reason != "approval"
    return PostWarning(
        code=hold.code,
        path=f"/targets/{hold.target.position}/accountId" if of_account else "/approval",
        message=hold.message,
        platform=hold.target.platform if of_account else None,
        account_id=ids.encode("acc", hold.target.account_id) if of_account else None,
        remediation=hold.remediation,
    )


def row_holds(row: PostRow, target_rows: Iterable[TargetRow]) -> list[Hold]:
    """Return why targets of the post cannot be published as things are."""
    if row.deleted_at is not None:
        return []
    return holds_of(row.id, row.profile_id, [
        Waiting(
            target.account_id, target.position, target.platform, target.username, target.status,
            target.next_attempt_at is not None, target.held_reason, target.account_status, target.paused_until,
        )
        for target in target_rows
        if target.held_reason or target.paused_until or target.account_status not in USABLE
    ])  # fmt: skip


def _stored_holds(stored: StoredPost) -> list[Hold]:
    """Return what `row_holds` does."""
    if stored.post[_DELETED_AT] is not None or not any(map(_may_be_held, stored.targets)):
        return []
    targets = []
    for values in stored.targets:
        (account_id, position, platform, username, status, next_attempt_at, held_reason, account_status,
         paused_until) = _hold_values(values)  # fmt: skip
        until = None if paused_until is None else clock.from_micros(paused_until)
        waits = next_attempt_at is not None
        targets.append(Waiting(
            account_id, position, platform, username, status, waits, held_reason, account_status, until))  # fmt: skip
    return holds_of(stored.post[_ID], stored.post[_PROFILE_ID], targets)


def _may_be_held(values: Sequence[Any]) -> bool:
    held_reason, account_status, paused_until = _hold_signs(values)
    return held_reason is not None or paused_until is not None or account_status not in USABLE


def _current_status(stored: StoredPost) -> PostStatus:
    """Return what `progress.current_status` does."""
    status: PostStatus = stored.post[_STATUS]
    if status != "scheduled" or stored.post[_DELETED_AT] is not None:
        return status
    now = clock.now_micros()
    for target in stored.targets:
        if (next_attempt_at := target[_NEXT_ATTEMPT_AT]) is not None and next_attempt_at <= now:
            status = "queued"
    return status


def post_progress(row: PostRow, target_rows: Sequence[TargetRow]) -> PostProgress:
    """Return how far the post is, target by target."""
    counts = progress.count(target_rows)
    held = held_state(row_holds(row, target_rows))
    return PostProgress(
        post_id=ids.encode("pst", row.id),
        status=progress.current_status(row, target_rows),
        held=held.held,
        held_reason=held.held_reason,
        held_until=held.held_until,
        held_message=held.held_message,
        approval=document_views.approval(row.approval),
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
        error=None if row.error is None else document_views.target_error(row.error),
    )


def audit_entry(row: AuditRow) -> AuditEntry:
    """Return an entry of the audit log."""
    return AuditEntry(
        id=ids.encode("aud", row.id),
        at=clock.wire(row.at),
        action=row.action,
        actor=row.actor,
        target_id=ids.encode_or_none("tgt", row.target_id),
        changes=None if row.changes is None else [document_views.change(document) for document in row.changes],
        attempt=None if row.attempt is None else document_views.attempt_record(row.attempt),
        request_id=row.request_id,
    )


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
    "media": (list[documents.MediaRef], _list_of(document_views.media_ref)),
    "thread": (list[documents.ThreadPart], _list_of(document_views.thread_part)),
    "approval": (documents.Approval, document_views.approval),
    "recurrence": (documents.Recurrence, document_views.recurrence),
    "utm": (documents.Utm, document_views.utm),
    "options": (dict[str, dict[str, Any]], _itself),
    "warnings": (list[documents.PostWarning], _list_of(document_views.warning)),
    "created_by": (Actor, _itself),
}
_TARGET_DOCUMENTS: Final[dict[str, tuple[Any, rows.Convert]]] = {
    "media": (list[documents.MediaRef], _list_of(document_views.media_ref)),
    "options": (dict[str, Any], _itself),
    "first_comment": (documents.FirstComment, document_views.first_comment),
    "error": (documents.TargetError, document_views.target_error),
}

_FROM_TARGETS: Final = (
    "status", "platforms", "targets", "counts", "platform_results", *HeldState._fields
)  # fmt: skip # the status as of now

POST_COLUMNS: Final = tuple(name for name in PostRow.__struct_fields__ if name in Post.__struct_fields__)
_NOT_SHOWN: Final = ("remote_id", "held_reason", "position", "account_status", "paused_until")
TARGET_COLUMNS: Final = tuple(
    name
    for name in TargetRow.__struct_fields__
    if name in (*Target.__struct_fields__, *_NOT_SHOWN) and name != "post_id"
)
"""What a read selects."""
_ID, _PROFILE_ID, _STATUS, _VERSION, _DELETED_AT = map(
    POST_COLUMNS.index, ("id", "profile_id", "status", "version", "deleted_at")
)
_hold_signs: Final = itemgetter(*map(TARGET_COLUMNS.index, ("held_reason", "account_status", "paused_until")))
_hold_values: Final = itemgetter(*map(TARGET_COLUMNS.index, (
    "account_id", "position", "platform", "username", "status", "next_attempt_at", "held_reason", "account_status",
    "paused_until",
)))  # fmt: skip
POSITION, _USERNAME, _NEXT_ATTEMPT_AT = map(TARGET_COLUMNS.index, ("position", "username", "next_attempt_at"))


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
    Target, (*_api_names(TargetRow.__struct_fields__), "metrics"), _TARGET_IDS, _TARGET_INSTANTS, _TARGET_DOCUMENTS
)
_target_of_values: Final = _stored_builder(
    Target,
    (*_api_names(TARGET_COLUMNS), "post_id", "metrics"),
    _TARGET_IDS,
    _TARGET_INSTANTS,
    _TARGET_DOCUMENTS,
    TargetRow,
)
