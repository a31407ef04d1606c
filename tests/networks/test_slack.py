"""Slack: what a webhook and a bot need to be connected, what they send, and what is found of what they sent."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Simulator
from simulator.networks.slack_workspace import SCOPES
from tests.helpers.networks.slack import BOT_TOKEN, BOT_USER, CHANNEL, error, facts, plain, server
from tests.simulator.test_slack import Place

from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    MemoryJournal,
    image,
    outgoing,
    publish_until_settled,
    server_at,
    session,
)
from signalpost.kit.http import BadResponse, Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.slack.account import webhook_of
from signalpost.networks.contract import (
    BadCredentials,
    Identity,
    InvalidField,
    NetworkSession,
    OutcomeUnknown,
    Pending,
    Published,
    Refused,
    Server,
)

SLACK = CONNECTORS["slack"]
TEAM, HOOK = "T0BAKERY01/B0HOOK0001", "abcDEF123" * 3


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


async def connected(network: Server, **fields: str) -> Identity:
    assert SLACK.connect is not None
    return await SLACK.connect(network, fields)


async def by_webhook(place: Place, http: Client) -> NetworkSession:
    return opened(place, http, await connected(at(place, http), webhookUrl=place.network.address_of(place.webhook)))


async def by_bot(place: Place, http: Client) -> NetworkSession:
    return opened(place, http, await connected(at(place, http), botToken=place.token, channelId=place.channel.id))


def opened(place: Place, http: Client, identity: Identity) -> NetworkSession:
    place.world.clock.advance(1)
    values = {"secrets": identity.secrets, "remote_id": identity.remote_id, "facts": identity.facts}
    return session(http, place.world.clock, server=at(place, http), **values)


def sent(place: Place, call: str) -> list[Any]:
    return [json.loads(entry.body) for entry in place.world.log if entry.call == call and entry.status == 200]


# --- connecting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", [f"https://hooks.slack.com/services/{TEAM}/{HOOK}", f"http://127.0.0.1:7600/services/{TEAM}/{HOOK}/"]
)
def test_addresses_of_webhooks(address: str) -> None:
    """Also at the operator's own address of Slack; only ids and token are used of any of them."""
    assert webhook_of(server_at(None, "http://127.0.0.1:7600"), address) == (TEAM, HOOK)


@pytest.mark.parametrize(
    "address",
    [
        f"http://hooks.slack.com/services/{TEAM}/{HOOK}",
        f"https://hooks.slack.com.evil.example/services/{TEAM}/{HOOK}",
        f"https://hooks.slack.com@evil.example/services/{TEAM}/{HOOK}",
        f"https://hooks.slack.com:8443/services/{TEAM}/{HOOK}",
        f"https://hooks.slack.com/services/{TEAM}/{HOOK}?a=1",
        f"https://hooks.slack.com/triggers/{TEAM}/{HOOK}",
        f"https://hooks.slack.com/services/{TEAM}/../{HOOK}",
        f"https://10.0.0.1/services/{TEAM}/{HOOK}",
        "https://[hooks.slack.com/services",
        "hooks.slack.com",
        "",
    ],
)
async def test_other_addresses_are_refused_before_any_call(address: str) -> None:
    with pytest.raises(InvalidField):
        await connected(server_at(None, "https://slack.com"), webhookUrl=address)


async def test_an_account_is_a_webhook_or_a_bot_in_a_channel(place: Place, http: Client) -> None:
    """Whether a webhook works is asked by a message without a text, so nothing is posted."""
    webhook, bot = await by_webhook(place, http), await by_bot(place, http)

    assert webhook.remote_id == f"T0BAKERY01/{place.webhook.service}"
    assert (dict(webhook.secrets), webhook.facts) == ({"webhookToken": place.webhook.token}, {"mode": "webhook"})
    user = place.network.bots[place.token].user_id
    known = {"mode": "bot", "channelId": place.channel.id, "teamId": "T0BAKERY01", "botUserId": user}
    assert (bot.remote_id, bot.facts) == (f"{user}@{place.channel.id}", {**known, "history": True, "files": True})
    for opened_by in (webhook, bot):
        assert SLACK.check is not None
        assert (await SLACK.check(opened_by)).can_post
    assert place.world.ledger.of("slack") == []


async def test_what_cannot_be_connected(place: Place, http: Client) -> None:
    network, channel = at(place, http), place.channel
    address = place.network.address_of(place.webhook)
    for fields in (
        {},
        {"botToken": place.token},
        {"botToken": "xoxp-of-a-person", "channelId": channel.id},
        {"webhookUrl": address, "botToken": place.token},
        {"botToken": place.token, "channelId": "#news"},
        {"botToken": place.token, "channelId": "C0NOWHERE0"},
        {"botToken": place.token, "channelId": place.network.add_channel("other").id},
    ):
        with pytest.raises(InvalidField):
            await connected(network, **fields)
    for fields in (
        {"botToken": "xoxb-nobody-knows", "channelId": channel.id},
        {"webhookUrl": f"{address[:-1]}Z"},
    ):
        with pytest.raises(BadCredentials):
            await connected(network, **fields)
    token = place.network.add_bot(channel, place.person, scopes={"channels:read"})
    with pytest.raises(BadCredentials, match="chat:write"):
        await connected(network, botToken=token, channelId=channel.id)
    channel.is_archived = True
    with pytest.raises(InvalidField, match="archived"):
        await connected(network, botToken=place.token, channelId=channel.id)


async def test_a_bot_that_was_removed_cannot_post(place: Place, http: Client) -> None:
    account = await by_bot(place, http)
    place.channel.members.clear()
    assert SLACK.check is not None
    health = await SLACK.check(account)
    assert (health.can_post, "/invite" in (health.message or "")) == (False, True)


@pytest.mark.parametrize(
    ("account", "rule"),
    [
        ({"mode": "webhook"}, "media.bot_only"),
        (facts(history=False), "media.scopes"),
        (facts(files=False), "media.scopes"),
        (facts(), None),
        ({}, None),
    ],
)
def test_who_can_send_files(account: Any, rule: str | None) -> None:
    found = preflight.check(SLACK, outgoing("x", media=(image(),)), account)
    assert [issue.rule for issue in found] == ([] if rule is None else [f"slack.{rule}"])


def test_texts_are_counted_as_they_are_sent() -> None:
    for text, options, rules in (
        ("&" * 800, {}, []),
        ("&" * 801, {}, ["slack.text.max_length"]),
        ("&" * 801, {"mrkdwn": True}, []),
        ("x" * 4_001, {}, ["slack.text.max_length"]),
        ("x", {"threadTs": "yesterday"}, ["slack.options.type"]),
    ):
        found = preflight.check(SLACK, outgoing(text, options=options), {})
        assert [issue.rule for issue in found] == rules, text[:10]


# --- sending -------------------------------------------------------------------------------------------------------


async def test_a_bot_sends_a_thread_with_its_options(place: Place, http: Client) -> None:
    account, journal = await by_bot(place, http), MemoryJournal()
    options = {"unfurlLinks": False, "replyBroadcast": True}
    post = outgoing("Rye & <wheat>", "*More*", options=options)

    first = await SLACK.publish(account, post, journal)
    place.world.clock.advance(2)
    outcome = await SLACK.publish(account, post, journal)
    marked = await published(place, account, outgoing("*Bold* &amp; <!here>", options={"mrkdwn": True}))

    assert isinstance(first, Pending)  # one message a second
    assert isinstance(outcome, Published)
    root, reply, other = sent(place, "POST /api/chat.postMessage")
    assert root == {
        "channel": place.channel.id, "text": "Rye &amp; &lt;wheat&gt;", "mrkdwn": False, "unfurl_links": False,
        "metadata": root["metadata"],
    }  # fmt: skip
    assert (reply["thread_ts"], reply["reply_broadcast"]) == (outcome.remote_id, True)
    assert root["metadata"]["event_payload"] != reply["metadata"]["event_payload"]
    assert (other["text"], other["mrkdwn"]) == ("*Bold* &amp; <!here>", True)
    address = "https://corner-bakery.slack.com/archives"
    assert outcome.url == f"{address}/{place.channel.id}/p{outcome.remote_id.replace('.', '')}"
    assert SLACK.delete is not None
    await SLACK.delete(account, outcome.remote_id, [*outcome.thread_ids, marked.remote_id])
    assert place.world.ledger.of("slack") == []


async def published(place: Place, account: NetworkSession, post: Any) -> Published:
    place.world.clock.advance(2)
    outcome = await publish_until_settled(SLACK, lambda: account, post, MemoryJournal(), place.world.clock)
    assert isinstance(outcome, Published), outcome
    return outcome


async def test_files_are_shared_as_a_reply_to_a_message_that_is_named(place: Place, http: Client) -> None:
    account = await by_bot(place, http)
    first = await published(place, account, outgoing("first"))
    files = (image("A dot"), image(None, data=b"other"))
    post = outgoing("Pictures", media=files, options={"threadTs": first.remote_id})

    outcome = await published(place, account, post)

    [shared] = sent(place, "POST /api/files.completeUploadExternal")
    assert (shared["initial_comment"], shared["thread_ts"]) == ("Pictures", first.remote_id)
    entry = place.world.ledger.find("slack", outcome.remote_id)
    assert entry is not None
    assert (entry.parent_id, entry.details["alt_texts"]) == (first.remote_id, ["A dot", None])


async def test_a_webhook_sends_messages_and_deletes_none(place: Place, http: Client) -> None:
    account = await by_webhook(place, http)
    outcome = await published(place, account, outgoing("one & only", "two", options={"unfurlMedia": True}))
    names = place.webhook.token
    place.webhook.token = "other"

    refused = await SLACK.publish(account, outgoing("x"), MemoryJournal())
    assert SLACK.delete is not None
    with pytest.raises(BadResponse, match="Delete the message in Slack") as raised:
        await SLACK.delete(account, outcome.remote_id, outcome.thread_ids)

    first, second = sent(place, "POST /services/{team}/{service}/{token}")
    assert first == {"text": "one &amp; only", "mrkdwn": False, "unfurl_media": True}
    assert second["text"] == "two"
    assert (outcome.url, len({outcome.remote_id, *outcome.thread_ids})) == (None, 2)
    assert names not in f"{refused} {raised.value}"


# --- what became of a lost answer ----------------------------------------------------------------------------------


async def test_nothing_can_be_looked_for_by_a_webhook(place: Place, http: Client) -> None:
    """A person decides; the post is never sent again by itself."""
    account, journal = await by_webhook(place, http), MemoryJournal()
    place.world.add_fault("slack", "lost", "POST /services/{team}/{service}/{token}")
    outcomes: list[Any] = []
    for step in (SLACK.publish, SLACK.publish, SLACK.reconcile):
        assert step is not None
        outcomes.append(await step(account, outgoing("once"), journal))
        place.world.clock.advance(86_400)

    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknown] * 3
    assert len(place.world.ledger.of("slack")) == 1


async def test_files_that_slack_accepts_and_never_shows_are_left_to_a_person(place: Place, http: Client) -> None:
    """People report that; sharing them again might show them twice."""
    account, journal = await by_bot(place, http), MemoryJournal()
    place.world.add_fault("slack", "unshared")
    post = outgoing("Pictures", media=(image(),))
    first = await SLACK.publish(account, post, journal)
    waiting = await SLACK.publish(account, post, journal)
    place.world.clock.advance(86_400)
    later = await SLACK.publish(account, post, journal)

    assert isinstance(first, Pending)
    assert isinstance(waiting, OutcomeUnknown)
    assert waiting.tells_after_seconds == 300
    assert isinstance(later, OutcomeUnknown)
    assert later.tells_after_seconds is None
    assert len(sent(place, "POST /api/files.completeUploadExternal")) == 1


@pytest.mark.parametrize(("scopes", "history"), [(SCOPES - {"channels:history"}, True), (SCOPES, False)])
async def test_a_bot_that_may_not_read_the_channel_does_not_send_again(scopes: frozenset[str], history: bool) -> None:
    clock = Clock()
    world = server(clock, scopes)
    journal = MemoryJournal(values={"part:0": {"at": clock.now.isoformat()}}, open={"part:0"})
    values = {"secrets": {"botToken": BOT_TOKEN}, "remote_id": f"{BOT_USER}@{CHANNEL}", "facts": facts(history=history)}
    clock.advance(300)

    outcome = await SLACK.publish(session(FakeHttp(world), clock, **values), outgoing("x"), journal)

    assert isinstance(outcome, OutcomeUnknown), outcome
    assert world.created == []


def test_refusals_say_what_to_do() -> None:
    for refusal, words in (
        (error("not_in_channel"), "/invite"),
        (error("is_archived"), "Restore the channel"),
        (error("missing_scope"), "install it in the workspace again"),
        (plain(403, "action_prohibited"), "administrator"),
    ):
        outcome = SLACK.explain(refusal)
        assert isinstance(outcome, Refused)
        assert words in (outcome.remediation or "")
