"""What the request structs cannot check by themselves, and how a request changes a stored profile."""

import unicodedata
from collections.abc import Iterator
from typing import TypeVar
from uuid import UUID

from msgspec import UNSET, UnsetType, structs

from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import problems, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries
from signalpost.profiles.queries import LATE_TOLERANCE_MINUTES, MIN_GAP_SECONDS, ProfileRow, UtmRow
from signalpost.profiles.schemas import LatePolicyIn, ProfileAttributes, UtmIn
from signalpost.web.caller import Caller
from signalpost.web.fields import MediaId

T = TypeVar("T")


async def require_no_live_use(db: Db, caller: Caller, *profile_ids: UUID) -> None:
    """Ensure that a test key changes no profile on which something live hangs.

    Raises:
        TestModeOnlySandbox: it would.
    """
    if caller.mode == "test":
        for profile_id in profile_ids:
            if await queries.in_live_use(db, caller.workspace_id, profile_id):
                raise TestModeOnlySandbox("Live posts, files, webhooks or keys belong to this profile. Use a live key.")


async def check(context: AppContext, db: Db, caller: Caller, data: ProfileAttributes) -> None:
    """Check the time zone, the alias `avatar`, and the files for picture and watermark.

    Raises:
        ValidationFailed: with all issues at once.
    """
    issues = list(_issues(data))
    for path, media_id in (("/avatarMediaId", data.avatar_media_id), ("/watermarkMediaId", data.watermark_media_id)):
        if isinstance(media_id, MediaId) and not await context.hooks.media_exists(
            db,
            caller.workspace_id,
            media_id,
            profile_ids=caller.sees_profiles,
            uploader=caller.uploader,
            live=caller.mode == "live",
        ):
            issues.append(MediaId.not_found(path))
    if issues:
        raise problems.ValidationFailed(errors=issues)


def _issues(data: ProfileAttributes) -> Iterator[Issue]:
    if isinstance(data.timezone, str) and zones.zone(data.timezone) is None:
        yield zones.unknown("/timezone", data.timezone)
    if UNSET not in (data.avatar, data.avatar_url) and data.avatar != data.avatar_url:
        yield Issue("/avatar", "not_allowed", "avatar is an alias of avatarUrl; send only one of them.")


def apply(data: ProfileAttributes, row: ProfileRow, caller: Caller) -> ProfileRow:
    """Return the profile with the changes: an absent field stays as it is, null restores the default.

    Raises:
        PlanFeatureUnavailable: they switch the approval gate on, which the plan does not include.
    """
    if data.approval_required is True and not row.approval_required:
        plans.require_feature(caller, limits.APPROVALS)
    avatar_url = data.avatar if data.avatar_url is UNSET else data.avatar_url
    policy = data.late_policy
    if policy is UNSET:
        policy = LatePolicyIn()
    elif policy is None:
        policy = LatePolicyIn(tolerance_minutes=LATE_TOLERANCE_MINUTES, min_gap_seconds=MIN_GAP_SECONDS)
    zone = _changed(data.timezone, row.timezone)
    gap_chosen = row.gap_chosen if policy.min_gap_seconds is UNSET else data.late_policy is not None
    return structs.replace(
        row,
        name=row.name if data.name is UNSET else clean_name(data.name),
        avatar_url=_changed(avatar_url, row.avatar_url),
        avatar_media_id=_changed(data.avatar_media_id, row.avatar_media_id),
        description=_changed(data.description, row.description),
        color=_changed(data.color, row.color),
        timezone=zone or caller.workspace_timezone,
        zone_chosen=caller.workspace_zone_chosen if not zone else row.zone_chosen or data.timezone is not UNSET,
        language=_changed(data.language, row.language),
        default_hashtags=_changed(data.default_hashtags, row.default_hashtags) or [],
        default_utm=row.default_utm if data.default_utm is UNSET else _utm(data.default_utm),
        watermark_media_id=_changed(data.watermark_media_id, row.watermark_media_id),
        late_tolerance_minutes=_changed(policy.tolerance_minutes, row.late_tolerance_minutes),
        min_gap_seconds=_changed(policy.min_gap_seconds, row.min_gap_seconds),
        gap_chosen=gap_chosen,
        approval_required=_changed(data.approval_required, row.approval_required),
        external_id=_changed(data.external_id, row.external_id),
        metadata=_changed(data.metadata, row.metadata) or {},
    )


def _utm(data: UtmIn | None) -> UtmRow | None:
    return None if data is None else UtmRow(**structs.asdict(data))


def _changed(value: T | UnsetType, stored: T) -> T:
    return stored if value is UNSET else value


def clean_name(name: str) -> str:
    """Return the name without surrounding whitespace, in Unicode form NFC, in which names are compared."""
    return unicodedata.normalize("NFC", name).strip()
