from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from signalpost.kit.wire import Input, Instant, Output

Status = Literal["active", "expiring", "needs_reauth", "restricted", "paused", "disconnected"]
Kind = Literal["personal", "page", "business", "channel", "group", "board", "server", "instance"]
Via = Literal["api", "dashboard", "invite", "messaging", "sandbox"]
ProfileId = Annotated[str, Meta(max_length=40, examples=["prof_01JD7ZK8Q4M4S0V9T6B2X3Y5W7"])]
AccountId = Annotated[str, Meta(max_length=40, examples=["acc_01JD7ZK8Q4M4S0V9T6B2X3Y5W7"])]
Url = Annotated[str, Meta(max_length=2048)]


class Capabilities(Output):
    text: bool
    image: bool
    video: bool
    carousel: bool
    story: bool
    thread: bool
    first_comment: bool
    delete: bool
    analytics: bool
    max_text_length: int


class PlatformAccount(Output):
    id: str
    profile_id: str
    platform: str
    kind: Kind
    platform_account_id: str
    username: str
    display_name: str
    avatar_url: str | None
    profile_url: str | None
    status: Status
    status_reason: str | None
    connected_via: Via
    parent_account_id: str | None
    scopes: list[str]
    capabilities: Capabilities
    token_expires_at: Instant | None
    refreshable: bool
    last_published_at: Instant | None
    last_checked_at: Instant | None
    followers: int | None
    daily_limit: int | None
    posts_today: int
    over_limit: bool
    created_at: Instant
    updated_at: Instant


class AccountQuery(Input):
    profile_id: ProfileId | None = None
    include_disconnected: bool = False


class AllAccountsQuery(Input):
    include_disconnected: bool = False


class AccountConnect(Input):
    """The credential form of a platform. `accountId`: connect this account again."""

    profile_id: ProfileId
    fields: Annotated[
        dict[Annotated[str, Meta(max_length=64)], Annotated[str, Meta(max_length=4096)]],
        Meta(max_length=20, examples=[{"username": "bakery"}]),
    ]
    account_id: AccountId | None = None


class AccountUpdate(Input):
    """Pause or resume an account, or move it to another profile."""

    status: Literal["active", "paused"] | None = None
    profile_id: ProfileId | None = None


class Disconnection(Output):
    id: str
    status: Literal["disconnected"]
    revoked_at_platform: bool
    affected_posts: int


class HealthQuery(Input):
    refresh: Annotated[bool, Meta(description="Ask the platform now, whatever is known already")] = False


class TokenHealth(Output):
    valid: bool
    expires_at: Instant | None
    expires_in_seconds: int | None
    refreshable: bool
    last_refreshed_at: Instant | None
    last_refresh_error: str | None


class Permissions(Output):
    granted: list[str]
    missing: list[str]
    can_post: bool
    can_read_analytics: bool


class Quota(Output):
    used: int
    limit: int | None
    resets_at: Instant | None


class Recent(Output):
    published: int
    failed: int
    window: Literal["7d"]


class HealthIssue(Output):
    code: str
    message: str


class AccountHealth(Output):
    account_id: str
    platform: str
    status: Literal["healthy", "warning", "error"]
    account_status: Status
    token: TokenHealth
    permissions: Permissions
    quota: Quota
    recent: Recent
    issues: list[HealthIssue]
    recommendations: list[str]
    checked_at: Instant
    live: bool


class AuthUrlQuery(Input):
    profile_id: ProfileId
    redirect_url: Url | None = None
    account_id: AccountId | None = None
    login_hint: Annotated[str, Meta(max_length=200)] | None = None
    instance_url: (
        Annotated[str, Meta(max_length=300, description="Your server, for example mastodon.social")] | None
    ) = None


class FormField(Output):
    name: str
    label: str
    secret: bool
    required: bool


class Authorization(Output):
    """`mode` oauth: send the person to `url`. `mode` credentials: POST /platforms/{platform}/connect with `fields`."""

    url: str | None
    auth_url: str | None
    state: str | None
    platform: str
    profile_id: str
    expires_at: Instant | None
    redirect_uri: str | None
    mode: Literal["oauth", "credentials"]
    fields: list[FormField] | None


class CallbackQuery(Struct, kw_only=True):
    """What a platform sends back; its names, and whatever else it may add."""

    state: Annotated[str, Meta(max_length=200)]
    code: Annotated[str, Meta(max_length=4096)] | None = None
    error: Annotated[str, Meta(max_length=200)] | None = None
    error_description: Annotated[str, Meta(max_length=2000)] | None = None
    logid: Annotated[str, Meta(max_length=200)] | None = None


class CallbackResult(Output):
    status: Literal["connected", "selection_required", "failed"]
    account: PlatformAccount | None = None
    candidates: list[dict[str, Any]] | None = None
    selection_token: str | None = None
    error: str | None = None
    error_description: str | None = None
    log_id: str | None = None


class TextRules(Output):
    max_length: int
    unit: str
    bytes_max: int | None
    url_length: int | None


class MediaRules(Output):
    per_post: int
    bytes_max: int
    mime_types: list[str]
    duration_ms_max: int | None
    pixels_max: int | None
    alt_text_max: int | None


class Rules(Output):
    text: TextRules
    title: TextRules | None
    media: dict[str, MediaRules]
    media_total: int | None
    media_required: bool
    thread_parts_max: int
    options: dict[str, str]


class Platform(Output):
    """A platform as this installation knows it; `available` false: its connector is not built yet."""

    platform: str
    name: str
    available: bool
    configured: bool
    modes: list[Literal["oauth", "credentials"]]
    redirect_uri: str | None
    credential_fields: list[FormField]
    capabilities: Capabilities | None
    rules: Rules | None
    upstream_version: str | None
    sunset_date: str | None
    source: str | None
    verified_on: str | None
