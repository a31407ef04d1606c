"""The frame of the simulator, seen through X: OAuth, faults, limits, ledger, clock and control."""

import ast
import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
import pytest
import simulator as simulator_package
from simulator import App, Person, Simulator
from tests.helpers.limits import TEST_SECONDS

REDIRECT = "https://service.example/api/v1/platforms/x/callback"
SCOPES = "tweet.read tweet.write users.read media.write offline.access"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


@dataclass
class Client:
    """A program that speaks to X at the simulator."""

    simulator: Simulator
    http: httpx.AsyncClient
    app: App
    alice: Person

    def __post_init__(self) -> None:
        self.world = self.simulator.world
        self.oauth = self.world.networks["x"].oauth
        assert self.oauth is not None
        self.grant = self.oauth.grant(self.app, self.alice)

    async def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.grant.access_token}"}
        return await self.http.request(method, self.simulator.url("x") + path, headers=headers, **options)

    async def post(self, text: str) -> httpx.Response:
        return await self.call("POST", "/2/tweets", json={"text": text})

    def page(self, **changes: str | None) -> str:
        query = {
            "response_type": "code", "client_id": self.app.client_id, "redirect_uri": REDIRECT, "scope": SCOPES,
            "state": "s-1", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
        } | changes  # fmt: skip
        kept = {name: value for name, value in query.items() if value is not None}
        return f"{self.simulator.url('x')}/i/oauth2/authorize?{httpx.QueryParams(kept)}"

    async def decide(self, url: str, decision: str = "approve") -> dict[str, str]:
        response = await self.http.post(url, data={"person": "alice", "decision": decision})
        assert response.status_code == 302
        return dict(parse_qsl(urlsplit(response.headers["location"]).query))

    async def token(self, auth: bool = True, **form: str) -> httpx.Response:
        basic = (self.app.client_id, self.app.client_secret) if auth else None
        return await self.http.post(self.simulator.url("x") + "/2/oauth2/token", data=form, auth=basic)

    async def redeem(self, code: str, **changes: str) -> httpx.Response:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}
        return await self.token(**form | changes)

    def public(self) -> list[str]:
        return [entry.text for entry in self.world.ledger.of("x")]


@pytest.fixture
async def client(simulator: Simulator) -> Any:
    world = simulator.world
    async with httpx.AsyncClient(timeout=TEST_SECONDS) as http:
        yield Client(simulator, http, world.add_app("x", REDIRECT), world.add_person("x", "alice"))


def test_it_imports_nothing_of_the_service() -> None:
    """Its rules come from the networks' documentation, or it would only repeat what the connectors believe."""
    files = list(Path(simulator_package.__file__).parent.rglob("*.py"))
    assert len(files) > 10
    for path in files:
        nodes = ast.walk(ast.parse(path.read_text()))
        names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        assert not any(name.split(".")[0] in {"signalpost", "tests"} for name in names), path


# --- OAuth ---------------------------------------------------------------------------------------------------------


async def test_a_person_approves_and_the_code_works_once(client: Client) -> None:
    page = await client.http.get(client.page())
    assert page.status_code == 200
    assert "alice" in page.text

    back = await client.decide(client.page())
    assert back["state"] == "s-1"
    first, second = await client.redeem(back["code"]), await client.redeem(back["code"])

    assert first.status_code == 200
    assert first.json()["expires_in"] == 7200
    assert set(first.json()["scope"].split()) == set(SCOPES.split())
    assert second.status_code == 400
    client.grant.access_token = first.json()["access_token"]
    assert (await client.call("GET", "/2/users/me")).status_code == 401  # a code used twice ends its grant


async def test_a_person_denies(client: Client) -> None:
    assert await client.decide(client.page(), "deny") == {"error": "access_denied", "state": "s-1"}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "S512"}, "invalid_request"),
        ({"scope": "tweet.read everything"}, "invalid_scope"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"statee": "x"}, "invalid_request"),
    ],
)
async def test_wrong_parameters_of_the_page_are_sent_back(
    client: Client, changes: dict[str, str | None], error: str
) -> None:
    response = await client.http.get(client.page(**changes))
    assert parse_qs(urlsplit(response.headers["location"]).query)["error"] == [error]


@pytest.mark.parametrize("changes", [{"redirect_uri": f"{REDIRECT}/"}, {"client_id": "someone"}])
async def test_nobody_is_sent_to_an_address_that_is_not_registered(client: Client, changes: dict[str, str]) -> None:
    assert (await client.http.get(client.page(**changes))).status_code == 400


async def test_what_a_code_is_bound_to(client: Client) -> None:
    for changes in ({"code_verifier": "w" * 43}, {"redirect_uri": "https://other.example/"}, {"code": "made-up"}):
        code = (await client.decide(client.page()))["code"]
        assert (await client.redeem(**{"code": code} | changes)).status_code == 400
    late = (await client.decide(client.page()))["code"]
    client.world.clock.advance(31)
    assert (await client.redeem(late)).status_code == 400
    fresh = (await client.decide(client.page()))["code"]
    refused = await client.token(auth=False, grant_type="authorization_code", code=fresh)
    assert (refused.status_code, refused.json()["error"]) == (401, "unauthorized_client")


async def test_refresh_tokens_rotate_and_a_spent_one_ends_the_grant(client: Client) -> None:
    old = client.grant.refresh_token or ""
    client.world.clock.advance(7_201)
    assert (await client.call("GET", "/2/users/me")).status_code == 401

    renewed = (await client.token(grant_type="refresh_token", refresh_token=old)).json()
    assert renewed["refresh_token"] != old
    assert (await client.call("GET", "/2/users/me")).status_code == 200
    assert (await client.token(grant_type="refresh_token", refresh_token=old)).status_code == 400
    assert (await client.call("GET", "/2/users/me")).status_code == 401


async def test_a_revoked_token_opens_nothing(client: Client) -> None:
    url = client.simulator.url("x") + "/2/oauth2/revoke"
    basic = (client.app.client_id, client.app.client_secret)
    revoked = await client.http.post(url, data={"token": client.grant.access_token}, auth=basic)
    assert revoked.json() == {"revoked": True}
    assert (await client.post("x")).status_code == 401


async def test_a_scope_that_was_not_granted(client: Client) -> None:
    assert client.oauth is not None
    client.grant = client.oauth.grant(client.app, client.alice, frozenset({"tweet.read", "users.read"}))
    assert client.grant.refresh_token is None
    assert (await client.post("x")).status_code == 403
    assert (await client.call("GET", "/2/users/me")).status_code == 200


# --- faults --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "values", "status", "public"),
    [
        ("lost", {}, None, True),
        ("dropped", {}, None, False),
        ("status", {"status": 503}, 503, False),
        ("status", {"status": 429, "headers": {"x-rate-limit-reset": "1"}}, 429, False),
        ("status_after", {"status": 502}, 502, True),
        ("revoked", {}, 401, False),
        ("answer", {"status": 200, "body": {"odd": True}}, 200, True),
        ("slow", {"seconds": 0.01}, 201, True),
    ],
)
async def test_a_fault_strikes_its_call_as_often_as_it_says(
    client: Client, kind: str, values: dict[str, Any], status: int | None, public: bool
) -> None:
    client.world.add_fault("x", kind, "POST /2/tweets", after=1, **values)
    assert (await client.post("before")).status_code == 201
    try:
        answered: int | None = (await client.post("struck")).status_code
    except httpx.TransportError:
        answered = None
    assert answered == status
    assert client.public() == ["before", "struck"][: 1 + public]
    client.grant.revoked = False
    assert (await client.post("after")).status_code == 201


def test_a_fault_of_a_call_that_does_not_exist(simulator: Simulator) -> None:
    with pytest.raises(ValueError, match="POST /2/tweeets"):
        simulator.world.add_fault("x", "lost", "POST /2/tweeets")


async def test_lists_that_lag_behind(client: Client) -> None:
    await client.post("young")
    client.world.add_fault("x", "eventual", times=None, seconds=30)
    path = f"/2/users/{client.alice.id}/tweets"
    assert "data" not in (await client.call("GET", path)).json()
    client.world.clock.advance(31)
    assert [tweet["text"] for tweet in (await client.call("GET", path)).json()["data"]] == ["young"]


# --- limits, metrics, control --------------------------------------------------------------------------------------


async def test_a_limit_counts_per_account_and_ends_with_its_window(client: Client) -> None:
    assert client.oauth is not None
    answers = [(await client.call("GET", "/2/users/me")) for _ in range(76)]
    assert [answer.status_code for answer in answers] == [200] * 75 + [429]
    assert answers[0].headers["x-rate-limit-remaining"] == "74"
    assert answers[-1].headers["x-rate-limit-reset"] == str(int(client.world.clock().timestamp()) + 900)
    first = client.grant
    client.grant = client.oauth.grant(client.app, client.world.add_person("x", "bob"))
    assert (await client.call("GET", "/2/users/me")).status_code == 200
    client.grant = first
    client.world.clock.advance(900)
    assert (await client.call("GET", "/2/users/me")).status_code == 200


async def test_metrics_grow_with_the_clock(client: Client) -> None:
    tweet = (await client.post("counted")).json()["data"]["id"]
    views = []
    for hours in (0, 1, 24, 24 * 30):
        client.world.clock.advance(hours * 3600)
        client.grant.access_expires_at = None
        answer = await client.call("GET", "/2/tweets", params={"ids": tweet, "tweet.fields": "public_metrics"})
        views.append(answer.json()["data"][0]["public_metrics"]["impression_count"])
    assert views[0] == 0
    assert views == sorted(set(views))


async def test_control_over_http(simulator: Simulator) -> None:
    async with httpx.AsyncClient(base_url=simulator.control_url, timeout=TEST_SECONDS) as http:

        async def post(path: str, **body: Any) -> Any:
            return (await http.post(path, json=body)).json()

        app = await post("/apps", network="x", redirect_uris=[REDIRECT])
        await post("/people", network="x", username="bob", details={"subscription_type": "Premium"})
        tokens = await post("/tokens", network="x", username="bob", client_id=app["client_id"])
        page = httpx.QueryParams(
            response_type="code",
            client_id=app["client_id"],
            redirect_uri=REDIRECT,
            code_challenge="c",
            scope="tweet.read",
        )
        location = await post("/approve", url=f"{simulator.url('x')}/i/oauth2/authorize?{page}", username="bob")
        assert "code=" in location["location"]
        await post("/faults", network="x", kind="status", call="POST /2/tweets", status=500)
        for status in (500, 201):
            headers = {"Authorization": f"Bearer {tokens['access_token']}"}
            made = await http.post(simulator.url("x") + "/2/tweets", json={"text": "hi"}, headers=headers)
            assert made.status_code == status
        (entry,) = (await http.get("/ledger", params={"network": "x"})).json()["entries"]
        assert (entry["text"], entry["deleted_at"]) == ("hi", None)
        requests = (await http.get("/requests")).json()["requests"]
        assert [logged["status"] for logged in requests] == [500, 201]
        assert tokens["access_token"] not in str(requests)
        assert (await post("/clock", advance=60))["now"] == "2026-11-22T12:01:00+00:00"
        assert (await http.post("/faults", json={"network": "x", "kind": "lost", "call": "GET /x"})).status_code == 400
        await post("/reset")
        assert (await http.get("/ledger")).json() == {"entries": []}
        assert "x" in (await http.get("/")).json()["networks"]
