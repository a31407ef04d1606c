"""What every connector must do, whichever network it speaks to. Networks come from CONNECTORS and their fakes."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.helpers.networks import FAKES, TOKEN, NetworkFake
from tests.helpers.scenes import SCENES

import signalpost.networks
from signalpost import networks
from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    FakeResponse,
    MemoryJournal,
    Request,
    json_response,
    outgoing,
    session,
)
from signalpost.kit.http import MaybeSent, NotSent
from signalpost.networks import ALIASES, CONNECTORS, PLATFORMS, canonical, capabilities
from signalpost.networks.codes import CATEGORIES
from signalpost.networks.contract import (
    ApiError,
    Connector,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Published,
    Refused,
    TryLater,
)

FOLDER = Path(signalpost.networks.__file__).parent
FORBIDDEN = {
    "aiohttp",
    "asyncio",
    "asyncpg",
    "httpx",
    "requests",
    "sqlalchemy",
    "logging",
    "time",
}

every_connector = pytest.mark.parametrize("connector", CONNECTORS.values(), ids=CONNECTORS)
every_fake = pytest.mark.parametrize("key", FAKES)
threads = pytest.mark.parametrize("key", [key for key in FAKES if CONNECTORS[key].facts.thread_parts_max > 1])


def test_slugs() -> None:
    assert len(set(PLATFORMS)) == len(PLATFORMS) == 23
    assert set(CONNECTORS) <= set(PLATFORMS)
    assert set(ALIASES.values()) <= set(PLATFORMS)
    assert [canonical(slug) for slug in ("twitter", "x", "googlebusiness", "myspace", "")] == [
        "x", "x", "google_business", None, None,
    ]  # fmt: skip
    assert networks.get("myspace") is None


def test_every_network_has_a_server_that_counts_what_is_public() -> None:
    """A part of the simulator, or a fake; the sandbox has none, since it contacts nobody."""
    assert set(FAKES) | set(SCENES) == set(CONNECTORS) - {"sandbox"}


@every_connector
def test_facts_are_plausible_and_name_their_source(connector: Connector) -> None:
    facts = connector.facts
    assert CONNECTORS[facts.key] is connector
    assert facts.source
    assert facts.verified_on.startswith("20")
    assert 0 < facts.text.max_length < 100_000
    assert facts.thread_parts_max <= 50
    for kind, rule in facts.media.items():
        assert 0 < rule.per_post <= 35
        assert 10_000 < rule.bytes_max <= 256_000_000_000
        assert rule.mime_types, kind
        assert all(
            mime_type.split("/")[0] in {"image", "video", "audio", "application"} for mime_type in rule.mime_types
        )
        assert all(kind in facts.media[other].mixes_with for other in rule.mixes_with)
    assert all(option.description for option in facts.options.values())
    assert facts.base_url is None or (facts.base_url.startswith("https://") and not facts.base_url.endswith("/"))


@every_connector
def test_a_capability_exists_when_its_function_does(connector: Connector) -> None:
    able = capabilities(connector)
    kinds = connector.facts.options.get("type")
    assert able["story"] == (kinds is not None and "story" in str(kinds.type))
    assert able["delete"] == (connector.delete is not None)
    assert connector.reconcile is not None, "a lost response must be resolved somehow"
    assert bool(connector.facts.credential_fields) == (connector.connect is not None)
    assert set(able) == {
        "text", "image", "video", "carousel", "story", "thread", "firstComment", "delete", "analytics", "mentions",
        "comments", "maxTextLength",
    }  # fmt: skip


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_networks_import_nothing_of_other_rooms(path: Path) -> None:
    """Nor do they sleep or log. (Import contracts keep connectors apart from each other.)"""
    for name in _imports(path):
        top, *rest = name.split(".")
        assert top not in FORBIDDEN, f"{path.name} imports {name}"
        if top == "signalpost" and rest:
            assert rest[0] in {"kit", "networks"}, f"{path.name} imports {name}"


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


# --- error responses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "error", "kind", "code"), [(key, *error) for key, fake in FAKES.items() for error in fake.errors]
)
def test_every_documented_error_has_its_outcome(key: str, error: ApiError, kind: type, code: str | None) -> None:
    outcome = CONNECTORS[key].explain(error)
    assert isinstance(outcome, kind), outcome
    if code is not None:
        assert isinstance(outcome, Refused | TryLater)
        assert outcome.code == code
    if isinstance(outcome, Refused):
        assert outcome.code in CATEGORIES


ODD_BODIES = (b"", b"null", b"[]", b'"x"', b"{}", b'{"error":7}', b"\xff\x00", b'{"error":{"a":[]}}')


@every_connector
def test_explain_accepts_every_status_and_body(connector: Connector) -> None:
    """Servers and proxies answer with anything; an exception here would hide what happened to the post."""
    for status in (*range(300, 600), 200, 204):
        for body in ODD_BODIES:
            outcome: Outcome = connector.explain(ApiError(FakeResponse(status, body), "POST /x"))
            assert not isinstance(outcome, Published)
            assert outcome.message  # type: ignore[union-attr]


@every_fake
def test_the_stored_response_is_short_and_without_tokens(key: str) -> None:
    body = {
        "error": "InvalidRequest",
        "message": "x",
        "echo": f"Bearer {TOKEN}",
        "accessJwt": TOKEN,
        "pad": "ü" * 9000,
    }
    outcome = CONNECTORS[key].explain(ApiError(FakeResponse(422, json.dumps(body).encode()), "POST /x"))
    assert isinstance(outcome, Refused)
    assert outcome.response is not None
    assert len(outcome.response.encode()) <= 4096
    assert TOKEN not in outcome.response
    assert "c2lnbmF0dXJl" not in outcome.response


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry_After": "17"}, 17.0),
        ({"Retry_After": "Sat, 21 Nov 2026 12:01:00 GMT", "Date": "Sat, 21 Nov 2026 12:00:00 GMT"}, 60.0),
        ({"RateLimit_Reset": "1795262430", "Date": "Sat, 21 Nov 2026 12:00:00 GMT"}, 30.0),
        ({"X_RateLimit_Reset": "2026-11-21T12:05:00.000Z", "Date": "Sat, 21 Nov 2026 12:00:00 GMT"}, 300.0),
        ({"Retry_After": "999999999"}, 86_400.0),
        ({"Retry_After": "0"}, 1.0),
        ({"Retry_After": "soon", "RateLimit_Reset": "nan"}, None),
        ({}, None),
    ],
)
@every_fake
def test_a_rate_limit_says_how_long_to_wait(key: str, headers: dict[str, str], seconds: float | None) -> None:
    response = json_response(429, {"error": "RateLimitExceeded"}, **headers)
    outcome = CONNECTORS[key].explain(ApiError(response, FAKES[key].create_call))
    assert isinstance(outcome, TryLater)
    assert outcome.after_seconds == seconds


# --- publishing ----------------------------------------------------------------------------------------------------


class BrokenCreate(FakeHttp):
    """A client whose calls that would make a post public get this response, or fail with this exception."""

    def __init__(self, fake: NetworkFake, result: FakeResponse | Exception) -> None:
        super().__init__(fake.server(Clock()))
        self.create_call = fake.create_call
        self.result = result

    async def request(self, method: str, url: str, **rest: Any) -> FakeResponse:
        create_method, _, path = self.create_call.partition(" ")
        if method != create_method or not urlsplit(url).path.endswith(path):
            return await super().request(method, url, **rest)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def opened(key: str, http: Any, clock: Clock | None = None) -> NetworkSession:
    return session(http, clock or Clock(), **FAKES[key].account)


@every_fake
async def test_a_lost_create_call_is_unknown_and_an_unsent_one_is_tried_later(key: str) -> None:
    for failure, kind in (
        (MaybeSent("lost", timed_out=True), OutcomeUnknown),
        (NotSent("no", stage="connect"), TryLater),
    ):
        journal = MemoryJournal()
        http = BrokenCreate(FAKES[key], failure)
        outcome = await CONNECTORS[key].publish(opened(key, http), FAKES[key].post, journal)
        assert isinstance(outcome, kind)
        assert journal.log[-1] == ("intend", "part:0")


@every_fake
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"id":1,"uri":2}', b"<html>"])
async def test_an_unreadable_success_is_unknown(key: str, body: bytes) -> None:
    """The post may be public: a 200 that cannot be read proves nothing."""
    http = BrokenCreate(FAKES[key], FakeResponse(200, body))
    outcome = await CONNECTORS[key].publish(opened(key, http), FAKES[key].post, MemoryJournal())
    assert isinstance(outcome, OutcomeUnknown)


@threads
async def test_a_refused_thread_says_how_much_of_it_is_public(key: str) -> None:
    clock, fake = Clock(), FAKES[key]
    server = fake.server(clock)

    def serve(request: Request) -> FakeResponse:
        clock.advance(3)  # some networks show a post to those who reply only after a moment
        if len(server.created) == 2:
            server.broken[fake.create_calls or fake.create_call] = fake.refusal
        return server(request)

    outcome = await CONNECTORS[key].publish(
        opened(key, FakeHttp(serve), clock), outgoing("1", "2", "3", "4"), MemoryJournal()
    )

    assert isinstance(outcome, Refused)
    assert outcome.message.endswith("(2 of 4 posts of the thread are public)")


@every_fake
async def test_outcomes_never_contain_a_token(key: str) -> None:
    """Some servers repeat the request in their errors, headers included."""
    http = FakeHttp(
        lambda request: json_response(
            400, {"error": "InvalidRequest", "message": f"got {request.headers.get('Authorization')}"}
        )
    )
    outcome = await CONNECTORS[key].publish(opened(key, http), FAKES[key].post, MemoryJournal())
    assert TOKEN not in repr(outcome)
