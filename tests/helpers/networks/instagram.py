"""Instagram as the simulator has it, with an account of each login, and what its errors mean."""

import io
from dataclasses import replace
from typing import Any

from PIL import Image
from simulator.networks.instagram import Instagram
from simulator.world import Destination
from tests.helpers.networks.facebook import MP4, SHARED_ERRORS, error, meta_response
from tests.helpers.simulated import open_with, simulated, write_comment

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import image, outgoing
from signalpost.networks.contract import NeedsReconnect, Refused, TryLater

ACCOUNT, LINKED, PAGE = "1700", "1701", "1002"
CREATE = f"POST /v25.0/{ACCOUNT}/media_publish"
CONTAINER = f"POST /v25.0/{ACCOUNT}/media"
URL = "https://posts.example.com/api/v1/media/"


def jpeg(color: str = "red", size: tuple[int, int] = (400, 400)) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", size, color).save(content, "JPEG")
    return content.getvalue()


FILES = {f"{URL}{name}.jpg": jpeg(name) for name in ("red", "green", "blue")} | {f"{URL}clip.mp4": MP4}


def photo(name: str = "red", **rest: Any) -> Any:
    url = f"{URL}{name}.jpg"
    file = image(f"{name} square", FILES[url], "image/jpeg", **{"width": 400, "height": 400, **rest})
    return replace(file, url=lambda: url)


def clip(**rest: Any) -> Any:
    file = image(None, MP4, "video/mp4", kind="video", **{"width": 1080, "height": 1920, "duration_ms": 9_000, **rest})
    return replace(file, url=lambda: f"{URL}clip.mp4")


def without_url(file: Any) -> Any:
    return replace(file, url=None)


def seed(network: Any) -> None:
    """Open an account by Instagram Login with the token of tests, and one of a Page with `page-token`."""
    network.files |= FILES
    app = network.world.add_app("instagram")
    bakery = network.world.add_person("instagram", "bakery", id=ACCOUNT)
    open_with(network, TOKEN, bakery, app)
    page = Destination(PAGE, "page", "Bakery", {"instagram": {"id": LINKED, "username": "bakery_photos"}})
    alice = network.world.add_person("instagram", "alice", destinations=[page])
    network.page_tokens["page-token"] = (open_with(network, "user-token", alice, app), PAGE)


ON_PAGE = {
    "secrets": {"accessToken": "user-token", "pageToken": "page-token"}, "remote_id": LINKED,
    "facts": {"login": "facebook"},
}  # fmt: skip

FAKE = NetworkFake(
    server=simulated(Instagram, seed),
    write_comment=write_comment,
    account={"secrets": {"accessToken": TOKEN}, "remote_id": ACCOUNT, "facts": {"login": "instagram"}},
    create_call=CREATE,
    post=outgoing("x", media=(photo(),)),
    refusal=meta_response(400, 100, 2207023),
    cases={
        "photo": Case(post=outgoing("one & only", media=(photo(),))),
        "carousel": Case(post=outgoing("several", media=(photo("red"), photo("green"), clip()))),
        "reel": Case(post=outgoing("moving", media=(clip(),), first_comment="first")),
        "story": Case(post=outgoing("", media=(photo(),), options={"type": "story"})),
        "photo of a Page's account": Case(post=outgoing("by page", media=(photo(),)), account=ON_PAGE),
        "uploaded reel": Case(post=outgoing("by page", media=(without_url(clip()),)), account=ON_PAGE),
    },
    errors=[
        *SHARED_ERRORS,
        (error(9, 2207042), TryLater, "platform_quota"),
        (error(9007, 2207027), TryLater, "media_processing_failed"),
        (error(24, 2207008), TryLater, "media_processing_failed"),
        (error(-2, 2207003, call=CONTAINER), TryLater, "media_processing_failed"),
        (error(-2, 2207020), TryLater, "media_processing_failed"),
        (error(-1, 2207053, call=CONTAINER), TryLater, "media_processing_failed"),
        (error(25, 2207050), NeedsReconnect, None),
        (error(4, 2207051), TryLater, "account_restricted"),
        (error(352, 2207026), Refused, "media_unsupported"),
        (error(9004, 2207052), Refused, "media_fetch_failed"),
        (error(36000, 2207004), Refused, "media_too_large"),
        (error(36001, 2207005), Refused, "media_unsupported"),
        (error(36003, 2207009), Refused, "media_unsupported"),
        (error(36004, 2207010), Refused, "text_too_long"),
        (error(100, 2207028), Refused, "content_rejected"),
        (error(24, 2207006), Refused, "content_rejected"),
    ],
)
