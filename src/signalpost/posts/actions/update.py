"""An edit is the creation it amounts to: the stored post as a data, changed, draft anew, written over the old."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.posts import queries, times
from signalpost.posts.actions import accept, rows
from signalpost.posts.actions.create import first_comment, target_of
from signalpost.posts.actions.draft import PostDraft, TargetDraft, Unchanged, build_draft, require_preflight
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.actions.rows import Entry
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.schemas.requests import MediaIn, PostCreate, PostUpdate, TargetIn, ThreadPartIn
from signalpost.posts.schemas.responses import Post
from signalpost.posts.states import EDITABLE, UNDER_WAY
from signalpost.posts.times import Moment
from signalpost.web.caller import Caller
from signalpost.web.inputs import IfMatch

ALWAYS: Final = ("tags", "notes", "campaign", "external_id")
"""Fields about a post rather than of it: they stay editable whatever its state is."""
_TEXT: Final = ("text", "description")
_MEDIA: Final = ("media", "media_url", "media_urls")
_WHEN: Final = ("scheduled_at", "publish_mode")
_WHO: Final = ("platforms", "targets")
_SHOWN_MAX: Final = 2_000


async def update_post(
    context: AppContext,
    db: Db,
    caller: Caller,
    row: PostRow,
    data: PostUpdate,
    if_match: IfMatch,
    fetched: Fetched | None = None,
) -> Post:
    """Change a post that no worker holds; its targets on the queue change in the same transaction.

    Raises:
        VersionConflict: it was changed since the caller read it.
        InvalidState: it is too late for this change.
        and what `create_post` raises.
    """
    given = {name: value for name in data.__struct_fields__ if (value := getattr(data, name)) is not UNSET}
    accept.require_ownership(caller, row)
    if not if_match.allows(row.version):
        raise problems.VersionConflict(f"The post has version {row.version}.")
    if all(name in ALWAYS for name in given):
        return await _annotate(db, caller, row, given)
    _require_editable(row, given)
    return await change(context, db, caller, row, given, action="updated", fetched=fetched)


async def change(
    context: AppContext,
    db: Db,
    caller: Caller,
    row: PostRow,
    given: dict[str, Any],
    *,
    action: str,
    approval: dict[str, Any] | None = None,
    fetched: Fetched | None = None,
) -> Post:
    """Compose the stored post with what is `given` (by field name), and write it over the old rows.

    `action` is what the audit log calls this. `approval` None: what the profile's rules make of the present target.
    """
    targets = await queries.targets_of(db, [row.id])
    data, unchanged = merged(row, targets, given)
    draft = await build_draft(db, caller, data, unchanged, fetched)
    lanes = {target.account_id for target in targets} | {target.account.id for target in draft.targets}
    locked = await queries.lock(db, row.id, lanes)
    if locked is None or locked[0].deleted_at is not None:
        raise problems.NotFound
    if locked[0].version != row.version:  # somebody was faster; now nobody can be
        row, targets = locked
        data, unchanged = merged(row, targets, given)
        draft = await build_draft(db, caller, data, unchanged, fetched)
    _require_editable(locked[0], given)
    _require_untouched(locked[1])
    edit = _Edit(caller, locked[0], locked[1], data, draft)
    return await edit.write(context, db, action, approval)


def merged(row: PostRow, targets: Sequence[TargetRow], given: dict[str, Any]) -> tuple[PostCreate, Unchanged]:
    """Return the data that the stored post with these changes is, and what of it nobody touched."""
    data = create_data_of(row, targets)
    changed: dict[str, Any] = {}
    for group in (_TEXT, _MEDIA, _WHO):
        if any(name in given for name in group):
            changed |= {name: given.get(name) for name in group}
    changed |= {name: value for name, value in given.items() if name not in (*_TEXT, *_MEDIA, *_WHO, *_WHEN)}
    draft = row.status == "draft"
    if "scheduled_at" in given:
        draft, changed["scheduled_at"] = given["scheduled_at"] is None, given["scheduled_at"]
    if (mode := given.get("publish_mode")) is not None:
        draft, changed["publish_mode"] = mode == "draft", mode
        if mode == "now" and "scheduled_at" not in given:
            changed["scheduled_at"] = None
    data = msgspec.structs.replace(data, **changed, draft=draft)
    schedule = None
    if not any(name in given for name in _WHEN) and row.scheduled_at is not None:
        schedule = Moment(row.scheduled_at, times.local(row.scheduled_at, data.timezone or row.timezone))
        if data.timezone in (None, row.timezone) and row.scheduled_local is not None:
            schedule = Moment(row.scheduled_at, row.scheduled_local)
    return data, Unchanged(frozenset(row.media_ids), schedule, not any(name in given for name in _WHO))


def create_data_of(row: PostRow, targets: Sequence[TargetRow]) -> PostCreate:
    """Return the data whose composition the stored post is."""
    return PostCreate(
        profile_id=ids.encode("prof", row.profile_id), title=row.title, text=row.text,
        media=msgspec.convert(row.media, list[MediaIn]), link=row.link,
        thread=msgspec.convert(row.thread, list[ThreadPartIn]), first_comment=row.first_comment,
        targets=[_target_in(target) for target in targets] or None,
        scheduled_at=clock.wire_or_none(row.scheduled_at), timezone=row.timezone, external_id=row.external_id,
        tags=row.tags, campaign=row.campaign, notes=row.notes, options=row.options, auto_fit=row.auto_fit,
        allow_duplicate=row.allow_duplicate,
    )  # fmt: skip


def _target_in(target: TargetRow) -> TargetIn:
    media = None if target.media is None else msgspec.convert(target.media, list[MediaIn])
    return TargetIn(
        account_id=ids.encode("acc", target.account_id), text=target.text, title=target.title, media=media,
        scheduled_at=clock.wire_or_none(target.scheduled_at), options=target.options,
    )  # fmt: skip


def _require_editable(row: PostRow, given: dict[str, Any]) -> None:
    if row.status not in EDITABLE:
        raise problems.InvalidState(
            f"The post is {row.status}. Only tags, notes, campaign and externalId can still be changed."
        )
    if row.status == "failed" and any(name in given for name in (*_WHEN, *_WHO)):
        raise problems.InvalidState("The post has failed. Correct it, then submit or retry it to have it sent again.")


def _require_untouched(targets: Sequence[TargetRow]) -> None:
    for target in targets:
        if target.status in UNDER_WAY or target.status in ("published", "removed"):
            raise problems.InvalidState(f"The post is on its way: {target.platform} is {target.status}.")


class _Edit(Struct):
    """One change under way, its rows locked."""

    caller: Caller
    row: PostRow
    targets: list[TargetRow]
    data: PostCreate
    draft: PostDraft

    async def write(self, context: AppContext, db: Db, action: str, approval: dict[str, Any] | None) -> Post:
        """Write it over the old rows."""
        draft, row = self.draft, self.row
        if self.goes_out and approval is None:
            accept.require_publishing(self.caller)
        if not draft.is_draft:
            require_preflight(draft)
        await accept.require_within_plan(db, self.caller, draft)
        approval = approval or self._approval()
        held_reason = accept.held_reason_of(approval)
        targets = self._targets(held_reason)
        post = self._post(targets, approval)
        accepted = self.goes_out and held_reason is None and row.queued_at is None
        if accepted:
            post.queued_at, post.counted = post.updated_at, True
        elif draft.is_draft:
            await rows.give_back(db, post)
        await accept.refuse_duplicates(db, post, targets, content=self.goes_out)
        if row.status != "scheduled":
            await accept.require_room(db, self.caller, post)
        history = [Entry(action, changes_of(row, post, self.targets, targets))]
        if accepted:
            history.append(Entry("queued"))
        elif draft.is_draft and row.status != "draft":
            history.append(Entry("cancelled"))
        payer = self.caller if accepted else None
        await rows.save(db, post, targets, history, actor=self.caller.actor, payer=payer)
        if accepted:
            await accept.tell_queued(context, db, post, targets)
        return queries.shape(post, targets)

    @property
    def goes_out(self) -> bool:
        """Whether the post waits for its time afterwards; a failed one is only corrected."""
        return not self.draft.is_draft and self.row.status != "failed"

    def _approval(self) -> dict[str, Any]:
        if not self.goes_out:
            return self.row.approval
        return accept.approval_for(self.caller, self.row.approval, required=self.draft.profile.approval_required)

    def _targets(self, held_reason: str | None) -> list[TargetRow]:
        """Return all targets as they shall be; one that was tried before stays as a trace when it is left out."""
        known = {target.account_id: target for target in self.targets}
        targets = []
        for position, target_draft in enumerate(self.draft.targets):
            target = self._target(known.pop(target_draft.account.id, None), position, target_draft)
            if self.goes_out:
                due = accept.due_of(target, self.draft.scheduled_at, self.draft.profile.now)
                rows.put_on_queue(
                    target,
                    due,
                    held_reason=held_reason or (None if target.held_reason == "approval" else target.held_reason),
                )
            elif self.draft.is_draft:
                target.status = "pending"
                rows.take_off_queue(target)
            targets.append(target)
        for left in known.values():
            if left.attempts:
                rows.take_off_queue(left)
                left.status = "cancelled"
                targets.append(left)
        return targets

    def _target(self, old: TargetRow | None, position: int, target: TargetDraft) -> TargetRow:
        new = target_of(self.row.id, position, target, self.draft)
        if old is None:
            return new
        if new.content_hash != old.content_hash:
            old = msgspec.structs.replace(old, content_hash=new.content_hash, dedupe_key=new.dedupe_key)
        return msgspec.structs.replace(
            old, position=position, text=new.text, title=new.title, media=new.media, options=new.options,
            scheduled_at=new.scheduled_at, first_comment=first_comment(self.draft),
        )  # fmt: skip

    def _post(self, targets: list[TargetRow], approval: dict[str, Any]) -> PostRow:
        draft, data, row = self.draft, self.data, self.row
        return msgspec.structs.replace(
            row, title=draft.title, text=draft.text, media=draft.media,
            media_ids=draft.media_ids, link=draft.link,
            thread=draft.thread, first_comment=draft.first_comment,
            status=queries.derive(targets, draft.profile.now), approval=approval,
            publish_mode=draft.publish_mode, scheduled_at=draft.scheduled_at,
            scheduled_local=draft.scheduled_local, timezone=draft.timezone,
            tzdata_version=times.tzdata_version(), external_id=data.external_id, tags=data.tags,
            campaign=data.campaign, notes=data.notes, options=draft.options, auto_fit=data.auto_fit,
            allow_duplicate=data.allow_duplicate, warnings=draft.warnings, version=row.version + 1,
            updated_at=clock.now(),
        )  # fmt: skip


async def _annotate(db: Db, caller: Caller, row: PostRow, given: dict[str, Any]) -> Post:
    """Change what is about a post: no target is touched, no worker is in the way."""
    old = await queries.lock_alone(db, row.id)
    if old is None or old.deleted_at is not None:
        raise problems.NotFound
    post = msgspec.structs.replace(old, **given, version=old.version + 1, updated_at=clock.now())
    if post.external_id != old.external_id:
        await accept.refuse_duplicates(db, post, (), content=False)
    await rows.annotate(db, post, Entry("updated", changes_of(old, post, (), ())), actor=caller.actor)
    return await queries.shown(db, post)


_COMPARED: Final = {
    "title": "title", "text": "text", "media": "media", "link": "link", "thread": "thread",
    "first_comment": "firstComment", "status": "status", "publish_mode": "publishMode", "timezone": "timezone",
    "external_id": "externalId", "tags": "tags", "campaign": "campaign", "notes": "notes", "options": "options",
    "auto_fit": "autoFit", "allow_duplicate": "allowDuplicate",
}  # fmt: skip


def changes_of(
    old: PostRow, new: PostRow, before: Sequence[TargetRow], after: Sequence[TargetRow]
) -> list[dict[str, Any]]:
    """Return what an edit changed, as the audit log shows it."""
    pairs = [(shown, getattr(old, name), getattr(new, name)) for name, shown in _COMPARED.items()]
    pairs.append(("scheduledAt", clock.wire_or_none(old.scheduled_at), clock.wire_or_none(new.scheduled_at)))
    pairs.append(("approval", old.approval["state"], new.approval["state"]))
    pairs.append(("targets", [_trace(target) for target in before], [_trace(target) for target in after]))
    return [{"field": shown, "from": _cut(a), "to": _cut(b)} for shown, a, b in pairs if a != b]


def _trace(target: TargetRow) -> dict[str, Any]:
    overrides = {
        "text": target.text, "title": target.title, "media": target.media, "options": target.options,
        "scheduledAt": clock.wire_or_none(target.scheduled_at),
    }  # fmt: skip
    own = {name: _cut(value) for name, value in overrides.items() if value is not None}
    return {"accountId": ids.encode("acc", target.account_id), "platform": target.platform, **own}


def _cut(value: Any) -> Any:
    return value[:_SHOWN_MAX] + "…" if isinstance(value, str) and len(value) > _SHOWN_MAX else value
