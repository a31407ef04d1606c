"""What each plan allows, as data. The names are those of the wire; null is unlimited; a GB is 10^9 bytes."""

from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from signalpost.settings import Settings

GB: Final = 10**9
Feature = Literal["profileLinks", "languageOverride", "inviteBranding", "approvals", "messengerLink"]


class Limits(Struct, frozen=True, rename="camel", kw_only=True):
    """One plan. Rows of things stay within a count; features are there or not."""

    profiles: int | None
    profile_links: bool
    language_override: bool
    accounts: int | None
    posts: int | None  # a calendar month, UTC
    scheduled_posts: int | None  # waiting at one time
    bulk_items: int | None  # posts of one bulk request, targets of one fan-out
    members: int | None  # with the owner and open invites
    api_keys: int | None
    webhooks: int | None
    platform_invites: int | None  # open ones
    invite_branding: bool
    storage_bytes: int | None
    file_bytes: int | None  # the largest one
    requests_per_minute: int | None
    writes_per_minute: int | None
    ai_captions: int | None  # a calendar month, UTC
    analytics_days: int | None
    delivery_log_days: int | None
    audit_days: int | None
    approvals: bool
    messenger_link: bool


SELF_HOSTED: Final = "self_hosted"
"""Plan of every workspace while SIGNALPOST_BILLING_ENABLED is false."""

PLANS: Final[dict[str, Limits]] = {
    "free": Limits(
        profiles=2, profile_links=False, language_override=False, accounts=4, posts=30, scheduled_posts=10,
        bulk_items=5, members=1, api_keys=1, webhooks=0, platform_invites=1, invite_branding=False,
        storage_bytes=1 * GB, file_bytes=GB // 2, requests_per_minute=60, writes_per_minute=10, ai_captions=10,
        analytics_days=30, delivery_log_days=0, audit_days=30, approvals=False, messenger_link=False,
    ),
    "starter": Limits(
        profiles=5, profile_links=True, language_override=False, accounts=15, posts=200, scheduled_posts=100,
        bulk_items=20, members=2, api_keys=3, webhooks=0, platform_invites=5, invite_branding=False,
        storage_bytes=10 * GB, file_bytes=GB // 2, requests_per_minute=120, writes_per_minute=30, ai_captions=100,
        analytics_days=90, delivery_log_days=0, audit_days=90, approvals=False, messenger_link=True,
    ),
    "pro": Limits(
        profiles=20, profile_links=True, language_override=True, accounts=60, posts=2_000, scheduled_posts=1_000,
        bulk_items=50, members=10, api_keys=10, webhooks=3, platform_invites=50, invite_branding=True,
        storage_bytes=100 * GB, file_bytes=2 * GB, requests_per_minute=600, writes_per_minute=120, ai_captions=1_000,
        analytics_days=365, delivery_log_days=14, audit_days=365, approvals=True, messenger_link=True,
    ),
    "max": Limits(
        profiles=None, profile_links=True, language_override=True, accounts=None, posts=None, scheduled_posts=10_000,
        bulk_items=50, members=None, api_keys=50, webhooks=None, platform_invites=None, invite_branding=True,
        storage_bytes=1_000 * GB, file_bytes=5 * GB, requests_per_minute=1_200, writes_per_minute=300,
        ai_captions=5_000, analytics_days=730, delivery_log_days=30, audit_days=None, approvals=True,
        messenger_link=True,
    ),
    SELF_HOSTED: Limits(
        profiles=None, profile_links=True, language_override=True, accounts=None, posts=None, scheduled_posts=None,
        bulk_items=None, members=None, api_keys=None, webhooks=None, platform_invites=None, invite_branding=True,
        storage_bytes=None, file_bytes=None, requests_per_minute=None, writes_per_minute=None, ai_captions=None,
        analytics_days=None, delivery_log_days=None, audit_days=None, approvals=True, messenger_link=True,
    ),
}  # fmt: skip

_BY_NAME: Final[dict[str, dict[str, Any]]] = {plan: msgspec.to_builtins(limits) for plan, limits in PLANS.items()}


def limit_of(plan: str, name: str) -> int | None:
    """Return the limit by its name on the wire (`profiles`, `fileBytes`); None is unlimited.

    Raises:
        KeyError: there is no such plan or limit.
    """
    found: int | None = _BY_NAME[plan][name]
    return found


def rates(settings: Settings) -> Callable[[str], tuple[int, int]]:
    """Return plan -> requests and writes per minute; where the plan sets none, the operator's guard holds."""

    def of(plan: str) -> tuple[int, int]:
        limits = PLANS[plan]
        return (
            limits.requests_per_minute or settings.requests_per_minute,
            limits.writes_per_minute or settings.writes_per_minute,
        )

    return of
