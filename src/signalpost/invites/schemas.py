from typing import Annotated

from msgspec import Meta, Struct

from signalpost.events import Actor
from signalpost.invites.states import State
from signalpost.kit import issue_text
from signalpost.kit.wire import Input, Instant, Output
from signalpost.profiles.schemas import Color, LanguageTag
from signalpost.web.fields import PlatformSlug, ProfileId

HOURS_DEFAULT = 168
LogoUrl = Annotated[
    str,
    Meta(
        max_length=2048,
        pattern=r"""^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[^\s"'<>]*)?$""",
        extra={issue_text.FORMAT: issue_text.WEB_ADDRESS},
        examples=["https://example.com/logo.png"],
    ),
]
Status = Annotated[State, Meta(examples=["pending"])]
Email = Annotated[str, Meta(max_length=254, pattern=r"^[^\s@]+@[^\s@]+$", examples=["ada@example.com"])]
Platform = Annotated[str, Meta(examples=["bluesky"])]


class BrandingIn(Input):
    """How the invitation's page looks."""

    name: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="The name above the page. Default: the workspace's.", examples=["Acme Agency"]),
    ] = None
    logo_url: Annotated[
        LogoUrl | None, Meta(description="A logo, at an https address.", examples=["https://example.com/logo.png"])
    ] = None
    color: Annotated[Color | None, Meta(description="The colour of the page's edge.", examples=["#1f6feb"])] = None
    hide_powered_by: Annotated[bool, Meta(description="Leave out the name of this service.", examples=[True])] = False


class PlatformInviteCreate(Input):
    """Invite someone to connect their accounts."""

    profile_id: Annotated[ProfileId, Meta(description="The profile to which the accounts are connected.")]
    platforms: Annotated[
        Annotated[list[PlatformSlug], Meta(min_length=1, max_length=20)],
        Meta(description="What the guest may connect.", examples=[["bluesky"]]),
    ]
    label: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="A note for your team; the guest does not see it.", examples=["Bakery, spring"]),
    ] = None
    email: Annotated[
        Email | None, Meta(description="Whom you invite, for your records.", examples=["ada@example.com"])
    ] = None
    message: Annotated[
        Annotated[str, Meta(max_length=500)] | None,
        Meta(description="What the guest reads on the page.", examples=["Please connect the bakery's account."]),
    ] = None
    redirect_url: Annotated[
        Annotated[str, Meta(max_length=2048)] | None,
        Meta(
            description="Where the guest goes afterwards: exactly one of the workspace's `redirectUrls`.",
            examples=["https://app.example.com/connected"],
        ),
    ] = None
    branding: Annotated[BrandingIn | None, Meta(description="How the page looks; depends on the plan.")] = None
    language: Annotated[
        LanguageTag | None, Meta(description="The guest's language, for your records.", examples=["de"])
    ] = None
    max_connections: Annotated[
        Annotated[int, Meta(ge=1, le=50)] | None,
        Meta(description="How many accounts may be connected. Default: as many as platforms.", examples=[1]),
    ] = None
    expires_in_hours: Annotated[
        Annotated[int, Meta(ge=1, le=720)], Meta(description="How long the link works.", examples=[168])
    ] = HOURS_DEFAULT


class InviteListQuery(Input):
    """A filter by profile."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only invitations to connect to this profile.")] = None


class Branding(Output):
    name: Annotated[str | None, Meta(examples=["Acme Agency"])]
    logo_url: Annotated[str | None, Meta(examples=["https://example.com/logo.png"])]
    color: Annotated[str | None, Meta(examples=["#1f6feb"])]
    hide_powered_by: bool


class InviteConnection(Output):
    account_id: str
    platform: Platform
    username: Annotated[str, Meta(examples=["acme.example.com"])]
    at: Instant


class PlatformInvite(Output):
    id: str
    profile_id: str
    platforms: Annotated[list[str], Meta(examples=[["bluesky"]])]
    label: Annotated[str | None, Meta(examples=["Bakery, spring"])]
    email: Annotated[str | None, Meta(examples=["ada@example.com"])]
    message: Annotated[str | None, Meta(examples=["Please connect the bakery's account."])]
    redirect_url: Annotated[str | None, Meta(examples=["https://app.example.com/connected"])]
    branding: Branding | None
    language: Annotated[str | None, Meta(examples=["de"])]
    max_connections: Annotated[int, Meta(examples=[1])]
    connections: list[InviteConnection]
    status: Status
    created_by: Actor
    created_at: Instant
    expires_at: Instant
    revoked_at: Annotated[Instant | None, Meta(examples=[None])]
    last_opened_at: Annotated[Instant | None, Meta(examples=[None])]


class CreatedPlatformInvite(PlatformInvite):
    """The only response with the token: it is stored as a hash."""

    url: Annotated[str, Meta(examples=["https://signalpost.example.com/platform-invites/q7Jx2mV0dC9pXn4bR8sT1w"])]
    token: Annotated[str, Meta(examples=["q7Jx2mV0dC9pXn4bR8sT1w"])]


class InvitedPlatform(Output):
    platform: Platform
    connected: bool
    available: Annotated[bool, Meta(description="Whether this service can connect it now.", examples=[True])]


class InviteValidation(Output):
    """What a guest may know."""

    valid: bool
    status: Status
    platforms: list[InvitedPlatform]
    profile_name: Annotated[str, Meta(examples=["Bakery Berlin"])]
    workspace_name: Annotated[str, Meta(examples=["Acme"])]
    inviter_name: Annotated[str | None, Meta(examples=["Ada"])]
    branding: Branding | None
    message: Annotated[str | None, Meta(examples=["Please connect the bakery's account."])]
    expires_at: Instant


class ConnectQuery(Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    platform: Annotated[
        PlatformSlug | None,
        Meta(description="What to connect. It may be left out if the invitation is for one platform."),
    ] = None
    instance_url: Annotated[
        Annotated[str, Meta(max_length=300)] | None,
        Meta(description="The guest's server, for platforms with many.", examples=["mastodon.social"]),
    ] = None


class InviteAuthorization(Output):
    auth_url: Annotated[str, Meta(examples=["https://signalpost.example.com/connect/q7Jx2mV0dC9pXn4bR8sT1w"])]
    state: Annotated[str, Meta(examples=["q7Jx2mV0dC9pXn4bR8sT1w"])]
    platform: Platform
    expires_at: Instant
