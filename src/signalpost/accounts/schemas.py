from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from signalpost.kit import foreign, ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.profiles.schemas import LanguageTag
from signalpost.web.fields import AccountId, ProfileId

Status = Annotated[
    Literal["active", "expiring", "needs_reauth", "restricted", "paused", "disconnected"], Meta(examples=["active"])
]
Kind = Annotated[
    Literal["personal", "page", "business", "channel", "group", "board", "server", "instance"],
    Meta(examples=["personal"]),
]
Via = Annotated[Literal["api", "dashboard", "invite", "messaging", "sandbox"], Meta(examples=["api"])]
PlatformKey = Annotated[str, Meta(examples=["bluesky"])]
Username = Annotated[str, Meta(examples=["acme.example.com"])]
DisplayName = Annotated[str, Meta(examples=["Acme"])]


class ReplyTextRules(Output):
    """How long an answer may be. `mentionsAuthor`: it begins with the handle of whoever is answered."""

    max_length: Annotated[int, Meta(examples=[300])]
    unit: Annotated[str, Meta(examples=["grapheme"])]
    bytes_max: Annotated[int | None, Meta(examples=[3000])]
    url_length: Annotated[int | None, Meta(description="What each address counts; null: its own length.")]
    mentions_count_local_part_only: Annotated[bool, Meta(description="Of `@user@server` only `@user` counts.")]
    mentions_author: Annotated[bool, Meta(examples=[False])]


class CommentCapabilities(Output):
    """What can be done with comments under posts; `note` says what cannot, and why."""

    read: bool
    reply: bool
    hide: bool
    like: bool
    delete: bool
    pushed: Annotated[
        bool,
        Meta(
            description="Whether the network says at once that something was written. Else it is asked from time to"
            " time. Of a platform: whether it can."
        ),
    ]
    reply_text: Annotated[ReplyTextRules | None, Meta(description="null: it takes no answers.")]
    note: Annotated[str | None, Meta(examples=["Bluesky lets nobody delete what others reply."])]


class Capabilities(Output):
    text: bool
    image: bool
    video: bool
    carousel: bool
    story: Annotated[bool, Meta(examples=[False])]
    thread: bool
    first_comment: bool
    delete: bool
    analytics: Annotated[bool, Meta(examples=[False])]
    mentions: Annotated[bool, Meta(description="People can be searched, to be mentioned.", examples=[True])]
    comments: CommentCapabilities
    max_text_length: Annotated[int, Meta(examples=[300])]


class PlatformAccount(Output):
    id: str
    profile_id: str
    platform: PlatformKey
    kind: Kind
    platform_account_id: Annotated[str, Meta(examples=["did:plc:44ybard66vv44zksje25o7dz"])]
    username: Username
    display_name: DisplayName
    avatar_url: Annotated[str | None, Meta(examples=["https://cdn.example.com/avatar.jpg"])]
    profile_url: Annotated[str | None, Meta(examples=["https://bsky.app/profile/acme.example.com"])]
    status: Status
    status_reason: str | None
    connected_via: Via
    parent_account_id: str | None
    scopes: Annotated[list[str], Meta(examples=[["com.atproto.appPass"]])]
    capabilities: Capabilities
    token_expires_at: Annotated[Instant | None, Meta(examples=["2026-12-21T18:00:00.000Z"])]
    refreshable: bool
    last_published_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.000Z"])]
    last_checked_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.000Z"])]
    followers: Annotated[int | None, Meta(examples=[1280])]
    daily_limit: int | None
    posts_today: Annotated[int, Meta(examples=[2])]
    over_limit: Annotated[bool, Meta(examples=[False])]
    language: Annotated[str | None, Meta(examples=["en"])]
    created_at: Instant
    updated_at: Instant


class AccountQuery(Input):
    profile_id: Annotated[ProfileId | None, Meta(description="Only accounts of this profile.")] = None
    include_disconnected: Annotated[bool, Meta(description="Include accounts that were disconnected.")] = False


class AllAccountsQuery(Input):
    include_disconnected: Annotated[bool, Meta(description="Include accounts that were disconnected.")] = False


class AccountConnect(Input):
    """The credential form of a platform."""

    profile_id: Annotated[ProfileId, Meta(description="The profile to connect the account to.")]
    fields: Annotated[
        dict[Annotated[str, Meta(max_length=64)], Annotated[str, Meta(max_length=4096)]],
        Meta(
            max_length=20,
            description="The values of the form, by field name. `GET /platforms` lists the fields of each platform.",
            examples=[{"username": "bakery"}],
        ),
    ] = field(default_factory=dict)
    account_id: Annotated[
        AccountId | None, Meta(description="The account to connect again; other credentials are refused.")
    ] = None


class AccountUpdate(Input):
    """Pause or resume an account, move it to another profile, or say in which language its posts are."""

    status: Annotated[
        Literal["active", "paused"] | UnsetType | None,
        Meta(description="`paused` makes the account's posts wait, `active` resumes publishing.", examples=["paused"]),
    ] = UNSET
    profile_id: Annotated[ProfileId | UnsetType | None, Meta(description="The profile to move the account to.")] = UNSET
    language: Annotated[
        LanguageTag | UnsetType | None,
        Meta(
            description="The language of the account's posts, as a BCP 47 tag, where the network has an option for it. "
            "Null: that of the profile.",
            examples=["en"],
        ),
    ] = UNSET

    def __post_init__(self) -> None:
        """Take null for what is not to be changed, so that history tells of no change either."""
        self.status = UNSET if self.status is None else self.status
        self.profile_id = UNSET if self.profile_id is None else self.profile_id


class Disconnection(Output):
    id: Annotated[str, Meta(examples=[ids.example("acc")])]
    status: Literal["disconnected"]
    revoked_at_platform: bool
    affected_posts: Annotated[int, Meta(examples=[2])]


class HealthQuery(Input):
    refresh: Annotated[bool, Meta(description="Check at the platform now, even if the last check is recent.")] = False


class TokenHealth(Output):
    valid: bool
    expires_at: Annotated[Instant | None, Meta(examples=["2026-12-21T18:00:00.000Z"])]
    expires_in_seconds: Annotated[int | None, Meta(examples=[2_592_000])]
    refreshable: bool
    last_refreshed_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.000Z"])]
    last_refresh_error: str | None


class Permissions(Output):
    granted: Annotated[list[str], Meta(examples=[["publish", "delete"]])]
    missing: Annotated[list[str], Meta(examples=[[]])]
    can_post: bool
    can_read_analytics: Annotated[bool, Meta(examples=[False])]


class Quota(Output):
    used: Annotated[int, Meta(examples=[2])]
    limit: int | None
    resets_at: Instant | None


class Recent(Output):
    published: Annotated[int, Meta(examples=[12])]
    failed: Annotated[int, Meta(examples=[0])]
    window: Literal["7d"]


class HealthIssue(Output):
    code: Annotated[str, Meta(examples=["expiring"])]
    message: Annotated[str, Meta(examples=["The token expires within seven days and cannot be renewed."])]


class AccountHealth(Output):
    account_id: str
    platform: PlatformKey
    status: Annotated[Literal["healthy", "warning", "error"], Meta(examples=["healthy"])]
    account_status: Status
    token: TokenHealth
    permissions: Permissions
    quota: Quota
    recent: Recent
    issues: Annotated[list[HealthIssue], Meta(examples=[[]])]
    recommendations: Annotated[list[str], Meta(examples=[[]])]
    checked_at: Instant
    live: bool


class AuthUrlQuery(Input):
    profile_id: Annotated[ProfileId, Meta(description="The profile to connect the account to.")]
    redirect_url: Annotated[
        Annotated[str, Meta(max_length=2048)] | None,
        Meta(
            description="Where to send the browser afterwards: exactly one of the workspace's `redirectUrls`.",
            examples=["https://app.example.com/connected"],
        ),
    ] = None
    account_id: Annotated[
        AccountId | None, Meta(description="The account to connect again; another account is refused.")
    ] = None
    login_hint: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="The account's name, to fill in at the platform's sign-in page.", examples=["acme"]),
    ] = None
    instance_url: Annotated[
        Annotated[str, Meta(max_length=300)] | None,
        Meta(description="The account's server, for platforms with many.", examples=["mastodon.social"]),
    ] = None


class CredentialField(Output):
    name: Annotated[str, Meta(examples=["appPassword"])]
    label: Annotated[str, Meta(examples=["App password"])]
    secret: bool
    required: bool


class Authorization(Output):
    """Mode `oauth`: send the person to `url`. Mode `credentials`: POST `fields` to /platforms/{platform}/connect."""

    url: Annotated[str | None, Meta(examples=["https://signalpost.example.com/connect/q7Jx2mV0dC9pXn4bR8sT1w"])]
    auth_url: Annotated[str | None, Meta(examples=["https://signalpost.example.com/connect/q7Jx2mV0dC9pXn4bR8sT1w"])]
    state: Annotated[str | None, Meta(examples=["q7Jx2mV0dC9pXn4bR8sT1w"])]
    platform: Annotated[str, Meta(examples=["mastodon"])]
    profile_id: str
    expires_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:10:00.000Z"])]
    redirect_uri: Annotated[
        str | None, Meta(examples=["https://signalpost.example.com/api/v1/platforms/mastodon/callback/5f2c"])
    ]
    mode: Annotated[Literal["oauth", "credentials"], Meta(examples=["oauth"])]
    fields: list[CredentialField] | None


class CallbackQuery(Struct, kw_only=True):
    """The query that a platform sends back, with its own parameter names. Unknown parameters are ignored."""

    state: Annotated[str, Meta(max_length=200, description="The `state` of the authorization.")]
    code: Annotated[
        Annotated[str, Meta(max_length=4096)] | None,
        Meta(description="The code that the platform issued when the user agreed."),
    ] = None
    error: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="The platform's error code, for example `access_denied`."),
    ] = None
    error_description: Annotated[
        Annotated[str, Meta(max_length=2000)] | None, Meta(description="The platform's error message.")
    ] = None
    logid: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="The platform's own id of this attempt, for its support."),
    ] = None
    iss: Annotated[
        Annotated[str, Meta(max_length=2048)] | None,
        Meta(description="Who sends the person back (RFC 9207), where the platform says so."),
    ] = None

    def __post_init__(self) -> None:
        self.error = foreign.line_or_none(self.error)
        self.error_description = foreign.line_or_none(self.error_description, 2_000)
        self.logid = foreign.line_or_none(self.logid)


class LinkedInstagram(Output):
    id: Annotated[str, Meta(examples=["17841405309211844"])]
    username: Annotated[str, Meta(examples=["bakery.berlin"])]


class DestinationPage(Output):
    """A page, board, organization or channel that a grant can post to."""

    page_id: Annotated[str, Meta(examples=["1234567890"])]
    name: Annotated[str, Meta(examples=["Bakery Berlin"])]
    kind: Annotated[str, Meta(examples=["page"])]
    username: Annotated[str, Meta(examples=["bakery.berlin"])]
    category: Annotated[str | None, Meta(examples=["Bakery"])]
    picture_url: Annotated[str | None, Meta(examples=["https://cdn.example.com/avatar.jpg"])]
    can_post: Annotated[bool, Meta(description="Whether what the person may do there is enough.", examples=[True])]
    connected: bool
    account_id: Annotated[str | None, Meta(examples=[ids.example("acc")])]
    tasks: Annotated[list[str], Meta(examples=[["CREATE_CONTENT"]])]
    linked_instagram: LinkedInstagram | None


class PagesQuery(Input):
    profile_id: Annotated[ProfileId | None, Meta(description="Only grants of this profile.")] = None


class PageSwitch(Input):
    """Connect one more page."""

    profile_id: Annotated[ProfileId, Meta(description="The profile to connect it to.")]
    page_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=500)],
        Meta(description="Which one: a `pageId` of the list, or of the candidates.", examples=["1234567890"]),
    ]
    account_id: Annotated[
        AccountId | None, Meta(description="An account whose grant covers the page; if the profile has several grants.")
    ] = None
    selection_token: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="Of a callback that ended with `selection_required`.", examples=["q7Jx2mV0dC9pXn4bR8sT1w"]),
    ] = None


class CallbackResult(Output):
    status: Annotated[Literal["connected", "selection_required", "failed"], Meta(examples=["connected"])]
    account: PlatformAccount | None = None
    candidates: list[DestinationPage] | None = None
    selection_token: str | None = None
    error: str | None = None
    error_description: str | None = None
    log_id: str | None = None
