"""Values of a user's own server: it may answer anything, and none of it becomes a 5xx or reaches a row as it came."""

import base64
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.sign_in_servers import DidDirectory, api_of, context_with, did_of, serving

from signalpost.context import AppContext
from signalpost.kit import foreign
from signalpost.kit.db import Database
from signalpost.kit.http import BadResponse, Clients
from signalpost.networks.contract import (
    Health,
    Identity,
    NeedsReconnect,
    OAuthApp,
    OutcomeUnknown,
    Pending,
    Published,
    Refused,
    TryLater,
)

ACCOUNT = {"id": "1", "username": "u", "display_name": "d"}
DID = did_of("x.test")


def jwt(claims: Any) -> str:
    raw = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    return "e30." + base64.urlsafe_b64encode(raw).decode().rstrip("=") + ".x"


SESSION = {
    "did": DID, "handle": "x.test", "accessJwt": jwt({"exp": 1}), "refreshJwt": jwt({"exp": int(time.time()) + 99_999}),
}  # fmt: skip


def media_types(value: Any) -> Any:
    return {"instance": {"version": "4.3.0", "configuration": {"media_attachments": {"supported_mime_types": value}}}}


def document(endpoint: str) -> Any:
    return {"session": SESSION | {"didDoc": {"service": [{"id": "#atproto_pds", "serviceEndpoint": endpoint}]}}}


MASTODON: dict[str, Any] = {
    "NUL in id": {"account": ACCOUNT | {"id": "1\0"}},
    "NUL in username": {"account": ACCOUNT | {"username": "u\0"}},
    "followers 2^40": {"account": ACCOUNT | {"followers_count": 1 << 40}},
    "followers negative": {"account": ACCOUNT | {"followers_count": -(1 << 40)}},
    "followers a fraction": {"account": ACCOUNT | {"followers_count": 1e300}},
    "lone surrogate": {"account": b'{"id":"1","username":"\\ud800","display_name":"d"}'},
    "NUL in mime type": media_types(["image/\0"]),
    "mime types no list": media_types(7),
    "mime types numbers": media_types([1, 2]),
    "10,000 mime types": media_types(["image/x"] * 10_000),
    "NUL in version": {"instance": {"version": "4.3.0\0"}},
    "version a list": {"instance": {"version": ["4.3.0"]}},
    "avatar javascript": {"account": ACCOUNT | {"avatar": "javascript:alert(1)"}},
    "avatar NUL": {"account": ACCOUNT | {"avatar": "https://x.test/\0"}},
    "address of a MB": {"account": ACCOUNT | {"url": "https://x.test/" + "u" * 900_000}},
    "username of a MB": {"account": ACCOUNT | {"username": "u" * 900_000}},
    "id of a MB": {"account": ACCOUNT | {"id": "u" * 900_000}},
    "id of 8,000 characters": {"account": ACCOUNT | {"id": "\u65e5" * 8_000}},
    "id of random text": {"account": ACCOUNT | {"id": "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(495))}},
    "display name list": {"account": ACCOUNT | {"display_name": [1]}},
    "display name reordered": {"account": ACCOUNT | {"display_name": "\u202eecila\x1b[2J"}},
    "answer is a list": {"account": b"[1]"},
    "deep JSON": {"account": b"[" * 100_000},
    "not JSON": {"account": b"\xff\xfe"},
    "numbers as strings": {"account": ACCOUNT | {"followers_count": "9" * 400}},
    "instance domain odd": {"instance": {"version": "4.3.0", "domain": "mastodon.social"}},
    "limits beyond reason": {
        "instance": {"version": "4.3.0", "configuration": {"statuses": {"max_characters": 10**400}}}
    },
}
BLUESKY: dict[str, Any] = {
    "good": {"session": SESSION},
    "exp of 10^18": {"session": SESSION | {"refreshJwt": jwt({"exp": 10**18})}},
    "exp of -10^18": {"session": SESSION | {"refreshJwt": jwt({"exp": -(10**18)})}},
    "exp of 10^400": {"session": SESSION | {"refreshJwt": jwt({"exp": 10**400})}},
    "exp a fraction": {"session": SESSION | {"refreshJwt": jwt({"exp": 1e300})}},
    "exp true": {"session": SESSION | {"refreshJwt": jwt({"exp": True})}},
    "deep claims": {"session": SESSION | {"refreshJwt": jwt(b"[" * 20_000)}},
    "claims not UTF-8": {
        "session": SESSION | {"refreshJwt": "e30." + base64.urlsafe_b64encode(b'"\xff').decode() + ".x"}
    },
    "token not base64": {"session": SESSION | {"refreshJwt": "a.\u20ac.c"}},
    "NUL in handle": {"session": SESSION | {"handle": "x\0"}},
    "handle of a MB": {"session": SESSION | {"handle": "x" * 900_000}},
    "NUL in did": {"session": SESSION | {"did": "did:plc:\0"}},
    "did with ?": {"session": SESSION | {"did": DID + "?a=b&c=d"}},
    "didDoc odd": document("https://user:pw@127.0.0.1:1/x"),
    "didDoc metadata": document("https://169.254.169.254"),
    "NUL in token": {"session": SESSION | {"accessJwt": "a\0.b.c"}},
    "line break in token": {"session": SESSION | {"accessJwt": "a.b.c\r\nX: y"}},
    "token of a MB": {"session": SESSION | {"accessJwt": "a" * 900_000}},
    "profile name reordered": {"session": SESSION, "record": {"value": {"displayName": "\u202ed\0"}}},
    "profile a list": {"session": SESSION, "record": [1]},
}


@dataclass
class Odd:
    """A server of both networks that answers what a test puts in."""

    api: Api
    owner: Login
    url: str
    answers: dict[str, Any]

    async def connect(self, platform: str) -> Any:
        fields = {"instanceUrl": self.url, "accessToken": "t"}
        if platform == "bluesky":
            fields = {"identifier": "x.test", "appPassword": "aaaa-bbbb-cccc-dddd", "service": self.url}
        body = {"profileId": self.owner.profile, "fields": fields}
        return await self.api.post(f"/platforms/{platform}/connect", json=body, key=self.owner.key)


@pytest.fixture
async def odd(context: AppContext, make: Make) -> AsyncIterator[Odd]:
    answers: dict[str, Any] = {}
    names = {"verify_credentials": "account", "instance": "instance", "createSession": "session", "getRecord": "record"}

    async def answer(request: web.Request) -> web.StreamResponse:
        name = next((name for part, name in names.items() if part in request.path), "")
        value = answers.get(name, {"account": ACCOUNT, "instance": {"version": "4.3.0"}}.get(name))
        if value is None:
            return web.json_response({"error": "no"}, status=404)
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return web.Response(body=body, content_type="application/json")

    directory = DidDirectory()
    async with (
        serving(("*", "/{path:.*}", answer)) as url,
        directory.serve() as directory_url,
        Clients.create(("127.0.0.1",)) as http,
    ):
        directory.add("x.test", url)
        operated = context_with(context, BLUESKY_DIRECTORY_URL=directory_url)
        operated.http = http
        async with api_of(operated) as api:
            yield Odd(api, await make.owner(), url, answers)


CASES = [(platform, name) for platform, table in (("mastodon", MASTODON), ("bluesky", BLUESKY)) for name in table]


@pytest.mark.parametrize(("platform", "name"), CASES)
async def test_no_value_of_a_server_is_a_fault_of_ours(odd: Odd, database: Database, platform: str, name: str) -> None:
    """Each case connects, is refused as the caller's, and can be asked for its health afterwards."""
    odd.answers.update({"mastodon": MASTODON, "bluesky": BLUESKY}[platform][name])
    response = await odd.connect(platform)

    assert response.status_code in (201, 422), response.text
    stored = await database.pool.fetch("select * from account where workspace_id = $1", odd.owner.workspace_id)
    assert len(stored) == (response.status_code == 201)
    for row in stored:
        shown = f"{row['remote_id']}{row['username']}{row['display_name']}{row['avatar_url']}{row['profile_url']}"
        assert len(shown) < 6_000
        assert not set("\0\x1b\u202e") & set(shown)
        assert "javascript:" not in shown
        assert "@mastodon.social" not in shown


@pytest.mark.parametrize("name", MASTODON)
async def test_no_value_of_a_health_check_is_a_fault_of_ours(odd: Odd, name: str) -> None:
    account = (await odd.connect("mastodon")).json()
    odd.answers.update(MASTODON[name])
    path = f"/platforms/accounts/{account['id']}/health?refresh=true"
    response = await odd.api.get(path, key=odd.owner.key)

    assert response.status_code == 200, response.text


EVIL = "a\0\ud800\u202e\x1b" + "x" * 9_000
LATE = datetime.max.replace(tzinfo=UTC)
SHAPES: dict[str, Any] = {
    "Identity": Identity(
        remote_id="1", username=EVIL, display_name=EVIL, secrets={}, avatar_url="javascript:1", profile_url=EVIL,
        scopes=(EVIL,) * 999, token_expires_at=LATE, followers=1 << 40, facts={EVIL: [EVIL] * 999},
    ),
    "Health": Health(
        message=EVIL, granted=(EVIL,) * 999, missing=(EVIL,) * 999, followers=-1, token_expires_at=LATE, username=EVIL,
        display_name=EVIL, avatar_url=EVIL,
    ),
    "Published": Published(
        remote_id=EVIL, url="javascript:1", thread_ids=(EVIL,), first_comment_id=EVIL, first_comment_error=EVIL,
    ),
    "Pending": Pending(state={EVIL: [EVIL] * 999}, poll_after_seconds=float("nan")),
    "Refused": Refused(code="content_rejected", message=EVIL, platform_code=EVIL, response=EVIL),
    "NeedsReconnect": NeedsReconnect(message=EVIL, platform_code=EVIL, response=EVIL),
    "TryLater": TryLater(message=EVIL, after_seconds=float("inf"), platform_code=EVIL, response=EVIL),
    "OutcomeUnknown": OutcomeUnknown(message=EVIL, response=EVIL),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
async def test_whatever_a_connector_returns_can_be_stored(database: Database, name: str) -> None:
    """The shapes clean themselves, so that a connector cannot forget it."""
    values = {member: getattr(SHAPES[name], member) for member in SHAPES[name].__dataclass_fields__}
    stored = await database.pool.fetchval("select $1::jsonb", _plain(values))

    assert not set("\0\x1b\u202e\ud800") & set(str(stored))
    assert "javascript:" not in str(stored)
    for member, value in values.items():
        if isinstance(value, str):
            assert len(value) <= 4_096, member
        if isinstance(value, float):
            assert 0 <= value <= 86_400, member


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


@pytest.mark.parametrize("value", ["", "\0", "a\nb", "x" * 9_000, "\ud800"])
def test_ids_and_secrets_are_refused_rather_than_changed(value: str) -> None:
    with pytest.raises(BadResponse):
        Identity(remote_id=value, username="u", display_name="d", secrets={})
    with pytest.raises(BadResponse):
        OAuthApp(client_id=value, client_secret="s")
    if value:
        with pytest.raises(BadResponse):
            Identity(remote_id="1", username="u", display_name="d", secrets={"token": value})
    assert foreign.identifier(value) is None
