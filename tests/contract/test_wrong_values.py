"""Values, times, states and places that are wrong in the ways in which people get them wrong, and what is answered."""

import dataclasses
import socket
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.contract import SOON, picture
from tests.helpers.factories import Make
from tests.helpers.messages import Expected, faults_of
from tests.helpers.unbuilt import without

from signalpost import networks
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.http import Client
from signalpost.main import app
from signalpost.networks import PLATFORMS

Request = tuple[str, str, dict[str, Any]]


@pytest.fixture(scope="module")
async def operated(context: AppContext) -> AsyncIterator[Api]:
    """The application as an operator runs it: no private addresses, and one host that does not resolve."""

    async def lookup(host: str) -> list[str]:
        if host.endswith("nowhere.example"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return ["10.0.0.1"]

    async with Client(lookup=lookup) as http:
        clients = dataclasses.replace(context.http, accounts=http, pages=http)
        settings = dataclasses.replace(
            context.settings, allow_private_webhooks=False, allowed_private_hosts=(), registration="invite"
        )
        async with Api(app.create(dataclasses.replace(context, http=clients, settings=settings))) as opened:
            yield opened


@dataclasses.dataclass
class Place:
    """A workspace in which something is in every state that a request can get wrong."""

    api: Api
    key: str
    test_key: str
    names: dict[str, str]


@pytest.fixture(scope="module")
async def place(operated: Api, context: AppContext) -> Place:
    make = Make(context, operated)
    owner = await make.owner()
    child = await make.profile(owner, name="Bakery")
    account = await make.account(owner)
    away = await make.account(owner, profile=child["id"])
    draft = await make.draft(owner)
    scheduled = await make.post(owner, scheduledAt=SOON, externalId="cms-1", text="Twice")
    trashed = await make.draft(owner)
    assert (await operated.delete(f"/posts/{trashed['id']}", key=owner.key)).status_code == 200
    media = await operated.post("/media/upload", files={"file": ("dot.png", picture(), "image/png")}, key=owner.key)
    names = {
        "profile": owner.profile, "child": child["id"], "account": account["id"], "away": away["id"],
        "draft": draft["id"], "scheduled": scheduled["id"], "trashed": trashed["id"], "media": media.json()["id"],
        "past": clock.wire(clock.now() - timedelta(hours=1)), "far": clock.wire(clock.now() + timedelta(days=400)),
        "soon": SOON, "long": "x" * 5_001,
    }  # fmt: skip
    return Place(operated, owner.key, owner.test_key, names)


def post(**fields: Any) -> Request:
    return "POST", "/posts", {"json": {"profileId": "{profile}", "text": "Hello", "platforms": ["sandbox"]} | fields}


def change(path: str, **fields: Any) -> Request:
    return "PATCH", path, {"json": fields}


def send(path: str, **fields: Any) -> Request:
    return "POST", path, {"json": fields}


def get(path: str, **params: Any) -> Request:
    return "GET", path, {"params": params}


def upload(name: str, content: bytes, **fields: str) -> Request:
    return "POST", "/media/upload", {"files": {"file": (name, content, "image/png")}, "data": fields}


JSON = {"Content-Type": "application/json"}
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
CASES: dict[str, tuple[Request, Expected]] = {
    # names that other services use
    "message": (post(message="Hello"), Expected(422, "Did you mean text?", "/message")),
    "content": (post(content="Hello"), Expected(422, "Did you mean text?", "/content")),
    "profile_id": (post(profile_id="x"), Expected(422, "Did you mean profileId?", "/profile_id")),
    "schedule_at": (post(schedule_at="x"), Expected(422, "Did you mean scheduledAt?", "/schedule_at")),
    "images": (post(images=[]), Expected(422, "Did you mean media?", "/images")),
    "tz": (post(tz="UTC"), Expected(422, "Did you mean timezone?", "/tz")),
    "page": (get("/posts", page="2"), Expected(422, "Did you mean cursor?", "page")),
    "per_page": (get("/posts", per_page="5"), Expected(422, "Did you mean limit?", "per_page")),
    # enumerations
    "status=done": (get("/posts", status="done"), Expected(422, "draft, scheduled, queued", "status")),
    "sort=date": (get("/posts", sort="created_at"), Expected(422, "Did you mean createdAt?", "sort")),
    "platform in a filter": (get("/posts", platform="Sandbox"), Expected(422, "Did you mean sandbox?", "platform")),
    "scope": (send("/api-keys", name="x", scopes=["posts"]), Expected(422, "Did you mean posts:read?", "/scopes/0")),
    "mode": (send("/api-keys", name="x", mode="prod"), Expected(422, "live, test", "/mode")),
    "event": (
        send("/webhooks", url="https://e.example", events=["post.publish"]),
        Expected(422, "post.published", "/events/0"),
    ),
    "publishMode": (
        post(publishMode="later"),
        Expected(422, "now, schedule, draft, slot, not 'later'", "/publishMode"),
    ),
    "account status": (change("/platforms/accounts/{account}", status="off"), Expected(422, "active", "/status")),
    # paths
    "a near miss": (send("/posts/{draft}/aprove"), Expected(404, "/approve?")),
    "what is not there": (send("/posts/{draft}/nonsense"), Expected(404, "there are: approve")),
    "a cancellation": (send("/posts/{draft}/cancel"), Expected(404, "mean DELETE /api/v1/queue/cancel/")),
    "a publication": (send("/posts/{draft}/publish"), Expected(404, "mean POST /api/v1/queue/submit/")),
    "a schedule": (send("/posts/{draft}/schedule"), Expected(404, "mean POST /api/v1/queue/submit/")),
    "a network's folder": (send("/platform/sandbox/connect"), Expected(404, "/api/v1/platforms/sandbox/connect?")),
    "accounts": (get("/accounts"), Expected(404, "Did you mean GET /api/v1/platforms/accounts")),
    "whoever asks": (get("/whoami"), Expected(404, "Did you mean GET /api/v1/auth/me or PATCH /api/v1/auth/me?")),
    "below an operation": (get("/auth/me/more"), Expected(404, "No operation at /api/v1/auth/me/more.")),
    "another version": (get("/api/v2/posts"), Expected(404, "Did you mean /api/v1/posts?")),
    "a short prefix": (send("/v1/posts/{draft}/cancel"), Expected(404, "mean DELETE /api/v1/queue/cancel/")),
    "health": (get("/healthz"), Expected(404, "Below /api/v1/healthz there are: api, datastore.")),
    # bodies as programs write them
    "UTF-16": (
        ("POST", "/posts", {"content": '{"text": "x"}'.encode("utf-16"), "headers": JSON}),
        Expected(400, "UTF-16"),
    ),
    "no boundary": (
        ("POST", "/media/upload", {"content": b"--x", "headers": {"Content-Type": "multipart/form-data"}}),
        Expected(400, "boundary"),
    ),
    "bare bytes": (
        ("POST", "/media/upload", {"content": b"\xff\xd8", "headers": {"Content-Type": "image/jpeg"}}),
        Expected(415, "multipart/form-data"),
    ),
    "media with url": (post(media=[{"url": "https://e.example/x.png"}]), Expected(422, "Did you mean mediaUrl?")),
    # formats
    "e-mail": (
        send("/auth/register", email="not-an-email", password="x" * 10),
        Expected(422, "e-mail address", "/email"),
    ),
    "password": (
        send("/auth/register", email="a@b.example", password="x"),
        Expected(422, "at least 10 characters", "/password"),
    ),
    "link": (post(link="example.com"), Expected(422, "begins with https://", "/link")),
    "color": (change("/profiles/{profile}", color="red"), Expected(422, "six hexadecimal digits", "/color")),
    "language": (change("/profiles/{profile}", language="german!"), Expected(422, "language tag", "/language")),
    "hashtag": (
        change("/profiles/{profile}", defaultHashtags=["a b"]),
        Expected(422, "one word", "/defaultHashtags/0"),
    ),
    "avatar": (change("/profiles/{profile}", avatarUrl="logo.png"), Expected(422, "https://", "/avatarUrl")),
    "blank name": (change("/profiles/{profile}", name="  "), Expected(422, "more than spaces", "/name")),
    "long name": (
        change("/profiles/{profile}", name="x" * 101),
        Expected(422, "at most 100 characters; it has 101", "/name"),
    ),
    "name taken": (change("/profiles/{profile}", name="Bakery"), Expected(409, "this name", "/name")),
    "media as a list of ids": (post(media=["{media}"]), Expected(422, '{{"mediaId": "med_', "/media/0")),
    "platforms as text": (post(platforms="sandbox"), Expected(422, '["bluesky"]', "/platforms")),
    "a number as text": (get("/posts", limit="ten"), Expected(422, "1 to 100", "limit")),
    "limit 0": (get("/posts", limit="0"), Expected(422, "1 to 100", "limit")),
    "cursor": (get("/posts", cursor="abc"), Expected(400, "cursor", "cursor")),
    "expiresAt without a zone": (
        send("/api-keys", name="x", expiresAt="2030-01-01T00:00:00"),
        Expected(422, "offset or Z", "/expiresAt"),
    ),
    "expiresAt in the past": (send("/api-keys", name="x", expiresAt="{past}"), Expected(422, "future", "/expiresAt")),
    "address list": (
        send("/api-keys", name="x", ipAllowList=["10.0.0.999"]),
        Expected(422, "10.0.0.999", "/ipAllowList/0"),
    ),
    "read and write": (
        send("/api-keys", name="x", permission="read", scopes=["posts:write"]),
        Expected(422, ":read", "/scopes/0"),
    ),
    "metadata": (change("/profiles/{profile}", metadata={"a": 1}), Expected(422, "Must be a string", "/metadata/a")),
    "U+0000": (post(text="a\0b"), Expected(422, "U+0000", "/text")),
    # times and zones
    "past": (post(scheduledAt="{past}"), Expected(422, "{past} is in the past", "/scheduledAt")),
    "too far": (post(scheduledAt="{far}"), Expected(422, "365 days ahead, until", "/scheduledAt")),
    "date only": (post(scheduledAt="2026-12-24"), Expected(422, "time of day is missing", "/scheduledAt")),
    "timestamp": (post(scheduledAt="1798110000"), Expected(422, "not a timestamp", "/scheduledAt")),
    "30 February": (post(scheduledAt="2027-02-30T10:00:00Z"), Expected(422, "no such moment", "/scheduledAt")),
    "words": (post(scheduledAt="tomorrow"), Expected(422, "RFC 3339", "/scheduledAt")),
    "time as a number": (post(scheduledAt=1798110000), Expected(422, "Must be a string", "/scheduledAt")),
    "from a date": (get("/posts", **{"from": "2026-12-01"}), Expected(422, "time of day is missing", "from")),
    "zone city": (post(timezone="Berlin"), Expected(422, "Europe/Berlin", "/timezone")),
    "zone case": (post(timezone="europe/berlin"), Expected(422, "Europe/Berlin", "/timezone")),
    "zone of a profile": (
        change("/profiles/{profile}", timezone="New York"),
        Expected(422, "America/New_York", "/timezone"),
    ),
    "zone of a workspace": (post(timezone="UTC+2"), Expected(422, "IANA", "/timezone")),
    # networks and accounts
    "bluesky without an account": (
        post(platforms=["bluesky"]),
        Expected(422, "POST /platforms/bluesky/connect", "/platforms/0"),
    ),
    "tumblr without a connector": (
        post(platforms=["tumblr"]),
        Expected(422, "This version cannot connect", "/platforms/0"),
    ),
    "unknown network": (post(platforms=["blusky"]), Expected(422, "Did you mean bluesky?", "/platforms/0")),
    "capital": (post(platforms=["Sandbox"]), Expected(422, "Did you mean sandbox?", "/platforms/0")),
    "network twice": (post(platforms=["sandbox", "sandbox"]), Expected(422, "sandbox is named twice", "/platforms/1")),
    "both": (post(targets=[{"accountId": "{account}"}]), Expected(422, "either platforms or targets", "/targets")),
    "account of another profile": (
        post(platforms=None, targets=[{"accountId": "{away}"}]),
        Expected(422, "No account", "/targets/0/accountId"),
    ),
    "neither": (post(platforms=None), Expected(422, "Name the platforms", "/platforms")),
    "connect tumblr": (
        send("/platforms/tumblr/connect", profileId="{profile}", fields={}),
        Expected(409, "no connector for tumblr"),
    ),
    "connect a typo": (
        send("/platforms/blusky/connect", profileId="{profile}", fields={}),
        Expected(422, "Did you mean bluesky?", "platform"),
    ),
    "a field missing": (
        send("/platforms/bluesky/connect", profileId="{profile}", fields={"identifier": "a.example"}),
        Expected(422, "/fields/appPassword", "/fields/appPassword"),
    ),
    "a field unknown": (
        send("/platforms/sandbox/connect", profileId="{profile}", fields={"username": "a", "userName": "b"}),
        Expected(422, "Did you mean username?", "/fields/userName"),
    ),
    "server unknown": (
        get("/platforms/mastodon/auth-url", profileId="{profile}", instanceUrl="Nowhere.example"),
        Expected(422, "does not resolve", "instanceUrl"),
    ),
    "server missing": (
        get("/platforms/mastodon/auth-url", profileId="{profile}"),
        Expected(422, "mastodon.social", "instanceUrl"),
    ),
    "connect to an unknown server": (
        send(
            "/platforms/mastodon/connect",
            profileId="{profile}",
            fields={"instanceUrl": "https://nowhere.example", "accessToken": "x"},
        ),
        Expected(422, "does not resolve"),
    ),
    "where to return": (
        get("/platforms/mastodon/auth-url", profileId="{profile}", redirectUrl="https://e.example/"),
        Expected(422, "redirectUrls", "redirectUrl"),
    ),
    "network of a link": (
        send("/profiles/links", parentProfileId="{profile}", childProfileId="{child}", rules={"platforms": ["blusky"]}),
        Expected(422, "Did you mean bluesky?", "/rules/platforms/0"),
    ),
    "link to itself": (
        send("/profiles/links", parentProfileId="{profile}", childProfileId="{profile}"),
        Expected(409, "the parent itself"),
    ),
    # content
    "too long for the network": (
        post(text="{long}"),
        Expected(422, "5001 characters long; Sandbox allows 5000", "/text"),
    ),
    "option unknown": (
        post(options={"sandbox": {"color": 1}}),
        Expected(422, "has no option", "/options/sandbox/color"),
    ),
    "options of an unknown network": (
        post(options={"blusky": {}}),
        Expected(422, "Did you mean bluesky?", "/options/blusky"),
    ),
    "text twice": (post(description="Hello"), Expected(422, "send only one of them", "/description")),
    "draft and now": (
        post(draft=True, publishMode="now"),
        Expected(422, "leave publishMode or draft out", "/publishMode"),
    ),
    "a schedule without a time": (post(publishMode="schedule"), Expected(422, "2026-11-21T18:00:00Z", "/scheduledAt")),
    "slot": (post(publishMode="slot"), Expected(422, "create one by POST /queues", "/publishMode")),
    "recurrence": (
        post(recurrence={"rrule": "FREQ=DAILY"}, scheduledAt=SOON),
        Expected(422, "Say when it ends", "/recurrence"),
    ),
    "twice": (post(text="Twice"), Expected(409, "{scheduled}")),
    "externalId": (post(externalId="cms-1"), Expected(409, "cms-1")),
    "media unknown": (
        post(media=[{"mediaId": "med_01M7Z0000000000000000000AB"}]),
        Expected(422, "No media with this id", "/media/0/mediaId"),
    ),
    "media by neither": (post(media=[{}]), Expected(422, "by mediaId or by mediaUrl", "/media/0")),
    "media at a private address": (
        post(mediaUrl="https://inner.example/a.jpg"),
        Expected(422, "cannot be fetched", "/mediaUrl"),
    ),
    "media at an unknown host": (
        post(mediaUrl="https://www.Nowhere.example/a.jpg"),
        Expected(422, "does not resolve", "/mediaUrl"),
    ),
    "media by url": (
        send("/media/upload", url="https://nowhere.example/a.jpg"),
        Expected(422, "does not resolve", "/url"),
    ),
    "media over http": (send("/media/upload", url="http://e.example/a.jpg"), Expected(422, "https://", "/url")),
    "a text file": (upload("a.png", b"Hello, this is text and nothing else."), Expected(422, "image/png", "/file")),
    "an SVG": (upload("a.svg", SVG), Expected(422, "image/jpeg", "/file")),
    "an empty file": (upload("a.png", b""), Expected(422, "is empty", "/file")),
    "half a file": (upload("a.png", media_files.image("PNG")[:60]), Expected(422, "damaged", "/file")),
    "of another kind": (upload("a.png", picture(), kind="video"), Expected(422, "image, not video", "/kind")),
    "no file": (
        ("POST", "/media/upload", {"files": {"picture": ("a.png", picture(), "image/png")}}),
        Expected(422, "named file", "/picture"),
    ),
    # states
    "read from the trash": (get("/posts/{trashed}"), Expected(404, "/posts/{trashed}/restore")),
    "change in the trash": (change("/posts/{trashed}", text="x"), Expected(404, "is in the trash")),
    "restore what is not there": (send("/posts/{draft}/restore"), Expected(409, "not in the trash")),
    "retry what did not fail": (send("/posts/{draft}/retry"), Expected(409, "No target of this post has failed")),
    "cancel a draft": (("DELETE", "/queue/cancel/{draft}", {}), Expected(409, "not on the queue")),
    "approve without a request": (send("/posts/{draft}/approve"), Expected(409, "approval")),
    "a stale version": (
        ("PATCH", "/posts/{draft}", {"json": {"text": "x"}, "headers": {"If-Match": '"77"'}}),
        Expected(412, "version"),
    ),
    "a version in words": (
        ("PATCH", "/posts/{draft}", {"json": {"text": "x"}, "headers": {"If-Match": "abc"}}),
        Expected(412, "version"),
    ),
    "log out with a key": (send("/auth/logout"), Expected(409, "no session")),
    "a workspace by key": (send("/workspaces", name="More"), Expected(403, "An API key belongs to one workspace")),
    "another workspace": (
        ("GET", "/auth/me", {"headers": {"X-Workspace-Id": "wsp_01M7Z0000000000000000000AB"}}),
        Expected(404, "X-Workspace-Id"),
    ),
    "register": (
        send("/auth/register", email="a@b.example", password="x" * 10),
        Expected(403, "SIGNALPOST_REGISTRATION"),
    ),
    "log in": (
        send("/auth/login", email="a@b.example", password="x" * 10),
        Expected(401, "e-mail address or the password"),
    ),
    "refresh": (send("/auth/refresh", refreshToken="x"), Expected(401, "refresh token")),
    "reset": (send("/auth/password/reset", token="x", password="x" * 10), Expected(401, "no longer works")),
    "a code of a sign-in": (
        send("/auth/oidc/token", code="spo_x", codeVerifier="x" * 43),
        Expected(401, "belongs to another verifier"),
    ),
    "the queue": (send("/queue/process"), Expected(403, "X-Queue-Secret")),
    # addresses and forms
    "webhook over http": (send("/webhooks", url="http://e.example/hook"), Expected(422, "https://", "/url")),
    "webhook in private": (send("/webhooks", url="https://localhost/hook"), Expected(422, "localhost", "/url")),
    "webhook nowhere": (send("/webhooks", url="https://nowhere.example/"), Expected(422, "does not resolve", "/url")),
    "webhook without a scheme": (send("/webhooks", url="e.example/hook"), Expected(422, "https://", "/url")),
    "a parameter twice": (("GET", "/posts?limit=1&limit=2", {}), Expected(422, "limit", "limit")),
    "a compressed body": (
        ("POST", "/posts", {"content": b"x", "headers": {"Content-Encoding": "gzip"}}),
        Expected(415, "gzip"),
    ),
    "a picture, please": (("GET", "/posts", {"headers": {"Accept": "image/png"}}), Expected(406, "image/png")),
    "a filter that is null": (get("/posts", status="null"), Expected(422, "Leave the parameter out", "status")),
    "a path": (get("/post"), Expected(404, "No operation at /api/v1/post.")),
    "a body for nothing": (
        ("POST", "/posts/{draft}/restore", {"json": {"a": 1}}),
        Expected(422, "does not accept a body", ""),
    ),
}
CODES = {
    "server unknown": "host_not_found", "connect to an unknown server": "host_not_found",
    "media at an unknown host": "host_not_found", "media by url": "host_not_found", "webhook nowhere": "host_not_found",
    "media at a private address": "unsafe_url", "webhook in private": "unsafe_url", "webhook over http": "unsafe_url",
}  # fmt: skip


def filled(value: Any, names: dict[str, str]) -> Any:
    """Fill in the names of what is in the place."""
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace("{" + name + "}", text)
        return value
    if isinstance(value, dict):
        return {key: filled(item, names) for key, item in value.items()}
    return [filled(item, names) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", CASES)
async def test_a_wrong_value_is_answered_with_a_next_step(
    place: Place, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "tumblr")
    (method, path, options), expected = CASES[name]
    headers = options.get("headers", {})
    answer = await place.api.call(
        method, filled(path, place.names), key=place.key, **filled(options, place.names) | {"headers": headers}
    )

    says = filled(expected.says, place.names).replace("{{", "{")
    assert faults_of(answer, dataclasses.replace(expected, says=says)) == []
    assert answer.json()["code"] == CODES.get(name, answer.json()["code"])
    assert answer.json()["retryable"] == (CODES.get(name) == "host_not_found")


async def test_a_zone_is_named_once_among_everything_else(place: Place) -> None:
    """A wrong type keeps the rest of a body from being read; the zone is looked at all the same."""
    body = {"profileId": place.names["profile"], "text": 7, "timezone": "Berlin", "platforms": ["sandbox"]}
    for path, changed in (("/posts", {}), ("/posts", {"text": "x", "platforms": ["blusky"]}), ("/posts/validate", {})):
        errors = (await place.api.post(path, json=body | changed, key=place.key)).json()["errors"]

        assert [issue["params"] for issue in errors if issue["path"] == "/timezone"] == [{"nearest": "Europe/Berlin"}]
        assert len(errors) == 2


async def test_no_advice_contradicts_the_instance(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials of an app do not bring a connector; a mail does not come where none is sent."""
    without(monkeypatch, "tumblr")
    body = {"profileId": place.names["profile"], "fields": {}}
    for platform in set(PLATFORMS) - set(networks.CONNECTORS):
        answer = await place.api.post(f"/platforms/{platform}/connect", json=body, key=place.key)
        assert "CLIENT_ID" not in answer.json()["remediation"]
    login = await place.api.post("/auth/login", json={"email": "a@b.example", "password": "wrong word"})
    assert "users reset-password" in login.json()["remediation"]
    hook = await place.api.post("/webhooks", json={"url": "https://localhost/"}, key=place.key)
    assert "SIGNALPOST_ALLOW_PRIVATE_WEBHOOKS" in hook.json()["remediation"]
