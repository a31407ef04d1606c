"""From a body to the rows of a post: which accounts it goes to, with what content, when. Reads; writes nothing."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import UNSET, Struct

from signalpost import networks
from signalpost.accounts.platforms import how_to_connect
from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import clock, ids, issue_text, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import ValidationFailed, pointer
from signalpost.posts import queries, recurrences, times
from signalpost.posts.compose.fetch import Fetched
from signalpost.posts.compose.issues import IssueCollector
from signalpost.posts.compose.media import MediaRows, PostMedia, resolve_media
from signalpost.posts.compose.schedule import Schedule, Unchanged, resolve_schedule
from signalpost.posts.compose.slot import PickedSlot, pick_slot
from signalpost.posts.documents import FirstComment, Recurrence, Utm
from signalpost.posts.queries import ConnectedAccount, ProfileWithAccounts
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.schemas.requests import PostAttributes, PostCreate, TargetIn
from signalpost.posts.schemas.responses import PublishMode, Source
from signalpost.posts.times import Moment
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId, ProfileId

OPTIONS_BYTES_MAX: Final = 32_768
CHARACTERS_MAX: Final = 100_000
"""Of the text, the thread, and what targets have of their own, together; drafts included."""
TARGETS_MAX: Final = 100
"""Of a post, however they are named."""
_SOURCES: Final[Mapping[str, Source]] = {"api_key": "api", "session": "dashboard", "messaging": "messaging"}
_NO_SLOTS_TOGETHER: Final = "A post for several profiles gets no slots: send one for each profile by POST /posts/bulk."
_WAITING, _NO_COMMENT = FirstComment(status="pending"), FirstComment()


class TargetDraft(Struct):
    """A target as a new row, pending and not due. `index` is its position in `targets` of the body."""

    row: TargetRow
    account: ConnectedAccount
    index: int | None


class Existing(Struct, frozen=True):
    """What was found out before about what the body names; None: read it. `slot_later`: the writer picks it."""

    fetched: Fetched = MappingProxyType({})
    profile: ProfileWithAccounts | None = None
    media_rows: MediaRows | None = None
    slot_later: bool = False


class PostDraft(Struct):
    """A post as the body wants it; not written, and not yet checked by `preflight`."""

    post: PostRow
    targets: list[TargetDraft]
    profile: ProfileWithAccounts
    media: PostMedia
    is_draft: bool
    slot: PickedSlot | None = None

    @property
    def target_rows(self) -> list[TargetRow]:
        """The rows of the targets."""
        return [target.row for target in self.targets]


def wants_draft(data: PostCreate) -> bool:
    """Whether the body asks to keep the post for later."""
    return data.draft or data.publish_mode == "draft"


async def build_draft(
    context: AppContext,
    db: Db | None,
    caller: Caller,
    data: PostCreate,
    base: PostRow | None = None,
    unchanged: Unchanged = Unchanged(),  # noqa: B008 - frozen
    existing: Existing = Existing(),  # noqa: B008 - frozen
) -> PostDraft:
    """Read what the body names, and build the rows of the post.

    An update changes the stored post `base`, and leaves `unchanged` as it was. If `existing` has the profile, and the
    files or the body names none, `db` may be None, unless the body asks for a slot.

    Raises:
        ValidationFailed: with every issue; or ScheduleInPast, ScheduleTooFar, TimezoneRequired if that is all.
        NoFreeSlot, ProfileArchived: the queue of a post that asks for a slot has none; the profile is archived.
        TestModeOnlySandbox: a test key chose an account of a live network.
    """
    profile = existing.profile
    if profile is None:
        assert db is not None  # noqa: S101 - see above
        profile = await read_profile(db, caller, data)
    profile.require_in_use()
    issues = IssueCollector()
    _collect_contradictions(data, issues)
    _collect_length(data, issues)
    if existing.media_rows is not None:
        _collect_lonely(data, issues, slot_later=existing.slot_later)
    media = await resolve_media(db, caller, data, unchanged.media_ids, existing.fetched, issues, existing.media_rows)
    is_draft, zone_name = wants_draft(data), data.timezone or profile.timezone
    if data.timezone is not None and zones.zone(data.timezone) is None:
        issues.append(zones.unknown("/timezone", data.timezone))
        zone_name = profile.timezone  # so that the times are checked too, and the zone is not reported again
    schedule = resolve_schedule(
        data,
        zone_name,
        unchanged,
        issues,
        is_draft=is_draft,
        zone_chosen=profile.zone_chosen or data.timezone is not None,
    )
    recurrence = _resolve_recurrence(data, schedule, zone_name, issues, is_draft=is_draft)
    options = _options(data, issues)
    chosen = _chosen_accounts(context, data, profile, issues)
    if len(chosen) > TARGETS_MAX and not unchanged.targets:
        message = f"These are {len(chosen)} accounts; a post goes to at most {TARGETS_MAX}: name them in targets."
        issues.add("/platforms" if data.targets is None else "/targets", "too_long", message, max=TARGETS_MAX)
    slugs = {networks.canonical(slug) for slug in data.platforms or ()} | {account.platform for account, _ in chosen}
    if caller.mode == "test" and slugs - {"sandbox", None}:
        raise TestModeOnlySandbox("A test key publishes to sandbox accounts only.")
    if not is_draft and not chosen and data.platforms is None and not data.targets:
        issues.add("/platforms", "required", 'Name the platforms, or single accounts in targets. Example: ["bluesky"].')
    issues.raise_if_any()
    slot = None
    if data.publish_mode == "slot" and not existing.slot_later:
        assert db is not None  # noqa: S101 - see above
        account_ids = [account.id for account, _ in chosen]
        slot = await pick_slot(db, caller.workspace_id, data.profile_id, data.queue_id, account_ids, base)
        zone_name = slot.queue.zone_name
        schedule.use_slot(slot.moment)
    post = _new_post(caller, data, profile) if base is None else msgspec.structs.replace(base)
    _fill(post, data, base, media, schedule, options, zone_name, is_draft=is_draft)
    post.recurrence = recurrence
    targets = [
        _target(post, position, account, index, data, media, schedule)
        for position, (account, index) in enumerate(chosen)
    ]
    return PostDraft(post, targets, profile, media, is_draft, slot)


async def read_profile(db: Db, caller: Caller, data: PostCreate, heard: str = "false") -> ProfileWithAccounts:
    """Return the profile with the accounts that the body may mean, and no others: a profile can have hundreds.

    `heard`: see `queries.profile_with_accounts`.

    Raises:
        ValidationFailed: there is no such profile.
    """
    account_ids, platforms = [target.account_id for target in data.targets or ()], None
    if data.targets is None and data.platforms is not None:
        platforms = [platform for slug in data.platforms if (platform := networks.canonical(slug)) is not None]
    profile = await queries.profile_with_accounts(
        db, caller, data.profile_id, account_ids=account_ids, platforms=platforms, heard=heard
    )
    if profile is None:
        raise ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    return profile


def _collect_contradictions(data: PostCreate, issues: IssueCollector) -> None:
    """Refuse what this version cannot do yet, rather than ignore it silently; and what contradicts itself."""
    if data.shorten_links:
        issues.add("/shortenLinks", "not_allowed", "This service shortens no links: leave it out, and send short ones.")
    if data.platforms is not None and data.targets is not None:
        issues.add("/targets", "not_allowed", "Send either platforms or targets, not both.")
    if data.text is not None and data.description is not None:
        issues.add("/description", "not_allowed", "description is another name for text: send only one of them.")
    if (data.media, data.media_url, data.media_urls).count(None) < 2:
        issues.add("/media", "not_allowed", "Send only one of media, mediaUrl and mediaUrls.")
    _collect_contradicting_times(data, issues)


def _collect_length(data: PostCreate, issues: IssueCollector) -> None:
    """Refuse more text than a post may have, all of its texts together."""
    texts = [data.text, data.description]
    texts += [part.text for part in data.thread or ()]
    texts += [text for target in data.targets or () for text in (target.text, target.title)]
    if (length := sum(len(text) for text in texts if text)) > CHARACTERS_MAX:
        message = f"Text, thread and texts of targets have at most {CHARACTERS_MAX} characters together, not {length}."
        issues.add("/thread" if data.thread else "/text", "too_long", message, max=CHARACTERS_MAX)


def _collect_lonely(data: PostCreate, issues: IssueCollector, *, slot_later: bool) -> None:
    """Refuse what one of many posts that are written together cannot have."""
    if data.publish_mode == "slot" and not slot_later:
        issues.add("/publishMode", "not_allowed", _NO_SLOTS_TOGETHER)
    if data.recurrence is not None:
        issues.add("/recurrence", "not_allowed", "Create posts that repeat one by one, by POST /posts.")


def _resolve_recurrence(
    data: PostCreate, schedule: Schedule, zone_name: str, issues: IssueCollector, *, is_draft: bool
) -> Recurrence | None:
    """Return how the post repeats, and collect what is wrong with that."""
    if data.recurrence is None:
        return None
    if data.publish_mode == "slot":
        issues.add("/recurrence", "not_allowed", "A post in a slot does not repeat: send scheduledAt.")
    elif schedule.post is None and not is_draft and data.scheduled_at is None:
        issues.add("/scheduledAt", "required", "A post that repeats needs the time at which it is first published.")
    for index, target in enumerate(data.targets or ()):
        if target.scheduled_at is not None:
            message = "The accounts of a post that repeats have no times of their own."
            issues.add(f"/targets/{index}/scheduledAt", "not_allowed", message)
    checked = recurrences.check(data.recurrence, zone_name, None if schedule.post is None else schedule.post.at)
    if isinstance(checked, Recurrence):
        return checked
    for issue in checked:
        issues.append(issue)
    return None


def _collect_contradicting_times(data: PostCreate, issues: IssueCollector) -> None:
    if data.publish_mode == "schedule" and data.scheduled_at is None:
        issues.add("/scheduledAt", "required", "A scheduled post needs a time, such as 2026-11-21T18:00:00Z.")
    if data.publish_mode == "now" and data.scheduled_at is not None:
        remedy = "leave scheduledAt out, or send publishMode: schedule."
        issues.add("/scheduledAt", "not_allowed", f"A post that is published now has no other time: {remedy}")
    if data.publish_mode == "slot" and data.scheduled_at is not None:
        issues.add("/scheduledAt", "not_allowed", "A post in a slot has the time of the slot: leave scheduledAt out.")
    if data.queue_id is not None and data.publish_mode != "slot":
        issues.add("/queueId", "not_allowed", "Send publishMode: slot with it, or leave it out.")
    if data.draft and data.publish_mode not in (None, "draft"):
        issues.add("/publishMode", "not_allowed", "A draft is not published: leave publishMode or draft out.")


def _options(data: PostCreate, issues: IssueCollector) -> dict[str, dict[str, Any]]:
    """Return the options by the canonical name of each platform."""
    options: dict[str, dict[str, Any]] = {}
    for slug, values in data.options.items():
        platform = networks.canonical(slug)
        path = pointer("options", slug)
        if platform is None:
            issues.append(issue_text.not_allowed(path, slug, networks.PLATFORMS))
        elif platform in options:
            issues.add(path, "not_unique", f"{platform} is named twice.")
        else:
            options[platform] = values
    if options:
        _collect_oversize(options, "/options", issues)
    for index, target in enumerate(data.targets or ()):
        if target.options:
            _collect_oversize(target.options, f"/targets/{index}/options", issues)
    return options


def _collect_oversize(options: Mapping[str, Any], path: str, issues: IssueCollector) -> None:
    if len(msgspec.json.encode(options)) > OPTIONS_BYTES_MAX:
        message = f"Options take at most {OPTIONS_BYTES_MAX} bytes of JSON."
        issues.add(path, "too_long", message, max=OPTIONS_BYTES_MAX)


# --- accounts ------------------------------------------------------------------------------------------------------


def _chosen_accounts(
    context: AppContext, data: PostCreate, profile: ProfileWithAccounts, issues: IssueCollector
) -> list[tuple[ConnectedAccount, int | None]]:
    """Return the accounts that get the post, each with its position in `targets` of the body, if it is named there."""
    if data.targets is not None:
        return _named_accounts(data.targets, profile, issues)
    chosen: dict[UUID, ConnectedAccount] = {}
    for index, slug in enumerate(data.platforms or ()):
        path, platform = f"/platforms/{index}", networks.canonical(slug)
        accounts = [account for account in profile.accounts if account.platform == platform]
        if platform is None:
            issues.append(issue_text.not_allowed(path, slug, networks.PLATFORMS))
        elif not accounts:
            remedy = how_to_connect(context, platform)
            issues.add(path, "not_found", f"The profile has no connected account on {platform}. {remedy}")
        elif accounts[0].id in chosen:
            issues.add(path, "not_unique", f"{platform} is named twice.")
        chosen |= {account.id: account for account in accounts}
    return [(account, None) for account in chosen.values()]


def _named_accounts(
    targets: list[TargetIn], profile: ProfileWithAccounts, issues: IssueCollector
) -> list[tuple[ConnectedAccount, int | None]]:
    accounts = {account.id: account for account in profile.accounts}
    chosen: dict[UUID, tuple[ConnectedAccount, int | None]] = {}
    for index, target in enumerate(targets):
        path, account = f"/targets/{index}/accountId", accounts.get(target.account_id)
        if account is None:
            issues.append(AccountId.not_found(path))
        elif account.id in chosen:
            issues.add(path, "not_unique", "This account is named twice: leave one out.")
        else:
            chosen[account.id] = (account, index)
    return list(chosen.values())


# --- rows ----------------------------------------------------------------------------------------------------------


def _fill(
    post: PostRow,
    data: PostCreate,
    base: PostRow | None,
    media: PostMedia,
    schedule: Schedule,
    options: dict[str, dict[str, Any]],
    zone_name: str,
    *,
    is_draft: bool,
) -> None:
    """Write what the body says into a new post, or into a copy of the stored one, `base`."""
    post.text = data.text or data.description or ""
    post.media, post.media_ids, post.thread = media.post, media.ids, media.thread
    post.options = options
    post.timezone = zone_name
    post.scheduled_local, post.tzdata_version = _wall_time(base, schedule.post, zone_name)
    post.publish_mode = _publish_mode(schedule, is_draft=is_draft)
    post.scheduled_at = schedule.post.at if schedule.post else None
    post.warnings = list(schedule.warnings)
    for name in PostAttributes.__struct_fields__:
        if (value := getattr(data, name)) is not UNSET:
            setattr(post, name, value)
    if data.utm is not UNSET:
        post.utm = None if data.utm is None else Utm(**msgspec.structs.asdict(data.utm))


def _publish_mode(schedule: Schedule, *, is_draft: bool) -> PublishMode:
    if is_draft:
        return "draft"
    if schedule.post is None:
        return "now"
    return "slot" if schedule.in_slot else "schedule"


def _wall_time(base: PostRow | None, moment: Moment | None, zone_name: str) -> tuple[datetime | None, str | None]:
    """Return the wall time if one was asked for, and the version of the zone rules by which its instant was found.

    An instant that stays as it was keeps both, also if a client writes back the time that it has read.
    """
    if moment is None:
        return None, times.tzdata_version()
    stays = base is not None and (base.scheduled_at, base.timezone) == (moment.at, zone_name)
    if base is not None and stays and moment.local in (None, base.scheduled_local):
        return base.scheduled_local, base.tzdata_version
    return moment.local, times.tzdata_version()


def _new_post(caller: Caller, data: PostCreate, profile: ProfileWithAccounts) -> PostRow:
    now = clock.now()
    return PostRow(
        id=ids.new_id(),
        workspace_id=caller.workspace_id,
        profile_id=data.profile_id,
        timezone="UTC",
        created_by=caller.actor,
        created_by_user_id=caller.user_id,
        source=_SOURCES[caller.auth],
        mode=caller.mode,
        utm=None if profile.default_utm is None else Utm(**profile.default_utm),
        created_at=now,
        updated_at=now,
    )


def _target(
    post: PostRow,
    position: int,
    account: ConnectedAccount,
    index: int | None,
    data: PostCreate,
    media: PostMedia,
    schedule: Schedule,
) -> TargetDraft:
    target_id = ids.new_id()
    row = TargetRow(
        id=target_id,
        post_id=post.id,
        workspace_id=post.workspace_id,
        account_id=account.id,
        position=position,
        platform=account.platform,
        username=account.username,
        account_status=account.status,
        content_hash=b"",
        dedupe_key=target_id.hex,
        first_comment=_WAITING if post.first_comment else _NO_COMMENT,
    )
    if data.targets is not None and index is not None:
        overrides = data.targets[index]
        row.text, row.title, row.options = overrides.text, overrides.title, overrides.options
        row.media, row.scheduled_at = media.targets[index], schedule.targets[index]
    return TargetDraft(row, account, index)
