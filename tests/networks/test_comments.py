"""What connectors read of comments, whatever a server lists, and how they answer them: once, whatever is lost."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    FakeResponse,
    FaultInjector,
    MemoryJournal,
    Request,
    json_response,
    server_at,
    session,
)
from signalpost.kit.http import BadResponse
from signalpost.networks import CONNECTORS, PLATFORMS, capabilities
from signalpost.networks.contract import (
    Comments,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    OutgoingReply,
    Published,
)
from signalpost.networks.plain_text import plain_text
from signalpost.networks.reference import render

NOW = datetime(2026, 11, 21, 18, tzinfo=UTC)
AT = "2026-11-21T18:00:00.000Z"
ROOT = "at://did:plc:me/app.bsky.feed.post/3kroot"
OTHER = "at://did:plc:ada/app.bsky.feed.post/3kada"


def opened(
    key: str, serve: Any, injector: FaultInjector | None = None, clock: Clock | None = None
) -> tuple[NetworkSession, FakeHttp]:
    http = FakeHttp(serve, injector or FaultInjector())
    account: dict[str, Any] = {
        "mastodon": {"secrets": {"accessToken": "t"}, "remote_id": "7@server.example", "facts": {"dedupes": True}},
        "bluesky": {"secrets": {"accessJwt": "a.b.c", "refreshJwt": "a.b.c"}, "remote_id": "did:plc:me", "facts": {}},
    }[key]
    return session(http, clock or Clock(NOW), server=server_at(http), **account), http


async def listed(key: str, post_id: str, answer: FakeResponse) -> Comments | None:
    function = CONNECTORS[key].comments
    assert function is not None
    account, _ = opened(key, lambda _request: answer)
    return (await function(account, [post_id], None))[post_id]


def status(status_id: str, **more: Any) -> dict[str, Any]:
    author = {"id": "9", "acct": "ada@other.example", "display_name": "Ada", "url": "https://other.example/@ada"}
    return {"id": status_id, "created_at": AT, "in_reply_to_id": "1", "account": author, "content": "<p>Hi</p>"} | more


async def test_replies_of_a_mastodon_server() -> None:
    """Messages between people are not comments, and one that cannot be stored does not hide the others."""
    statuses = [
        status("2", content="<p>One<br>two</p><p>&lt;b&gt; &amp; <a href='https://x.example'>link</a></p>"),
        status("3", in_reply_to_id="2", edited_at=AT, favourited=True, account={"id": "7", "acct": "me"}),
        status("4", visibility="direct"),
        status("5", created_at="yesterday"),
        status("x" * 600),
    ]
    comments = await listed("mastodon", "1", json_response(200, {"ancestors": [], "descendants": statuses}))
    assert comments is not None
    first, own = comments.items
    assert (first.text, first.parent_id, first.author_handle) == ("One\ntwo\n<b> & link", None, "ada@other.example")
    assert (own.parent_id, own.is_own, own.liked, own.edited_at) == ("2", True, True, datetime.fromisoformat(AT))
    assert comments.complete
    assert await listed("mastodon", "1", json_response(404, {"error": "Record not found"})) is None


@pytest.mark.parametrize("body", [b"", b"[]", b'{"descendants": 1}', b"\xff", b"[" * 100_000])
async def test_what_is_no_list_is_refused(body: bytes) -> None:
    with pytest.raises(BadResponse):
        await listed("mastodon", "1", FakeResponse(200, body))
    with pytest.raises(BadResponse):
        await listed("bluesky", ROOT, FakeResponse(200, body))


def test_html_becomes_text_in_linear_time() -> None:
    assert plain_text("<p>a</p><p>b</p>") == "a\nb"
    assert plain_text("<" * 1_000_000) == ""
    assert plain_text("&#" + "9" * 20_000 + ";")


def node(uri: str, *replies: Any, did: str = "did:plc:ada", **more: Any) -> dict[str, Any]:
    post = {
        "uri": uri, "cid": "bafy", "indexedAt": AT,
        "author": {"did": did, "handle": "ada.example", "displayName": "Ada"},
        "record": {"text": "Hi", "reply": {"root": {"uri": ROOT, "cid": "bafyroot"}}},
    }  # fmt: skip
    return {"$type": "app.bsky.feed.defs#threadViewPost", "post": post | more, "replies": list(replies)}


async def test_the_thread_of_a_bluesky_post() -> None:
    own = node("at://did:plc:me/app.bsky.feed.post/3kown", did="did:plc:me", viewer={"like": "at://x"})
    hostile: list[Any] = [
        None, 3, {"post": []}, {"post": {"uri": 5}}, {"$type": "app.bsky.feed.defs#blockedPost", "uri": "at://x"},
        node("at://did:plc:eve/app.bsky.feed.post/1", record={"text": 5}), node("\0"),
    ]  # fmt: skip
    thread = node(ROOT, node(OTHER, own), *hostile, did="did:plc:me")
    comments = await listed("bluesky", ROOT, json_response(200, {"thread": thread}))
    assert comments is not None
    first, answer = comments.items
    assert (first.remote_id, first.parent_id, first.author_name, first.is_own) == (OTHER, None, "Ada", False)
    assert (answer.parent_id, answer.is_own, answer.liked) == (OTHER, True, True)
    assert first.reference == {"cid": "bafy", "root": {"id": ROOT, "cid": "bafyroot"}}
    assert first.url == "https://bsky.app/profile/did:plc:ada/post/3kada"
    assert comments.complete
    assert await listed("bluesky", ROOT, json_response(400, {"error": "NotFound", "message": "Post not found"})) is None


async def test_a_flood_is_cut_and_deletes_nothing() -> None:
    thread = node(ROOT, *[node(f"at://did:plc:b{number}/app.bsky.feed.post/1") for number in range(1_500)])
    statuses = [status(str(number)) for number in range(1_500)]
    for key, post_id, answer in (("bluesky", ROOT, {"thread": thread}), ("mastodon", "1", {"descendants": statuses})):
        comments = await listed(key, post_id, json_response(200, answer))
        assert comments is not None
        assert (len(comments.items), comments.complete) == (1_000, False)


class Servers:
    """A server that keeps what is created, under the key that it came with."""

    def __init__(self) -> None:
        self.created: dict[str, dict[str, Any]] = {}

    def mastodon(self, request: Request) -> FakeResponse:
        if request.method == "POST":
            key = str(request.headers.get("Idempotency-Key"))
            self.created.setdefault(key, request.json)
            number = list(self.created).index(key)
            return json_response(200, {"id": f"20{number}", "url": "https://server.example/@me/20"})
        return FakeResponse(200, b"[]")

    def bluesky(self, request: Request) -> FakeResponse:
        if request.path.endswith("createRecord"):
            if request.json["rkey"] in self.created:
                return json_response(500, {"error": "InternalServerError"})
            self.created[request.json["rkey"]] = request.json["record"]
            uri = f"at://did:plc:me/app.bsky.feed.post/{request.json['rkey']}"
            return json_response(200, {"uri": uri, "cid": "c"})
        rkey = request.params.get("rkey", "")
        if rkey in self.created:
            return json_response(200, {"uri": f"at://did:plc:me/app.bsky.feed.post/{rkey}", "cid": "c", "value": {}})
        return json_response(400, {"error": "RecordNotFound"})


def reply_to(key: str) -> OutgoingReply:
    of_bluesky = key == "bluesky"
    return OutgoingReply(
        post_id=ROOT if of_bluesky else "1",
        comment_id=OTHER if of_bluesky else "2",
        author_handle="ada.example" if of_bluesky else "ada@other.example",
        reference={"cid": "bafy", "root": {"id": ROOT, "cid": "bafyroot"}}
        if of_bluesky
        else {"visibility": "unlisted"},
        text="Thank you!",
        dedupe_key="reply-1",
        created_at=datetime.fromisoformat(AT),
    )


async def answer(key: str, account: NetworkSession, journal: MemoryJournal) -> Outcome:
    function = CONNECTORS[key].reply
    assert function is not None
    return await function(account, reply_to(key), journal)


@pytest.mark.parametrize("key", ["bluesky", "mastodon"])
async def test_an_answer_replies_to_the_comment_and_stands_in_the_journal(key: str) -> None:
    servers, journal = Servers(), MemoryJournal()
    account, http = opened(key, getattr(servers, key))
    outcome = await answer(key, account, journal)
    assert isinstance(outcome, Published), outcome
    [created] = servers.created.values()
    if key == "mastodon":
        body = {"status": "@ada@other.example Thank you!", "in_reply_to_id": "2", "visibility": "unlisted"}
        assert (created, outcome.remote_id) == (body, "200")
    else:
        references = {"root": {"uri": ROOT, "cid": "bafyroot"}, "parent": {"uri": OTHER, "cid": "bafy"}}
        assert (created["text"], created["reply"]) == ("Thank you!", references)
        assert outcome.url == f"https://bsky.app/profile/did:plc:me/post/{outcome.remote_id.rpartition('/')[2]}"
    requests = len(http.requests)
    assert await answer(key, account, journal) == outcome
    assert len(http.requests) == requests, "nothing is asked once it is done"


@pytest.mark.parametrize("fault", ["unsent", "lost", "answer_lost"])
@pytest.mark.parametrize("key", ["bluesky", "mastodon"])
async def test_a_lost_call_never_doubles_an_answer(key: str, fault: Any) -> None:
    """At each request in turn: after it, the same answer is asked for until it is public."""
    for at in range(1, 4):
        servers, journal = Servers(), MemoryJournal()
        clock = Clock(NOW)
        broken, _ = opened(key, getattr(servers, key), FaultInjector(at=at, fault=fault), clock)
        outcome = await answer(key, broken, journal)
        for _ in range(4):
            if isinstance(outcome, Published):
                break
            if isinstance(outcome, OutcomeUnknown) and outcome.tells_after_seconds:
                clock.advance(outcome.tells_after_seconds + 1)
            outcome = await answer(key, broken, journal)
        assert isinstance(outcome, Published), (at, outcome)
        assert len(servers.created) == 1, at


def test_each_network_says_what_is_possible_with_comments() -> None:
    """A line of the table for each, and a reason wherever something is not possible."""
    lines = [line.strip("| ").split(" | ") for line in render().partition("\n## Sandbox")[0].splitlines()]
    rows = {cells[0]: cells[1:] for cells in lines if len(cells) >= 6}
    for key in PLATFORMS:
        connector = CONNECTORS[key]
        comments = capabilities(connector)["comments"]
        able = [comments[name] for name in ("read", "reply", "hide", "like", "delete")]
        read, reply, longest, *others = rows[connector.facts.name]
        shown = ["yes" if one else "no" for one in (*able, comments["pushed"])]
        assert [read, reply, *others[:4]] == shown, key
        assert longest.startswith(f"{comments['replyText']['maxLength']} " if comments["reply"] else ""), key
        assert bool(longest) == comments["reply"], key
        assert all(able) or others[4] == comments["note"], key
        assert json.dumps(comments)


def test_the_guide_names_each_network_that_has_comments_and_its_permissions() -> None:
    guide = Path("docs/guides/comments.md").read_text(encoding="utf-8")
    for key in PLATFORMS:
        facts = CONNECTORS[key].facts
        if CONNECTORS[key].comments is not None and key != "sandbox":
            assert f"\n| {facts.name} | " in guide, key
        for scope in (scope for scopes in facts.comments_scopes for scope in scopes):
            assert f"`{scope.rpartition('/')[2]}`" in guide, scope
