"""Slack in the simulator: Slack's own SDK works unmodified, and what Slack refuses is refused."""

import asyncio
from typing import Any

import httpx
import pytest
from simulator import Simulator
from simulator.networks.slack import Slack
from simulator.networks.slack_workspace import SCOPES, TEAM, Channel
from slack_sdk.errors import SlackApiError
from slack_sdk.models.blocks import ActionsBlock, ButtonElement, SectionBlock
from slack_sdk.models.metadata import Metadata
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient
from tests.helpers.limits import TEST_SECONDS


def button(**changes: Any) -> dict[str, Any]:
    text = {"type": "plain_text", "text": "Post now"}
    return {"type": "button", "action_id": "a", "text": text, "value": "x"} | changes


class Place:
    """A workspace with a channel, a webhook and a bot."""

    def __init__(self, simulator: Simulator) -> None:
        network = simulator.world.networks["slack"]
        assert isinstance(network, Slack)
        self.network, self.world, self.url = network, simulator.world, simulator.url("slack")
        self.channel: Channel = network.add_channel()
        self.webhook = network.add_webhook(self.channel)
        self.person = simulator.world.add_person("slack", "baker")
        self.token = network.add_bot(self.channel, self.person)

    def client(self, token: str | None = None) -> AsyncWebClient:
        return AsyncWebClient(token=token or self.token, base_url=f"{self.url}/api/")

    def hook(self) -> AsyncWebhookClient:
        return AsyncWebhookClient(self.network.address_of(self.webhook))

    async def word(self, method: str, **body: Any) -> Any:
        """Call a method after a second has passed; return Slack's word for what was wrong, or None."""
        self.world.clock.advance(1)
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(base_url=f"{self.url}/api", timeout=TEST_SECONDS) as client:
            return (await client.post(f"/{method}", json=body, headers=headers)).json().get("error")


async def test_the_sdk_posts_and_reads_as_a_bot(simulator: Simulator) -> None:
    place = Place(simulator)
    client, channel = place.client(), place.channel.id
    who = await client.auth_test()
    info = (await client.conversations_info(channel=channel))["channel"]
    metadata = Metadata(event_type="post", event_payload={"key": "1"})
    first = await client.chat_postMessage(
        channel=channel, text="Rye &amp; wheat", metadata=metadata, unfurl_links=False
    )
    place.world.clock.advance(1)
    below = await client.chat_postMessage(channel=channel, text="More", thread_ts=first["ts"], reply_broadcast=True)
    shared = await client.files_upload_v2(
        channel=channel, initial_comment="A dot", file_uploads=[
            {"content": b"first", "filename": "dot.png", "alt_txt": "A dot"},
            {"content": b"second", "filename": "b.png"},
        ],
    )  # fmt: skip
    listed = (await client.conversations_history(channel=channel, limit=10, include_all_metadata=True))["messages"]
    replies = (await client.conversations_replies(channel=channel, ts=first["ts"]))["messages"]
    link = await client.chat_getPermalink(channel=channel, message_ts=below["ts"])
    await client.chat_delete(channel=channel, ts=below["ts"])
    with pytest.raises(SlackApiError, match="message_not_found"):
        await client.chat_delete(channel=channel, ts=below["ts"])

    assert (who["user"], who["team_id"], who.headers["x-oauth-scopes"].split(",")) == ("baker", TEAM, sorted(SCOPES))
    assert (info["is_member"], info["is_private"]) == (True, False)
    post, files = place.world.ledger.of("slack")
    assert (post.text, post.details["unfurl_links"], post.remote_id) == ("Rye & wheat", False, first["ts"])
    assert (files.text, len(files.media), files.details["alt_texts"]) == ("A dot", 2, ["A dot", None])
    assert [message["ts"] for message in listed] == [files.remote_id, below["ts"], first["ts"]]
    assert listed[-1]["metadata"] == {"event_type": "post", "event_payload": {"key": "1"}}
    assert [file["id"] for file in listed[0]["files"]] == [file["id"] for file in shared["files"]]
    assert [message["text"] for message in replies] == ["Rye &amp; wheat", "More"]
    assert link["permalink"].endswith(f"/p{below['ts'].replace('.', '')}?thread_ts={first['ts']}&cid={channel}")


async def test_the_sdk_posts_by_a_webhook(simulator: Simulator) -> None:
    place = Place(simulator)
    sent = await place.hook().send(text="Fresh bread", unfurl_links=False)
    limited = await place.hook().send(text="Too soon")
    place.world.clock.advance(1)
    empty = await place.hook().send(text="")
    place.world.clock.advance(1)
    place.channel.is_archived = True
    archived = await place.hook().send(text="Nobody reads this")
    place.webhook.removed = True
    removed = await place.hook().send(text="Nobody takes this")

    assert (sent.status_code, sent.body) == (200, "ok")
    assert (limited.status_code, limited.headers["retry-after"]) == (429, "1")
    answers = [(answer.status_code, answer.body) for answer in (empty, archived, removed)]
    assert answers == [(400, "no_text"), (410, "channel_is_archived"), (404, "no_service")]
    assert [entry.text for entry in place.world.ledger.of("slack")] == ["Fresh bread"]


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"text": "x" * 4_000}, None),
        ({"text": "x" * 4_001}, "msg_too_long"),
        ({"text": " "}, "no_text"),
        ({"text": "x", "txt": "y"}, "invalid_arguments"),
        ({"text": "x", "channel": "C0NOWHERE0"}, "channel_not_found"),
        ({"text": "x", "thread_ts": "1.000001"}, "thread_not_found"),
        ({"text": "x", "reply_broadcast": True}, "invalid_arguments"),
        ({"text": "x", "metadata": {"event_type": "a b", "event_payload": {}}}, "invalid_metadata_format"),
        ({"text": "x", "username": "Baker"}, "missing_scope"),
    ],
)
async def test_messages(body: Any, word: str | None, simulator: Simulator) -> None:
    place = Place(simulator)
    assert await place.word("chat.postMessage", **{"channel": place.channel.id} | body) == word


async def test_what_a_bot_may_do(simulator: Simulator) -> None:
    place = Place(simulator)
    network, channel = place.network, place.channel
    message = {"channel": channel.id, "text": "x"}
    assert await place.word("chat.postMessage", **message) is None
    with pytest.raises(SlackApiError, match="ratelimited") as raised:  # in the same second
        await place.client().chat_postMessage(**message)
    assert raised.value.response.headers["Retry-After"] == "1"
    place.world.add_fault("slack", "restricted")
    assert await place.word("chat.postMessage", **message) == "restricted_action_read_only_channel"
    channel.is_archived = True
    assert await place.word("chat.postMessage", **message) == "is_archived"
    other = network.add_channel("other")
    assert await place.word("chat.postMessage", channel=other.id, text="x") == "not_in_channel"
    other.is_private = True
    assert await place.word("chat.postMessage", channel=other.id, text="x") == "channel_not_found"
    place.token = network.add_bot(other, place.person, scopes=SCOPES - {"groups:history", "files:write"})
    assert await place.word("chat.postMessage", channel=other.id, text="x") is None
    assert await place.word("conversations.history", channel=other.id) == "missing_scope"
    assert await place.word("files.getUploadURLExternal", filename="a", length="1") == "missing_scope"
    assert await place.word("files.completeUploadExternal", files=[{"id": "F1"}]) == "missing_scope"
    place.token = "xoxb-wrong"
    assert await place.word("chat.postMessage", **message) == "invalid_auth"


async def test_a_file_is_shared_once_and_only_when_it_is_there(simulator: Simulator) -> None:
    place = Place(simulator)
    made = await place.client().files_getUploadURLExternal(filename="a.png", length=3)
    share = {"files": [{"id": made["file_id"]}], "channel_id": place.channel.id}
    async with httpx.AsyncClient(timeout=TEST_SECONDS) as client:
        early = await place.word("files.completeUploadExternal", **share)
        short = await client.post(made["upload_url"], content=b"ab")
        whole = await client.post(made["upload_url"], content=b"abc")
    words = [await place.word("files.completeUploadExternal", **share) for _ in range(2)]

    assert (early, short.status_code, whole.text, words) == ("file_not_found", 500, "OK - 3", [None, "file_not_found"])
    assert len(place.world.ledger.of("slack")) == 1


async def test_the_sdk_hears_people_over_socket_mode(simulator: Simulator) -> None:
    """What is not confirmed comes again, and a tap comes once."""
    place = Place(simulator)
    network, person = place.network, simulator.world.add_person("slack", "mina")
    bot = network.bots[place.token]
    heard: list[Any] = []
    confirms = True

    async def listen(client: SocketModeClient, request: SocketModeRequest) -> None:
        heard.append(request)
        if confirms:
            await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))

    async def until(count: int) -> None:
        async with asyncio.timeout(10):
            while len(heard) < count or any(one.line for one in network.waiting if confirms):
                await asyncio.sleep(0.01)

    client = SocketModeClient(app_token=network.add_app_token(), web_client=place.client(), ping_interval=60)
    client.socket_mode_request_listeners.append(listen)
    await client.connect()
    network.write(bot, person, "Rye & wheat", [picture := network.add_file(person, b"GIF89a", "image/gif")])
    await until(1)
    network.tap(bot, person, "now:pst_1")
    await until(2)
    confirms = False
    again = network.write(bot, person, "Once more")
    await until(3)
    place.world.clock.advance(4)
    confirms = True
    await until(4)
    await client.disconnect()
    await client.close()

    events = [one.payload.get("event", {}) for one in heard]
    assert [one.type for one in heard] == ["events_api", "interactive", "events_api", "events_api"]
    assert (events[0]["text"], events[0]["channel_type"]) == ("Rye &amp; wheat", "im")
    assert events[0]["files"][0]["id"] == picture.id
    assert heard[1].payload["actions"][0]["value"] == "now:pst_1"
    assert [one.retry_attempt for one in heard[2:]] == [0, 1]
    assert heard[2].envelope_id != heard[3].envelope_id
    assert heard[2].payload["event_id"] == heard[3].payload["event_id"]
    assert (again.attempts, network.waiting, network.lost) == (2, [], [])


async def test_the_sdk_answers_people_and_reads_their_files(simulator: Simulator) -> None:
    place = Place(simulator)
    network, person = place.network, simulator.world.add_person("slack", "mina")
    chat = network.chat(network.bots[place.token], person)
    picture = network.add_file(person, b"GIF89a", "image/gif")
    answer = await place.client().chat_postMessage(
        channel=chat.id, text="Publish it?", blocks=[
            SectionBlock(text="Publish it?"), ActionsBlock(elements=[ButtonElement(text="Post now", value="x")]),
        ],
    )  # fmt: skip
    assert (answer["ok"], answer["channel"]) == (True, chat.id)
    info = (await place.client().files_info(file=picture.id))["file"]
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {place.token}"}) as reader:
        assert (await reader.get(info["url_private_download"])).content == b"GIF89a"
        assert "Sign in" in (await reader.get(info["url_private_download"], headers={"Authorization": ""})).text
    with pytest.raises(SlackApiError, match="not_allowed_token_type"):
        await place.client().apps_connections_open(app_token=place.token)


async def test_what_comes_without_a_connection_is_delivered_by_retries(simulator: Simulator) -> None:
    place = Place(simulator)
    network, person = place.network, simulator.world.add_person("slack", "mina")
    bot, clock = network.bots[place.token], place.world.clock
    first, tap = network.write(bot, person, "Nobody listens"), network.tap(bot, person, "now:pst_1")
    assert (first.attempts, network.lost) == (2, [tap])
    clock.advance(61)
    line = network.hold(httpx.Request("GET", "https://unused.example"))  # type: ignore[arg-type]
    [_, text] = line.due() or ()
    line.ended()
    assert ('"retry_attempt": 2' in text, first.attempts) == (True, 3)
    clock.advance(3_600)
    line = network.hold(httpx.Request("GET", "https://unused.example"))  # type: ignore[arg-type]

    assert len(line.due() or ()) == 1, "only the greeting"
    assert network.lost == [tap, first]


@pytest.mark.parametrize(
    ("blocks", "word"),
    [
        ([{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_000}}], None),
        ([{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}], "invalid_blocks"),
        ([{"type": "actions", "elements": [button(), button()]}], "invalid_blocks"),
        ([{"type": "actions", "elements": [button(action_id=str(at)) for at in range(26)]}], "invalid_blocks"),
        ([{"type": "actions", "elements": [button(text={"type": "plain_text", "text": "x" * 76})]}], "invalid_blocks"),
        ([{"type": "actions", "elements": [button(value="x" * 2_001)]}], "invalid_blocks"),
    ],
)
async def test_blocks(blocks: Any, word: str | None, simulator: Simulator) -> None:
    place = Place(simulator)
    assert await place.word("chat.postMessage", channel=place.channel.id, text="x", blocks=blocks) == word
