"""The Mastodon connector against a look-alike, read back through a client that we did not write (Mastodon.py)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from mastodon import Mastodon
from tests.counterparts import MastodonMock, mastodon_mock

from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    FakeResponse,
    MemoryJournal,
    image,
    json_response,
    outgoing,
    server_at,
    session,
)
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, oauth2, preflight
from signalpost.networks.connectors.mastodon.find import fingerprint, fingerprint_of_html
from signalpost.networks.connectors.mastodon.instance import facts_of
from signalpost.networks.contract import (
    Absent,
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Comments,
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    OutcomeUnknown,
    OutgoingReply,
    Pending,
    Published,
    Refused,
    TryLater,
)

pytestmark = pytest.mark.xdist_group("mastodon-server")  # one server for all of them
MASTODON = CONNECTORS["mastodon"]


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[MastodonMock]:
    async with mastodon_mock() as mock:
        yield mock


@pytest.fixture
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


async def connected(http: Client, server: MastodonMock, token: str | None = None) -> Identity:
    assert MASTODON.connect is not None
    fields = {"instanceUrl": server.url, "accessToken": token or server.access_token}
    return await MASTODON.connect(server_at(http, server.url, trusted=True), fields)


async def opened(http: Client, server: MastodonMock, **rest: Any) -> NetworkSession:
    identity = await connected(http, server)
    values: dict[str, Any] = {
        "server": server_at(http, str(identity.base_url), trusted=True),
        "secrets": identity.secrets,
        "remote_id": identity.remote_id,
        "username": identity.username,
        "facts": identity.facts,
    }
    return session(http, Clock(datetime.now(UTC)), **values | rest)


async def read(server: MastodonMock, status_id: str) -> Any:
    client = Mastodon(access_token=server.access_token, api_base_url=server.url, version_check_mode="none")
    return await asyncio.to_thread(client.status, status_id)


async def fault(server: MastodonMock, path: str, effect: dict[str, Any]) -> None:
    rule = {"match": {"path": path, "methods": ["POST"]}, "effect": effect, "count": 1}
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        (await client.post("/api/v1/_mock/faults", json=rule)).raise_for_status()


async def test_connecting_returns_the_identity_and_the_limits_of_the_server(http: Client, server: MastodonMock) -> None:
    identity = await connected(http, server)

    host = urlsplit(server.url).netloc
    assert identity.remote_id.endswith(f"@{host}")
    assert identity.username.startswith("testuser@")
    assert identity.facts["dedupes"]
    assert identity.facts["limits"]["text"] == {"max_length": 500, "url_length": 23}
    assert identity.facts["limits"]["media"]["image"]["bytes_max"] == 10_485_760
    issues = preflight.check(MASTODON, outgoing("x", media=(image(size_bytes=10_485_761),)), identity.facts)
    assert [issue.rule for issue in issues] == ["mastodon.media.max_bytes"]


async def test_a_wrong_token_and_a_wrong_server_are_distinguished(http: Client, server: MastodonMock) -> None:
    with pytest.raises(BadCredentials):
        await connected(http, server, token="wrong")
    assert MASTODON.connect is not None
    for address in ("https://127.0.0.1:1", "http://10.0.0.1", "", "ftp://x.y", "@"):
        with pytest.raises(InvalidField) as raised:
            await MASTODON.connect(server_at(http, ""), {"instanceUrl": address, "accessToken": "t"})
        assert raised.value.name == "instanceUrl"


async def test_text_options_and_media_read_back(http: Client, server: MastodonMock) -> None:
    post = outgoing(
        "Grüße & <b>alle</b> 🎈",
        media=(image("ein Punkt"),),
        link="https://example.com/x",
        options={"visibility": "unlisted", "spoilerText": "Vorsicht", "sensitive": True, "language": "de"},
        dedupe_key="options",
    )

    outcome = await MASTODON.publish(await opened(http, server), post, MemoryJournal())

    assert isinstance(outcome, Published), outcome
    status = await read(server, outcome.remote_id)
    assert fingerprint_of_html(status.content) == fingerprint("Grüße & <b>alle</b> 🎈 https://example.com/x")
    assert (status.visibility, status.spoiler_text, status.sensitive, status.language) == (
        "unlisted", "Vorsicht", True, "de",
    )  # fmt: skip
    assert status.media_attachments[0].description == "ein Punkt"
    assert outcome.url == status.url


async def test_a_thread_is_a_chain_and_can_be_removed(http: Client, server: MastodonMock) -> None:
    account = await opened(http, server)

    outcome = await MASTODON.publish(account, outgoing("1", "2", "3", dedupe_key="thread"), MemoryJournal())

    assert isinstance(outcome, Published)
    ids = [outcome.remote_id, *outcome.thread_ids]
    parents = [(await read(server, status_id)).in_reply_to_id for status_id in ids]
    assert [str(parent) if parent else None for parent in parents] == [None, *ids[:2]]
    assert MASTODON.delete is not None
    for _ in range(2):
        await MASTODON.delete(account, outcome.remote_id, outcome.thread_ids)


async def test_a_poll(http: Client, server: MastodonMock) -> None:
    poll = {"options": ["yes", "no"], "minutes": 60, "multiple": True}
    post = outgoing("Well?", options={"poll": poll}, dedupe_key="poll")

    outcome = await MASTODON.publish(await opened(http, server), post, MemoryJournal())

    assert isinstance(outcome, Published)
    assert [option.title for option in (await read(server, outcome.remote_id)).poll.options] == ["yes", "no"]


async def test_a_quote_and_who_can_quote_it(http: Client, server: MastodonMock) -> None:
    account = await opened(http, server)
    assert account.facts["quotes"]
    quoted = await MASTODON.publish(account, outgoing("Quote me", dedupe_key="quoted"), MemoryJournal())
    assert isinstance(quoted, Published)
    options = {"quoteId": quoted.remote_id, "quotePolicy": "followers"}

    outcome = await MASTODON.publish(
        account, outgoing("Look", "and more", options=options, dedupe_key="q"), MemoryJournal()
    )
    elsewhere = await MASTODON.publish(
        account, outgoing("x", options={"quoteId": "https://other.example/@a/1"}, dedupe_key="e"), MemoryJournal()
    )

    assert isinstance(outcome, Published)
    status, reply = await read(server, outcome.remote_id), await read(server, outcome.thread_ids[0])
    assert str(status.quote.quoted_status.id) == quoted.remote_id
    assert status.quote_approval_policy == "followers"
    assert reply.quote is None
    assert isinstance(elsewhere, Refused)
    assert server.url in elsewhere.message


async def test_sending_again_with_the_same_key_gives_the_same_post(http: Client, server: MastodonMock) -> None:
    account = await opened(http, server)
    journal = MemoryJournal()
    post = outgoing("only once", dedupe_key="resend")
    first = await MASTODON.publish(account, post, journal)

    early = MemoryJournal(values={"part:0": {"at": datetime.now(UTC).isoformat()}}, open={"part:0"})
    assert isinstance(await MASTODON.publish(account, post, early), OutcomeUnknown)
    later = MemoryJournal(
        values={"part:0": {"at": (datetime.now(UTC) - timedelta(minutes=5)).isoformat()}}, open={"part:0"}
    )
    second = await MASTODON.publish(account, post, later)

    assert first == second


@pytest.mark.parametrize("hours", [2])
async def test_after_the_key_has_expired_the_accounts_posts_are_searched(
    http: Client, server: MastodonMock, hours: int
) -> None:
    account = await opened(http, server)
    post = outgoing("find me @you@far.example https://example.com/a_b?c=d", dedupe_key="search")
    published = await MASTODON.publish(account, post, MemoryJournal())
    assert isinstance(published, Published)
    at = (datetime.now(UTC) - timedelta(seconds=5)).isoformat()
    late = await opened(http, server, now=Clock(datetime.now(UTC) + timedelta(hours=hours)))
    assert MASTODON.reconcile is not None

    reconciled = await MASTODON.reconcile(late, post, MemoryJournal(values={"part:0": {"at": at}}, open={"part:0"}))
    other = outgoing("never sent", dedupe_key="search")
    absent = await MASTODON.reconcile(late, other, MemoryJournal(values={"part:0": {"at": at}}, open={"part:0"}))

    assert reconciled == published
    assert isinstance(absent, Absent)


async def test_rate_limits_and_lost_responses(http: Client, server: MastodonMock) -> None:
    account = await opened(http, server)
    await fault(server, "/api/v1/statuses", {"type": "ratelimit", "headers": {"Retry-After": "90"}})
    limited = await MASTODON.publish(account, outgoing("x", dedupe_key="429"), MemoryJournal())
    await fault(server, "/api/v1/statuses", {"type": "status", "status": 500})
    broken = await MASTODON.publish(account, outgoing("x", dedupe_key="500"), MemoryJournal())
    await fault(server, "/api/v1/statuses", {"type": "malformed"})
    malformed = await MASTODON.publish(account, outgoing("x", dedupe_key="malformed"), MemoryJournal())
    await fault(server, "/api/v2/media", {"type": "status", "status": 503})
    upload = await MASTODON.publish(account, outgoing("x", media=(image(),), dedupe_key="503"), MemoryJournal())

    assert isinstance(limited, TryLater)
    assert (limited.code, limited.after_seconds) == ("rate_limited", 90.0)
    assert isinstance(broken, OutcomeUnknown)
    assert isinstance(malformed, OutcomeUnknown)
    assert isinstance(upload, TryLater)


async def test_501_characters_are_refused_by_both(http: Client, server: MastodonMock) -> None:
    post = outgoing("x" * 501, dedupe_key="long")
    assert [issue.rule for issue in preflight.check(MASTODON, post, {})] == ["mastodon.text.max_graphemes"]
    assert isinstance(await MASTODON.publish(await opened(http, server), post, MemoryJournal()), Refused)


async def test_oauth_from_registration_to_revocation(http: Client, server: MastodonMock) -> None:
    """The look-alike does not check OAuth security; it shows that every call has the right form."""
    flow = MASTODON.oauth
    assert flow is not None
    assert flow.register is not None
    redirect = "http://127.0.0.1:9/callback"

    at = server_at(http, server.url, trusted=True)
    app = await flow.register(at, redirect_uri=redirect, app_name="Signalpost")
    address = oauth2.authorize_url(
        flow.facts, at, app, redirect_uri=redirect, state="the-state", code_challenge="the-challenge"
    )
    query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert query["state"] == "the-state"
    assert (query["code_challenge"], query["code_challenge_method"]) == ("the-challenge", "S256")
    async with httpx.AsyncClient(timeout=60) as browser:
        response = await browser.post(address.split("?")[0], data=query | {"username": "testuser"})
    code = parse_qs(urlsplit(response.headers["Location"]).query)["code"][0]
    returned = AuthorizationCode(code=code, redirect_uri=redirect, code_verifier="the-verifier")
    identity = await flow.exchange(at, app, returned)
    assert identity.username.startswith("testuser@")

    account = await opened(http, server, secrets=identity.secrets)
    assert MASTODON.revoke is not None
    assert MASTODON.check is not None
    assert (await MASTODON.check(account)).valid
    await MASTODON.revoke(account)
    with pytest.raises(ApiError) as failed:
        await MASTODON.check(account)
    assert isinstance(MASTODON.explain(failed.value), NeedsReconnect)
    outcome = await MASTODON.publish(account, outgoing("x", dedupe_key="revoked"), MemoryJournal())
    assert isinstance(outcome, NeedsReconnect)


async def test_converting_media_is_pending_then_published_with_one_upload() -> None:
    """The look-alike has all media ready at once, so a scripted server answers 202 and then 206."""
    responses = [
        json_response(202, {"id": "5"}),
        json_response(206, {"id": "5"}),
        json_response(200, {"id": "5"}),
        json_response(200, {"id": "9", "url": "https://m.example/9"}),
    ]
    http = FakeHttp(lambda request: responses.pop(0))
    account = session(http, Clock(), secrets={"accessToken": "t"}, facts={"dedupes": True}, remote_id="1@m.example")
    post, journal = outgoing("film", media=(image(kind="video", mime_type="video/mp4"),)), MemoryJournal()
    assert MASTODON.poll is not None

    first = await MASTODON.publish(account, post, journal)
    assert isinstance(first, Pending)
    second = await MASTODON.poll(account, post, journal, first.state)
    assert isinstance(second, Pending)
    third = await MASTODON.poll(account, post, journal, second.state)

    assert isinstance(third, Published)
    assert [f"{request.method} {request.path}" for request in http.requests] == [
        "POST /api/v2/media",
        "GET /api/v1/media/5",
        "GET /api/v1/media/5",
        "POST /api/v1/statuses",
    ]
    assert http.requests[-1].json["media_ids"] == ["5"]


@pytest.mark.parametrize(
    ("version", "dedupes"),
    [
        ("4.6.0", True),
        ("4.3.0-beta.1+glitch", True),
        ("3.5.3", True),
        ("2.7.2 (compatible; Pleroma 2.5.0)", False),
        ("4.2.1 (compatible; Firefish 1.0.5)", False),
        ("3.5.3 (compatible; Pixelfed 0.12.3)", False),
        ("0.17.3 git-1234", False),
        ("", False),
    ],
)
def test_only_mastodon_itself_is_trusted_to_know_keys(version: str, dedupes: bool) -> None:
    assert facts_of({"version": version})["dedupes"] is dedupes


def test_implausible_limits_of_a_server_are_left_out() -> None:
    instance = {
        "version": 7,
        "max_toot_chars": 1000,
        "configuration": {
            "statuses": {"max_characters": "many", "max_media_attachments": -1},
            "media_attachments": {"supported_mime_types": [1, "image/png"], "image_size_limit": True},
            "polls": [],
        },
    }
    facts = facts_of(instance)
    assert facts["limits"]["text"] == {}
    assert facts["limits"]["media"]["image"] == {"mime_types": ["image/png"]}
    assert preflight.check(MASTODON, outgoing("x" * 500, media=(image(),)), facts) == []


async def test_a_server_without_v2_is_asked_for_v1(http: Client) -> None:
    def serve(request: Any) -> FakeResponse:
        documents = {
            "/api/v1/accounts/verify_credentials": {"id": "1", "username": "me"},
            "/api/v1/instance": {"version": "3.3.0", "max_toot_chars": 1234},
        }
        document = documents.get(request.path)
        return json_response(404) if document is None else json_response(200, document)

    assert MASTODON.connect is not None
    fields = {"instanceUrl": "@me@m.example", "accessToken": "t"}
    identity = await MASTODON.connect(server_at(FakeHttp(serve), ""), fields)

    assert (identity.base_url, identity.remote_id, identity.username) == (
        "https://m.example",
        "1@m.example",
        "me@m.example",
    )
    assert identity.facts["limits"]["text"] == {"max_length": 1234}


async def test_comments_are_read_and_answered_once(http: Client, server: MastodonMock) -> None:
    account = await opened(http, server)
    post = await MASTODON.publish(account, outgoing("Fresh rolls", dedupe_key="rolls"), MemoryJournal())
    assert isinstance(post, Published)
    client = Mastodon(access_token=server.access_token, api_base_url=server.url, version_check_mode="none")
    said = await asyncio.to_thread(client.status_post, "Where can I buy them?", in_reply_to_id=post.remote_id)
    assert MASTODON.comments is not None
    assert MASTODON.reply is not None
    [comment] = (await listed(account, post.remote_id)).items
    assert (comment.remote_id, comment.text, comment.parent_id) == (str(said.id), "Where can I buy them?", None)
    answer = OutgoingReply(
        post_id=post.remote_id, comment_id=comment.remote_id, author_handle="ada@other.example",
        reference=comment.reference, text="At our shop.", dedupe_key="answer", created_at=datetime.now(UTC),
    )  # fmt: skip
    journal = MemoryJournal()
    outcome = await MASTODON.reply(account, answer, journal)
    assert isinstance(outcome, Published), outcome
    again = MemoryJournal(values={"part:1": {"at": journal.values["part:1"]["at"]}}, open={"part:1"})
    account.now = lambda: datetime.now(UTC) + timedelta(seconds=60)  # before that it is too early to tell
    assert await MASTODON.reply(account, answer, again) == outcome
    below = {item.remote_id: item for item in (await listed(account, post.remote_id)).items}
    assert set(below) == {comment.remote_id, outcome.remote_id}
    assert below[outcome.remote_id].parent_id == comment.remote_id
    assert below[outcome.remote_id].text.endswith("At our shop.")


async def listed(account: NetworkSession, post_id: str) -> Comments:
    assert MASTODON.comments is not None
    found = (await MASTODON.comments(account, [post_id], None))[post_id]
    assert found is not None
    return found
