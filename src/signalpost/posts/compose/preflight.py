"""Checking a draft by the rules of its networks, and taking its fingerprint. Fills in rows; writes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost import networks
from signalpost.accounts.platforms import fetch_url
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.problems import Issue
from signalpost.kit.worker_threads import in_thread
from signalpost.media.queries import MediaRow
from signalpost.networks import fitting, preflight
from signalpost.networks.contract import Outgoing, OutgoingMedia, PreflightIssue
from signalpost.posts import content
from signalpost.posts.compose.draft import PostDraft, TargetDraft
from signalpost.posts.content import Content
from signalpost.posts.documents import PostWarning
from signalpost.posts.errors import PreflightFailed

LENGTH_AT_ONCE_MAX = 4_000
"""Characters of all texts; more are checked in a worker thread, since they would hold the event loop."""
TEXTS_AT_ONCE_MAX = 250
"""Texts times accounts; likewise."""


class TargetIssue(Struct, frozen=True):
    """What a network says about a target. `path`: a JSON pointer into the body."""

    target: TargetDraft
    issue: PreflightIssue
    path: str


async def run_preflight(context: AppContext, draft: PostDraft) -> list[TargetIssue]:
    """Check every target; return what networks would refuse or warn of, with the place in the body.

    Sets the `content_hash` of each target, and adds to the post's warnings. Of a draft everything is a warning.
    """
    return await in_thread(_check, context, draft) if _is_large(draft) else _check(context, draft)


def _is_large(draft: PostDraft) -> bool:
    post = draft.post
    length = len(post.text)
    for part in post.thread:
        length += len(part.text)
    for target in draft.targets:
        length += len(target.row.text or "")
    return length > LENGTH_AT_ONCE_MAX or len(draft.targets) * (1 + len(post.thread)) > TEXTS_AT_ONCE_MAX


def _check(context: AppContext, draft: PostDraft) -> list[TargetIssue]:
    checksums = {media_id: row.sha256 for media_id, row in draft.media.files.items()}
    now = clock.now()
    target_issues: list[TargetIssue] = []
    checked: Any = None  # what the target before was checked for; usually this one's is the same
    normal: bytes = b""
    issues: Sequence[PreflightIssue] = ()
    for target in draft.targets:
        row = target.row
        options = row.options and msgspec.json.encode(row.options)  # to Python 1 equals true, to networks it does not
        inputs = (row.platform, row.title, row.text, row.media, options, target.account.facts)
        if inputs != checked:
            checked = inputs
            target_content = content.for_target(draft.post, row)
            normal = content.normal_form(target_content, checksums)
            files = _files(context, draft, row.platform, target_content)
            outgoing = content.outgoing(target_content, files, dedupe_key="", created_at=now)
            issues = _issues_on(target, outgoing, fits=draft.post.auto_fit)
        row.content_hash = content.content_hash(target.account.id, normal)
        if issues:
            target_issues += [TargetIssue(target, issue, _path(target, issue)) for issue in issues]
    if not target_issues:
        return []
    draft.post.warnings += [
        PostWarning(
            entry.issue.rule, entry.path, entry.issue.message, entry.target.row.platform, entry.target.account.id
        )
        for entry in target_issues
        if draft.is_draft or entry.issue.severity == "warning"
    ]
    return target_issues


def _files(context: AppContext, draft: PostDraft, platform: str, content: Content) -> Mapping[UUID, OutgoingMedia]:
    """Return the files of a post as a network would get them."""
    rows = draft.media.files
    if not rows:
        return {}
    connector = networks.get(platform)
    fetchable = connector is not None and fetch_url(context, connector) is not None
    crops = content.crops(platform)
    return {media_id: without_bytes(row, crops.get(media_id), fetchable=fetchable) for media_id, row in rows.items()}


def _issues_on(target: TargetDraft, outgoing: Outgoing, *, fits: bool) -> Sequence[PreflightIssue]:
    """Return what the network says. `fits`: files that it would refuse are converted, if they can be."""
    platform, account_facts = target.row.platform, target.account.facts
    connector = networks.get(platform)
    if connector is not None:
        if any(part.media for part in outgoing.parts):
            outgoing = fitting.fitted(preflight.for_account(connector.facts, account_facts), outgoing, auto=fits)
        return preflight.check(connector, outgoing, account_facts)
    message = f"Publishing to {platform} is not available yet."
    return [PreflightIssue(f"{platform}.platform.unavailable", "/platforms", message)]


def errors_of(target_issues: Sequence[TargetIssue]) -> list[Issue]:
    """Return the rules of networks that the post breaks."""
    return [_issue(entry) for entry in target_issues if entry.issue.severity == "error"]


def require_accepted(target_issues: Sequence[TargetIssue]) -> None:
    """Ensure that no network would refuse the post.

    Raises:
        PreflightFailed: with every broken rule of every target.
    """
    if errors := errors_of(target_issues):
        raise PreflightFailed(errors=errors)


def _issue(entry: TargetIssue) -> Issue:
    account = {"platform": entry.target.row.platform, "accountId": ids.encode("acc", entry.target.account.id)}
    return Issue(entry.path, entry.issue.rule, entry.issue.message, {**(entry.issue.params or {}), **account})


def _path(target: TargetDraft, issue: PreflightIssue) -> str:
    row = target.row
    overridden = [name for name in ("text", "title", "media") if getattr(row, name) is not None]
    return content.pointer(issue, target.index, row.platform, [*overridden, *(row.options or {})])


def without_bytes(
    row: MediaRow, crop: tuple[float, float, float, float] | None, *, fetchable: bool = False
) -> OutgoingMedia:
    """Return a file as the rules of a network see it. `fetchable`: the network can download it from here."""

    def read_nothing() -> NoReturn:
        raise RuntimeError("preflight reads no file")

    kind: Any = row.kind
    return OutgoingMedia(
        kind=kind, mime_type=row.mime_type, size_bytes=row.size_bytes, sha256=row.sha256, width=row.width,
        height=row.height, duration_ms=row.duration_ms, fps=row.fps, video_codec=row.video_codec,
        audio_codec=row.audio_codec, alt_text=row.alt_text, file_name=row.file_name, read=read_nothing,
        url=read_nothing if fetchable else None, crop=crop, focal=row.focal,
    )  # fmt: skip
