"""What Tumblr allows, and the values of its options."""

from typing import Annotated, Final, Literal

import msgspec

from signalpost.networks.connectors.tumblr.sources import SOURCES
from signalpost.networks.contract import Appearance, Facts, MediaRule, Option, RateLimit, TextRule

Status = Literal["published", "queue", "draft", "private"]
Label = Literal["mature", "drug_use", "violence", "sexual_themes"]
"""As XKit Rewritten (1.2.0, read on 2026-11-29) sets them by the same call; api.md does not have them."""
BLOCK_MAX: Final = 4_096  # code points of a block of text
BLOCKS_MAX: Final = 1_000
LINKS_MAX: Final = 100  # in the text
_PICTURE_BYTES_MAX: Final = 10_000_000
_Tag = Annotated[str, msgspec.Meta(min_length=1, max_length=140, pattern=r"^[^,#\s][^,]*$")]
_Address = Annotated[str, msgspec.Meta(pattern=r"^https?://", max_length=2_048)]
_Slug = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=55)]

FACTS = Facts(
    key="tumblr",
    name="Tumblr",
    source="github.com/tumblr/docs (api.md and npf-spec.md, 2024-10-18) and its issues; read on 2026-11-29",
    verified_on="2026-11-29",
    sources=SOURCES,
    appearance=Appearance(marks=("mention", "link"), card="large"),
    api_version="v2",
    base_url="https://api.tumblr.com",
    hosts={"www": "https://www.tumblr.com"},
    app_credentials=True,
    rate_limit=RateLimit(count=200, seconds=3_600, per="app"),
    text=TextRule(max_length=50_000, unit="code_point"),
    title=TextRule(max_length=BLOCK_MAX, unit="code_point"),
    link="field",
    media={
        "image": MediaRule(
            per_post=30,
            bytes_max=_PICTURE_BYTES_MAX,
            mime_types=("image/jpeg", "image/png", "image/webp"),
            alt_text_max=4_096,
        ),
        "gif": MediaRule(per_post=30, bytes_max=_PICTURE_BYTES_MAX, mime_types=("image/gif",), alt_text_max=4_096),
        "video": MediaRule(
            per_post=1,
            bytes_max=100_000_000,
            mime_types=("video/mp4", "video/quicktime"),
            duration_ms_max=600_000,
        ),
        "audio": MediaRule(per_post=1, bytes_max=10_000_000, mime_types=("audio/mpeg",)),
    },
    media_total=30,
    media_mixed=True,
    options={
        "status": Option(
            type=Status,
            description="`published` (default), `queue` (the blog's own queue), `draft` or `private`.",
            label="Status of the post",
        ),
        "tags": Option(
            type=Annotated[list[_Tag], msgspec.Meta(max_length=30)],
            description="Up to 30 tags of at most 140 characters, without `#` and commas. They may have spaces.",
            label="Tags of the post",
        ),
        "markdown": Option(
            type=bool,
            description="Whether `**bold**`, `*italic*`, `~~struck~~`, `[links](https://…)`, and lines that begin with "
            "`#`, `##`, `>`, `-` or `1.` are formatting. Without it the text stands as it is.",
            label="Text with formatting",
            default=False,
        ),
        "labels": Option(
            type=Annotated[list[Label], msgspec.Meta(max_length=4)],
            description="Labels the post as `mature`, also for `drug_use`, `violence` or `sexual_themes`: people "
            "decide at Tumblr whether they see such posts.",
            label="Content warnings",
        ),
        "sourceUrl": Option(
            type=_Address,
            description="Where the content of the post is from; Tumblr shows it as its source.",
            label="Source of the content",
        ),
        "slug": Option(
            type=_Slug,
            description="The end of the address of the post, in lower case with hyphens. By default Tumblr makes it "
            "of the text.",
            label="Slug",
        ),
        "allowReblogs": Option(
            type=bool, description="Whether others can reblog the post.", label="Allow reblogs", default=True
        ),
    },
    metrics_per_call=1,
    notes="The title is a heading above the text, a link a card below it. A paragraph of more than 4,096 characters is "
    "divided. A post of the queue and a draft get another id when Tumblr publishes them; from then on they cannot be "
    "deleted or counted from here.",
)
