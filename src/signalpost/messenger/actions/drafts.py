"""Posts that messages make: a draft for every account of the profile, and what each network says of it."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any, Final
from uuid import UUID

import msgspec

from signalpost import networks
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.messenger import texts, times
from signalpost.messenger.contract import Option, Reply
from signalpost.messenger.times import Choice
from signalpost.posts import queries as posts
from signalpost.posts.change import approve, trash, update
from signalpost.posts.compose import validate
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.schemas.files import MediaIn
from signalpost.posts.schemas.requests import PostApprove, PostCreate, PostDeleteQuery, PostUpdate, TargetIn
from signalpost.posts.schemas.responses import Post
from signalpost.posts.schemas.validation import PostValidation
from signalpost.posts.write import create
from signalpost.profiles.queries import ProfileRow
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId, MediaId, ProfileId
from signalpost.web.inputs import ANY_VERSION

ACCOUNTS_MAX: Final = 100
OPEN: Final = ("draft", "scheduled")
_ACCOUNTS: Final = """
select id from account where workspace_id = $1 and profile_id = $2 and status <> 'disconnected' and not over_limit
    and ($3 or platform = 'sandbox')
order by created_at, id limit $4
"""


class Handled(msgspec.Struct):
    """What a message led to: a reply, and the post that it is about now."""

    reply: Reply
    post_id: UUID | None = None


async def make_draft(
    context: AppContext, db: Db, caller: Caller, profile: ProfileRow, text: str, media_ids: Sequence[UUID]
) -> Handled:
    """Write a draft for all accounts of the profile, and show how it fits each network.

    Raises:
        Problem: what `create_post` raises.
    """
    live = caller.mode == "live"
    records = await db.fetch(_ACCOUNTS, caller.workspace_id, profile.id, live, ACCOUNTS_MAX)
    targets = [TargetIn(account_id=AccountId(int=record["id"].int)) for record in records]
    media = [MediaIn(media_id=MediaId(int=media_id.int)) for media_id in media_ids]
    data = PostCreate(
        profile_id=ProfileId(int=profile.id.int), text=text, media=media, targets=targets or None, draft=True
    )
    post = await create.create_post(context, db, caller, data)
    if not targets:
        return Handled(Reply(texts.NO_ACCOUNTS.format(profile=profile.name)), ids.decode("pst", post.id))
    checked = await validate.validate_post(context, db, caller, msgspec.structs.replace(data, draft=False))
    return Handled(_preview(post, profile, checked), ids.decode("pst", post.id))


def _preview(post: Post, profile: ProfileRow, checked: PostValidation) -> Reply:
    usernames = {target.account_id: target.username for target in post.targets}
    lines = [
        f"• {_name(target.platform)} {usernames.get(target.account_id, '')}:"
        f" {target.text_length} of {target.limit} characters"
        for target in checked.targets
    ]
    issues = list(dict.fromkeys(issue["message"] for issue in checked.errors))
    warnings = list(dict.fromkeys(warning.message for warning in checked.warnings))
    parts = [f"Draft for {profile.name}:", *texts.shortened(lines)]
    if issues:
        parts += ["It cannot be published like this:", *texts.shortened([f"• {issue}" for issue in issues], 4)]
        parts.append("Send it again, corrected.")
        return Reply("\n".join(parts), buttons=[_cancel(post.id)])
    if warnings:
        parts += ["Please note:", *texts.shortened([f"• {warning}" for warning in warnings], 3)]
    parts.append("Publish it?")
    return Reply("\n".join(parts), buttons=[
        Option(f"now:{post.id}", "Post now"), Option(f"at:{post.id}", "Schedule"), _cancel(post.id),
    ])  # fmt: skip


def _cancel(post_id: str) -> Option:
    return Option(f"cancel:{post_id}", "Cancel")


def _name(platform: str) -> str:
    connector = networks.get(platform)
    return platform if connector is None else connector.facts.name


async def publish(context: AppContext, db: Db, caller: Caller, post: PostRow) -> Handled:
    """Publish a draft or a scheduled post now; or request approval, if the role needs that.

    Raises:
        Problem: what `update_post` and `request_approval` raise.
    """
    if post.status not in OPEN:
        return Handled(Reply(f"Nothing was done: this post is {post.status} already."), post.id)
    if _asks(caller):
        return await _request_approval(context, db, caller, post, "")
    changed = await update.update_post(context, db, caller, post, PostUpdate(publish_mode="now"), ANY_VERSION)
    return Handled(Reply(_accepted(changed, "Publishing now. I write when it is done.")), post.id)


async def schedule(
    context: AppContext, db: Db, caller: Caller, post: PostRow, choice: Choice, profile: ProfileRow, when: str
) -> Handled:
    """Schedule a draft, or move a scheduled post; or request approval for that time.

    Raises:
        Problem: what `update_post` and `request_approval` raise.
    """
    if post.status not in OPEN:
        return Handled(Reply(f"Nothing was done: this post is {post.status} already."), post.id)
    time: dict[str, Any] = {"scheduled_at": choice.written, "timezone": profile.timezone}
    if _asks(caller):
        await update.update_post(context, db, caller, post, PostUpdate(**time, publish_mode="draft"), ANY_VERSION)
        changed = await posts.find_mine(db, caller, post.id)
        assert changed is not None  # noqa: S101 - just written
        return await _request_approval(context, db, caller, changed, f" for {when}")
    updated = await update.update_post(context, db, caller, post, PostUpdate(**time), ANY_VERSION)
    lines = [_accepted(updated, f"Scheduled for {when}."), *([choice.note] if choice.note else [])]
    return Handled(Reply("\n".join(lines), buttons=[Option(f"cancel:{updated.id}", "Cancel")]), post.id)


def _asks(caller: Caller) -> bool:
    """Whether the caller's posts are published by others."""
    return caller.role == "contributor"


async def _request_approval(context: AppContext, db: Db, caller: Caller, post: PostRow, when: str) -> Handled:
    if post.approval.state != "pending":
        await approve.request_approval(context, db, caller, post, PostApprove(), ANY_VERSION)
    return Handled(Reply(f"Approval is requested{when}. The post goes out when someone approves it."), post.id)


def _accepted(post: Post, text: str) -> str:
    """Return the text, or what the post waits for."""
    if post.approval.state == "pending":
        return f"{text.partition('.')[0]}, as soon as someone approves it."
    return f"{text}\nIt is held: {post.held_message}" if post.held and post.held_message else text


async def discard(context: AppContext, db: Db, caller: Caller, post: PostRow) -> Handled:
    """Move a draft, a scheduled or a queued post to the trash.

    Raises:
        Problem: what `trash_post` raises.
    """
    if post.status not in (*OPEN, "queued"):
        return Handled(Reply(f"Nothing was done: this post is {post.status} already."), post.id)
    await trash.trash_post(context, db, caller, post, PostDeleteQuery(), ANY_VERSION)
    return Handled(Reply("Cancelled. The post is in the trash for 30 days."))


async def result(db: Db, post_id: UUID, workspace_id: UUID) -> str | None:
    """Return what became of a post, with its links; None if it was deleted."""
    post = await posts.find_settled(db, workspace_id, post_id)
    if post is None:
        return None
    targets = [target for target in await posts.targets_of(db, [post.id]) if target.status != "cancelled"]
    lines = [_result_of(target) for target in targets]
    published = sum(target.status == "published" for target in targets)
    return "\n".join(
        [f"{_STATUS.get(post.status, post.status)} ({published} of {len(targets)}):", *texts.shortened(lines, 20)]
    )


_STATUS: Final = {
    "published": "Published", "partial": "Published in part", "failed": "Not published", "publishing": "Publishing",
    "scheduled": "Scheduled", "queued": "Waiting to be published", "draft": "Draft",
}  # fmt: skip


def _result_of(target: TargetRow) -> str:
    name = f"• {_name(target.platform)} {target.username}"
    if target.status == "published":
        return f"{name}: {target.url or 'published'}"
    if target.error is not None:
        return f"{name}: {target.error.user_message}"
    return f"{name}: {target.status}"


def time_choices(post_id: str, choices: Sequence[Choice], zone: tzinfo, zone_name: str) -> Reply:
    """Return the question which of several times is meant."""
    lines = [f"• {times.in_words(choice, zone_name, zone)}" for choice in choices]
    options = [Option(f"time:{post_id}:{choice.written}", times.title(choice, zone)) for choice in choices]
    return Reply("\n".join(["Which time do you mean?", *lines]), buttons=options)


async def find(db: Db, caller: Caller, text: str) -> PostRow | None:
    """Return the caller's post with this public id."""
    post_id = ids.decode("pst", text)
    return None if post_id is None else await posts.find_mine(db, caller, post_id)
