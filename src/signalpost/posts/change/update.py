"""An update is the creation it amounts to: the stored post as a body, changed, built again, written over the rows."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Struct

from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.media import queries as media_queries
from signalpost.posts import progress, queries, views
from signalpost.posts.change import public, trash
from signalpost.posts.change.change_recurrence import change_recurrence
from signalpost.posts.change.changes import changes_of
from signalpost.posts.compose import preflight
from signalpost.posts.compose.draft import Existing, PostDraft, build_draft
from signalpost.posts.compose.fetch import Fetched
from signalpost.posts.compose.preflight import TargetIssue
from signalpost.posts.compose.schedule import Unchanged
from signalpost.posts.compose.slot import take_slot
from signalpost.posts.compose.variations import require_variations_accepted
from signalpost.posts.documents import Approval, MediaRef, PostWarning, Recurrence
from signalpost.posts.rows import LABELS, AuditRow, PostRow, TargetRow
from signalpost.posts.schemas.files import CropIn, MediaIn, UserTagIn
from signalpost.posts.schemas.requests import (
    PostAttributes,
    PostCreate,
    PostUpdate,
    RecurrenceIn,
    TargetIn,
    ThreadPartIn,
)
from signalpost.posts.schemas.responses import Post
from signalpost.posts.states import EDITABLE, UNDER_WAY, HeldReason, move
from signalpost.posts.times import Moment
from signalpost.posts.write import approvals, audit, emit, guards, permissions, series, writer
from signalpost.posts.write.enqueue import dequeue, due_at, enqueue
from signalpost.posts.write.lock import lock_post_only
from signalpost.profiles.schemas import UtmIn
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId, MediaId, PostId, ProfileId
from signalpost.web.inputs import ANY_VERSION, IfMatch, deleted_meanwhile

_TEXT: Final = ("text", "description")
_MEDIA: Final = ("media", "media_url", "media_urls")
_TIMES: Final = ("scheduled_at", "publish_mode")
_ACCOUNTS: Final = ("platforms", "targets")
_REQUESTED_AGAIN: Final = PostWarning(
    "approval.requested_again", "", "The post waits for approval and was changed, so approval was requested again."
)


class Purpose(NamedTuple):
    """Why a post is written again.

    Args:
        action: what the audit log calls it.
        approval: the new one; None: what the profile's rules make of the present one.
        if_match: the versions at which the post may be.
    """

    action: str = "updated"
    approval: Approval | None = None
    if_match: IfMatch = ANY_VERSION


async def update_post(
    context: AppContext,
    db: Db,
    caller: Caller,
    post: PostRow,
    data: PostUpdate,
    if_match: IfMatch,
    fetched: Fetched | None = None,
) -> Post:
    """Change a post that no worker has; its targets on the queue change in the same transaction.

    Raises:
        VersionConflict: the post was changed since the caller read it.
        InvalidState: it is too late for this change.
        and what `create_post` raises.
    """
    changes = {name: value for name in data.__struct_fields__ if (value := getattr(data, name)) is not UNSET}
    permissions.require_ownership(caller, post)
    if_match.require(post.version)
    if all(name in LABELS for name in changes):
        return await _update_labels(db, caller, post, changes, if_match)
    if set(changes) == {"recurrence"} and post.status not in EDITABLE:
        return await change_recurrence(context, db, caller, post, data.recurrence, if_match)
    _require_editable(post, changes)
    purpose = Purpose(if_match=if_match)
    return await apply_changes(context, db, caller, post, changes, purpose=purpose, fetched=fetched)


async def apply_changes(
    context: AppContext,
    db: Db,
    caller: Caller,
    post: PostRow,
    changes: dict[str, Any],
    *,
    purpose: Purpose,
    fetched: Fetched | None = None,
) -> Post:
    """Build the stored post with these changes (by field of `PostUpdate`), and write it over the old rows.

    Raises:
        NotFound: the post was deleted or trashed meanwhile.
        and what `update_post` raises.
    """
    await series.lock_series(db, post)
    targets = await queries.targets_of(db, [post.id])
    draft = await build_merged(context, db, caller, post, targets, changes, fetched)
    lanes = {target.account_id for target in (*targets, *draft.target_rows)}
    locked = await queries.lock(db, post.id, lanes)
    if locked is None or locked[0].deleted_at is not None:
        raise deleted_meanwhile(PostId, post.id)
    purpose.if_match.require(locked[0].version)
    if locked[0] != post:  # changed since it was read; nobody else can change it now
        permissions.require_ownership(caller, locked[0])  # approved meanwhile, it is no longer a contributor's
        draft = await build_merged(context, db, caller, *locked, changes, fetched)
    added = [media_id for media_id in draft.media.ids if media_id not in locked[0].media_ids]
    if added and len(await media_queries.lock_ready(db, post.workspace_id, added)) < len(added):
        draft = await build_merged(context, db, caller, *locked, changes, fetched)  # one was deleted: say which
    _require_editable(locked[0], changes)
    _require_not_under_way(locked[1])
    public.require_unchanged(*locked, draft)
    update = _Update(caller, *locked, draft, await preflight.run_preflight(context, draft))
    return await update.write(context, db, purpose)


async def build_merged(
    context: AppContext,
    db: Db,
    caller: Caller,
    post: PostRow,
    targets: Sequence[TargetRow],
    changes: dict[str, Any],
    fetched: Fetched | None = None,
) -> PostDraft:
    """Merge the changes into the stored post, and build it again; its profile and accounts stay until the end.

    Raises:
        ValidationFailed, ScheduleInPast, ScheduleTooFar, TimezoneRequired, TestModeOnlySandbox: see `build_draft`.
    """
    await queries.share_profile(db, post.profile_id)
    data, unchanged = _merge(post, targets, changes)
    return await build_draft(context, db, caller, data, post, unchanged, Existing(fetched or {}))


def _merge(post: PostRow, targets: Sequence[TargetRow], changes: dict[str, Any]) -> tuple[PostCreate, Unchanged]:
    """Return the stored post with the changes as a body, and what the changes leave as it was."""
    merged: dict[str, Any] = {}
    for group in (_TEXT, _MEDIA, _ACCOUNTS):
        if any(name in changes for name in group):
            merged |= {name: changes.get(name) for name in group}
    merged |= {name: value for name, value in changes.items() if name not in (*_TEXT, *_MEDIA, *_ACCOUNTS, *_TIMES)}
    draft = post.status == "draft"
    if "scheduled_at" in changes:
        draft, merged["scheduled_at"] = changes["scheduled_at"] is None, changes["scheduled_at"]
    if (mode := changes.get("publish_mode")) is not None:
        draft, merged["publish_mode"] = mode == "draft", mode
        if mode in ("now", "slot") and "scheduled_at" not in changes:
            merged["scheduled_at"] = None
    merged.setdefault("recurrence", recurrence_in(post.recurrence))
    data = msgspec.structs.replace(as_body(post, targets), **merged, draft=draft)
    schedule, in_slot = None, False
    if not any(name in changes for name in _TIMES) and post.scheduled_at is not None:
        same_zone = data.timezone in (None, post.timezone)
        schedule = Moment(post.scheduled_at, post.scheduled_local if same_zone else None)
        in_slot = post.publish_mode == "slot"
    targets_unchanged = not any(name in changes for name in _ACCOUNTS)
    return data, Unchanged(frozenset(post.media_ids), schedule, in_slot, targets_unchanged)


def recurrence_in(stored: Recurrence | None) -> RecurrenceIn | None:
    """Return a stored recurrence as it is in a body."""
    if stored is None:
        return None
    return RecurrenceIn(
        rrule=stored.rrule,
        timezone=stored.timezone,
        until=stored.until,
        count=stored.count,
        variations=stored.variations,
    )


def as_body(post: PostRow, targets: Sequence[TargetRow]) -> PostCreate:
    """Return the body that would create the stored post. Members of `PostAttributes` stay unset: the row has them."""
    return PostCreate(
        profile_id=ProfileId(int=post.profile_id.int),
        text=post.text,
        media=_media_in(post.media),
        thread=[ThreadPartIn(text=part.text, media=_media_in(part.media)) for part in post.thread],
        targets=[_target_in(target) for target in targets] or None,
        scheduled_at=clock.wire_or_none(post.scheduled_at),
        timezone=post.timezone,
        options=post.options,
    )


def as_copy(post: PostRow, targets: Sequence[TargetRow]) -> PostCreate:
    """Return the body of another post that is as the stored one, but for the external id."""
    attributes = {name: getattr(post, name) for name in PostAttributes.__struct_fields__ if name != "external_id"}
    utm = None if post.utm is None else UtmIn(**msgspec.structs.asdict(post.utm))
    return msgspec.structs.replace(as_body(post, targets), **attributes, utm=utm)


def _target_in(target: TargetRow) -> TargetIn:
    return TargetIn(
        account_id=AccountId(int=target.account_id.int),
        text=target.text,
        title=target.title,
        media=None if target.media is None else _media_in(target.media),
        scheduled_at=clock.wire_or_none(target.scheduled_at),
        options=target.options,
    )


def _media_in(refs: Sequence[MediaRef]) -> list[MediaIn]:
    return [
        MediaIn(
            media_id=MediaId(int=ref.media_id.int),
            alt_text=ref.alt_text,
            thumbnail_media_id=None if ref.thumbnail_media_id is None else MediaId(int=ref.thumbnail_media_id.int),
            thumbnail_time_ms=ref.thumbnail_time_ms,
            user_tags=[UserTagIn(username=tag.username, x=tag.x, y=tag.y) for tag in ref.user_tags],
            crops={platform: CropIn(**msgspec.structs.asdict(crop)) for platform, crop in ref.crops.items()},
        )
        for ref in refs
    ]


def _require_editable(post: PostRow, changes: dict[str, Any]) -> None:
    if post.status not in EDITABLE:
        raise problems.InvalidState(
            f"The post is {post.status}. Only tags, notes, campaign and externalId can still be changed."
        )
    if post.status == "failed" and any(name in changes for name in (*_TIMES, *_ACCOUNTS)):
        raise problems.InvalidState("The post has failed. Correct it, then submit or retry it to publish it.")


def _require_not_under_way(targets: Sequence[TargetRow]) -> None:
    for target in targets:
        if target.status in UNDER_WAY or target.status in ("published", "removed"):
            raise problems.InvalidState(f"The post is being published: {target.platform} is {target.status}.")


class _Update(Struct):
    """One update, its rows locked. `old` and `old_targets`: as they are stored."""

    caller: Caller
    old: PostRow
    old_targets: list[TargetRow]
    draft: PostDraft
    target_issues: list[TargetIssue]

    async def write(self, context: AppContext, db: Db, purpose: Purpose) -> Post:
        """Write the draft over the old rows."""
        caller, old, draft = self.caller, self.old, self.draft
        if self.is_queued and purpose.approval is None:
            permissions.require_publishing(caller)
        if not draft.is_draft:
            preflight.require_accepted(self.target_issues)
            await require_variations_accepted(context, draft)
        await guards.require_within_plan(db, caller, draft)
        post = draft.post
        post.approval = purpose.approval or self._approval()
        targets = self._targets(approvals.held_reason(post.approval))
        post.status = progress.status_of(targets, draft.profile.now)
        post.version, post.updated_at = old.version + 1, clock.now()
        accepted = self.is_queued and approvals.held_reason(post.approval) is None and old.queued_at is None
        if accepted:
            post.queued_at, post.counted = post.updated_at, True
        elif draft.is_draft:
            await writer.refund(db, post)
        await guards.require_no_duplicate(db, post, targets, content=self.is_queued)
        if old.status != "scheduled":
            await guards.require_capacity(db, caller, post)
        history = self._history(purpose.action, targets, accepted=accepted)
        await writer.update(db, post, targets, history, payer=caller if accepted else None)
        await take_slot(db, draft.slot, post)
        if old.recurrence is not None:
            await trash.stop_series(context, db, caller, post)
        await series.start(db, [post])
        if accepted:
            await emit.post_queued(context, db, post, targets)
        if self.requests_approval:
            await emit.approval_requested(context, db, post, targets)
        return views.post(post, targets)

    def _history(self, action: str, targets: Sequence[TargetRow], *, accepted: bool) -> list[AuditRow]:
        old, post, actor = self.old, self.draft.post, self.caller.actor
        history = [audit.entry(post, action, actor, changes=changes_of(old, post, self.old_targets, targets))]
        if self.requests_approval:
            history.append(audit.entry(post, "approval_requested", actor))
        if accepted:
            history.append(audit.entry(post, "queued", actor))
        elif self.draft.is_draft and old.status != "draft":
            history.append(audit.entry(post, "cancelled", actor))
        return history

    @property
    def is_queued(self) -> bool:
        """Whether the post waits for its time afterwards; a failed one is only corrected."""
        return not self.draft.is_draft and self.old.status != "failed"

    @property
    def requests_approval(self) -> bool:
        """Whether approval of the post as it is now is requested."""
        approval = self.draft.post.approval
        return approval.state == "pending" and approval != self.old.approval

    def _approval(self) -> Approval:
        """Return the approval of the post as it is now: nobody has approved what they have not seen."""
        current, draft = self.old.approval, self.draft
        if current.state == "pending" and changes_of(self.old, draft.post, self.old_targets, draft.target_rows):
            draft.post.warnings.append(_REQUESTED_AGAIN)
            return approvals.requested(self.caller, current.note)
        if draft.is_draft:
            return current
        return approvals.for_publishing(self.caller, current, required=draft.profile.approval_required)

    def _targets(self, held_reason: HeldReason | None) -> list[TargetRow]:
        """Return all targets as they are to be. One that was attempted before stays, cancelled, if it is left out."""
        old_targets = {target.account_id: target for target in self.old_targets}
        targets = []
        for new in self.draft.target_rows:
            target = _merge_target(old_targets.pop(new.account_id, None), new)
            if self.is_queued:
                due = due_at(target.scheduled_at or self.draft.post.scheduled_at, self.draft.profile.now)
                other_reason = None if target.held_reason == "approval" else target.held_reason
                enqueue(target, due, held_reason=held_reason or other_reason)
            elif self.draft.is_draft:
                move(target, "pending")
                dequeue(target)
            targets.append(target)
        for left_out in old_targets.values():
            if left_out.attempts:
                cancelled = msgspec.structs.replace(left_out)
                move(cancelled, "cancelled")
                dequeue(cancelled)
                targets.append(cancelled)
        return targets


def _merge_target(old: TargetRow | None, new: TargetRow) -> TargetRow:
    """Return the row of a target. Other content gets another dedupe key: it is another post to the network."""
    if old is None:
        return new
    return msgspec.structs.replace(
        old,
        position=new.position,
        text=new.text,
        title=new.title,
        media=new.media,
        options=new.options,
        scheduled_at=new.scheduled_at,
        first_comment=new.first_comment,
        content_hash=new.content_hash,
        dedupe_key=old.dedupe_key if new.content_hash == old.content_hash else new.dedupe_key,
    )


async def _update_labels(db: Db, caller: Caller, post: PostRow, changes: dict[str, Any], if_match: IfMatch) -> Post:
    """Change what can be changed in every state: no target is touched, and no worker is in the way."""
    old = await lock_post_only(db, post)
    if_match.require(old.version)
    new = msgspec.structs.replace(old, **changes, version=old.version + 1, updated_at=clock.now())
    if new.external_id != old.external_id:
        await guards.require_no_duplicate(db, new, (), content=False)
    entry = audit.entry(new, "updated", caller.actor, changes=changes_of(old, new, (), ()))
    await writer.update_labels(db, new, entry)
    return views.post(new, await queries.targets_of(db, [new.id]))
