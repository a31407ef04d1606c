"""What DEV allows, and the values of its options."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from signalpost.networks.connectors.devto.sources import SOURCES
from signalpost.networks.contract import (
    Appearance,
    CredentialField,
    Facts,
    Option,
    Outgoing,
    PreflightIssue,
    RateLimit,
    TextRule,
    View,
)

TAGS_MAX: Final = 4  # forem/forem#2868 (2019-05-17), and `validate_tag` in Forem's article.rb (read 2026-11-29)
Tag = Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z]+$", max_length=30)]
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://\S+$", max_length=2_000)]
_FRONT_MATTER: Final = re.compile(r"\s{0,100}---[ \t]{0,100}\r?\n")

FACTS = Facts(
    key="devto",
    name="DEV",
    source="developers.forem.com/api/v1 (2026-11-29) and the source of Forem",
    verified_on="2026-11-29",
    sources=SOURCES,
    appearance=Appearance(views=(View(kind="article", text="below"),)),
    base_url="https://dev.to",
    credential_fields=(
        CredentialField(name="apiKey", label="DEV Community API key (Settings, Extensions)", secret=True),
    ),
    rate_limit=RateLimit(count=9, seconds=30, per="account"),
    text=TextRule(max_length=50_000, unit="code_point", required=True),
    title=TextRule(max_length=128, unit="code_point", required=True),
    options={
        "status": Option(
            type=Literal["published", "draft"],
            description="`published` (default) or `draft`.",
            label="Status of the post",
            default="published",
        ),
        "tags": Option(
            type=Annotated[list[Tag], msgspec.Meta(max_length=TAGS_MAX)],
            description="Up to four tags of letters and digits, without `#`.",
            label="Tags of the post",
        ),
        "excerpt": Option(
            type=Annotated[str, msgspec.Meta(max_length=1_000)],
            description="A summary that lists of posts show instead of the beginning.",
            label="Excerpt",
        ),
        "series": Option(
            type=Annotated[str, msgspec.Meta(pattern=r"\S", max_length=255)],
            description="The name of a series, which DEV shows above each of its articles. One that does not exist is "
            "made.",
            label="Series",
        ),
        "canonicalUrl": Option(
            type=Address,
            description="Where the post first appeared; search engines then count that page.",
            label="Canonical address",
        ),
        "coverImageUrl": Option(
            type=Address,
            description="The address of a picture that stands above the article. DEV takes no files by its API, so it "
            "has to stay there.",
            label="Address of the cover picture",
        ),
        "organizationId": Option(
            type=Annotated[int, msgspec.Meta(ge=1, le=2_147_483_647)],
            description="The number of an organization at DEV in whose name the article is published; the person must "
            "belong to it.",
            label="Organization",
        ),
    },
    metrics_per_call=30,
    notes="The text is Markdown, as DEV reads it: pictures and embedded pages stand in it by their addresses. DEV "
    "takes no files by its API, and deletes nothing by it: an article that is deleted here becomes a draft there.",
)


def preflight(outgoing: Outgoing, _account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check that DEV does not read the beginning of the text as something else."""
    if not _FRONT_MATTER.match(outgoing.text):
        return ()
    message = "DEV reads lines after --- as front matter, which replaces title and tags. Begin with other words."
    return (PreflightIssue("devto.text.front_matter", "/text", message),)
