"""What an update changed, for the audit log. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from signalpost.kit import clock
from signalpost.posts.documents import Approval, Change, TargetOverrides
from signalpost.posts.rows import PostRow, TargetRow

_TEXT_LENGTH_MAX: Final = 2_000

_NOT_LOGGED: Final = frozenset({
    "id", "workspace_id", "profile_id", "created_by", "created_by_user_id", "source", "mode", "created_at",
    "updated_at", "media_ids", "scheduled_local", "tzdata_version", "recurrence_parent_id", "source_post_id",
    "fanout_id", "warnings", "counted", "version", "queued_at", "published_at", "deleted_at", "purge_at",
    "former_status",
})  # fmt: skip
"""Columns that a caller does not change, or that follow from others."""

_LOGGED: Final = [name for name in PostRow.__struct_fields__ if name not in _NOT_LOGGED]


def changes_of(
    old: PostRow, new: PostRow, old_targets: Sequence[TargetRow], new_targets: Sequence[TargetRow]
) -> list[Change]:
    """Return the changed columns of a post, and its targets if their overrides changed."""
    pairs = [(name, _value(getattr(old, name)), _value(getattr(new, name))) for name in _LOGGED]
    pairs.append(
        ("targets", [_overrides(target) for target in old_targets], [_overrides(target) for target in new_targets])
    )
    return [Change(name, _cut(before), _cut(after)) for name, before, after in pairs if before != after]


def _value(value: Any) -> Any:
    """Return what the log shows of a column: the state of an approval, an instant as the API writes it."""
    if isinstance(value, Approval):
        return value.state
    return clock.wire(value) if isinstance(value, datetime) else value


def _cut(value: Any) -> Any:
    return value[:_TEXT_LENGTH_MAX] + "…" if isinstance(value, str) and len(value) > _TEXT_LENGTH_MAX else value


def _overrides(target: TargetRow) -> TargetOverrides:
    return TargetOverrides(
        account_id=target.account_id,
        platform=target.platform,
        text=_cut(target.text),
        title=target.title,
        media=target.media,
        options=target.options,
        scheduled_at=target.scheduled_at,
    )
