"""Bodies and responses about many posts at once."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.kit import ids
from signalpost.kit.wire import UNAVAILABLE, Input, Instant, Output
from signalpost.posts.schemas import requests
from signalpost.posts.schemas.files import MediaInputs, MediaUrl
from signalpost.posts.schemas.requests import (
    MediaUrls,
    Options,
    Platforms,
    PostAttributes,
    Text,
    ThreadInputs,
    Time,
)
from signalpost.posts.schemas.responses import Platform, Post, PostStatus, PostWarning, PublishMode
from signalpost.profiles.schemas import UtmIn
from signalpost.web.fields import AccountId, ExternalId, ProfileId, TimeZone

BULK_MAX = 50
"""Posts of one JSON body."""
FANOUT_MAX = 100
"""Targets of one fan-out, whether they are listed or children."""

_POST_SCHEMA = {"items": {"$ref": "#/components/schemas/PostCreate"}}
_ATOMIC = Meta(description="Create all of them or, if one is refused, none.")
_PROBLEM_EXAMPLE = {
    "type": "https://signalpost.example/problems/validation_failed",
    "title": "Some values are not valid",
    "status": 422,
    "detail": "/posts/1/platforms/0: The profile has no connected account on bluesky.",
    "code": "validation_failed",
}
ProblemDocument = Annotated[
    dict[str, Any],
    Meta(description="Why it was refused: what `POST /posts` would have answered.", examples=[_PROBLEM_EXAMPLE]),
]


class BulkCreate(Input):
    """Posts to create, each as `POST /posts` takes it. One that is refused does not stop the others."""

    posts: Annotated[
        list[dict[str, Any]],
        Meta(min_length=1, max_length=BULK_MAX, description="The posts.", extra_json_schema=_POST_SCHEMA),
    ]
    draft: Annotated[
        bool, Meta(description="Keep posts as drafts that say neither `draft` nor `publishMode` themselves.")
    ] = True
    atomic: Annotated[bool, _ATOMIC] = False


class BulkQuery(Input):
    """How to create many posts."""

    dry_run: Annotated[
        bool, Meta(description="Check everything and save nothing. `created` lists what would be, without ids.")
    ] = False


class BulkCsvQuery(BulkQuery):
    """How to create posts from a CSV file."""

    draft: Annotated[bool, Meta(description="Keep the posts as drafts.")] = True
    atomic: Annotated[
        bool, Meta(description="Create all posts of a file of up to 50 rows or, if one is refused, none.")
    ] = False


class BulkCreated(Output, gc=False):
    """A post that was created. `GET /posts/{id}` has all of it."""

    index: Annotated[int, Meta(description="Its position in the request, from 0.", examples=[0])]
    id: Annotated[str | None, Meta(description="Null in a dry run.")]
    profile_id: str
    external_id: Annotated[str | None, Meta(examples=["cms-4711"])]
    status: PostStatus
    platforms: list[Platform]
    scheduled_at: Instant | None
    warnings: Annotated[list[PostWarning], Meta(examples=[[]])]


class BulkError(Output, gc=False):
    """A post that was refused."""

    index: Annotated[int, Meta(description="Its position in the request, from 0.", examples=[1])]
    problem: ProblemDocument


class BulkResult(Output, gc=False):
    """What became of the posts of a request: each of them is in `created` or in `errors`."""

    created: list[BulkCreated]
    errors: list[BulkError]
    total: Annotated[int, Meta(description="Posts in the request.", examples=[2])]
    dry_run: Annotated[bool, Meta(description="Whether nothing was saved.", examples=[False])]


class FanoutTarget(Input):
    """A profile that gets the post. It goes to `platforms`, to `accountIds`, or to all accounts of the profile."""

    profile_id: Annotated[ProfileId, Meta(description="The profile to post from.")]
    platforms: Annotated[
        Platforms | None,
        Meta(description="Networks of this profile. Default: those of the request, else all.", examples=[["bluesky"]]),
    ] = None
    account_ids: Annotated[
        Annotated[list[AccountId], Meta(min_length=1, max_length=100)] | None,
        Meta(description="Single accounts of this profile. Send either this or `platforms`."),
    ] = None
    text: Annotated[
        Text | None, Meta(description="The text for this profile. Default: the request's.", examples=["Hello, Graz"])
    ] = None
    caption_prefix: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="Text in front of the post.", examples=["From our bakery: "]),
    ] = None
    scheduled_at: Annotated[
        Time | None,
        Meta(
            description="When this profile publishes it. Default: the request's time.",
            examples=["2026-11-21T18:00:00Z"],
        ),
    ] = None


class FanoutCreate(PostAttributes, kw_only=True):
    """One post for several profiles: the children of a profile, by the rules of their links, or those listed."""

    source_profile_id: Annotated[
        ProfileId | None, Meta(description="The parent, if `targets` is `children`. Not published from.")
    ] = None
    targets: Annotated[
        Literal["children"] | Annotated[list[FanoutTarget], Meta(min_length=1, max_length=FANOUT_MAX)],
        Meta(description="`children` of the source profile, or profiles.", examples=["children"]),
    ]
    stagger_minutes: Annotated[
        Annotated[int, Meta(ge=0, le=1440)],
        Meta(description="Minutes between one target's time and the next one's.", examples=[10]),
    ] = 0
    atomic: Annotated[bool, _ATOMIC] = False
    text: Annotated[Text | None, requests.TEXT] = None
    description: Annotated[Text | None, requests.DESCRIPTION] = None
    media: Annotated[MediaInputs | None, requests.MEDIA] = None
    media_url: Annotated[MediaUrl | None, requests.MEDIA_URL] = None
    media_urls: Annotated[MediaUrls | None, requests.MEDIA_URLS] = None
    thread: Annotated[ThreadInputs, requests.THREAD] = field(default_factory=list)
    platforms: Annotated[
        Platforms | None,
        Meta(description="Networks. Default: all on which a profile has an account.", examples=[["bluesky"]]),
    ] = None
    scheduled_at: Annotated[Time | None, requests.SCHEDULED_AT] = None
    timezone: Annotated[TimeZone | None, requests.TIMEZONE] = None
    publish_mode: Annotated[PublishMode | None, requests.PUBLISH_MODE] = None
    draft: Annotated[bool, Meta(description="Keep the posts for later instead of publishing them.")] = False
    options: Annotated[Options, requests.OPTIONS] = field(default_factory=dict)
    utm: Annotated[UtmIn | UnsetType | None, requests.UTM] = UNSET
    external_id: Annotated[
        ExternalId | UnsetType | None, Meta(description="Of one post only.", extra_json_schema=UNAVAILABLE)
    ] = UNSET


class FanoutError(Output, gc=False):
    """A target that got no post."""

    index: Annotated[int, Meta(description="Its position among the targets, from 0.", examples=[1])]
    profile_id: str
    problem: ProblemDocument


class FanoutResult(Output, gc=False):
    """What became of the targets: each of them has a post, or is in `errors`."""

    fanout_id: Annotated[str, Meta(description="Filter `GET /posts` by it.", examples=[ids.example("job")])]
    posts: list[Post]
    errors: Annotated[list[FanoutError], Meta(examples=[[]])]
    total: Annotated[int, Meta(description="Targets.", examples=[1])]
    created: Annotated[int, Meta(description="Posts that were created.", examples=[1])]
