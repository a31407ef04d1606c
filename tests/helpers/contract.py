"""A workspace with one of everything in it, and requests to any endpoint about what is there."""

import io
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
from PIL import Image
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.console.openapi import openapi_document
from signalpost.kit import clock, ids
from signalpost.main import wiring
from signalpost.web.routing import Endpoint, PathInput

ENDPOINTS = [endpoint for endpoint in wiring.endpoints() if not endpoint.hidden]
DOCUMENT = openapi_document(wiring.endpoints(), base_url="http://signalpost.test", version="0.0.0", brand="Service")
SEGMENTS = {"platform": "sandbox"}
BY_QUEUE_SECRET = ("/queue/process", "/admin/sync-metrics-cron")
SOON = clock.wire(clock.now() + timedelta(days=30))
_ID = re.compile(r"([a-z]{3,4})_[0-9A-HJKMNP-TV-Z]{26}")


def name_of(endpoint: Endpoint) -> str:
    """`GET /posts/{id}`: the id of a parametrised case."""
    return f"{endpoint.method} {endpoint.path}"


@dataclass(kw_only=True)
class Asked:
    """A request about to be sent."""

    method: str
    path: str
    key: str | None
    body: Any = None
    params: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    files: Any = None

    async def send(self, api: Api, **changed: Any) -> httpx.Response:
        """Send it, with `key`, `body`, `path`, `content`, … replaced."""
        given = {"key": self.key, "body": self.body, "path": self.path, "headers": self.headers} | changed
        options: dict[str, Any] = {"headers": given.pop("headers"), "params": given.pop("params", self.params)}
        body = given.pop("body")
        if "content" in given:
            options["content"] = given.pop("content")
            options["headers"] = {"Content-Type": "application/json"} | options["headers"]
        elif self.files is not None:
            options["files"] = self.files
        elif body is not None:
            options["json"] = body
        return await api.call(self.method, given["path"], key=given["key"], **options)


@dataclass
class Place:
    """Somebody's workspace; `ids` by prefix are what paths and bodies name."""

    api: Api
    make: Make
    owner: Login
    ids: dict[str, str]

    def ask(self, endpoint: Endpoint, *, key: str | None = None) -> Asked:
        """Return a request that the endpoint understands, about what is here."""
        path = endpoint.path
        for wish in endpoint.path_inputs:
            prefix = prefix_of(wish)
            value = self.ids[prefix] if prefix else SEGMENTS[wish.param]
            path = path.replace("{" + wish.param + "}", value)
        operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
        asked = Asked(method=endpoint.method, path=path, key=key or self.owner.key)
        if endpoint.path in BY_QUEUE_SECRET:
            asked.headers["X-Queue-Secret"] = self.make.context.settings.queue_secret or ""
        for parameter in operation["parameters"]:
            if parameter["in"] == "query" and parameter["required"]:
                asked.params[parameter["name"]] = self._value(parameter["name"])
        content = operation.get("requestBody", {}).get("content", {})
        if "multipart/form-data" in content:
            asked.files = {"file": ("dot.png", picture(), "image/png")}
        elif "application/json" in content:
            asked.body = self._own(content["application/json"]["example"])
        return asked

    def _value(self, name: str) -> str:
        return {"profileId": self.ids["prof"], "expires": "4102444800"}.get(name, "x" * 24)

    def _own(self, example: Any) -> Any:
        text = _ID.sub(lambda found: self.ids.get(found[1], found[0]), json.dumps(example))
        return json.loads(re.sub(r'"2026-[^"]*Z"', f'"{SOON}"', text.replace('"bluesky"', '"sandbox"')))


def picture() -> bytes:
    """A small PNG."""
    file = io.BytesIO()
    Image.new("RGB", (8, 8), (secrets.randbelow(256), 90, 160)).save(file, "PNG")
    return file.getvalue()


async def furnish(api: Api, make: Make, endpoints: Iterable[Endpoint] = ENDPOINTS) -> Place:
    """Make a workspace and put one of everything into it; a file, which takes its time, only for what needs it."""
    owner = await make.owner()
    child = await make.profile(owner)
    account = await make.account(owner)
    link = await _made(api, owner, "/profiles/links", {"parentProfileId": owner.profile, "childProfileId": child["id"]})
    post = await make.post(owner, scheduledAt=SOON)
    webhook = await _made(api, owner, "/webhooks", {"url": "http://127.0.0.1:9/hook"})
    delivery = await _made(api, owner, f"/webhooks/{webhook['id']}/test", None)
    key = await _made(api, owner, "/api-keys", {"name": "Spare"})
    found = {
        "prof": owner.profile, "acc": account["id"], "lnk": link["id"], "pst": post["id"],
        "whk": webhook["id"], "dlv": delivery["id"], "key": key["id"], "wsp": ids.encode("wsp", owner.workspace_id),
        "tgt": post["targets"][0]["id"],
    }  # fmt: skip
    if any(prefix_of(wish) == "med" for endpoint in endpoints for wish in endpoint.path_inputs):
        found["med"] = await upload(api, owner)
    return Place(api, make, owner, found)


def prefix_of(source: PathInput) -> str | None:
    """Return what ids there start with, or None for a plain piece of the path."""
    return None if source.id is None else source.id.prefix


async def upload(api: Api, owner: Login) -> str:
    """Upload a picture; return its id."""
    answer = await api.post("/media/upload", files={"file": ("dot.png", picture(), "image/png")}, key=owner.key)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def _made(api: Api, owner: Login, path: str, body: Any) -> dict[str, Any]:
    answer = await api.post(path, json=body, key=owner.key)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found
