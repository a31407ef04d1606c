"""Facebook as the simulator has it, with one Page, and what the errors of the Graph API mean."""

from typing import Any

from simulator.networks.facebook import Facebook
from simulator.world import Destination
from tests.helpers.simulated import open_with, simulated, write_comment

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import FakeResponse, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater
from signalpost.networks.meta.errors import PUBLISHES

PAGE = "1001"
CREATE = f"POST /v25.0/{PAGE}/feed"
PHOTOS = f"POST /v25.0/{PAGE}/photos"
MP4 = b"\0\0\0\x18ftypmp42" + bytes(3_000)


def seed(network: Any) -> None:
    world = network.world
    page = Destination(PAGE, "page", "Bakery", {"username": "bakery"})
    alice = world.add_person("facebook", "alice", destinations=[page])
    grant = open_with(network, "user-token", alice, world.add_app("facebook"))
    network.page_tokens[TOKEN] = (grant, PAGE)


def video(**rest: Any) -> Any:
    values = {"kind": "video", "mime_type": "video/mp4", "data": MP4, "width": 1080, "height": 1920, "alt": None}
    return image(**{**values, "duration_ms": 12_000, **rest})


def meta_response(status: int, code: int, subcode: int = 0, message: str = "words", **headers: str) -> FakeResponse:
    """Return an error of the Graph API."""
    error = {"message": f"(#{code}) {message}", "type": "OAuthException", "code": code, "fbtrace_id": "A1"}
    return json_response(status, {"error": {**error, "error_subcode": subcode} if subcode else error}, **headers)


def error(
    code: int, subcode: int = 0, message: str = "words", *, status: int = 400, call: str = CREATE + PUBLISHES
) -> ApiError:
    return ApiError(meta_response(status, code, subcode, message), call)


SHARED_ERRORS: list[tuple[ApiError, type, str | None]] = [
    (error(190, 463, status=401), NeedsReconnect, None),
    (error(190, 460), NeedsReconnect, None),
    (error(190, 459), NeedsReconnect, None),
    (error(102), NeedsReconnect, None),
    (error(100, message="Invalid appsecret_proof provided"), TryLater, None),
    (error(3), Refused, "permission_missing"),
    (error(10), Refused, "permission_missing"),
    (error(200, status=403), Refused, "permission_missing"),
    (error(283, status=403), Refused, "permission_missing"),
    (error(4), TryLater, "rate_limited"),
    (error(17), TryLater, "rate_limited"),
    (error(32), TryLater, "rate_limited"),
    (error(613), TryLater, "rate_limited"),
    (error(80001), TryLater, "rate_limited"),
    (error(80002), TryLater, "rate_limited"),
    (error(368), TryLater, "account_restricted"),
    (error(1, status=500), OutcomeUnknown, None),
    (error(2, status=500), OutcomeUnknown, None),
    (error(2, status=500, call=PHOTOS), TryLater, "platform_unavailable"),
    (error(-1, status=500, call=PHOTOS), TryLater, "platform_unavailable"),
    (error(100), Refused, "content_rejected"),
    (error(100, 33), Refused, "destination_missing"),
    (ApiError(FakeResponse(502, b"<html>bad gateway"), CREATE + PUBLISHES), OutcomeUnknown, None),
    (ApiError(FakeResponse(502, b"<html>bad gateway"), PHOTOS), TryLater, "platform_unavailable"),
    (ApiError(FakeResponse(403, b"<html>blocked"), PHOTOS), TryLater, "platform_unavailable"),
    (ApiError(FakeResponse(400, b"<html>"), CREATE + PUBLISHES), Refused, "content_rejected"),
]

FAKE = NetworkFake(
    server=simulated(Facebook, seed),
    write_comment=write_comment,
    account={"secrets": {"accessToken": "user-token", "pageToken": TOKEN}, "remote_id": PAGE},
    create_call=CREATE,
    refusal=meta_response(400, 100, 1346003, "abusive"),
    cases={
        "text and link": Case(post=outgoing("one & only", link="https://example.com/a")),
        "photos": Case(post=outgoing("two\n\nlines", media=(image(), image(data=b"GIF89a..", mime_type="image/gif")))),
        "first comment": Case(post=outgoing("with a comment", first_comment="first")),
        "video": Case(post=outgoing("moving", media=(video(),))),
        "reel": Case(post=outgoing("short", media=(video(),), options={"type": "reel"})),
        "video story": Case(post=outgoing("", media=(video(),), options={"type": "story"})),
    },
    errors=[
        *SHARED_ERRORS,
        (error(506), Refused, "duplicate_content"),
        (error(100, 1366051), Refused, "duplicate_content"),
        (error(324, 2069019, call=PHOTOS), Refused, "media_unsupported"),
        (error(1, 1366046, call=PHOTOS), Refused, "media_too_large"),
        (error(100, 1363024), Refused, "media_unsupported"),
        (error(1, 1363047, call=PHOTOS), TryLater, None),
        (error(6000, 1363041, call=PHOTOS), TryLater, None),
        (error(368, 1390008), TryLater, "rate_limited"),
        (error(200, 1404078), NeedsReconnect, None),
        (error(200, 4854002), NeedsReconnect, None),
        (error(100, 1609005), Refused, "content_rejected"),
        (error(100, message="No permission to publish the video"), Refused, "permission_missing"),
    ],
)


def add_portfolio(person: Any) -> None:
    """Give a person Pages of a business portfolio: an own one, one of a client, and one that they ticked as well."""
    for page_id, kind, ticked in (("2001", "owned", False), ("2002", "client", False), ("2003", "owned", True)):
        business = {"id": "900", "name": "Agency", "kind": kind, "ticked": ticked}
        instagram = {"id": f"3{page_id}", "username": f"photos_{page_id}"}
        details = {"username": f"page{page_id}", "instagram": instagram, "business": business}
        person.destinations.append(Destination(page_id, "page", f"Page {page_id}", details))
