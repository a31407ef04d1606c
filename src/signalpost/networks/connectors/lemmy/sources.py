"""Where the numbers of Lemmy were read: in its source for 0.19, and at instances. Each instance may set its own."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production, specification

_SOURCE: Final = "https://github.com/LemmyNet/lemmy/blob/release/v0.19"
_CHECKS: Final = specification(f"{_SOURCE}/crates/utils/src/utils/validation.rs", "2026-11-29")
_LIMITS: Final = specification(f"{_SOURCE}/migrations/2022-10-06-183632_move_blocklist_to_db/up.sql", "2026-11-29")
_NGINX: Final = specification(f"{_SOURCE}/docker/nginx.conf", "2026-11-29")
_ANSIBLE: Final = specification(
    "https://github.com/LemmyNet/lemmy-ansible/blob/main/templates/nginx.conf", "2026-11-29"
)
_PAGES: Final = "https://github.com/LemmyNet/lemmy-ui/blob/release/v0.19/src/shared"
_BODY_FIELD: Final = specification(f"{_PAGES}/config.ts", "2026-11-29")
_TITLE_FIELD: Final = specification(f"{_PAGES}/components/post/post-form.tsx", "2026-11-29")
_BODY: Final = documentation("https://github.com/LemmyNet/lemmy-ui/pull/2331", "2024-01-18")
_ALT: Final = documentation("https://github.com/LemmyNet/lemmy/pull/4724", "2024-05-17")
_TITLE: Final = production("https://www.pricefield.org/comment/16686735", "2026-11-29")
# Instances set their own rates: lemmy.world took 30 posts a minute (its /api/v3/site, 2026-06-13). None says how large
# a file may be (LemmyNet/lemmy 5322, 2025-01-12); 20 MB are for a whole call, and a form has more than its file.
_ONE: Final = ours("a post has one picture, and shows others in its text; instances take six an hour", "2026-11-29")
_EACH: Final = ours("each post is read by a call of its own", "2026-11-29")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(6, (_LIMITS,)),
    "rate_limit.seconds": Sourced(600, (_LIMITS,)),
    "text.max_length": Sourced(50_000, (_CHECKS, _BODY_FIELD, _BODY)),
    "title.max_length": Sourced(200, (_CHECKS, _TITLE_FIELD, _TITLE)),
    "media_total": Sourced(6, (_ONE,)),
    "media.image.per_post": Sourced(6, (_ONE,)),
    "media.image.bytes_max": Sourced(19_000_000, (_NGINX, _ANSIBLE)),
    "media.image.alt_text_max": Sourced(1_500, (_CHECKS, _ALT)),
    "media.gif.per_post": Sourced(6, (_ONE,)),
    "media.gif.bytes_max": Sourced(19_000_000, (_NGINX, _ANSIBLE)),
    "media.gif.alt_text_max": Sourced(1_500, (_CHECKS, _ALT)),
    "metrics_per_call": Sourced(20, (_EACH,)),
}
