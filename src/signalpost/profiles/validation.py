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
from signalpost.profiles.schemas import LatePolicyIn, ProfileUpdate
from signalpost.web.caller import Caller

LATE_TOLERANCE_MINUTES = 720
MIN_GAP_SECONDS = 60

_MEDIA_EXISTS = """
select exists (select from media where id = $1 and workspace_id = $2 and deleted_at is null
    and (profile_id is null or $3::uuid[] is null or profile_id = any($3)))
"""


async def check(db: Db, caller: Caller, data: ProfileUpdate) -> None:
    """Check what the structs cannot say.

    Raises:
        ValidationFailed: with every finding.
    """
    findings = list(_findings(data))
    if isinstance(data.watermark_media_id, str):
        media_id = ids.decode("med", data.watermark_media_id)
        known = media_id and await db.fetchval(_MEDIA_EXISTS, media_id, caller.workspace_id, caller.sees_profiles)
        if not known:
            findings.append(Issue("/watermarkMediaId", "not_found", "There is no such media here."))
    if findings:
        raise problems.ValidationFailed(errors=findings)


def _findings(data: ProfileUpdate) -> Iterator[Issue]:
    if isinstance(data.timezone, str) and clock.zone(data.timezone) is None:
        yield Issue("/timezone", "not_allowed", "This is no IANA time zone, such as Europe/Berlin.")
    if UNSET not in (data.avatar, data.avatar_url) and data.avatar != data.avatar_url:
        yield Issue("/avatar", "not_allowed", "avatar is another name of avatarUrl; give one of them.")


def overlay(row: ProfileRow, data: ProfileUpdate, caller: Caller) -> ProfileRow:
    """Return the profile as it is wished: what is not mentioned stays, null returns to the default."""
    avatar_url = data.avatar if data.avatar_url is UNSET else data.avatar_url
    values: dict[str, Any] = {
        "name": clean_name(data.name) if data.name is not UNSET else UNSET,
        "avatar_url": avatar_url,
        "description": data.description,
        "color": data.color,
        "timezone": data.timezone or caller.workspace_timezone if data.timezone is not UNSET else UNSET,
        "language": data.language,
        "default_hashtags": [] if data.default_hashtags is None else data.default_hashtags,
        "watermark_media_id": _media_id(data.watermark_media_id),
        "approval_required": data.approval_required,
        "external_id": data.external_id,
        "metadata": {} if data.metadata is None else data.metadata,
    }
    policy = data.late_policy
    if policy is None:
        policy = LatePolicyIn(tolerance_minutes=LATE_TOLERANCE_MINUTES, min_gap_seconds=MIN_GAP_SECONDS)
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


def _media_id(data: object) -> object:
    return ids.decode("med", data) if isinstance(data, str) else data
