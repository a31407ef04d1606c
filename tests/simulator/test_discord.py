"""Discord in the simulator: a client that others wrote works unmodified, and what Discord refuses is refused."""

import asyncio
import json
from asyncio.subprocess import PIPE
from typing import Any

import httpx
import pytest
from simulator import Simulator
from simulator.networks.discord import Discord
from simulator.networks.discord_server import EVERYTHING, FORUM, HISTORY, SEND, VIEW, Channel, Guild
from tests.counterparts import tools

API = "/api/v10"


class Place:
    """A server with a channel, a forum, a webhook and a bot."""

    def __init__(self, simulator: Simulator, *, premium_tier: int = 0) -> None:
        network = simulator.world.networks["discord"]
        assert isinstance(network, Discord)
        self.network, self.world, self.url = network, simulator.world, simulator.url("discord")
        self.guild: Guild = network.add_guild(premium_tier=premium_tier)
        self.channel: Channel = network.add_channel(self.guild)
        self.forum: Channel = network.add_channel(self.guild, "recipes", type=FORUM, tags=(network.new_id(),))
        self.webhook = network.add_webhook(self.channel)
        self.of_forum = network.add_webhook(self.forum)
        self.person = simulator.world.add_person("discord", "baker")
        self.token = network.add_bot(self.guild, self.person)

    async def execute(self, body: Any, **rest: Any) -> httpx.Response:
        webhook = rest.pop("webhook", self.webhook)
        return await self.call("POST", f"/webhooks/{webhook.id}/{webhook.token}?wait=true", json=body, **rest)

    async def send(self, body: Any, channel: Channel | None = None) -> httpx.Response:
        return await self.call("POST", f"/channels/{(channel or self.channel).id}/messages", json=body)

    async def call(self, method: str, path: str, **rest: Any) -> httpx.Response:
        headers = {"Authorization": f"Bot {self.token}"} if "/webhooks/" not in path else {}
        async with httpx.AsyncClient(base_url=self.url + API, timeout=60) as client:
            return await client.request(method, path, headers=headers, **rest)


async def test_discord_py_posts_by_webhooks_and_as_a_bot(simulator: Simulator) -> None:
    place = Place(simulator, premium_tier=2)
    given = {
        "url": place.url, "webhook_id": place.webhook.id, "webhook_token": place.webhook.token,
        "forum_id": place.of_forum.id, "forum_token": place.of_forum.token, "bot_token": place.token,
        "channel_id": place.channel.id, "forum_channel_id": place.forum.id, "guild_id": place.guild.id,
    }  # fmt: skip
    python = tools.folder("discord", tools.CHECKOUT / "requirements" / "discord.txt") / "bin" / "python"
    program = tools.HERE / "discord_client.py.txt"

    process = await asyncio.create_subprocess_exec(python, program, stdin=PIPE, stdout=PIPE)
    output, _ = await process.communicate(json.dumps(given).encode())
    result = json.loads(output)

    entries = {int(entry.remote_id): entry for entry in place.world.ledger.of("discord", deleted=True)}
    hooks, bot = result["webhooks"], result["bot"]
    assert (hooks["name"], hooks["read"], hooks["refused"], hooks["gone"]) == ("Baker", "By a webhook", 50035, 10015)
    assert entries[hooks["text"]].details["flags"] == 4096
    assert entries[hooks["text"]].details["allowed_mentions"] == {"parse": []}
    media = entries[hooks["media"][0]]
    assert (media.details["alt_texts"], media.details["names"]) == (["A dot", None], ["dot.png", "SPOILER_line.png"])
    assert hooks["media"][1:] == ["A dot", None]
    first, second, thread = hooks["thread"]
    assert (first, [entries[one].details["channel_id"] for one in (first, second)]) == (thread, [str(thread)] * 2)
    [asked] = [entry for entry in entries.values() if entry.details["poll"]]
    assert asked.deleted_at is not None
    assert asked.details["poll"]["duration"] == 24
    assert (bot["user"], bot["guild"], bot["limit"], bot["unknown"]) == ("baker", "Corner Bakery", 50 << 20, 10008)
    assert bot["ids"][0] == bot["ids"][1] == bot["parent"]
    assert bot["listed"][:2] == ["An answer", "By a bot"]
    assert bot["thread"][0] == bot["thread"][1]


@pytest.mark.parametrize(
    ("body", "status", "code", "path"),
    [
        ({"content": "x" * 2_000}, 200, None, None),
        ({"content": "🎉" * 2_000}, 200, None, None),
        ({"content": "x" * 2_001}, 400, 50035, "content"),
        ({"content": " "}, 400, 50006, None),
        ({"content": "x", "contents": "y"}, 400, 50035, "contents"),
        ({"content": "x", "flags": 64}, 400, 50035, "flags"),
        ({"content": "x", "username": "Discord fan"}, 400, 50035, "username"),
        ({"content": "x", "username": "here"}, 400, 50035, "username"),
        ({"content": "x", "avatar_url": "nothing"}, 400, 50035, "avatar_url"),
        ({"content": "x", "thread_name": "y"}, 400, 220003, None),
        ({"content": "x", "nonce": "1"}, 400, 50035, "nonce"),
        ({"content": "x", "allowed_mentions": {"parse": ["here"]}}, 400, 50035, "allowed_mentions"),
        ({"content": "x", "attachments": [{"id": "0"}]}, 400, 50035, "attachments"),
        ({"poll": {"question": {"text": "?"}, "answers": [{"poll_media": {"text": "x" * 56}}]}}, 400, 50035, "poll"),
        ({"embeds": [{"title": "x" * 257}]}, 400, 50035, "embeds"),
        ({"embeds": [{"description": "x" * 3_001}] * 2}, 400, 50035, "embeds"),
    ],
)
async def test_messages_of_webhooks(
    body: Any, status: int, code: int | None, path: str | None, simulator: Simulator
) -> None:
    response = await Place(simulator).execute(body)

    assert (response.status_code, response.json().get("code")) == (status, code), response.json()
    if path is not None:
        assert path in response.json()["errors"]


async def test_a_forum_needs_a_thread_and_files_have_a_size(simulator: Simulator) -> None:
    place = Place(simulator)
    tag = place.forum.tags[0]
    forum = {"webhook": place.of_forum}
    made = await place.execute({"content": "x", "thread_name": "Rye", "applied_tags": [tag]}, **forum)
    thread = made.json()["channel_id"]
    path = f"/webhooks/{place.of_forum.id}/{place.of_forum.token}?wait=true&thread_id={thread}"

    async def code_of(call: Any) -> Any:
        return (await call).json().get("code")

    assert await code_of(place.execute({"content": "x"}, **forum)) == 220001
    assert await code_of(place.call("POST", path, json={"content": "x"})) is None
    assert await code_of(place.call("POST", path, json={"content": "x", "thread_name": "y"})) == 220002
    assert await code_of(place.send({"content": "x"}, place.forum)) == 50008
    large = {"payload_json": (None, "{}"), "files[0]": ("a.bin", b"x" * ((10 << 20) + 1))}
    webhook = f"/webhooks/{place.webhook.id}/{place.webhook.token}"
    place.world.clock.advance(60)
    assert await code_of(place.call("POST", webhook, files=large)) == 40005


async def test_limits_and_wrong_tokens(simulator: Simulator) -> None:
    place = Place(simulator)
    answers = [await place.execute({"content": str(number)}) for number in range(6)]
    body, headers = answers[-1].json(), answers[-1].headers
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert (body["retry_after"], body["global"], headers["Retry-After"], headers["Via"] != "") == (
        2.0,
        False,
        "3",
        True,
    )
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["4", "3", "2", "1", "0", "0"]
    place.webhook.token = "other"
    path = f"/webhooks/{place.webhook.id}"
    codes = [(await place.call("GET", f"{path}/{token}")).json().get("code") for token in ("wrong", "other")]
    place.webhook.deleted = True
    assert [*codes, (await place.call("GET", f"{path}/other")).json()["code"]] == [50027, None, 10015]
    place.token = "wrong"
    assert (await place.send({"content": "x"})).status_code == 401


async def test_what_a_bot_may_do(simulator: Simulator) -> None:
    """A list is empty, not refused, for a bot that may not read it; nonces are known for two minutes."""
    place = Place(simulator)
    body = {"content": "x", "nonce": "1", "enforce_nonce": True}
    ids = [(await place.send(body)).json()["id"] for _ in range(2)]
    place.world.clock.advance(120)
    ids.append((await place.send(body)).json()["id"])
    listed = f"/channels/{place.channel.id}/messages"
    seen = (await place.call("GET", f"{listed}?after={ids[0]}&limit=1")).json()
    deny = {"id": place.person.id, "type": 1, "allow": "0", "deny": str(HISTORY | SEND)}
    place.channel.overwrites.append(deny)
    place.world.clock.advance(10)
    refused = (await place.send(body)).json()["code"]
    empty = (await place.call("GET", listed)).json()
    deny["deny"] = str(VIEW)
    hidden = (await place.call("GET", listed)).json()["code"]

    assert ids[0] == ids[1] != ids[2]
    assert [one["id"] for one in seen] == [ids[2]]
    assert "nonce" not in seen[0]
    assert (refused, empty, hidden) == (50013, [], 50001)
    assert place.network.permissions(place.person, place.channel) == EVERYTHING & ~VIEW
