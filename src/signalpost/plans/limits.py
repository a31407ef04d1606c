"""What each plan allows. A limit is one row: the usage page, its schema, the count and the refusals come from it.

The names are those of the API. None is unlimited, a GB is 10^9 bytes.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from signalpost.settings import Settings

SELF_HOSTED: Final = "self_hosted"
"""The plan of every workspace while SIGNALPOST_BILLING_ENABLED is false: no limits, all features."""

PLANS: Final = ("free", "starter", "pro", "max", SELF_HOSTED)

DELETED: Final = "deleted"
"""The plan of a deleted workspace: nothing fits."""

_GB: Final = 10**9


class Limit(Struct, frozen=True):
    """A number that the plan sets for one request, for retention, or for a rate."""

    name: str
    by_plan: dict[str, int | None]
    description: str

    def of(self, plan: str) -> int | None:
        """Return the limit of this plan; None is unlimited."""
        return 0 if plan == DELETED else self.by_plan[plan]


class Counted(Limit, frozen=True):
    """A limit on how many there are at one time."""

    # Counts those of workspace $1. The tables belong to rooms above: asking each room for its count would take one hook
    # per limit, and nine statements for the usage page.
    sql: str


class Monthly(Limit, frozen=True):
    """A limit on the units spent in a calendar month, UTC. The table `usage` is their ledger."""


class Feature(Struct, frozen=True):
    """Something that a plan includes or does not include."""

    name: str
    by_plan: dict[str, bool]
    description: str

    def included_in(self, plan: str) -> bool:
        """Whether the plan includes it."""
        return self.by_plan[plan]


def _limits(free: int | None, starter: int | None, pro: int | None, max_: int | None) -> dict[str, int | None]:
    return dict(zip(PLANS, (free, starter, pro, max_, None), strict=True))


def _from(smallest: str) -> dict[str, bool]:
    return {plan: PLANS.index(plan) >= PLANS.index(smallest) for plan in PLANS}


# The four numbers are those of free, starter, pro and max.
PROFILES: Final = Counted(
    "profiles",
    _limits(2, 5, 20, None),
    "Profiles.",
    "select count(*) from profile where workspace_id = $1 and deleted_at is null",
)
ACCOUNTS: Final = Counted(
    "accounts",
    _limits(4, 15, 60, None),
    "Connected accounts.",
    "select count(*) from account where workspace_id = $1 and status <> 'disconnected'",
)
POSTS: Final = Monthly("posts", _limits(30, 200, 2_000, None), "Posts queued in a calendar month, UTC.")
SCHEDULED_POSTS: Final = Counted(
    "scheduledPosts",
    _limits(10, 100, 1_000, 10_000),
    "Posts that wait for their scheduled time.",
    "select count(*) from post where workspace_id = $1 and stage = 'scheduled' and deleted_at is null",
)
BULK_ITEMS: Final = Limit(
    "bulkItems", _limits(5, 20, 50, 50), "Posts in one bulk request, and target profiles of one fan-out."
)
MEMBERS: Final = Counted(
    "members",
    _limits(1, 2, 10, None),
    "Members of the workspace, including the owner and open invitations.",
    "select count(*) from member where workspace_id = $1"
    " and (status in ('active', 'suspended') or (status = 'invited' and expires_at > now()))",
)
API_KEYS: Final = Counted(
    "apiKeys",
    _limits(1, 3, 10, 50),
    "API keys that are neither revoked nor expired.",
    "select count(*) from api_key where workspace_id = $1 and revoked_at is null and app_id is null"
    " and (expires_at is null or expires_at > now())",
)
WEBHOOKS: Final = Counted(
    "webhooks",
    _limits(0, 0, 3, None),
    "Webhook endpoints.",
    "select count(*) from webhook where workspace_id = $1 and deleted_at is null",
)
PLATFORM_INVITES: Final = Counted(
    "platformInvites",
    _limits(1, 5, 50, None),
    "Open platform invitations.",
    "select count(*) from platform_invite i join profile p on p.id = i.profile_id and p.deleted_at is null"
    " where i.workspace_id = $1 and i.status in ('pending', 'opened', 'partially_connected') and i.expires_at > now()",
)
FEEDS: Final = Counted(
    "feeds",
    _limits(1, 5, 25, 100),
    "Feeds whose items become posts.",
    "select count(*) from feed where workspace_id = $1",
)
STORAGE_BYTES: Final = Counted(
    "storageBytes",
    _limits(1 * _GB, 10 * _GB, 100 * _GB, 1_000 * _GB),
    "Bytes of stored media, and of uploads that were announced.",
    "select coalesce(sum(size_bytes), 0)::bigint from media"
    " where workspace_id = $1 and deleted_at is null and status <> 'failed'",
)
FILE_BYTES: Final = Limit(
    "fileBytes", _limits(_GB // 2, _GB // 2, 2 * _GB, 5 * _GB), "The size of the largest media file, in bytes."
)
REQUESTS_PER_MINUTE: Final = Limit(
    "requestsPerMinute", _limits(60, 120, 600, 1_200), "Requests per minute and credential."
)
WRITES_PER_MINUTE: Final = Limit(
    "writesPerMinute", _limits(10, 30, 120, 300), "Requests per minute and credential that change something."
)
AI_CAPTIONS: Final = Monthly(
    "aiCaptions", _limits(10, 100, 1_000, 5_000), "Captions written by AI in a calendar month, UTC."
)
ANALYTICS_DAYS: Final = Limit("analyticsDays", _limits(30, 90, 365, 730), "Days that analytics go back.")
DELIVERY_LOG_DAYS: Final = Limit("deliveryLogDays", _limits(0, 0, 14, 30), "Days that webhook deliveries are kept.")
AUDIT_DAYS: Final = Limit("auditDays", _limits(30, 90, 365, None), "Days that the audit log is kept.")
# Words of people who have no account here: the more is paid, the longer they serve, but for a year at most.
COMMENT_DAYS: Final = Limit(
    "commentDays", _limits(90, 90, 180, 365), "Days that comments under posts are kept after they were collected."
)

PROFILE_LINKS: Final = Feature("profileLinks", _from("starter"), "Links between profiles.")
LANGUAGE_OVERRIDE: Final = Feature(
    "languageOverride", _from("pro"), "Links between profiles that change the language of a post."
)
INVITE_BRANDING: Final = Feature("inviteBranding", _from("pro"), "Own branding of platform invitations.")
APPROVALS: Final = Feature("approvals", _from("pro"), "Approval of posts before they are published.")
MESSENGER_LINK: Final = Feature("messengerLink", _from("starter"), "A link to a messenger.")

LIMITS: Final = (
    PROFILES, ACCOUNTS, POSTS, SCHEDULED_POSTS, BULK_ITEMS, MEMBERS, API_KEYS, WEBHOOKS, PLATFORM_INVITES,
    FEEDS, STORAGE_BYTES, FILE_BYTES, REQUESTS_PER_MINUTE, WRITES_PER_MINUTE, AI_CAPTIONS, ANALYTICS_DAYS,
    DELIVERY_LOG_DAYS, AUDIT_DAYS, COMMENT_DAYS,
)  # fmt: skip
FEATURES: Final = (PROFILE_LINKS, LANGUAGE_OVERRIDE, INVITE_BRANDING, APPROVALS, MESSENGER_LINK)


def rates(settings: Settings) -> Callable[[str], tuple[int, int]]:
    """Return plan -> requests and writes per minute; where the plan sets none, the operator's limit holds."""

    def of_plan(plan: str) -> tuple[int, int]:
        return (
            REQUESTS_PER_MINUTE.of(plan) or settings.requests_per_minute,
            WRITES_PER_MINUTE.of(plan) or settings.writes_per_minute,
        )

    return of_plan
