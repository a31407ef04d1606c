"""Ghost as the simulator has it, with the key of an integration."""

import asyncio
import json
from pathlib import Path
from typing import Any

from simulator.networks.ghost import TYPE_NAMES, Ghost
from tests.counterparts import tools
from tests.helpers.simulated import simulated

from signalpost.conformance.fake import Case, NetworkFake
from signalpost.conformance.harness import PNG, FakeResponse, image, json_response, outgoing
from signalpost.networks.contract import ApiError, NeedsReconnect, OutcomeUnknown, Refused, TryLater

ADD, PUBLISH, LIST, DELETE = "POST /posts/", "PUT /posts/17/", "GET /posts/", "DELETE /posts/17/"
IMAGES = "POST /images/upload/"
KEY = f"{7:024x}:{'ab' * 32}"
PAGE = b"<html>Blocked</html>"


CLIENT_IS_TOLD = {
    "unknown": {"name": "EmailError", "code": None, "property": None},
    "old": {"name": "UpdateCollisionError", "code": "UPDATE_COLLISION", "property": None},
    "long": {"name": "ValidationError", "code": None, "property": None},
    "gone": {"name": "NotFoundError", "code": None, "property": None},
    "wrong": {"name": "UnauthorizedError", "code": "INVALID_JWT", "property": None},
}
"""Errors of Ghost and of the simulated one, as Ghost's own client reads them: a newsletter that does not exist, an old
post, a long title, a deleted post, and a key with another secret."""


async def run_client(url: str, key: str, folder: Path) -> Any:
    """Have Ghost's own client do at a site what the connector does; return what it got."""
    (folder / "dot.png").write_bytes(PNG)
    program = await asyncio.create_subprocess_exec(
        tools.node(), tools.node_script("ghost"), url, key, str(folder / "dot.png"), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await program.communicate()
    return json.loads(output)


def error(status: int, call: str = PUBLISH, kind: str | None = None, **more: Any) -> ApiError:
    one = {"message": "Sorry.", "type": kind or TYPE_NAMES.get(status, "InternalServerError"), **more}
    return ApiError(json_response(status, {"errors": [one]}), call)


def seed(network: Any) -> None:
    network.add_key(network.world.add_person("ghost", "baker"), KEY)


FACTS = {"path": ""}

FAKE = NetworkFake(
    server=simulated(Ghost, seed),
    account={"secrets": {"adminApiKey": KEY}, "remote_id": "server.example", "facts": FACTS},
    create_call="PUT /",  # every path ends like that, and nothing else is put
    cases={
        "post": Case(post=outgoing("one & only\n\n<two>", title="Rye", media=(image(), image()))),
        "newsletter": Case(post=outgoing("x", title="Rye", options={"newsletter": "weekly", "emailSegment": "paid"})),
    },
    post=outgoing("x", title="Rye"),
    form={"siteUrl": "https://server.example", "adminApiKey": KEY},
    refusal=json_response(422, {"errors": [{"message": "Validation error.", "type": "ValidationError"}]}),
    errors=[
        (error(401, LIST, code="UNKNOWN_ADMIN_API_KEY"), NeedsReconnect, None),
        (error(401, code="INVALID_JWT"), NeedsReconnect, None),
        (error(400, code="INVALID_JWT"), NeedsReconnect, None),
        (error(403), Refused, "permission_missing"),
        (error(403, DELETE), Refused, "permission_missing"),
        (error(403, PUBLISH, "HostLimitError"), Refused, "billing_required"),
        (error(501, ADD, "NotImplementedError"), Refused, "permission_missing"),
        (error(400), Refused, "content_rejected"),
        (error(404), Refused, "content_rejected"),
        (error(406, ADD, "RequestNotAcceptableError"), Refused, "destination_missing"),
        (error(422), Refused, "content_rejected"),
        (error(422, IMAGES), Refused, "media_unsupported"),
        (error(413, IMAGES), Refused, "media_too_large"),
        (ApiError(FakeResponse(413, PAGE), IMAGES), Refused, "media_too_large"),
        (error(415, IMAGES), Refused, "media_unsupported"),
        (error(409), TryLater, "platform_unavailable"),
        (error(503), TryLater, "platform_unavailable"),
        (error(429), TryLater, "rate_limited"),
        (error(500), OutcomeUnknown, None),
        (error(500, PUBLISH, "EmailError"), OutcomeUnknown, None),
        (error(500, ADD), TryLater, "platform_unavailable"),
        (error(500, IMAGES), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(503, PAGE), PUBLISH), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, PAGE), PUBLISH), OutcomeUnknown, None),
        (ApiError(FakeResponse(403, PAGE), LIST), TryLater, "platform_unavailable"),
        (ApiError(FakeResponse(200, json.dumps([1]).encode()), PUBLISH), OutcomeUnknown, None),
    ],
)
