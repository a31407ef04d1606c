"""Texts that are scripts wherever a page takes them for markup, stored in every text of every body of the API.

The bodies and their texts come from the document of the API. `stored_texts.tsv` says of each whether the service keeps
it or refuses it, so a new body with a text fails until it has a row.
"""

import csv
import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import count, pairwise
from typing import Any

from tests.counterparts.tools import CHECKOUT
from tests.helpers.api import Api
from tests.helpers.contract import (
    DOCUMENT,
    ENDPOINTS,
    SEGMENTS,
    PreparedRequest,
    Sample,
    invited_email,
    name_of,
    picture,
    session_of,
)

from signalpost.console.samples import example_bodies
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Endpoint

TABLE = CHECKOUT / "tests/console/stored_texts.tsv"
MARKUP = (
    "§\"'><img src=/hostile.png?§ onerror=hostile()><svg onload=hostile()></script><script>hostile()</script>"
    '<a href="javascript:hostile()">x</a>[x](javascript:hostile())'
)
_TEXTS = (MARKUP, "<img src=/§ onerror=hostile()>", "<b onclick=hostile()>§", "javascript:hostile()//§")
"""The worst first; a text that is too long, or that has to be an address, may still be one of the others."""
ENDING = ("/auth/password/reset", "/auth/totp/disable", "/team/transfer", "/billing/handover")
"""Operations with which a caller loses what the others need."""
_SCHEMAS = DOCUMENT["components"]["schemas"]
_numbers = count(1)
JSON = "application/json"
_NUMBER = "§"
APPROVAL = ("/posts/{id}/request-approval", "/posts/{id}/approve", "/posts/{id}/reject")
LINKS = ("/approval-links", "/approvals/{token}/posts/{postId}")


def texts() -> dict[tuple[str, str], Endpoint]:
    """Return each text of each JSON body, by operation and JSON pointer; `*` is a name of the caller's choice."""
    found = {}
    for endpoint in ENDPOINTS:
        content = _content(endpoint)
        if JSON in content:
            for pointer in dict.fromkeys(_pointers(content[JSON]["schema"], "", 0)):
                found[name_of(endpoint), pointer] = endpoint
    return found


def table() -> dict[tuple[str, str], str]:
    """Return whether each text is `accepted` or `refused`, as reviewed."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {(row["operation"], row["pointer"]): row["what"] for row in csv.DictReader(file, delimiter="\t")}


async def store_everywhere(api: Api, sample: Sample) -> tuple[dict[tuple[str, str], str], list[Any]]:
    """Send each text of each body; return what became of it, and what was answered when one was accepted.

    What an operation has accepted stays in the bodies that follow: the last has everything, and pages show it first.
    """
    became, answers, bodies = {}, [], dict[str, Any]()
    session = (await session_of(sample, sample.owner)).access_token
    for (name, pointer), endpoint in texts().items():
        if endpoint.path in ENDING:
            became[name, pointer] = "not sent"
            continue
        body = bodies.setdefault(name, sample._own(example_bodies(_content(endpoint)[JSON])[0]))
        became[name, pointer] = "refused"
        for text in _TEXTS:
            changed = deepcopy(body)
            _put(changed, pointer.split("/")[1:], text)
            request = sample.prepare(endpoint)
            request.files = None
            request.key = {PUBLIC: None, "signed_in": session}.get(endpoint.scope, request.key)
            sent = _renewed(changed)
            await _ready(sample, endpoint, request, sent)
            answer = await request.send(api, body=sent)
            if answer.is_success:
                became[name, pointer], bodies[name] = "accepted", changed
                answers.append(answer.json() if answer.content else None)
                break
    return became, answers


async def store_beside(api: Api, sample: Sample) -> None:
    """Store what no JSON body has: names and descriptions of files, rows of a table, and what others let us read."""
    key = sample.owner.key
    file = (f"{MARKUP}.png".replace("/", "|"), picture(), "image/png")
    uploaded = await api.post("/media/upload", files={"file": file}, data={"altText": MARKUP}, key=key)
    rows = f'text,profileId,platforms\n"{MARKUP.replace(chr(34), chr(34) * 2)}",{sample.ids["prof"]},sandbox\n'
    imported = await api.post("/posts/bulk", content=rows, headers={"Content-Type": "text/csv"}, key=key)
    draft = {"text": MARKUP, "profileId": sample.ids["prof"], "media": [{"mediaId": uploaded.json()["id"]}]}
    posted = await api.post("/posts", json=draft | {"draft": True, "platforms": ["sandbox"]}, key=key)
    assert all(each.is_success for each in (uploaded, imported, posted)), (uploaded.text, imported.text, posted.text)
    async with sample.make.context.database.transaction() as db:
        await db.execute(_ACCOUNTS, sample.owner.workspace_id, MARKUP)
        await db.execute(_TARGETS, sample.owner.workspace_id, MARKUP)


_ACCOUNTS = """
update account set username = $2, display_name = $2, avatar_url = 'javascript:hostile()' where workspace_id = $1
"""
_TARGETS = """
update target set status = 'failed', next_attempt_at = null, url = 'javascript:hostile()', error = jsonb_build_object(
    'code', 'content_rejected', 'category', 'user_content', 'source', 'platform', 'message', $2::text,
    'user_message', $2::text, 'rule', null, 'retryable', false, 'http_status', 400, 'platform_code', $2::text,
    'platform_response', $2::text, 'remediation', $2::text, 'occurred_at', now()
) where workspace_id = $1
"""
"""What a hostile network would say."""


async def _ready(sample: Sample, endpoint: Endpoint, request: PreparedRequest, body: Any) -> None:
    """Make what an operation needs anew each time."""
    make, owner = sample.make, sample.owner
    if endpoint.path == "/profiles/links":
        if body["childProfileId"] == sample.ids["prof"] or "hostile" not in body["childProfileId"]:
            body["childProfileId"] = (await make.profile(owner))["id"]
    elif endpoint.path in APPROVAL:
        post = await make.draft(owner, text=f"Soon {next(_numbers)}", platforms=["sandbox"])
        request.path = endpoint.path.replace("{id}", post["id"])
        if endpoint.path != APPROVAL[0]:
            asked = await make.api.post(f"/posts/{post['id']}/request-approval", json={}, key=owner.key)
            assert asked.is_success, asked.text
    elif endpoint.path.startswith(LINKS):
        post = await make.draft(owner, text=f"{MARKUP} {next(_numbers)}", platforms=["sandbox"])
        chosen = {"postIds": [post["id"]]}
        if endpoint.path == LINKS[0]:
            if "hostile" not in body["postIds"][0]:
                body |= chosen
            return
        made = (await make.api.post("/approval-links", json=chosen, key=owner.key)).json()
        request.path = f"/approvals/{made['url'].rpartition('/')[2]}/posts/{post['id']}"
        body["version"] = post["version"] + 1  # it was offered with the link
    elif endpoint.path.endswith("/link-page"):
        body["isPublished"] = True  # so that a visitor sees it
        link = {"title": "Shop", "url": "https://shop.example.com/"}
        body["links"] = [link | sent for sent in body.get("links", [])]
    elif endpoint.path == "/team/invites/{token}/accept":
        invited = await make.api.post("/team/invite", json={"email": invited_email(), "role": "viewer"}, key=owner.key)
        body.setdefault("password", "correct horse battery staple")
        request.path = request.path.replace(SEGMENTS["token"], invited.json()["inviteUrl"].rpartition("/")[2])


def _content(endpoint: Endpoint) -> dict[str, Any]:
    operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
    found: dict[str, Any] = operation.get("requestBody", {}).get("content", {})
    return found


def _pointers(schema: dict[str, Any], pointer: str, depth: int) -> Iterator[str]:
    if "$ref" in schema:
        schema = _SCHEMAS[schema["$ref"].rsplit("/", 1)[1]]
    if depth > 8:
        return
    for option in schema.get("anyOf", schema.get("oneOf", ())):
        yield from _pointers(option, pointer, depth + 1)
    if schema.get("type") == "string" and not schema.keys() & {"enum", "const"}:
        yield pointer
    for name, inner in schema.get("properties", {}).items():
        yield from _pointers(inner, f"{pointer}/{name}", depth + 1)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _pointers(schema["additionalProperties"], f"{pointer}/*", depth + 1)
    if isinstance(schema.get("items"), dict):
        yield from _pointers(schema["items"], f"{pointer}/0", depth + 1)


def _renewed(body: Any) -> Any:
    """Return a body with numbers of its own, and with new values of what may exist only once."""
    sent = json.loads(json.dumps(body, ensure_ascii=False).replace(_NUMBER, str(next(_numbers))))
    for name in ("text", "name", "email", "externalId") if isinstance(sent, dict) else ():
        if isinstance(sent.get(name), str) and "hostile" not in sent[name]:
            sent[name] = invited_email() if name == "email" else f"{sent[name]} {next(_numbers)}"
    return sent


def _put(body: Any, path: list[str], value: str) -> None:
    for step, following in pairwise(path):
        empty: Any = [] if following == "0" else {}
        if isinstance(body, list):
            if not body or not isinstance(body[0], (dict, list)):
                body[:1] = [deepcopy(empty)]
            body = body[0]
        else:
            if body.get(step) is None or not isinstance(body[step], (dict, list)):
                body[step] = deepcopy(empty)
            body = body[step]
    if isinstance(body, list):
        body[:1] = [value]
    else:
        body["hostile<b>" if path[-1] == "*" else path[-1]] = value
