"""Discord: what a webhook and a bot need to be connected, what they send, and what is found of what they sent."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Simulator
from simulator.networks.discord_server import ATTACH, EVERYTHING, HISTORY, SEND, VIEW
from tests.helpers.networks.discord import BOT, CHANNEL, FORUM_CHANNEL, GUILD, facts, server
from tests.simulator.test_discord import Place

from signalpost.conformance.fake import TOKEN
from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    MemoryJournal,
    image,
    json_response,
    outgoing,
    server_at,
    session,
)
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.discord.account import webhook_of
from signalpost.networks.contract import (
    BadCredentials,
    Identity,
    InvalidField,
    Metrics,
    NetworkSession,
    OutcomeUnknown,
    Pending,
    Published,
    Refused,
    Server,
)

DISCORD = CONNECTORS["discord"]
ID, HOOK = "123456789012345678", "abc-_.DEF" * 7
POLL = {"question": "Which bread?", "answers": ["Rye", "Wheat"], "hours": 24, "multiple": True}


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
async def listening() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime(2026, 11, 22, 12, tzinfo=UTC)) as simulator:
        yield simulator


@pytest.fixture
def place(listening: Simulator) -> Place:
    listening.world.reset()
    return Place(listening)


def at(place: Place, http: Client) -> Server:
    return server_at(http, place.url, trusted=True)


async def by_webhook(place: Place, http: Client, *, forum: bool = False) -> NetworkSession:
    webhook = place.of_forum if forum else place.webhook
    address = f"{place.url}/api/webhooks/{webhook.id}/{webhook.token}"
    return opened(place, http, await connected(at(place, http), webhookUrl=address))


async def by_bot(place: Place, http: Client, *, forum: bool = False) -> NetworkSession:
    channel = place.forum if forum else place.channel
    return opened(place, http, await connected(at(place, http), botToken=place.token, channelId=channel.id))


async def connected(network: Server, **fields: str) -> Identity:
    assert DISCORD.connect is not None
    return await DISCORD.connect(network, fields)


def opened(place: Place, http: Client, identity: Identity) -> NetworkSession:
    values = {"secrets": identity.secrets, "remote_id": identity.remote_id, "facts": identity.facts}
    return session(http, Clock(place.world.clock()), server=at(place, http), **values)


def sent(place: Place) -> list[Any]:
    """Return what was sent to make messages, with the files of a form as their names."""
    calls = [entry for entry in place.world.log if entry.call.startswith("POST")]
    return [json.loads(body if body.startswith(b"{") else body.split(b"\r\n")[body.split(b"\r\n").index(b"") + 1])
            for body in (entry.body for entry in calls)]  # fmt: skip


# --- connecting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        f"https://discord.com/api/webhooks/{ID}/{HOOK}",
        f"https://discordapp.com/api/webhooks/{ID}/{HOOK}",
        f"https://ptb.discord.com/api/v10/webhooks/{ID}/{HOOK}/",
        f"http://127.0.0.1:7600/api/webhooks/{ID}/{HOOK}",
    ],
)
def test_addresses_of_webhooks(address: str) -> None:
    """Also at the operator's own address of Discord; only id and token are used of any of them."""
    assert webhook_of(server_at(None, "http://127.0.0.1:7600"), address) == (ID, HOOK)


@pytest.mark.parametrize(
    "address",
    [
        f"http://discord.com/api/webhooks/{ID}/{HOOK}",
        f"https://discord.com.evil.example/api/webhooks/{ID}/{HOOK}",
        f"https://discord.com@evil.example/api/webhooks/{ID}/{HOOK}",
        f"https://discord.com:8443/api/webhooks/{ID}/{HOOK}",
        f"https://discord.com/api/webhooks/{ID}/{HOOK}?thread_id=1",
        f"https://discord.com/api/webhooks/{ID}/{HOOK}/slack",
        f"https://discord.com/api/webhooks/{ID}/..",
        f"https://discord.com/api/webhooks/{ID}/short",
        f"https://10.0.0.1/api/webhooks/{ID}/{HOOK}",
        "https://[discord.com/api/webhooks",
        "discord.com",
        "",
    ],
)
async def test_other_addresses_are_refused_before_any_call(address: str) -> None:
    with pytest.raises(InvalidField):
        await connected(server_at(None, "https://discord.com"), webhookUrl=address)


async def test_an_account_is_a_webhook_or_a_bot_in_a_channel(place: Place, http: Client) -> None:
    webhook, bot = await by_webhook(place, http), await by_bot(place, http)

    assert (webhook.remote_id, webhook.secrets) == (place.webhook.id, {"webhookToken": place.webhook.token})
    assert webhook.facts == {"mode": "webhook", "channelId": place.channel.id, "guildId": place.guild.id}
    assert bot.remote_id == f"{place.person.id}@{place.channel.id}"
    assert (bot.facts["mode"], bot.facts["channelType"], bot.facts["guildId"]) == ("bot", 0, place.guild.id)
    for opened_by in (webhook, bot):
        assert DISCORD.check is not None
        assert (await DISCORD.check(opened_by)).can_post


async def test_what_cannot_be_connected(place: Place, http: Client) -> None:
    network, channel = at(place, http), place.channel.id
    address = f"{place.url}/api/webhooks/{place.webhook.id}/{place.webhook.token}"
    for fields in (
        {},
        {"botToken": "x"},
        {"webhookUrl": address, "botToken": "x"},
        {"botToken": "x", "channelId": "#n"},
    ):
        with pytest.raises(InvalidField):
            await connected(network, **fields)
    with pytest.raises(InvalidField):
        await connected(network, botToken=place.token, channelId=ID)
    with pytest.raises(BadCredentials):
        await connected(network, botToken="wrong", channelId=channel)
    with pytest.raises(BadCredentials):
        await connected(network, webhookUrl=f"{address}x")
    deny = {"id": place.person.id, "type": 1, "allow": "0", "deny": str(SEND | ATTACH)}
    place.channel.overwrites.append(deny)
    with pytest.raises(BadCredentials, match="SEND_MESSAGES, ATTACH_FILES"):
        await connected(network, botToken=place.token, channelId=channel)
    deny["deny"] = str(VIEW)
    with pytest.raises(BadCredentials, match="cannot see"):
        await connected(network, botToken=place.token, channelId=channel)


async def test_a_bot_that_loses_its_permissions_cannot_post(place: Place, http: Client) -> None:
    account, check = await by_bot(place, http), DISCORD.check
    assert check is not None
    place.guild.roles["1"] = SEND
    place.guild.members[place.person.id] = ["1"]
    place.guild.roles[place.guild.id] = EVERYTHING & ~SEND
    allowed = await check(account)
    place.channel.overwrites.append({"id": "1", "type": 0, "allow": "0", "deny": str(SEND)})
    denied = await check(account)
    place.channel.overwrites.append({"id": place.guild.id, "type": 0, "allow": "0", "deny": str(VIEW)})
    hidden = await check(account)

    assert (allowed.can_post, denied.can_post, hidden.can_post) == (True, False, False)
    assert (denied.missing, hidden.missing) == (("SEND_MESSAGES",), ("VIEW_CHANNEL",))


async def test_boosts_let_a_bot_send_larger_files(place: Place, http: Client) -> None:
    place.guild.premium_tier = 2
    large = outgoing("x", media=(image(size_bytes=50 << 20),))
    bot, webhook = await by_bot(place, http), await by_webhook(place, http)

    assert preflight.check(DISCORD, large, bot.facts) == []
    assert [issue.rule for issue in preflight.check(DISCORD, large, webhook.facts)] == ["discord.media.max_bytes"]


# --- sending -------------------------------------------------------------------------------------------------------


async def test_the_same_as_discord_py_sends(place: Place, http: Client) -> None:
    """The members and values of its requests, as `tests/simulator` sees them, apart from what it sends for nothing."""
    options = {"username": "Baker", "silent": True}
    account = await by_webhook(place, http)
    dot, line = image("A dot"), image(None, file_name="line.png")
    for post in (
        outgoing("By a webhook", options=options),
        outgoing("Pictures", media=(dot, line), options={"suppressEmbeds": True, "spoiler": True}),
        outgoing("Vote", options={"poll": POLL}),
    ):
        assert isinstance(await DISCORD.publish(account, post, MemoryJournal()), Published)
    text, media, asked = sent(place)
    quiet = {"allowed_mentions": {"parse": []}}

    assert text == {"content": "By a webhook", "username": "Baker", "flags": 4096, **quiet}
    names = [
        {"id": 0, "filename": "SPOILER_dot.png", "description": "A dot"},
        {"id": 1, "filename": "SPOILER_line.png"},
    ]
    assert media == {"content": "Pictures", "flags": 4, "attachments": names, **quiet}
    answers = [{"poll_media": {"text": "Rye"}}, {"poll_media": {"text": "Wheat"}}]
    question = {"question": {"text": "Which bread?"}, "answers": answers, "duration": 24}
    assert asked["poll"] == {**question, "allow_multiselect": True, "layout_type": 1}


async def test_a_bot_sends_nonces_replies_and_boxes(place: Place, http: Client) -> None:
    account = await by_bot(place, http)
    box = {"title": "Rye", "description": "Baked today", "color": "#5865f2", "imageUrl": "https://e.example/a.png"}
    post = outgoing("one", "two", options={"embeds": [box], "mentions": ["users"]})

    outcome = await DISCORD.publish(account, post, MemoryJournal())

    assert isinstance(outcome, Published)
    first, second = sent(place)
    assert first["embeds"] == [
        {"type": "rich", "title": "Rye", "description": "Baked today", "color": 0x5865F2,
         "image": {"url": "https://e.example/a.png"}}
    ]  # fmt: skip
    assert (first["allowed_mentions"], first["enforce_nonce"], len(first["nonce"])) == ({"parse": ["users"]}, True, 25)
    assert second["message_reference"] == {"message_id": outcome.remote_id, "fail_if_not_exists": False}
    assert first["nonce"] != second["nonce"]
    assert outcome.url == f"https://discord.com/channels/{place.guild.id}/{place.channel.id}/{outcome.remote_id}"


@pytest.mark.parametrize("by", [by_webhook, by_bot])
async def test_a_forum_gets_a_post_and_its_thread_below(by: Any, place: Place, http: Client) -> None:
    account = await by(place, http, forum=True)
    options = {"threadName": "Bread of the week", "appliedTags": list(place.forum.tags)}

    outcome = await DISCORD.publish(account, outgoing("one", "two", options=options), MemoryJournal())

    assert isinstance(outcome, Published)
    first, second = place.world.ledger.of("discord")
    thread = first.details["channel_id"]
    assert place.network.channels[thread].name == "Bread of the week"
    assert (outcome.remote_id, outcome.thread_ids) == (f"{thread}/{thread}", (f"{thread}/{second.remote_id}",))
    assert (outcome.url or "").endswith(f"/{thread}/{thread}")
    inside = await DISCORD.publish(account, outgoing("three", options={"threadId": thread}), MemoryJournal())
    assert isinstance(inside, Published)
    assert inside.remote_id.startswith(f"{thread}/")
    assert DISCORD.delete is not None
    assert DISCORD.metrics is not None
    numbers = await DISCORD.metrics(account, [outcome.remote_id])
    assert numbers == {outcome.remote_id: Metrics(likes=0)}
    await DISCORD.delete(account, outcome.remote_id, [*outcome.thread_ids, inside.remote_id])
    assert place.world.ledger.of("discord") == []
    assert await DISCORD.metrics(account, [outcome.remote_id]) == {outcome.remote_id: None}


async def test_a_webhook_that_is_gone_cannot_delete(place: Place, http: Client) -> None:
    """Its messages are still there, so they must not count as removed."""
    account = await by_webhook(place, http)
    outcome = await DISCORD.publish(account, outgoing("x"), MemoryJournal())
    place.webhook.deleted = True
    assert isinstance(outcome, Published)
    assert DISCORD.delete is not None
    with pytest.raises(Exception, match="answered 404") as raised:
        await DISCORD.delete(account, outcome.remote_id, ())
    assert place.webhook.token not in str(raised.value)


async def test_a_thread_waits_when_discord_announces_its_limit(place: Place, http: Client) -> None:
    account, journal = await by_webhook(place, http), MemoryJournal()
    post = outgoing(*[str(number) for number in range(7)])

    first = await DISCORD.publish(account, post, journal)
    again = await DISCORD.publish(account, post, journal)
    place.world.clock.advance(2)
    account.now.advance(2)  # type: ignore[attr-defined]
    done = await DISCORD.publish(account, post, journal)

    assert isinstance(first, Pending)
    assert isinstance(again, Pending)
    assert first.poll_after_seconds == 2.0
    assert isinstance(done, Published)
    assert [entry.text for entry in place.world.ledger.of("discord")] == [part.text for part in post.parts]
    assert 429 not in [entry.status for entry in place.world.log]


@pytest.mark.parametrize(
    ("options", "account", "rule"),
    [
        ({"threadName": "a", "threadId": ID}, {}, "thread.both"),
        ({"appliedTags": [ID]}, {}, "tags.without_thread"),
        ({}, facts(FORUM_CHANNEL, 15), "thread.name_required"),
        ({"threadName": "a"}, facts(), "thread.no_forum"),
        ({"username": "Baker"}, facts(), "sender.webhook_only"),
        ({"username": "The Discord baker"}, {}, "username.forbidden"),
        ({"username": "Everyone"}, {}, "username.forbidden"),
        ({"embeds": [{"url": "https://e.example"}]}, {}, "embeds.empty"),
        ({"embeds": [{"description": "x" * 3_001}] * 2}, {}, "embeds.max"),
        ({"poll": POLL, "threadName": "a"}, {}, "poll.in_forum"),
        ({"threadId": "general"}, {}, "options.type"),
        ({"mentions": ["here"]}, {}, "options.type"),
    ],
)
def test_what_is_refused_before_it_is_sent(options: Any, account: Any, rule: str) -> None:
    found = preflight.check(DISCORD, outgoing("x", options=options), account)
    assert [issue.rule for issue in found] == [f"discord.{rule}"]


def test_files_are_counted_together_and_not_beside_a_poll() -> None:
    files = tuple(image(size_bytes=9 << 20) for _ in range(3))
    found = preflight.check(DISCORD, outgoing("x", media=files, options={"poll": POLL}), {})
    assert [issue.rule for issue in found] == ["discord.poll.with_media", "discord.media.max_request"]
    assert preflight.check(DISCORD, outgoing("🎉" * 2_000), {}) == []


# --- what became of a lost answer ----------------------------------------------------------------------------------


def bots(http: FakeHttp, clock: Clock) -> NetworkSession:
    return session(http, clock, secrets={"botToken": TOKEN}, remote_id=f"{BOT}@{CHANNEL}", facts=facts())


async def test_nothing_can_be_looked_for_by_a_webhook(place: Place, http: Client) -> None:
    """A person decides; the post is never sent again by itself."""
    account, journal = await by_webhook(place, http), MemoryJournal()
    place.world.add_fault("discord", "lost", "POST /api/v10/webhooks/{webhook}/{token}")
    outcomes = [await DISCORD.publish(account, outgoing("once"), journal) for _ in range(3)]
    assert DISCORD.reconcile is not None
    outcomes.append(await DISCORD.reconcile(account, outgoing("once"), journal))  # type: ignore[arg-type]

    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknown] * 4
    assert len(place.world.ledger.of("discord")) == 1


@pytest.mark.parametrize(("permissions", "kind"), [(EVERYTHING, None), (EVERYTHING & ~HISTORY, OutcomeUnknown)])
async def test_an_empty_list_proves_nothing_to_a_bot_that_may_not_read(permissions: int, kind: Any) -> None:
    clock = Clock()
    world = server(clock, permissions)
    journal = MemoryJournal(values={"part:0": {"at": clock.now.isoformat()}}, open={"part:0"})
    account = bots(FakeHttp(world), clock)
    clock.advance(300)

    outcome = await DISCORD.publish(account, outgoing("x"), journal)

    assert isinstance(outcome, kind or Published), outcome
    assert len(world.created) == (kind is None)


async def test_what_others_wrote_is_not_taken_for_it_and_a_nonce_decides() -> None:
    clock = Clock()
    message = {"id": "200000000000000001", "author": {"id": BOT}, "content": "x", "attachments": []}
    answers: list[Any] = [
        [{**message, "author": {"id": "7"}}], [{**message, "content": "y"}], [{**message, "nonce": "other"}],
        [{**message, "attachments": [{}]}], [{**message, "message_reference": {"message_id": "1"}}], [message],
    ]  # fmt: skip
    found = []
    for answer in answers:
        journal = MemoryJournal(values={"part:0": {"at": clock.now.isoformat()}}, open={"part:0"})
        account = bots(FakeHttp(lambda _, answer=answer: list_response(answer)), clock)  # type: ignore[misc]
        assert DISCORD.reconcile is not None
        found.append(type(await DISCORD.reconcile(account, outgoing("x"), journal)))

    assert found == [OutcomeUnknown] * 5 + [Published]  # it is too early to say that it is not there


def list_response(value: Any) -> Any:
    response = json_response(200)
    response.body = json.dumps(value).encode()
    return response


async def test_a_repeat_within_minutes_is_one_message_and_a_deleted_one_is_not_sent_again() -> None:
    clock = Clock()
    world = server(clock)
    account = bots(FakeHttp(world), clock)
    outcomes = [await DISCORD.publish(account, outgoing("x"), MemoryJournal()) for _ in range(2)]
    world.entries[0].deleted_at = clock.now
    refused = await DISCORD.publish(account, outgoing("x"), MemoryJournal())

    assert outcomes[0] == outcomes[1]
    assert isinstance(refused, Refused)
    assert world.created == []
    assert GUILD in (outcomes[0].url or "")  # type: ignore[union-attr]
