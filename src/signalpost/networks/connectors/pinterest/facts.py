"""What Pinterest allows, and the values of its options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from signalpost.networks.connectors.pinterest import appearance
from signalpost.networks.connectors.pinterest.sources import SOURCES
from signalpost.networks.contract import Facts, MediaRule, Option, Outgoing, PreflightIssue, TextRule

BoardId = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,30}$")]
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://", max_length=2048)]
Disclosure = Literal["AI_MODIFIED", "SYNTHETIC_PERFORMER"]
"""As in OpenAPI 5.28.0, of which github.com/oapicf/pinterest-sdk makes clients, read on 2026-11-29. In production:
publishers of pins send these two, and note that Pinterest refuses an empty list; version 14.25 of its app shows its
label for either (github.com/SysAdminDoc/HushPinterest, read on 2026-11-29)."""
LINK_MAX = 2_048
VIDEO_MS_MIN = 4_000

FACTS = Facts(
    key="pinterest",
    name="Pinterest",
    source="developers.pinterest.com (OpenAPI 5.23.0, labels of 5.28.0)",
    verified_on="2026-11-22",
    sources={**SOURCES, **appearance.SOURCES},
    appearance=appearance.APPEARANCE,
    api_version="v5",
    base_url="https://api.pinterest.com",
    hosts={"www": "https://www.pinterest.com"},
    app_credentials=True,
    text=TextRule(max_length=800, unit="code_point"),
    title=TextRule(max_length=100, unit="code_point"),
    link="field",
    media={
        "image": MediaRule(
            per_post=5,
            bytes_max=10_000_000,  # Pinterest accepts 20 MB; all images of a pin stand in one request
            mime_types=("image/jpeg", "image/png"),
            alt_text_max=500,
        ),
        "video": MediaRule(
            per_post=1,
            bytes_max=2_000_000_000,
            mime_types=("video/mp4", "video/quicktime", "video/x-m4v"),
            duration_ms_max=900_000,
            alt_text_max=500,
        ),
    },
    media_required=True,
    options={
        "boardId": Option(
            type=BoardId,
            description="The board; needed unless the account is a board that was connected.",
            label="Board",
            live=True,
        ),
        "boardSectionId": Option(
            type=BoardId,
            description="A section of the board.",
            label="Section of the board",
            live=True,
            depends_on="boardId",
        ),
        "link": Option(
            label="Link of the pin", type=Address, description="Where the pin leads, instead of the post's `link`."
        ),
        "coverImage": Option(
            label="Cover picture",
            type=Address,
            description="The address of a cover image for a video; without it, its first second is shown.",
        ),
        "aiDisclosures": Option(
            label="Made with AI",
            type=Annotated[list[Disclosure], msgspec.Meta(max_length=2)],
            description="Labels the pin: `AI_MODIFIED` if it was made or changed with AI, `SYNTHETIC_PERFORMER` if it "
            "shows a person who was made with AI.",
        ),
    },
    metrics_per_call=1,
    comments_note="Pinterest gives apps no access to comments.",
    notes="Every pin has media: up to 5 images, or a video of 4 s to 15 min. An app with trial access cannot publish; "
    "ask Pinterest for standard access.",
)


def board_id(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> str | None:
    """Return the board that a post goes to."""
    return outgoing.options.get("boardId") or account_facts.get("boardId")


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check the board, the length of the link, and how short a video is."""
    return [*_board(outgoing, account_facts), *_link(outgoing), *_videos(outgoing)]


def _board(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    if board_id(outgoing, account_facts) is None:
        message = "Name a board in options.boardId, or connect a board."
        yield PreflightIssue("pinterest.board.required", "/options/boardId", message)


def _link(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    actual = len(outgoing.link or "")
    if actual > LINK_MAX:
        message = f"The link is {actual} characters long; Pinterest allows {LINK_MAX}."
        yield PreflightIssue("pinterest.link.max", "/link", message, {"limit": LINK_MAX, "actual": actual})


def _videos(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    for index, media in enumerate(outgoing.media):
        if media.kind == "video" and media.duration_ms is not None and media.duration_ms < VIDEO_MS_MIN:
            message = f"This file is {media.duration_ms} milliseconds long; Pinterest needs {VIDEO_MS_MIN}."
            params = {"limit": VIDEO_MS_MIN, "actual": media.duration_ms}
            yield PreflightIssue("pinterest.media.min_duration", f"/media/{index}", message, params)
