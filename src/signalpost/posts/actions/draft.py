"""From a data to what is written: who gets what when, and all that is wrong with it. Reads only; writes nothing."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NoReturn
from uuid import UUID

import msgspec
from msgspec import Struct, field

from signalpost import networks
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.media.queries import MediaRow
from signalpost.networks import preflight
from signalpost.networks.contract import OutgoingMedia, PreflightIssue
from signalpost.posts import content, queries, times
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.actions.files import Files, own
from signalpost.posts.actions.issues import IssueCollector
from signalpost.posts.errors import PreflightFailed
from signalpost.posts.queries import ConnectedAccount, ProfileWithAccounts
from signalpost.posts.schemas.requests import PostCreate, TargetIn
from signalpost.posts.schemas.responses import PostWarning, PublishMode
from signalpost.posts.times import InvalidTime, Moment
from signalpost.web.caller import Caller

OPTIONS_BYTES_MAX: Final = 32_768


class TargetDraft(Struct):
    """An account that gets the post, with what is different there. `index` is its place in `targets` of the body."""

    account: ConnectedAccount
    index: int | None = None
    text: str | None = None
    title: str | None = None
    media: list[dict[str, Any]] | None = None
    options: dict[str, Any] | None = None
    scheduled_at: datetime | None = None
    content_hash: bytes = b""

    @property
    def platform(self) -> str:
        """The account's platform."""
        return self.account.platform


class PostDraft(Struct):
    """A data made definite. `scheduled_at` None: as soon as it may."""

    profile_id: UUID
    profile: ProfileWithAccounts
    title: str | None
    text: str
    media: list[dict[str, Any]]
    media_ids: list[UUID]
    link: str | None
    thread: list[dict[str, Any]]
    first_comment: str | None
    options: dict[str, dict[str, Any]]
    timezone: str
    is_draft: bool
    scheduled_at: datetime | None
    scheduled_local: datetime | None
    targets: list[TargetDraft]
    warnings: list[PostWarning]
    preflight_issues: list[tuple[TargetDraft, PreflightIssue]] = field(default_factory=list)

    @property
    def publish_mode(self) -> PublishMode:
        """How the post is to go out."""
        return "draft" if self.is_draft else "now" if self.scheduled_at is None else "schedule"


class Unchanged(Struct):
    """What an edit leaves as it was, so that it is not judged again."""

    media: frozenset[UUID] = frozenset()
    schedule: Moment | None = None
    target_times: bool = False


async def build_draft(
    db: Db, caller: Caller, data: PostCreate, unchanged: Unchanged | None = None, fetched: Fetched | None = None
) -> PostDraft:
    """Check all of the data at once, except whether networks would take it: see `refuse`.

    Raises:
        ValidationFailed: with every finding; or ScheduleInPast, ScheduleTooFar, TimezoneRequired if that is all.
        TestModeOnlySandbox: a test key chose an account of a live network.
    """
    unchanged = unchanged or Unchanged()
    profile_id = ids.decode("prof", data.profile_id)
    profile = await queries.profile_with_accounts(db, caller, profile_id) if profile_id else None
    if profile_id is None or profile is None:
        raise problems.invalid("/profileId", "not_found", "There is no such profile.")
    found = IssueCollector()
    _find_unavailable(data, found)
    files = await Files.read(db, caller, data, unchanged.media, fetched or {}, found)
    zone, stays_draft = data.timezone or profile.timezone, wants_draft(data)
    if data.timezone is not None and clock.zone(data.timezone) is None:
        found.add("/timezone", "format", "This is no IANA time zone, such as Europe/Berlin.")
    times_ = _Times(zone, stays_draft, unchanged, found)
    schedule = unchanged.schedule or times_.read(data.scheduled_at, "/scheduledAt")
    chosen = _choose(data, profile, files, times_, found)
    if caller.mode == "test" and any(target.platform != "sandbox" for target in chosen):
        raise TestModeOnlySandbox("A test key publishes to sandbox accounts only.")
    if not stays_draft and not chosen and data.platforms is None and data.targets is None:
        found.add("/platforms", "required", "Name the platforms, or single accounts in targets.")
    options = _options(data, found)
    found.raise_if_any()
    own_times = [target.scheduled_at for target in chosen]
    if schedule is None and own_times and None not in own_times:
        earliest = min(at for at in own_times if at is not None)
        schedule = Moment(earliest, times.local(earliest, zone))
    draft = PostDraft(
        profile_id, profile, data.title, data.text or data.description or "", files.refs(own(data)), files.ids(),
        data.link,
        [{"text": part.text, "media": files.refs(part.media)} for part in data.thread], data.first_comment, options,
        zone, stays_draft, schedule.at if schedule else None, schedule.local if schedule else None, chosen,
        times_.warnings,
    )  # fmt: skip
    _preflight(draft, files)
    return draft


def wants_draft(data: PostCreate) -> bool:
    """Whether the data is to keep the post for later."""
    return data.draft or data.publish_mode == "draft"


def require_preflight(draft: PostDraft) -> None:
    """Raise if a network would refuse a post that is to go out.

    Raises:
        PreflightFailed: with every broken rule of every target.
    """
    if broken := issues(draft):
        raise PreflightFailed(errors=broken)


def issues(draft: PostDraft) -> list[Issue]:
    """Return the rules of networks that the post breaks."""
    return [
        Issue(
            _place(target, finding),
            finding.rule,
            finding.message,
            {**(finding.params or {}), "platform": target.platform, "accountId": ids.encode("acc", target.account.id)},
        )
        for target, finding in draft.preflight_issues
        if finding.severity == "error"
    ]


def _find_unavailable(data: PostCreate, found: IssueCollector) -> None:
    """Refuse what this version cannot do yet, rather than forget it silently; and what contradicts itself."""
    for path, asked in (
        ("/recurrence", data.recurrence is not None),
        ("/utm", data.utm is not None),
        ("/shortenLinks", data.shorten_links),
        ("/publishMode", data.publish_mode == "slot"),
    ):
        if asked:
            found.add(path, "not_allowed", "This is not available yet.")
    if data.platforms is not None and data.targets is not None:
        found.add("/targets", "not_allowed", "Send either platforms or targets.")
    if data.text is not None and data.description is not None:
        found.add("/description", "not_allowed", "description is another name for text: send one of them.")
    if sum(given is not None for given in (data.media, data.media_url, data.media_urls)) > 1:
        found.add("/media", "not_allowed", "Send one of media, mediaUrl and mediaUrls.")
    if data.publish_mode == "schedule" and data.scheduled_at is None:
        found.add("/scheduledAt", "required", "A scheduled post needs a time.")
    if data.publish_mode == "now" and data.scheduled_at is not None:
        found.add("/scheduledAt", "not_allowed", "A post that goes out now has no other time.")
    if data.draft and data.publish_mode not in (None, "draft"):
        found.add("/publishMode", "not_allowed", "A draft is not published.")


class _Times:
    """Reads the times of one body. A draft's may have passed: it is judged when it is scheduled."""

    def __init__(self, zone: str, draft: bool, unchanged: Unchanged, found: IssueCollector) -> None:  # noqa: FBT001
        self.zone = zone
        self.is_draft = draft
        self.unchanged = unchanged
        self.found = found
        self.now = clock.now()
        self.warnings: list[PostWarning] = []

    def read(self, text: str | None, path: str) -> Moment | None:
        """Return the moment that is meant; None when there is none, or a finding was noted."""
        if text is None:
            return None
        free = self.is_draft or (self.unchanged.target_times and path != "/scheduledAt")
        read = times.read(text, self.zone, path) if free else times.schedule(text, self.zone, self.now, path)
        if isinstance(read, InvalidTime):
            self.found.add_time(read)
            return None
        if read.warning is not None:
            self.warnings.append(PostWarning("schedule.dst", path, read.warning))
        return read


def _choose(
    data: PostCreate, profile: ProfileWithAccounts, files: Files, times_: _Times, found: IssueCollector
) -> list[TargetDraft]:
    if data.targets is not None:
        return _single_accounts(data.targets, profile, files, times_, found)
    chosen: dict[UUID, TargetDraft] = {}
    for index, slug in enumerate(data.platforms or ()):
        platform = networks.canonical(slug)
        accounts = [account for account in profile.accounts if account.platform == platform]
        if platform is None:
            found.add(
                f"/platforms/{index}", "not_allowed", "There is no such platform.", known=list(networks.PLATFORMS)
            )
        elif not accounts:
            found.add(f"/platforms/{index}", "not_found", f"The profile has no connected account on {platform}.")
        elif accounts[0].id in chosen:
            found.add(f"/platforms/{index}", "not_unique", f"{platform} is named twice.")
        chosen |= {account.id: TargetDraft(account) for account in accounts}
    return list(chosen.values())


def _single_accounts(
    wished: Sequence[TargetIn], profile: ProfileWithAccounts, files: Files, times_: _Times, found: IssueCollector
) -> list[TargetDraft]:
    by_id = {account.id: account for account in profile.accounts}
    chosen: dict[UUID, TargetDraft] = {}
    for index, target in enumerate(wished):
        account_id = ids.decode("acc", target.account_id)
        account = by_id.get(account_id) if account_id else None
        at = times_.read(target.scheduled_at, f"/targets/{index}/scheduledAt")
        if account is None:
            message = "The profile has no such connected account."
            found.add(f"/targets/{index}/accountId", "not_found", message)
        elif account.id in chosen:
            found.add(f"/targets/{index}/accountId", "not_unique", "This account is named twice.")
        else:
            media = None if target.media is None else files.refs(target.media)
            _bounded(target.options, f"/targets/{index}/options", found)
            chosen[account.id] = TargetDraft(
                account, index, target.text, target.title, media, target.options, at.at if at else None
            )
    return list(chosen.values())


def _options(data: PostCreate, found: IssueCollector) -> dict[str, dict[str, Any]]:
    options: dict[str, dict[str, Any]] = {}
    for slug, values in data.options.items():
        platform = networks.canonical(slug)
        place = "/options/" + slug.replace("~", "~0").replace("/", "~1")
        if platform is None:
            found.add(place, "not_allowed", "There is no such platform.", known=list(networks.PLATFORMS))
        elif platform in options:
            found.add(place, "not_unique", f"{platform} is named twice.")
        else:
            options[platform] = values
    _bounded(options, "/options", found)
    return options


def _bounded(options: Mapping[str, Any] | None, path: str, found: IssueCollector) -> None:
    if options and len(msgspec.json.encode(options)) > OPTIONS_BYTES_MAX:
        found.add(path, "too_long", f"Options take at most {OPTIONS_BYTES_MAX} bytes of JSON.", max=OPTIONS_BYTES_MAX)


def _preflight(draft: PostDraft, files: Files) -> None:
    """Fill in the content hashes, the findings of each target, and the warnings among them."""
    sendable = {name: _without_bytes(row) for name, row in files.by_id.items()}
    checksums = {name: row.sha256 for name, row in files.by_id.items()}
    now = clock.now()
    for target in draft.targets:
        whole = content.for_target(draft, target)
        target.content_hash = content.content_hash(target.account.id, whole, checksums)
        outgoing = content.outgoing(whole, sendable, dedupe_key="", created_at=now)
        connector = networks.get(target.platform)
        if connector is None:
            message = f"Publishing to {target.platform} is not available yet."
            found = [PreflightIssue(f"{target.platform}.platform.unavailable", "/platforms", message)]
        else:
            found = preflight.check(connector, outgoing, target.account.facts)
        draft.preflight_issues += ((target, finding) for finding in found)
    draft.warnings += [
        PostWarning(
            finding.rule,
            _place(target, finding),
            finding.message,
            target.platform,
            ids.encode("acc", target.account.id),
        )
        for target, finding in draft.preflight_issues
        if draft.is_draft or finding.severity == "warning"
    ]


def _place(target: TargetDraft, finding: PreflightIssue) -> str:
    own_fields = [name for name in ("text", "title", "media") if getattr(target, name) is not None]
    return content.place(finding, target.index, target.platform, [*own_fields, *(target.options or {})])


def _without_bytes(row: MediaRow) -> OutgoingMedia:
    def unread() -> NoReturn:
        raise RuntimeError("preflight reads no file")

    kind: Any = row.kind
    return OutgoingMedia(
        kind=kind, mime_type=row.mime_type, size_bytes=row.size_bytes, sha256=row.sha256, width=row.width,
        height=row.height, duration_ms=row.duration_ms, alt_text=row.alt_text, file_name=row.file_name, read=unread,
    )  # fmt: skip
