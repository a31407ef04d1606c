"""What someone does who has nothing but the link: read the posts, and decide on each as it was shown."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from signalpost import mail
from signalpost.approval_links import queries, states, views
from signalpost.approval_links.actions.manage import end_link
from signalpost.approval_links.errors import ApprovalCodeRequired, ApprovalLinkExpired, ApprovalLinkRevoked
from signalpost.approval_links.queries import ApprovalLinkRow
from signalpost.approval_links.schemas import CodeSent, Review, ReviewDecide, ReviewPost, ReviewQuery
from signalpost.context import AppContext
from signalpost.discussion import actions as discussion
from signalpost.discussion import queries as messages
from signalpost.events import Actor
from signalpost.identity import members, roles
from signalpost.identity.authenticate import caller_by_grant
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit import clock, crypto, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.pace import Pace
from signalpost.kit.tenant import across_workspaces, work_for
from signalpost.kit.wire import encode
from signalpost.media import queries as media
from signalpost.plans import limits
from signalpost.posts import queries as posts
from signalpost.posts.change import approve
from signalpost.posts.errors import NOT_ACCEPTED
from signalpost.posts.find import chosen
from signalpost.posts.rows import PostRow
from signalpost.posts.schemas.requests import PostApprove, PostReject
from signalpost.posts.write import audit
from signalpost.web import shared_buckets
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId
from signalpost.web.inputs import ANY_VERSION
from signalpost.web.paging import PAGE_BYTES_MAX
from signalpost.web.shared_buckets import Want

PER_LINK: Final = 120
"""Requests a minute with one link, from wherever they come."""
CODE_DIGITS: Final = 6
CODE_LIFETIME: Final = timedelta(hours=12)
CODE_TRIES_MAX: Final = 5
CODES_OF_NEW_OWNER_PER_DAY: Final = 5
_CODES: Final = "approval-code"
_ENDED: Final = {"expired": ApprovalLinkExpired, "revoked": ApprovalLinkRevoked}
_OPENED: Final = """
update approval_link set last_opened_at = now()
where workspace_id = $1 and id = $2 and coalesce(last_opened_at < now() - interval '1 minute', true)
"""
_NEW_CODE: Final = """
update approval_link set code_hash = $3, code_expires_at = $4, code_tries = 0 where workspace_id = $1 and id = $2
"""
_TRY: Final = """
update approval_link set code_tries = code_tries + 1
where workspace_id = $1 and id = $2 and code_hash = $3 and code_tries < $4 returning code_tries
"""
_RIGHT: Final = "update approval_link set code_tries = 0 where workspace_id = $1 and id = $2 and code_hash = $3"


class _Opened(NamedTuple):
    link: ApprovalLinkRow
    maker: Caller
    """With the rights that they have now."""


async def read_review(context: AppContext, token: str, code: str | None, query: ReviewQuery) -> Review:
    """Return some of the posts that a link shows, at most 4 MB.

    Raises:
        NotFound: there is no such link.
        ApprovalLinkExpired, ApprovalLinkRevoked: it has ended.
        ApprovalCodeRequired: it needs a code, and this is not the one.
        RateLimited: it is used too often.
    """
    link, maker = await _open(context, token)
    await _require_code(context, link, code)
    async with context.database.transaction() as db:
        await db.execute(_OPENED, link.workspace_id, link.id)
        rows = await chosen.page_of_chosen(
            db, maker, link.post_ids, link.profile_id, after=query.after, limit=query.limit + 1
        )
        reviews = await _reviews(context, db, link, rows[: query.limit])
    items: list[msgspec.Raw] = []
    size, pace = 0, Pace()
    for post in reviews.values():
        item = encode(post)
        size += len(item)
        if items and size > PAGE_BYTES_MAX:
            break
        items.append(msgspec.Raw(item))
        await pace.keep()
    return views.review(context, link, items, has_more=len(rows) > len(items))


async def decide(context: AppContext, token: str, post_id: UUID, code: str | None, data: ReviewDecide) -> ReviewPost:
    """Decide on a post as its maker's guest: what a link allows is what its maker may do, and has the same guards.

    Raises:
        NotFound: there is no such link, or it does not show this post.
        VersionConflict: the post was changed since it was shown.
        InvalidState: it was decided meanwhile, or cannot be published as it is.
        and what `read_review` raises.
    """
    link, maker = await _open(context, token)
    await _require_code(context, link, code)
    if post_id not in link.post_ids:
        raise problems.NotFound(PostId.not_found_detail(ids.encode("pst", post_id)))
    name = " ".join(data.name.split())
    if not name:
        raise problems.invalid("/name", "required", "Enter your name: the team sees who decided.")
    guest = Actor(type="approval_link", id=ids.encode("apl", link.id), name=name)
    caller = msgspec.structs.replace(maker, guest=guest)
    async with context.database.transaction() as db:
        current = await queries.lock(db, link)  # whoever revokes it meanwhile waits, and whoever did is heard
        _require_open(current)
        post = await posts.find_mine(db, caller, post_id)
        if post is None or post.profile_id != link.profile_id:
            raise problems.NotFound(PostId.not_found_detail(ids.encode("pst", post_id)))
        if data.decision == "comment":
            await _comment(context, db, post, data, guest, link)
        elif data.decision == "approve":
            await _approve(context, db, caller, post, PostApprove(note=data.note, version=data.version))
        else:
            changes = data.decision == "changes"
            refusal = PostReject(note=data.note, version=data.version, changes_requested=changes)
            await approve.reject_post(context, db, caller, post, refusal, ANY_VERSION)
        decided = await posts.find_mine(db, caller, post_id)
        assert decided is not None  # noqa: S101 - it is locked by this transaction
        return (await _reviews(context, db, link, [decided]))[post_id]


async def send_code(context: AppContext, token: str, language: str) -> CodeSent:
    """Mail a code to whoever the link is for; those before stop working.

    Raises:
        InvalidState: the link needs none.
        RateLimited: their mailbox, or this workspace, has had enough of them.
        and what `read_review` raises.
    """
    link, maker = await _open(context, token)
    if link.email is None:
        raise problems.InvalidState("This link needs no code.")
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    values = {"workspace": link.workspace_name, "profile": link.profile_name, "language": language}
    message = mail.Message(
        to=link.email,
        template="approval_code",
        values=values,
        secrets=mail.seal(context.keys, {"code": code}),
    )
    async with context.database.transaction() as db:
        hashed = _hash(context, link, code)[0]
        await db.execute(_NEW_CODE, link.workspace_id, link.id, hashed, clock.actual() + CODE_LIFETIME)
        owner_id = maker.tenant.id
        assert isinstance(owner_id, UUID)  # noqa: S101 - the owner of the workspace
        # As with invitations: who just signed up may not have many strangers mailed.
        is_new = context.settings.registration == "open" and await members.is_new(db, owner_id)
        per_day = CODES_OF_NEW_OWNER_PER_DAY if is_new else None
        accepted = await mail.enqueue(db, message, workspace_id=link.workspace_id, owner_id=owner_id, per_day=per_day)
        if not accepted:
            raise problems.RateLimited("Too many codes were mailed. Try again in an hour.")
    return CodeSent(views.masked(link.email))


async def _open(context: AppContext, token: str) -> _Opened:
    """Return the link, and its maker with the rights of this moment. The request then counts as their workspace's.

    A link whose maker may no longer approve its posts ends here.
    """
    with across_workspaces():  # the token tells the workspace
        async with context.database.connection() as db:
            link = await queries.by_token(db, token)
            if link is None:
                raise problems.NotFound("There is no such link.", remediation="Check that it was copied completely.")
            maker = await _maker(context, db, link)
    _require_open(link)
    await _count(context, link)
    if maker is None:
        with across_workspaces():
            async with context.database.transaction() as db:
                await end_link(db, link)
        raise ApprovalLinkRevoked("Whoever made this link may no longer approve these posts.")
    work_for(maker.tenant)
    return _Opened(link, maker)


async def _maker(context: AppContext, db: Db, link: ApprovalLinkRow) -> Caller | None:
    """Return who made a link, with what is left of their rights; None: they may not approve its posts any more."""
    try:
        caller = await caller_by_grant(context.settings, db, link, f"approval-link:{link.id.hex}", limits.API_KEYS.of)
    except (KeyRevoked, TokenExpired, problems.Forbidden):
        return None
    if caller is None or not roles.may_approve(caller.role) or not caller.may_see_profile(link.profile_id):
        return None
    return msgspec.structs.replace(caller, auth="session" if link.key_id is None else "api_key")


def _require_open(link: ApprovalLinkRow | None) -> None:
    if link is None:
        raise ApprovalLinkRevoked("This link was deleted.")
    if problem := _ENDED.get(states.present(clock.actual(), link.expires_at, link.revoked_at)):
        raise problem


async def _count(context: AppContext, link: ApprovalLinkRow) -> None:
    refused = await shared_buckets.take_each(context.database, [Want(f"approval link {link.id.hex}", PER_LINK)], 60)
    if refused is not None:
        wait = refused[1].seconds_to_next
        raise problems.RateLimited(
            f"This link was used more than {PER_LINK} times in a minute. Try again in {wait} seconds.",
            headers={"Retry-After": str(wait)},
        )


async def _require_code(context: AppContext, link: ApprovalLinkRow, code: str | None) -> None:
    """Ensure that the code is the one that was mailed, if the link needs one. Each guess is counted before it is read.

    Raises:
        ApprovalCodeRequired: it is not, it is too old, or too many were wrong.
    """
    if link.email is None:
        return
    expires_at = link.code_expires_at
    if code is None or link.code_hash is None or expires_at is None or expires_at <= clock.actual():
        raise ApprovalCodeRequired("This link is for one person: request the code that is mailed to them.")
    async with context.database.transaction() as db:
        tries = await db.fetchval(_TRY, link.workspace_id, link.id, link.code_hash, CODE_TRIES_MAX)
    is_right = any(crypto.equal(link.code_hash, candidate) for candidate in _hash(context, link, code))
    if tries is None or not is_right:
        raise ApprovalCodeRequired("This is not the code, or too many were wrong. Request another one.")
    async with context.database.transaction() as db:
        await db.execute(_RIGHT, link.workspace_id, link.id, link.code_hash)


def _hash(context: AppContext, link: ApprovalLinkRow, code: str) -> list[bytes]:
    """Return what is stored of a code, under each master key, the current one first."""
    data = f"{link.id.hex} {code}".encode("utf-8", "replace")
    return [crypto.hmac_sha256(key, data) for key in context.keys.derive_each(_CODES)]


async def _approve(context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostApprove) -> None:
    """Approve a post. Why it cannot be published is for its team, who know the plan, the accounts and the rules.

    Raises:
        InvalidState: it cannot be published as it is.
        and what `approve_post` raises otherwise.
    """
    try:
        await approve.approve_post(context, db, caller, post, data, ANY_VERSION)
    except NOT_ACCEPTED as problem:
        raise problems.InvalidState(
            "This post cannot be published as it is.", remediation="Ask for changes: its team has to correct it."
        ) from problem


async def _comment(
    context: AppContext, db: Db, post: PostRow, data: ReviewDecide, guest: Actor, link: ApprovalLinkRow
) -> None:
    """Write what a guest says into the discussion of the post, and into its history that they did."""
    text = (data.note or "").strip()
    if not text:
        raise problems.invalid("/note", "required", "Write what you want to say.")
    await discussion.add_of_guest(context, db, post, text, guest, maker_id=link.user_id)
    await audit.record(db, [audit.entry(post, "commented", guest)])


async def _reviews(
    context: AppContext, db: Db, link: ApprovalLinkRow, rows: Sequence[PostRow]
) -> dict[UUID, ReviewPost]:
    post_ids = [post.id for post in rows]
    targets = await posts.targets_by_post(db, post_ids)
    comments = await messages.by_link(db, link.workspace_id, post_ids, ids.encode("apl", link.id))
    files = await media.attached(db, list({media_id for post in rows for media_id in views.media_ids_of(post)}))
    return {post.id: views.review_post(context, post, targets[post.id], files, comments[post.id]) for post in rows}
