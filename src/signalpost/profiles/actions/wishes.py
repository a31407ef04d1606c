"""What a caller wishes of a profile, judged against what the structs cannot say, and laid over what is there."""

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from msgspec import UNSET

from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.profiles.queries import ProfileRow
from signalpost.profiles.schemas import LatePolicyWish, UpdateProfile
from signalpost.web.caller import Caller

LATE_TOLERANCE_MINUTES = 720
MIN_GAP_SECONDS = 60

_MEDIA_EXISTS = """
select exists (select from media where id = $1 and workspace_id = $2 and deleted_at is null
    and (profile_id is null or $3::uuid[] is null or profile_id = any($3)))
"""


async def check(db: Db, caller: Caller, wish: UpdateProfile) -> None:
    """Find what is wrong with a wish.

    Raises:
        ValidationFailed: with every finding.
    """
    findings = list(_findings(wish))
    if isinstance(wish.watermark_media_id, str):
        media_id = ids.decode("med", wish.watermark_media_id)
        known = media_id and await db.fetchval(_MEDIA_EXISTS, media_id, caller.workspace_id, caller.sees_profiles)
        if not known:
            findings.append(Issue("/watermarkMediaId", "not_found", "There is no such media here."))
    if findings:
        raise problems.ValidationFailed(errors=findings)


def _findings(wish: UpdateProfile) -> Iterator[Issue]:
    if isinstance(wish.timezone, str) and clock.zone(wish.timezone) is None:
        yield Issue("/timezone", "not_allowed", "This is no IANA time zone, such as Europe/Berlin.")
    if UNSET not in (wish.avatar, wish.avatar_url) and wish.avatar != wish.avatar_url:
        yield Issue("/avatar", "not_allowed", "avatar is another name of avatarUrl; give one of them.")


def overlay(row: ProfileRow, wish: UpdateProfile, caller: Caller) -> ProfileRow:
    """Return the profile as it is wished: what is not mentioned stays, null returns to the default."""
    avatar_url = wish.avatar if wish.avatar_url is UNSET else wish.avatar_url
    values: dict[str, Any] = {
        "name": clean_name(wish.name) if wish.name is not UNSET else UNSET,
        "avatar_url": avatar_url,
        "description": wish.description,
        "color": wish.color,
        "timezone": wish.timezone or caller.workspace_timezone if wish.timezone is not UNSET else UNSET,
        "language": wish.language,
        "default_hashtags": [] if wish.default_hashtags is None else wish.default_hashtags,
        "watermark_media_id": _media_id(wish.watermark_media_id),
        "approval_required": wish.approval_required,
        "external_id": wish.external_id,
        "metadata": {} if wish.metadata is None else wish.metadata,
    }
    policy = wish.late_policy
    if policy is None:
        policy = LatePolicyWish(tolerance_minutes=LATE_TOLERANCE_MINUTES, min_gap_seconds=MIN_GAP_SECONDS)
    if policy is not UNSET:
        values["late_tolerance_minutes"] = policy.tolerance_minutes
        values["min_gap_seconds"] = policy.min_gap_seconds
    return replace(row, **{name: value for name, value in values.items() if value is not UNSET})


def clean_name(name: str) -> str:
    """Return the name without outer space, in the one Unicode form that names are compared in."""
    return unicodedata.normalize("NFC", name).strip()


def slug_of(name: str) -> str:
    """Return `name` in lower-case ASCII letters, digits and dashes; `profile` when nothing is left of it."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = "".join(char if char.isalnum() else " " for char in plain).split()
    return "-".join(words)[:60].strip("-") or "profile"


def _media_id(wish: object) -> object:
    return ids.decode("med", wish) if isinstance(wish, str) else wish
