from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.events import Actor
from signalpost.kit import ids, issue_text
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import MediaId, PlatformSlug, ProfileId, TimeZone

ProfileName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"\S",
        extra={issue_text.FORMAT: issue_text.NOT_BLANK},
        description="The name, unique in the workspace regardless of case.",
        examples=["Bakery Berlin"],
    ),
]
PictureUrl = Annotated[
    str,
    Meta(
        max_length=2048,
        pattern=r"^https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#\[\]@]+)([/?#]\S*)?$",
        extra={issue_text.FORMAT: issue_text.WEB_ADDRESS},
        examples=["https://example.com/logo.png"],
    ),
]
Color = Annotated[
    str,
    Meta(
        pattern=r"^#[0-9a-fA-F]{6}$",
        max_length=7,
        extra={issue_text.FORMAT: "Must be a color: # and six hexadecimal digits."},
        examples=["#1f6feb"],
    ),
]
LanguageTag = Annotated[
    str,
    Meta(
        max_length=35,
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*$",
        extra={issue_text.FORMAT: issue_text.LANGUAGE_TAG},
        examples=["de-AT"],
    ),
]
Hashtag = Annotated[
    str,
    Meta(
        max_length=100,
        pattern=r"^#?[^\s#]+$",
        extra={issue_text.FORMAT: "Must be one word, with or without # before it."},
        examples=["#bakery"],
    ),
]
Hashtags = Annotated[list[Hashtag], Meta(max_length=30, examples=[["#bakery"]])]
Metadata = Annotated[
    dict[Annotated[str, Meta(min_length=1, max_length=64)], Annotated[str, Meta(max_length=500)]],
    Meta(max_length=20, examples=[{"crmId": "4711"}]),
]
UtmValue = Annotated[str, Meta(min_length=1, max_length=100)]
Prefix = Annotated[str, Meta(max_length=100, examples=["From our bakery: "])]
ActorOut = Annotated[
    Actor, Meta(examples=[{"type": "user", "id": "usr_01M7Z0000000000000000000AB", "name": "Ada Lovelace"}])
]
Minutes = Annotated[int, Meta(ge=0, le=10_080)]
Seconds = Annotated[int, Meta(ge=0, le=86_400)]


class LatePolicy(Output):
    """How late a post may still be published, and how far apart late posts are kept."""

    tolerance_minutes: Annotated[int, Meta(examples=[720])]
    min_gap_seconds: Annotated[int, Meta(examples=[60])]


class LatePolicyIn(Input):
    tolerance_minutes: Annotated[
        Minutes | UnsetType,
        Meta(
            description="How many minutes late a post may still be published. A later one fails as `missed_window`.",
            examples=[720],
        ),
    ] = UNSET
    min_gap_seconds: Annotated[
        Seconds | UnsetType,
        Meta(
            description="The least number of seconds between two posts of one account. One that you set is kept always;"
            " the default, 60, between posts of a backlog: those that are more than three minutes late.",
            examples=[60],
        ),
    ] = UNSET


class UtmIn(Input):
    """Campaign parameters for links, as web analytics read them."""

    source: Annotated[
        UtmValue | None, Meta(description="`utm_source`. Default: the network.", examples=["newsletter"])
    ] = None
    medium: Annotated[UtmValue | None, Meta(description="`utm_medium`.", examples=["social"])] = None
    campaign: Annotated[UtmValue | None, Meta(description="`utm_campaign`.", examples=["spring"])] = None
    term: Annotated[UtmValue | None, Meta(description="`utm_term`.", examples=["menu"])] = None
    content: Annotated[UtmValue | None, Meta(description="`utm_content`.", examples=["header"])] = None


class Utm(Output, gc=False):
    """Campaign parameters for links."""

    source: str | None
    medium: str | None
    campaign: str | None
    term: str | None
    content: str | None


class Profile(Output):
    id: str
    workspace_id: str
    name: Annotated[str, Meta(examples=["Bakery Berlin"])]
    slug: Annotated[str, Meta(examples=["bakery-berlin"])]
    avatar_url: Annotated[str | None, Meta(examples=["https://example.com/logo.png"])]
    avatar_media_id: str | None
    description: Annotated[str | None, Meta(examples=["Daily offers and events"])]
    color: Annotated[str | None, Meta(examples=["#1f6feb"])]
    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    language: Annotated[str | None, Meta(examples=["de"])]
    default_hashtags: Annotated[list[str], Meta(examples=[["#bakery"]])]
    default_utm: Utm | None
    watermark_media_id: str | None
    late_policy: LatePolicy
    approval_required: Annotated[bool, Meta(examples=[False])]
    parent_id: str | None
    child_count: Annotated[int, Meta(examples=[0])]
    account_count: Annotated[int, Meta(examples=[3])]
    external_id: Annotated[str | None, Meta(examples=["crm-4711"])]
    metadata: Annotated[dict[str, str], Meta(examples=[{"crmId": "4711"}])]
    is_default: Annotated[bool, Meta(examples=[False])]
    over_limit: Annotated[bool, Meta(examples=[False])]
    archived_at: Annotated[Instant | None, Meta(description="Since when the profile is archived; null: it is in use.")]
    version: Annotated[int, Meta(examples=[1])]
    created_at: Instant
    updated_at: Instant


class ProfileQuery(Input):
    archived: Annotated[
        bool | None, Meta(description="Only archived profiles, or only those in use. Default: all of them.")
    ] = None


class ProfileAttributes(Input):
    """What can be set when a profile is created, and changed later."""

    name: Annotated[
        ProfileName | UnsetType,
        Meta(description="The name, unique in the workspace regardless of case.", examples=["Bakery Berlin"]),
    ] = UNSET
    avatar_url: Annotated[
        PictureUrl | UnsetType | None,
        Meta(description="The address of the profile's picture.", examples=["https://example.com/logo.png"]),
    ] = UNSET
    avatar: Annotated[
        PictureUrl | UnsetType | None,
        Meta(description="An alias of `avatarUrl`.", examples=["https://example.com/logo.png"]),
    ] = UNSET
    avatar_media_id: Annotated[
        MediaId | UnsetType | None,
        Meta(description="An image of the library that is the profile's picture; it goes before `avatarUrl`."),
    ] = UNSET
    description: Annotated[
        Annotated[str, Meta(max_length=500)] | UnsetType | None,
        Meta(description="A note for your team; never published.", examples=["Daily offers and events"]),
    ] = UNSET
    color: Annotated[
        Color | UnsetType | None, Meta(description="A colour for the profile in user interfaces.", examples=["#1f6feb"])
    ] = UNSET
    timezone: Annotated[
        TimeZone | UnsetType | None,
        Meta(
            description="The IANA time zone of the profile's schedules. Default: the workspace's.",
            examples=["Europe/Berlin"],
        ),
    ] = UNSET
    language: Annotated[
        LanguageTag | UnsetType | None,
        Meta(description="The language of the posts, as a BCP 47 tag.", examples=["de-AT"]),
    ] = UNSET
    default_hashtags: Annotated[
        Hashtags | UnsetType | None,
        Meta(description="The hashtags that posts of this profile usually carry.", examples=[["#bakery"]]),
    ] = UNSET
    default_utm: Annotated[
        UtmIn | UnsetType | None,
        Meta(
            description="The campaign parameters of posts that are created without `utm`.",
            examples=[{"medium": "social", "campaign": "spring"}],
        ),
    ] = UNSET
    watermark_media_id: Annotated[
        MediaId | UnsetType | None, Meta(description="An image to put on the profile's own pictures.")
    ] = UNSET
    late_policy: Annotated[
        LatePolicyIn | UnsetType | None,
        Meta(description="What happens to posts that could not be published in time. Default: 720 minutes, 60 s."),
    ] = UNSET
    approval_required: Annotated[
        bool | UnsetType,
        Meta(
            description="Whether posts of this profile need an approval. A plan without approvals holds no post.",
            examples=[True],
        ),
    ] = UNSET
    external_id: Annotated[
        Annotated[str, Meta(max_length=200)] | UnsetType | None,
        Meta(description="The profile's id in your own system.", examples=["crm-4711"]),
    ] = UNSET
    metadata: Annotated[
        Metadata | UnsetType | None,
        Meta(description="Up to 20 keys and values of your own.", examples=[{"crmId": "4711"}]),
    ] = UNSET


class ProfileUpdate(ProfileAttributes):
    """Any subset of the fields. `null` clears a field or restores its default."""

    archived: Annotated[
        bool | UnsetType,
        Meta(
            description="Whether the work for the profile has ended for now: nothing is published for it then.",
            examples=[False],
        ),
    ] = UNSET


class ProfileCreate(ProfileAttributes):
    """A profile. Only the name is required."""

    name: ProfileName


class ProfileDeletion(Output):
    id: str
    deleted: Literal[True]
    accounts_disconnected: Annotated[int, Meta(examples=[2])]
    posts_trashed: Annotated[int, Meta(examples=[14])]
    posts_cancelled: Annotated[int, Meta(examples=[3])]


class LinkRulesIn(Input):
    auto_repost: Annotated[bool, Meta(description="Whether posts of the parent are passed on automatically.")] = True
    caption_prefix: Annotated[
        Prefix | None, Meta(description="Text in front of each post that is passed on.", examples=["From our bakery: "])
    ] = None
    tag_prefix: Annotated[
        Prefix | None, Meta(description="An alias of `captionPrefix`.", examples=["From our bakery: "])
    ] = None
    language_override: Annotated[
        LanguageTag | None,
        Meta(description="The language of the posts that are passed on, as a BCP 47 tag.", examples=["de-AT"]),
    ] = None
    platforms: Annotated[
        Annotated[list[PlatformSlug], Meta(max_length=40)] | None,
        Meta(
            description="The networks to pass posts on to. Default: every network the child has an account on.",
            examples=[["bluesky"]],
        ),
    ] = None
    delay_minutes: Annotated[
        Minutes, Meta(description="How many minutes after the parent's post the copy is published.", examples=[30])
    ] = 0
    as_draft: Annotated[bool, Meta(description="Whether the copies are created as drafts.")] = False


class ProfileLinkCreate(Input):
    parent_profile_id: Annotated[ProfileId, Meta(description="The profile whose posts are passed on.")]
    child_profile_id: Annotated[ProfileId, Meta(description="The profile that receives the posts.")]
    rules: Annotated[
        LinkRulesIn | None, Meta(description="How posts are passed on. A rule that is left out has its default.")
    ] = None


class LinkRules(Output):
    """What happens to the parent's posts. `platforms: null` means every network of the child."""

    auto_repost: bool
    caption_prefix: Annotated[str | None, Meta(examples=["From our bakery: "])]
    language_override: Annotated[str | None, Meta(examples=["de-AT"])]
    platforms: Annotated[list[str] | None, Meta(examples=[["bluesky"]])]
    delay_minutes: Annotated[int, Meta(examples=[0])]
    as_draft: Annotated[bool, Meta(examples=[False])]


class ProfileLink(Output):
    id: str
    parent_profile_id: str
    child_profile_id: str
    rules: LinkRules
    active: bool
    created_by: ActorOut
    created_at: Instant
    updated_at: Instant


class Child(Output):
    profile: Profile
    link: ProfileLink


class LinkDeletion(Output):
    id: Annotated[str, Meta(examples=[ids.example("lnk")])]
    deleted: Literal[True]


class LinkHistory(Output):
    id: Annotated[str, Meta(examples=[ids.example("lnh")])]
    link_id: Annotated[str, Meta(examples=[ids.example("lnk")])]
    action: Literal["linked", "rules_updated", "unlinked", "reposted", "repost_skipped", "repost_failed"]
    parent_profile_id: str
    child_profile_id: str
    source_post_id: str | None
    created_post_id: str | None
    reason: Annotated[str | None, Meta(examples=["profile_deleted"])]
    actor: ActorOut
    created_at: Instant
