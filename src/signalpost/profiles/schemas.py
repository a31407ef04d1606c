from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit.wire import Input, Instant, Output

Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S", examples=["Bakery Berlin"])]
Url = Annotated[
    str,
    Meta(
        max_length=2048,
        pattern=r"^https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#\[\]@]+)([/?#]\S*)?$",
        examples=["https://example.com/logo.png"],
    ),
]
Description = Annotated[str, Meta(max_length=500)]
Color = Annotated[str, Meta(pattern=r"^#[0-9a-fA-F]{6}$", max_length=7, examples=["#1f6feb"])]
Zone = Annotated[str, Meta(max_length=64, description="IANA time zone", examples=["Europe/Berlin"])]
Language = Annotated[
    str,
    Meta(
        max_length=35,
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*$",
        description="BCP 47 language tag",
        examples=["de-AT"],
    ),
]
Hashtags = Annotated[list[Annotated[str, Meta(max_length=100, pattern=r"^#?[^\s#]+$")]], Meta(max_length=30)]
ProfileId = Annotated[str, Meta(max_length=40, examples=["prof_01JD7ZK8Q4M4S0V9T6B2X3Y5W7"])]
MediaId = Annotated[str, Meta(max_length=40, examples=["med_01JD7ZK8Q4M4S0V9T6B2X3Y5W7"])]
ExternalId = Annotated[str, Meta(max_length=200)]
Metadata = Annotated[
    dict[Annotated[str, Meta(min_length=1, max_length=64)], Annotated[str, Meta(max_length=500)]], Meta(max_length=20)
]
Prefix = Annotated[str, Meta(max_length=100)]
Minutes = Annotated[int, Meta(ge=0, le=10_080)]
Seconds = Annotated[int, Meta(ge=0, le=86_400)]


class LatePolicy(Output):
    """How late a post may still go out, and how far apart late ones are kept."""

    tolerance_minutes: int
    min_gap_seconds: int


class LatePolicyIn(Input):
    tolerance_minutes: Minutes | UnsetType = UNSET
    min_gap_seconds: Seconds | UnsetType = UNSET


class Profile(Output):
    id: str
    workspace_id: str
    name: str
    slug: str
    avatar_url: str | None
    description: str | None
    color: str | None
    timezone: str
    language: str | None
    default_hashtags: list[str]
    watermark_media_id: str | None
    late_policy: LatePolicy
    approval_required: bool
    parent_id: str | None
    child_count: int
    account_count: int
    external_id: str | None
    metadata: dict[str, str]
    is_default: bool
    over_limit: bool
    version: int
    created_at: Instant
    updated_at: Instant


class ProfileUpdate(Input):
    """Any subset of the fields; null clears one, or returns it to its default."""

    name: Name | UnsetType = UNSET
    avatar_url: Url | UnsetType | None = UNSET
    avatar: Annotated[Url | UnsetType | None, Meta(description="Another name of avatarUrl")] = UNSET
    description: Description | UnsetType | None = UNSET
    color: Color | UnsetType | None = UNSET
    timezone: Zone | UnsetType | None = UNSET
    language: Language | UnsetType | None = UNSET
    default_hashtags: Hashtags | UnsetType | None = UNSET
    watermark_media_id: MediaId | UnsetType | None = UNSET
    late_policy: LatePolicyIn | UnsetType | None = UNSET
    approval_required: bool | UnsetType = UNSET
    external_id: ExternalId | UnsetType | None = UNSET
    metadata: Metadata | UnsetType | None = UNSET


class ProfileCreate(ProfileUpdate):
    """A name, and whatever else is known already."""

    name: Name


class ProfileDeletion(Output):
    id: str
    deleted: Literal[True]
    accounts_disconnected: int
    posts_trashed: int
    posts_cancelled: int


class LinkRulesIn(Input):
    auto_repost: bool = True
    caption_prefix: Prefix | None = None
    tag_prefix: Annotated[Prefix | None, Meta(description="Another name of captionPrefix")] = None
    language_override: Language | None = None
    platforms: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(max_length=40)] | None = None
    delay_minutes: Minutes = 0
    as_draft: bool = False


class ProfileLinkCreate(Input):
    parent_profile_id: ProfileId
    child_profile_id: ProfileId
    rules: LinkRulesIn | None = None


class LinkRules(Output):
    """What happens to the parent's posts: `platforms` null means all the child has."""

    auto_repost: bool = True
    caption_prefix: str | None = None
    language_override: str | None = None
    platforms: list[str] | None = None
    delay_minutes: int = 0
    as_draft: bool = False


class ProfileLink(Output):
    id: str
    parent_profile_id: str
    child_profile_id: str
    rules: LinkRules
    active: bool
    created_by: dict[str, Any]
    created_at: Instant
    updated_at: Instant


class Child(Output):
    profile: Profile
    link: ProfileLink


class LinkDeletion(Output):
    id: str
    deleted: Literal[True]


class LinkHistory(Output):
    id: str
    link_id: str
    action: Literal["linked", "rules_updated", "unlinked", "reposted", "repost_skipped", "repost_failed"]
    parent_profile_id: str
    child_profile_id: str
    source_post_id: str | None
    created_post_id: str | None
    reason: str | None
    actor: dict[str, Any]
    created_at: Instant
