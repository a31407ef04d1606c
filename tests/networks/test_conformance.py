"""What every connector must be, whichever network it speaks to."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.connector_harness import Clock, Headers, MemoryJournal, Reply, Wire, outgoing, reply, session
from tests.helpers.network_ledgers import DID, LedgerMastodon, LedgerPds

import signalpost.networks
from signalpost import networks
from signalpost.kit.http import MaybeSent, NotSent
from signalpost.networks import ALIASES, CONNECTORS, PLATFORMS, canonical, capabilities
from signalpost.networks.codes import CATEGORIES
from signalpost.networks.contract import (
    ApiError,
    Connector,
    NeedsReconnect,
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
    "litestar",
    "httpx",
    "requests",
    "sqlalchemy",
    "structlog",
    "logging",
    "time",
}
BLUESKY_CREATE = "POST /xrpc/com.atproto.repo.createRecord"
MASTODON_CREATE = "POST /api/v1/statuses"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJlLW9mLW1pbmU"

every = pytest.mark.parametrize("connector", CONNECTORS.values(), ids=CONNECTORS)


def test_slugs() -> None:
    assert len(set(PLATFORMS)) == len(PLATFORMS) == 21
    assert set(CONNECTORS) <= set(PLATFORMS)
    assert set(ALIASES.values()) <= set(PLATFORMS)
    assert [canonical(slug) for slug in ("twitter", "x", "googlebusiness", "myspace", "")] == [
        "x", "x", "google_business", None, None,
    ]  # fmt: skip
    assert networks.get("facebook") is None


@every
def test_facts_are_sane_and_say_where_they_come_from(connector: Connector) -> None:
    facts = connector.facts
    assert CONNECTORS[facts.key] is connector
    assert facts.source
    assert facts.verified_on.startswith("20")
    assert 0 < facts.text.max_length < 100_000
    assert facts.thread_parts_max <= 50
    for kind, rule in facts.media.items():
        assert 0 < rule.per_post <= 35
        assert 10_000 < rule.bytes_max <= 5_000_000_000
        assert rule.mime_types, kind
        assert all(
            mime_type.split("/")[0] in {"image", "video", "audio", "application"} for mime_type in rule.mime_types
        )
        assert all(kind in facts.media[other].mixes_with for other in rule.mixes_with)
    assert all(option.description for option in facts.options.values())
    assert facts.base_url is None or facts.base_url.startswith("https://")


@every
def test_a_capability_exists_when_its_function_does(connector: Connector) -> None:
    able = capabilities(connector)
    assert able["delete"] == (connector.delete is not None)
    assert connector.reconcile is not None, "a lost answer must be settled somehow"
    assert bool(connector.facts.credential_fields) == (connector.connect is not None)
    assert set(able) == {
        "text", "image", "video", "carousel", "story", "thread", "firstComment", "delete", "analytics", "maxTextLength",
    }  # fmt: skip


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_networks_know_nothing_of_the_house(path: Path) -> None:
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


def _error(call: str, status: int, body: Any, **headers: str) -> ApiError:
    return ApiError(reply(status, body, **headers), call)


def _xrpc(status: int, error: str, message: str = "words", call: str = BLUESKY_CREATE, **headers: str) -> ApiError:
    return _error(call, status, {"error": error, "message": message}, **headers)


def _words(status: int, error: str, call: str = MASTODON_CREATE, **headers: str) -> ApiError:
    return _error(call, status, {"error": error}, **headers)


UPLOAD, MEDIA = "POST /xrpc/com.atproto.repo.uploadBlob", "POST /api/v2/media"
DOCUMENTED: list[tuple[str, ApiError, type, str | None]] = [
    ("bluesky", _xrpc(429, "RateLimitExceeded"), TryLater, "rate_limited"),
    ("bluesky", _xrpc(500, "InternalServerError"), OutcomeUnknown, None),
    ("bluesky", _xrpc(500, "InternalServerError", call=UPLOAD), TryLater, "platform_unavailable"),
    ("bluesky", _xrpc(502, "UpstreamFailure"), OutcomeUnknown, None),
    ("bluesky", _xrpc(502, "UpstreamFailure", call=UPLOAD), TryLater, "platform_unavailable"),
    ("bluesky", _xrpc(503, "NotEnoughResources"), TryLater, "platform_unavailable"),
    ("bluesky", _xrpc(504, "UpstreamTimeout"), OutcomeUnknown, None),
    ("bluesky", _xrpc(400, "BlobNotFound"), TryLater, "platform_unavailable"),
    ("bluesky", _xrpc(400, "InvalidSwap"), TryLater, "platform_unavailable"),
    ("bluesky", _xrpc(400, "ExpiredToken"), NeedsReconnect, None),
    ("bluesky", _xrpc(400, "InvalidToken"), NeedsReconnect, None),
    ("bluesky", _xrpc(401, "AuthenticationRequired"), NeedsReconnect, None),
    ("bluesky", _xrpc(401, "AuthMissing"), NeedsReconnect, None),
    ("bluesky", _xrpc(401, "AccountTakedown"), NeedsReconnect, None),
    ("bluesky", _xrpc(400, "AccountDeactivated"), NeedsReconnect, None),
    ("bluesky", _xrpc(403, "AccountNotFound"), NeedsReconnect, None),
    ("bluesky", _xrpc(400, "InvalidRequest", "Invalid app.bsky.feed.post record"), Refused, "content_rejected"),
    ("bluesky", _xrpc(400, "InvalidMimeType", call=UPLOAD), Refused, "media_unsupported"),
    ("bluesky", _xrpc(400, "InvalidSize"), Refused, "media_too_large"),
    ("bluesky", _xrpc(413, "PayloadTooLarge", call=UPLOAD), Refused, "media_too_large"),
    ("bluesky", _xrpc(400, "VideoTooLong"), Refused, "media_unsupported"),
    ("bluesky", _xrpc(403, "UploadForbidden", call=UPLOAD), Refused, "permission_missing"),
    ("bluesky", _xrpc(403, "ScopeMissingError"), Refused, "permission_missing"),
    ("bluesky", ApiError(Reply(502, b"<html>bad gateway"), BLUESKY_CREATE), OutcomeUnknown, None),
    ("bluesky", ApiError(Reply(200, b"?"), BLUESKY_CREATE), OutcomeUnknown, None),
    ("mastodon", _words(429, "Too many requests"), TryLater, "rate_limited"),
    ("mastodon", _words(500, "Error processing thumbnail", MEDIA), TryLater, "platform_unavailable"),
    ("mastodon", _words(500, "oops"), OutcomeUnknown, None),
    ("mastodon", _words(503, "There was a temporary problem serving your request"), TryLater, "platform_unavailable"),
    ("mastodon", ApiError(Reply(503, b"<html>"), MASTODON_CREATE), OutcomeUnknown, None),
    ("mastodon", _words(422, "Cannot attach files that have not finished processing."), TryLater, None),
    ("mastodon", _words(401, "The access token is invalid"), NeedsReconnect, None),
    ("mastodon", _words(401, "The access token was revoked"), NeedsReconnect, None),
    ("mastodon", _words(403, "Your login is currently disabled"), NeedsReconnect, None),
    ("mastodon", _words(403, "This action is outside the authorized scopes"), Refused, "permission_missing"),
    ("mastodon", _words(422, "Validation failed: Text can't be blank"), Refused, "content_rejected"),
    ("mastodon", _words(422, "Validation failed: Text character limit of 500 exceeded"), Refused, "text_too_long"),
    ("mastodon", _words(422, "Validation failed: File content type is invalid", MEDIA), Refused, "media_unsupported"),
    ("mastodon", _words(422, "failed", "GET /api/v1/media/1"), Refused, "media_processing_failed"),
    ("mastodon", _words(413, "too large", MEDIA), Refused, "media_too_large"),
    ("mastodon", _words(404, "Record not found"), Refused, "destination_missing"),
]


@pytest.mark.parametrize(("key", "error", "kind", "code"), DOCUMENTED)
def test_every_documented_error_has_its_ending(key: str, error: ApiError, kind: type, code: str | None) -> None:
    outcome = CONNECTORS[key].explain(error)
    assert isinstance(outcome, kind), outcome
    if code is not None:
        assert isinstance(outcome, Refused | TryLater)
        assert outcome.code == code
    if isinstance(outcome, Refused):
        assert outcome.code in CATEGORIES


ODD_BODIES = (b"", b"null", b"[]", b'"x"', b"{}", b'{"error":7}', b"\xff\x00", b'{"error":{"a":[]}}')


@every
def test_no_error_answer_is_too_odd(connector: Connector) -> None:
    for status in (*range(300, 600), 200, 204):
        for body in ODD_BODIES:
            outcome: Outcome = connector.explain(ApiError(Reply(status, body), "POST /x"))
            assert not isinstance(outcome, Published)
            assert outcome.message  # type: ignore[union-attr]


@pytest.mark.parametrize("key", ["bluesky", "mastodon"])
def test_words_of_a_network_are_kept_short_and_without_tokens(key: str) -> None:
    words = {
        "error": "InvalidRequest",
        "message": "x",
        "echo": f"Bearer {TOKEN}",
        "accessJwt": TOKEN,
        "pad": "ü" * 9000,
    }
    outcome = CONNECTORS[key].explain(ApiError(Reply(422, json.dumps(words).encode()), "POST /x"))
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
@pytest.mark.parametrize("key", ["bluesky", "mastodon"])
def test_how_long_to_wait(key: str, headers: dict[str, str], seconds: float | None) -> None:
    outcome = CONNECTORS[key].explain(_words(429, "RateLimitExceeded", **headers))
    assert isinstance(outcome, TryLater)
    assert outcome.after_seconds == seconds


class Failing:
    """A client whose every call fails."""

    def __init__(self, failure: Exception) -> None:
        self.failure = failure

    async def request(self, method: str, url: str, **rest: Any) -> Any:
        raise self.failure


ACCOUNTS: dict[str, dict[str, Any]] = {
    "sandbox": {},
    "bluesky": {"secrets": {"accessJwt": TOKEN, "refreshJwt": TOKEN}, "remote_id": DID},
    "mastodon": {"secrets": {"accessToken": TOKEN}, "remote_id": "1@server.example", "facts": {"dedupes": True}},
}


@pytest.mark.parametrize("key", ["bluesky", "mastodon"])
async def test_a_call_that_left_is_unknown_and_one_that_did_not_is_later(key: str) -> None:
    connector = CONNECTORS[key]
    for failure, kind in (
        (MaybeSent("lost", timed_out=True), OutcomeUnknown),
        (NotSent("no", stage="connect"), TryLater),
    ):
        journal = MemoryJournal()
        outcome = await connector.publish(session(Failing(failure), Clock(), **ACCOUNTS[key]), outgoing("x"), journal)
        assert isinstance(outcome, kind)
        assert journal.log == [("intend", "part:0")]


@pytest.mark.parametrize(("key", "server"), [("bluesky", LedgerPds), ("mastodon", LedgerMastodon)])
async def test_a_refused_thread_says_how_much_of_it_is_public(key: str, server: Any) -> None:
    clock = Clock()
    ledger = server(clock)
    create = {"bluesky": "repo.createRecord", "mastodon": "POST /api/v1/statuses"}[key]

    def serve(request: Any) -> Reply:
        if len(ledger.created) == 2:
            ledger.broken[create] = reply(422, {"error": "InvalidRequest", "message": "too rude"})
        return ledger(request)  # type: ignore[no-any-return]

    journal = MemoryJournal()
    outcome = await CONNECTORS[key].publish(
        session(Wire(serve), clock, **ACCOUNTS[key]), outgoing("1", "2", "3", "4"), journal
    )

    assert isinstance(outcome, Refused)
    assert outcome.message.endswith("(2 of 4 posts of the thread are public)")


@pytest.mark.parametrize("key", ["bluesky", "mastodon"])
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"id":1,"uri":2}', b"<html>"])
async def test_a_success_without_sense_is_unknown(key: str, body: bytes) -> None:
    """The post may be public: a 200 that cannot be read is no proof of anything."""
    wire = Wire(lambda request: Reply(200 if request.method == "POST" else 502, body, Headers()))
    outcome = await CONNECTORS[key].publish(session(wire, Clock(), **ACCOUNTS[key]), outgoing("x"), MemoryJournal())
    assert isinstance(outcome, OutcomeUnknown)


@every
async def test_outcomes_never_hold_a_token(connector: Connector) -> None:
    wire = Wire(
        lambda request: reply(
            400, {"error": "InvalidRequest", "message": f"got {request.headers.get('Authorization')}"}
        )
    )
    opened = session(wire, Clock(), **ACCOUNTS[connector.facts.key])
    outcome = await connector.publish(opened, outgoing("x"), MemoryJournal())
    assert TOKEN not in repr(outcome)
