"""The ordinary OAuth 2 flow, against a token endpoint in this process."""

import base64
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from signalpost.conformance.harness import Clock, session
from signalpost.kit.http import BadResponse, NotSent
from signalpost.networks import CONNECTORS, metrics, oauth2
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Destination,
    Identity,
    Metrics,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    Server,
)

FACTS = OAuthFacts(
    authorize="/authorize",
    redeem="/token",
    revoke="/revoke",
    authorize_host="www",
    scopes=("read", "write"),
    renewal="rotating",
    access_seconds=7_200,
    refresh_seconds=864_000,
)
APP = OAuthApp(client_id="the:id", client_secret="the secret")
CODE = AuthorizationCode(code="the-code", redirect_uri="https://us.example/callback", code_verifier="the-verifier")
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


class Reply:
    """A response of the token endpoint."""

    headers: Mapping[str, str] = {}

    def __init__(self, body: Any, status: int = 200) -> None:
        self.status, self.body = status, msgspec.json.encode(body)

    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Http:
    """Answers with what it was given, and keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[tuple[str, str, dict[str, Any]]] = []

    async def request(self, method: str, url: str, **options: Any) -> Reply:
        self.requests.append((method, url, options))
        return self.replies.pop(0)


def at(http: Http, *, operated: bool = False) -> Server:
    hosts = {"www": "http://127.0.0.1:9" if operated else "https://www.example"}
    return Server(
        base_url="http://127.0.0.1:9" if operated else "https://api.example", trusted=True, http=http, hosts=hosts
    )


def opened(http: Http, **options: Any) -> NetworkSession:
    secrets = {"accessToken": "old", "refreshToken": "r1", "accessExpiresAt": "2026-11-22T14:00:00.000Z"}
    return session(http, Clock(NOW), **{"secrets": secrets, "app": APP, "server": at(http)} | options)


@pytest.mark.parametrize(
    ("facts", "app", "scope"),
    [
        (FACTS, APP, "read write"),
        (replace(FACTS, scope_separator=","), APP, "read,write"),
        (FACTS, msgspec.structs.replace(APP, scopes=("read",)), "read"),
    ],
)
def test_the_address_asks_for_the_scopes(facts: OAuthFacts, app: OAuthApp, scope: str) -> None:
    """The operator's app may be allowed less, or other things, than the connector would ask for."""
    url = oauth2.authorize_url(
        facts, at(Http()), app, redirect_uri="https://us.example/callback", state="s", code_challenge="c"
    )
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}

    assert url.startswith("https://www.example/authorize?")
    assert query == {
        "response_type": "code", "client_id": "the:id", "redirect_uri": "https://us.example/callback", "scope": scope,
        "state": "s", "code_challenge": "c", "code_challenge_method": "S256",
    }  # fmt: skip


async def test_pkce_is_left_out_where_a_network_refuses_it() -> None:
    facts, http = replace(FACTS, pkce=False), Http(Reply({"access_token": "a"}))
    url = oauth2.authorize_url(facts, at(http), APP, redirect_uri="https://us.example/", state="s", code_challenge="c")
    await oauth2.redeem_code(facts, at(http), APP, CODE)

    assert "challenge" not in url
    assert "code_verifier" not in http.requests[0][2]["data"]


@pytest.mark.parametrize("auth", ["body", "basic"])
async def test_a_code_is_redeemed(auth: Any) -> None:
    http = Http(Reply({"access_token": "a", "refresh_token": "r", "expires_in": 60, "scope": "read,write"}))
    facts = replace(FACTS, client_auth=auth, client_id_name="client_key")
    tokens = await oauth2.redeem_code(facts, at(http), APP, CODE)
    [(method, url, sent)] = http.requests

    assert (method, url) == ("POST", "https://api.example/token")
    form = {
        "grant_type": "authorization_code", "code": "the-code", "redirect_uri": "https://us.example/callback",
        "code_verifier": "the-verifier",
    }  # fmt: skip
    if auth == "basic":
        assert sent["headers"]["Authorization"] == "Basic " + base64.b64encode(b"the%3Aid:the%20secret").decode()
        assert sent["data"] == form
    else:
        assert sent["data"] == form | {"client_key": "the:id", "client_secret": "the secret"}
    assert (tokens.secrets["accessToken"], tokens.secrets["refreshToken"]) == ("a", "r")
    assert (tokens.scopes, tokens.refreshable) == (("read", "write"), True)


@pytest.mark.parametrize(
    ("renewal", "body", "ends_after", "refreshable"),
    [
        ("none", {}, 7_200, False),
        ("none", {"expires_in": 60, "refresh_token": "unused"}, 60, False),
        ("kept", {"refresh_token": "r"}, 864_000, True),
        ("rotating", {"refresh_token": "r", "refresh_expires_in": 100_000}, 100_000, True),
        ("fixed", {"refresh_token": "r", "refresh_token_expires_in": 50_000}, 50_000, False),
        ("rotating", {}, 7_200, False),  # it gave no refresh token
        ("rotating", {"refresh_token": ""}, 7_200, False),
    ],
)
def test_when_a_grant_ends(renewal: Any, body: Any, ends_after: int, refreshable: bool) -> None:
    tokens = oauth2.tokens(replace(FACTS, renewal=renewal), Reply({"access_token": "a"} | body), now=NOW)

    assert tokens.token_expires_at == NOW + timedelta(seconds=ends_after)
    assert tokens.refreshable is refreshable


def test_tokens_that_never_expire() -> None:
    facts = replace(FACTS, renewal="none", access_seconds=None)
    tokens = oauth2.tokens(facts, Reply({"access_token": "a"}), now=NOW)
    account = opened(Http(), secrets=tokens.secrets)

    assert tokens.token_expires_at is None
    assert not oauth2.is_due(account)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"error": "invalid_grant"}, 400, BadCredentials),
        ({"error": "invalid_grant"}, 200, BadCredentials),  # some networks answer so
        ({"error": "invalid_client"}, 401, ApiError),
        ({"token": "a"}, 200, BadResponse),
        ({"access_token": 7}, 200, BadResponse),
        ([], 200, BadResponse),
    ],
)
async def test_a_code_that_is_not_redeemed(body: Any, status: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        await oauth2.redeem_code(FACTS, at(Http(Reply(body, status))), APP, CODE)


@pytest.mark.parametrize(
    ("renewal", "body", "saved", "ends_at"),
    [
        ("rotating", {"refresh_token": "r2"}, "r2", NOW + timedelta(days=10)),
        ("kept", {}, None, NOW + timedelta(days=10)),
        ("fixed", {}, None, datetime(2027, 5, 1, tzinfo=UTC)),  # renewing does not move the end
        ("fixed", {"refresh_token_expires_in": 60}, None, NOW + timedelta(seconds=60)),
    ],
)
async def test_renewing(renewal: Any, body: Any, saved: str | None, ends_at: datetime) -> None:
    stored: list[Any] = []

    async def save(secrets: Mapping[str, str], expires_at: datetime | None) -> None:
        stored.append((secrets, expires_at))

    http = Http(Reply({"access_token": "new"} | body))
    secrets = {"accessToken": "old", "refreshToken": "r1", "refreshExpiresAt": "2027-05-01T00:00:00.000Z"}
    await oauth2.refresh_by(replace(FACTS, renewal=renewal))(opened(http, save_tokens=save, secrets=secrets))
    [(secrets, expires_at)] = stored

    assert http.requests[0][2]["data"]["refresh_token"] == "r1"
    assert (secrets["accessToken"], secrets.get("refreshToken"), expires_at) == ("new", saved, ends_at)


async def test_without_the_operators_app_nothing_is_renewed() -> None:
    """The account is not to blame: the operator may set it again."""
    with pytest.raises(NotSent):
        await oauth2.refresh_by(FACTS)(opened(Http(), app=None))


@pytest.mark.parametrize(("held", "token"), [({"refreshToken": "r1"}, "r1"), ({"refreshToken": ""}, "old")])
async def test_revoking(held: dict[str, str], token: str) -> None:
    http = Http(Reply({}))
    await oauth2.revoke_by(FACTS)(opened(http, secrets={"accessToken": "old"} | held))
    [(_, url, sent)] = http.requests

    assert (url, sent["data"]["token"]) == ("https://api.example/revoke", token)


@pytest.mark.parametrize(
    ("expires_at", "statuses", "tokens"),
    [
        ("2026-11-22T14:00:00.000Z", [200], ["old"]),
        ("2026-11-22T12:04:59.000Z", [200], ["new"]),  # it would end on its way
        ("2026-11-22T14:00:00.000Z", [401, 200], ["old", "new"]),
        ("2026-11-22T14:00:00.000Z", [401, 401], ["old", "new"]),  # once, not forever
        ("2026-11-22T14:00:00.000Z", [403], ["old"]),
    ],
)
async def test_a_call_with_a_token_that_expires(expires_at: str, statuses: list[int], tokens: list[str]) -> None:
    http = Http(*[Reply({}, status) for status in statuses])
    account = opened(http, secrets={"accessToken": "old", "accessExpiresAt": expires_at})
    sent = []

    async def refresh(renewed: NetworkSession) -> None:
        renewed.secrets = {"accessToken": "new"}

    async def send(token: str) -> Any:
        sent.append(token)
        return await account.server.call("POST", "/posts")

    expected = nullcontext() if statuses[-1] == 200 else pytest.raises(ApiError)
    with expected:
        await oauth2.call_with_token(account, refresh, send)
    assert (sent, http.replies) == (tokens, [])


@pytest.mark.parametrize(
    ("operated", "path", "url", "trusted"),
    [
        (False, "/v1/posts", "https://api.example/v1/posts", True),
        (False, "https://www.example/upload?id=1", "https://www.example/upload?id=1", True),
        (False, "https://cdn.example/upload", "https://cdn.example/upload", False),
        (False, "https://api.example.evil.test/", "https://api.example.evil.test/", False),
        (True, "http://127.0.0.1:9/upload", "http://127.0.0.1:9/upload", True),
        (True, "http://127.0.0.1:5432/", "http://127.0.0.1:5432/", False),
    ],
)
async def test_an_address_that_a_network_names_is_trusted_at_its_own_hosts(
    operated: bool, path: str, url: str, trusted: bool
) -> None:
    """A network that is told to be at a private address must not lead us to the other services there."""
    http = Http(Reply({}))
    await at(http, operated=operated).call("PUT", path)
    [(_, called, options)] = http.requests

    assert (called, options["trusted"]) == (url, trusted)


async def test_numbers_are_read_in_batches() -> None:
    batches = []

    async def read(_session: NetworkSession, remote_ids: Any) -> Mapping[str, Metrics | None]:
        batches.append(tuple(remote_ids))
        return dict.fromkeys(remote_ids, Metrics(views=1, likes=-1, saves=1 << 60))

    sandbox = CONNECTORS["sandbox"]
    counting = replace(sandbox, metrics=read, facts=replace(sandbox.facts, metrics_per_call=2))
    numbers = await metrics.read(counting, opened(Http()), ["a", "b", "c"])

    assert batches == [("a", "b"), ("c",)]
    assert numbers["c"] == Metrics(views=1)  # what cannot be a number of a post is none
    assert await metrics.read(replace(sandbox, metrics=None), opened(Http()), ["a"]) == {}


def test_a_destination_is_clean() -> None:
    page = Identity(remote_id="1", username="bakery", display_name="Bakery", secrets={})
    destination = Destination(identity=page, category="Bakery\n\x00", tasks=("CREATE_CONTENT", "", "x" * 900))

    assert destination.category == "Bakery"
    assert [len(task) for task in destination.tasks] == [14, 500]
