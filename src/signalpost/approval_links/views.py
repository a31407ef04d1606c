from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from signalpost import networks
from signalpost.approval_links import states
from signalpost.approval_links.queries import ApprovalLinkRow
from signalpost.approval_links.schemas import (
    ApprovalLink,
    Preview,
    Review,
    ReviewBranding,
    ReviewComment,
    ReviewDecision,
    ReviewFile,
    ReviewFilePart,
    ReviewPart,
    ReviewPost,
)
from signalpost.context import AppContext
from signalpost.discussion.queries import MessageRow
from signalpost.kit import clock, ids
from signalpost.media import signed_urls
from signalpost.media.queries import MediaRow
from signalpost.networks import fitting
from signalpost.posts import content
from signalpost.posts.compose.preflight import without_bytes
from signalpost.posts.documents import MediaRef
from signalpost.posts.rows import PostRow, TargetRow

PATH = "/approvals/{token}"
"""Of the page for people."""


def page_url(context: AppContext, token: str) -> str:
    """Return the address that the receiver gets."""
    return context.fixed_url + PATH.format(token=token)


def approval_link(row: ApprovalLinkRow, url: str | None = None) -> ApprovalLink:
    """Return the link as its workspace sees it; `url` when it is created."""
    return ApprovalLink(
        id=ids.encode("apl", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        posts=len(row.post_ids),
        post_ids=[ids.encode("pst", post_id) for post_id in row.post_ids],
        state=states.present(clock.actual(), row.expires_at, row.revoked_at),
        email=row.email,
        message=row.message,
        created_by=row.created_by,
        created_at=clock.wire(row.created_at),
        expires_at=clock.wire(row.expires_at),
        revoked_at=clock.wire_or_none(row.revoked_at),
        last_opened_at=clock.wire_or_none(row.last_opened_at),
        url=url,
    )


def review(context: AppContext, row: ApprovalLinkRow, posts: list[Any], *, has_more: bool) -> Review:
    """Return what the receiver of a link may know."""
    logo_url, media_id = row.profile_avatar_url, row.profile_avatar_media_id
    if media_id is not None:
        logo_url = signed_urls.create(context.keys, context.base_url, media_id)
    return Review(
        workspace=row.workspace_name,
        profile=row.profile_name,
        branding=ReviewBranding(color=row.profile_color, logo_url=logo_url),
        message=row.message,
        expires_at=clock.wire(row.expires_at),
        posts=posts,
        has_more=has_more,
    )


def media_ids_of(post: PostRow) -> list[UUID]:
    """Return the files that previews of a post show, and pictures that stand for videos."""
    refs = [*post.media, *(ref for part in post.thread for ref in part.media)]
    return [*post.media_ids, *(ref.thumbnail_media_id for ref in refs if ref.thumbnail_media_id is not None)]


def review_post(
    context: AppContext,
    post: PostRow,
    targets: Sequence[TargetRow],
    files: Mapping[UUID, MediaRow],
    comments: Sequence[MessageRow],
) -> ReviewPost:
    """Return a post as the receiver of a link sees it: nothing that its team noted for itself."""
    return ReviewPost(
        id=ids.encode("pst", post.id),
        version=post.version,
        state=post.approval.state,
        when=clock.wire_or_none(post.scheduled_at),
        timezone=post.timezone,
        previews=_previews(context, post, targets, files),
        decision=_decision(post),
        comments=[ReviewComment(row.author.name, row.text, clock.wire(row.created_at)) for row in comments],
    )


def _decision(post: PostRow) -> ReviewDecision | None:
    by = post.approval.decided_by
    if by is None or by.type != "approval_link" or post.approval.state == "pending":
        return None
    return ReviewDecision(by.name, post.approval.note, clock.wire_or_none(post.approval.decided_at))


def _previews(
    context: AppContext, post: PostRow, targets: Sequence[TargetRow], files: Mapping[UUID, MediaRow]
) -> list[Preview]:
    """Return what each network shows; accounts of a network that show the same have one preview."""
    previews: list[Preview] = []
    same: dict[tuple[str, bytes, datetime | None], Preview] = {}
    for target in targets:
        if target.status == "cancelled":
            continue
        sent = content.for_target(post, target)
        key = (target.platform, msgspec.json.encode(sent), target.scheduled_at)
        if (preview := same.get(key)) is not None:
            preview.usernames.append(target.username)
            continue
        connector = networks.get(target.platform)
        preview = same[key] = Preview(
            platform=target.platform,
            network=connector.facts.name if connector else target.platform,
            usernames=[target.username],
            when=clock.wire_or_none(target.scheduled_at),
            title=sent.title,
            text=sent.text,
            media=_files(context, post, target, sent.media, files),
            thread=[ReviewPart(part.text, _files(context, post, target, part.media, files)) for part in sent.thread],
            link=sent.link,
            first_comment=sent.first_comment,
            options={name: value for name, value in sent.options.items() if value is not None},
        )
        previews.append(preview)
    return previews


def _files(
    context: AppContext, post: PostRow, target: TargetRow, refs: Iterable[MediaRef], files: Mapping[UUID, MediaRow]
) -> list[ReviewFile]:
    return [
        structs.replace(_file(context, ref, row, files), part=_part(post, target, row))
        for ref in refs
        if (row := files.get(ref.media_id)) is not None
    ]


def _part(post: PostRow, target: TargetRow, row: MediaRow) -> ReviewFilePart | None:
    """Return what the network gets of a picture, if not all of it."""
    connector, sent = networks.get(target.platform), content.for_target(post, target)
    if connector is None:
        return None
    file = without_bytes(row, sent.crops(target.platform).get(row.id))
    needed = fitting.fit(connector.facts, file, sent.options, auto=post.auto_fit)
    part = None if needed is None else needed.part(file)
    return None if part is None else ReviewFilePart(**part._asdict())


def _file(context: AppContext, ref: MediaRef, row: MediaRow, files: Mapping[UUID, MediaRow]) -> ReviewFile:
    keys, base_url = context.keys, context.base_url
    thumbnail = None if ref.thumbnail_media_id is None else files.get(ref.thumbnail_media_id)
    if thumbnail is not None:
        thumbnail_url: str | None = signed_urls.create(keys, base_url, thumbnail.id)
    else:
        thumbnail_url = signed_urls.create(keys, base_url, row.id, "thumbnail") if row.thumbnail_path else None
    return ReviewFile(
        kind=row.kind,
        url=signed_urls.create(keys, base_url, row.id),
        thumbnail_url=thumbnail_url,
        alt_text=row.alt_text if ref.alt_text is None else ref.alt_text,
        width=row.width,
        height=row.height,
        part=None,
    )


def masked(email: str) -> str:
    """Return an address in part: who has a link may not learn whose it is."""
    local, _, domain = email.rpartition("@")
    return f"{local[:1]}…@{domain}"
