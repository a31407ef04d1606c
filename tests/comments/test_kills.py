"""A process that dies while it sends an answer: at each step in turn, and the answer is at the network once."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.helpers.comments import Commented, serve
from tests.helpers.network_comments import REPLYING, Post

from signalpost.comments.actions import send
from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    FakeResponse,
    Killed,
    Request,
    json_response,
    server_at,
    session,
)
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import Journal, NetworkSession, Outcome, OutgoingReply

STEPS = ("reply-begun", "reply-before-intent", "reply-after-intent", "reply-before-call", "reply-after-call",
         "reply-before-done", "reply-after-done", "reply-answered")  # fmt: skip


class Mastodon:
    """A server that keeps what is created, with or without keys by which it recognises a repeated call."""

    def __init__(self, *, knows_keys: bool) -> None:
        self.knows_keys, self.clock = knows_keys, Clock()
        self.http = FakeHttp(self.answer)
        self.created: list[tuple[str, dict[str, Any]]] = []

    def answer(self, request: Request) -> FakeResponse:
        if request.method != "POST":
            before = int(request.params.get("max_id", "1000"))
            page = [status for _, status in reversed(self.created) if int(status["id"]) < before]
            return FakeResponse(200, json.dumps(page).encode())
        key = str(request.headers.get("Idempotency-Key"))
        earlier = [status for other, status in self.created if other == key]
        if earlier and self.knows_keys:
            return json_response(200, earlier[0])
        at = self.clock.now.isoformat().replace("+00:00", "Z")
        status = {
            "id": str(len(self.created) + 100), "content": f"<p>{request.json['status']}</p>", "created_at": at,
            "in_reply_to_id": request.json["in_reply_to_id"],
        }  # fmt: skip
        self.created.append((key, status))
        return json_response(200, status)

    def answers(self, text: str) -> int:
        return sum(status["content"].endswith(f"{text}</p>") for _, status in self.created)

    async def reply(self, through: NetworkSession, outgoing: OutgoingReply, journal: Journal) -> Outcome:
        """Answer by the connector of Mastodon, through the client that the job uses."""
        wrapped: Any = through.server.http
        wrapped._http = self.http  # otherwise it would reach for the network
        account = session(
            wrapped, self.clock, server=server_at(wrapped), secrets={"accessToken": "t"}, remote_id="7@server.example",
            facts={"dedupes": self.knows_keys},
        )  # fmt: skip
        function = CONNECTORS["mastodon"].reply
        assert function is not None
        return await function(account, msgspec.structs.replace(outgoing, comment_id="2"), journal)


class AtNetwork:
    """An account of a network of the simulator that answers a comment there, through the client that the job uses."""

    def __init__(self, post: Post) -> None:
        self.post = post

    async def reply(self, through: NetworkSession, outgoing: OutgoingReply, journal: Journal) -> Outcome:
        wrapped: Any = through.server.http
        wrapped._http = self.post.http  # otherwise it would reach for the network
        account = session(wrapped, self.post.clock, **self.post.account)
        comment = (await self.post.listed()).items[-1]
        answer = msgspec.structs.replace(
            outgoing, post_id=self.post.remote_id, comment_id=comment.remote_id, reference=comment.reference
        )
        function = self.post.connector.reply
        assert function is not None
        return await function(account, answer, journal)


async def killed_at_each_step(
    monkeypatch: pytest.MonkeyPatch, post: Commented, world: Clock, made: Callable[[str], int]
) -> None:
    """Answer a comment for each step, with a kill at it; `made` counts what the network has of a text."""
    for step in STEPS:
        post.wall.add(step)
    await post.collect()
    armed: list[str] = []

    def failpoint(name: str) -> None:
        if armed and armed[0] == name:
            armed.clear()
            raise Killed

    monkeypatch.setattr(send, "failpoint", failpoint)
    for step, comment in zip(STEPS, await post.list(), strict=True):
        text = f"Answer at {step}"
        reply = (await post.reply(comment, text)).json()
        armed.append(step)
        with pytest.raises(Killed):
            await post.send(reply)
        for _ in range(8):
            world.advance(20)
            again = await post.send(reply)
            if again is None:
                break
            world.advance(again.after_seconds)
        ended = (await post.read(comment))["replies"][0]
        assert (ended["state"], made(text)) == ("sent", 1), step


@pytest.mark.parametrize("knows_keys", [True, False])
async def test_a_kill_at_any_step_doubles_nothing(
    post: Commented, monkeypatch: pytest.MonkeyPatch, knows_keys: bool
) -> None:
    server = Mastodon(knows_keys=knows_keys)
    serve(monkeypatch, post, reply=server.reply)
    await killed_at_each_step(monkeypatch, post, server.clock, server.answers)


@pytest.mark.parametrize("key", REPLYING)
async def test_a_kill_at_any_step_doubles_nothing_at_any_network(
    post: Commented, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    there = await Post(key).published()
    there.says("ada", "When do you open?")
    serve(monkeypatch, post, reply=AtNetwork(there).reply)
    await killed_at_each_step(monkeypatch, post, there.clock, lambda text: len(there.answers(text)))
