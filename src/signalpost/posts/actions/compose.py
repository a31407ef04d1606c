"""From a wish to what is written: who gets what when, and all that is wrong with it. Reads only; writes nothing."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NoReturn
from uuid import UUID

import msgspec
from msgspec import Struct, field

from signalpost import networks
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.media.queries import MediaRow
from signalpost.networks import preflight
from signalpost.networks.contract import OutgoingMedia, PreflightIssue
from signalpost.posts import content, queries, times
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.actions.files import Files, own
from signalpost.posts.actions.findings import Findings
from signalpost.posts.errors import PreflightFailed
from signalpost.posts.queries import Holder, Holding
from signalpost.posts.schemas import Notice, PublishMode
from signalpost.posts.times import Fault, Moment
from signalpost.posts.wishes import CreatePost, TargetWish
from signalpost.web.caller import Caller, TestModeOnlySandbox

OPTIONS_BYTES_MAX: Final = 32_768


class Chosen(Struct):
    """An account that gets the post, with what is different there. `index` is its place in `targets` of the body."""

    holder: Holder
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
        return self.holder.platform


class Composed(Struct):
    """A wish made definite. `scheduled_at` None: as soon as it may."""

    profile_id: UUID
    holding: Holding
    title: str | None
    text: str
    media: list[dict[str, Any]]
    media_ids: list[UUID]
    link: str | None
    thread: list[dict[str, Any]]
    first_comment: str | None
    options: dict[str, dict[str, Any]]
    timezone: str
    draft: bool
    scheduled_at: datetime | None
    scheduled_local: datetime | None
    chosen: list[Chosen]
    warnings: list[Notice]
    findings: list[tuple[Chosen, PreflightIssue]] = field(default_factory=list)

    @property
    def publish_mode(self) -> PublishMode:
        """How the post is to go out."""
        return "draft" if self.draft else "now" if self.scheduled_at is None else "schedule"


class Kept(Struct):
    """What an edit leaves as it was, so that it is not judged again."""

    media: frozenset[UUID] = frozenset()
    schedule: Moment | None = None
    target_times: bool = False


async def compose(
    db: Db, caller: Caller, wish: CreatePost, kept: Kept | None = None, fetched: Fetched | None = None
) -> Composed:
    """Check all of the wish at once, except whether networks would take it: see `refuse`.

    Raises:
        ValidationFailed: with every finding; or ScheduleInPast, ScheduleTooFar, TimezoneRequired if that is all.
        TestModeOnlySandbox: a test key chose an account of a live network.
    """
    kept = kept or Kept()
    profile_id = ids.decode("prof", wish.profile_id)
    holding = await queries.holding(db, caller, profile_id) if profile_id else None
    if profile_id is None or holding is None:
        raise problems.invalid("/profileId", "not_found", "There is no such profile.")
    found = Findings()
    _find_unavailable(wish, found)
    files = await Files.read(db, caller, wish, kept.media, fetched or {}, found)
    zone, draft = wish.timezone or holding.timezone, is_draft(wish)
    if wish.timezone is not None and clock.zone(wish.timezone) is None:
        found.add("/timezone", "format", "This is no IANA time zone, such as Europe/Berlin.")
    times_ = _Times(zone, draft, kept, found)
    schedule = kept.schedule or times_.read(wish.scheduled_at, "/scheduledAt")
    chosen = _choose(wish, holding, files, times_, found)
    if caller.mode == "test" and any(one.platform != "sandbox" for one in chosen):
        raise TestModeOnlySandbox("A test key publishes to sandbox accounts only.")
    if not draft and not chosen and wish.platforms is None and wish.targets is None:
        found.add("/platforms", "required", "Name the platforms, or single accounts in targets.")
    options = _options(wish, found)
    found.raise_all()
    own_times = [one.scheduled_at for one in chosen]
    if schedule is None and own_times and None not in own_times:
        earliest = min(at for at in own_times if at is not None)
        schedule = Moment(earliest, times.local(earliest, zone))
    composed = Composed(
        profile_id, holding, wish.title, wish.text or wish.description or "", files.refs(own(wish)), files.ids(),
        wish.link,
        [{"text": part.text, "media": files.refs(part.media)} for part in wish.thread], wish.first_comment, options,
        zone, draft, schedule.at if schedule else None, schedule.local if schedule else None, chosen, times_.warnings,
    )  # fmt: skip
    _preflight(composed, files)
    return composed


def is_draft(wish: CreatePost) -> bool:
    """Whether the wish is to keep the post for later."""
    return wish.draft or wish.publish_mode == "draft"


def refuse(composed: Composed) -> None:
    """Raise if a network would refuse a post that is to go out.

    Raises:
        PreflightFailed: with every broken rule of every target.
    """
    if broken := issues(composed):
        raise PreflightFailed(errors=broken)


def issues(composed: Composed) -> list[Issue]:
    """Return the rules of networks that the post breaks."""
    return [
        Issue(
            _place(one, finding),
            finding.rule,
            finding.message,
            {**(finding.params or {}), "platform": one.platform, "accountId": ids.encode("acc", one.holder.id)},
        )
        for one, finding in composed.findings
        if finding.severity == "error"
    ]


def _find_unavailable(wish: CreatePost, found: Findings) -> None:
    """Refuse what this version cannot do yet, rather than forget it silently; and what contradicts itself."""
    for path, asked in (
        ("/recurrence", wish.recurrence is not None),
        ("/utm", wish.utm is not None),
        ("/shortenLinks", wish.shorten_links),
        ("/publishMode", wish.publish_mode == "slot"),
    ):
        if asked:
            found.add(path, "not_allowed", "This is not available yet.")
    if wish.platforms is not None and wish.targets is not None:
        found.add("/targets", "not_allowed", "Send either platforms or targets.")
    if wish.text is not None and wish.description is not None:
        found.add("/description", "not_allowed", "description is another name for text: send one of them.")
    if sum(given is not None for given in (wish.media, wish.media_url, wish.media_urls)) > 1:
        found.add("/media", "not_allowed", "Send one of media, mediaUrl and mediaUrls.")
    if wish.publish_mode == "schedule" and wish.scheduled_at is None:
        found.add("/scheduledAt", "required", "A scheduled post needs a time.")
    if wish.publish_mode == "now" and wish.scheduled_at is not None:
        found.add("/scheduledAt", "not_allowed", "A post that goes out now has no other time.")
    if wish.draft and wish.publish_mode not in (None, "draft"):
        found.add("/publishMode", "not_allowed", "A draft is not published.")


class _Times:
    """Reads the times of one wish. A draft's may have passed: it is judged when it is scheduled."""

    def __init__(self, zone: str, draft: bool, kept: Kept, found: Findings) -> None:  # noqa: FBT001
        self.zone = zone
        self.draft = draft
        self.kept = kept
        self.found = found
        self.now = clock.now()
        self.warnings: list[Notice] = []

    def read(self, text: str | None, path: str) -> Moment | None:
        """Return the moment that is meant; None when there is none, or a finding was noted."""
        if text is None:
            return None
        free = self.draft or (self.kept.target_times and path != "/scheduledAt")
        read = times.read(text, self.zone, path) if free else times.schedule(text, self.zone, self.now, path)
        if isinstance(read, Fault):
            self.found.add_fault(read)
            return None
        if read.warning is not None:
            self.warnings.append(Notice("schedule.dst", path, read.warning))
        return read


def _choose(wish: CreatePost, holding: Holding, files: Files, times_: _Times, found: Findings) -> list[Chosen]:
    if wish.targets is not None:
        return _single_accounts(wish.targets, holding, files, times_, found)
    chosen: dict[UUID, Chosen] = {}
    for index, slug in enumerate(wish.platforms or ()):
        platform = networks.canonical(slug)
        holders = [holder for holder in holding.accounts if holder.platform == platform]
        if platform is None:
            found.add(
                f"/platforms/{index}", "not_allowed", "There is no such platform.", known=list(networks.PLATFORMS)
            )
        elif not holders:
            found.add(f"/platforms/{index}", "not_found", f"The profile has no connected account on {platform}.")
        elif holders[0].id in chosen:
            found.add(f"/platforms/{index}", "not_unique", f"{platform} is named twice.")
        chosen |= {holder.id: Chosen(holder) for holder in holders}
    return list(chosen.values())


def _single_accounts(
    wished: Sequence[TargetWish], holding: Holding, files: Files, times_: _Times, found: Findings
) -> list[Chosen]:
    by_id = {holder.id: holder for holder in holding.accounts}
    chosen: dict[UUID, Chosen] = {}
    for index, target in enumerate(wished):
        account_id = ids.decode("acc", target.account_id)
        holder = by_id.get(account_id) if account_id else None
        at = times_.read(target.scheduled_at, f"/targets/{index}/scheduledAt")
        if holder is None:
            message = "The profile has no such connected account."
            found.add(f"/targets/{index}/accountId", "not_found", message)
        elif holder.id in chosen:
            found.add(f"/targets/{index}/accountId", "not_unique", "This account is named twice.")
        else:
            media = None if target.media is None else files.refs(target.media)
            _bounded(target.options, f"/targets/{index}/options", found)
            chosen[holder.id] = Chosen(
                holder, index, target.text, target.title, media, target.options, at.at if at else None
            )
    return list(chosen.values())


def _options(wish: CreatePost, found: Findings) -> dict[str, dict[str, Any]]:
    options: dict[str, dict[str, Any]] = {}
    for slug, values in wish.options.items():
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


def _bounded(options: Mapping[str, Any] | None, path: str, found: Findings) -> None:
    if options and len(msgspec.json.encode(options)) > OPTIONS_BYTES_MAX:
        found.add(path, "too_long", f"Options take at most {OPTIONS_BYTES_MAX} bytes of JSON.", max=OPTIONS_BYTES_MAX)


def _preflight(composed: Composed, files: Files) -> None:
    """Fill in the content hashes, the findings of each target, and the warnings among them."""
    sendable = {name: _without_bytes(row) for name, row in files.by_id.items()}
    checksums = {name: row.sha256 for name, row in files.by_id.items()}
    now = clock.now()
    for one in composed.chosen:
        whole = content.for_target(composed, one)
        one.content_hash = content.content_hash(one.holder.id, whole, checksums)
        outgoing = content.outgoing(whole, sendable, dedupe_key="", created_at=now)
        connector = networks.get(one.platform)
        if connector is None:
            message = f"Publishing to {one.platform} is not available yet."
            found = [PreflightIssue(f"{one.platform}.platform.unavailable", "/platforms", message)]
        else:
            found = preflight.check(connector, outgoing, one.holder.facts)
        composed.findings += ((one, finding) for finding in found)
    composed.warnings += [
        Notice(finding.rule, _place(one, finding), finding.message, one.platform, ids.encode("acc", one.holder.id))
        for one, finding in composed.findings
        if composed.draft or finding.severity == "warning"
    ]


def _place(one: Chosen, finding: PreflightIssue) -> str:
    own_fields = [name for name in ("text", "title", "media") if getattr(one, name) is not None]
    return content.place(finding, one.index, one.platform, [*own_fields, *(one.options or {})])


def _without_bytes(row: MediaRow) -> OutgoingMedia:
    def unread() -> NoReturn:
        raise RuntimeError("preflight reads no file")

    kind: Any = row.kind
    return OutgoingMedia(
        kind=kind, mime_type=row.mime_type, size_bytes=row.size_bytes, sha256=row.sha256, width=row.width,
        height=row.height, duration_ms=row.duration_ms, alt_text=row.alt_text, file_name=row.file_name, read=unread,
    )  # fmt: skip
