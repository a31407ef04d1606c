"""The webhook that the messenger calls: handshake, signatures, repeated and reordered messages, reports."""

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest
from simulator.networks.whatsapp import sign
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.blocked import until_blocked
from tests.helpers.factories import Login
from tests.helpers.messenger import VERIFY_TOKEN, Messenger

from signalpost.main import app
from signalpost.messenger import queries
from signalpost.settings import SLACK_SETTINGS, WHATSAPP_SETTINGS
from signalpost.web import hub
from signalpost.web.signed import UNVERIFIED_BYTES_MAX, Unverified


def handshake(token: str = VERIFY_TOKEN, challenge: str = "1158201444", mode: str = "subscribe") -> str:
    return f"/wa/webhook?hub.mode={mode}&hub.verify_token={quote(token)}&hub.challenge={quote(challenge)}"


async def test_the_challenge_is_repeated_as_plain_text(messenger: Messenger) -> None:
    answer = await messenger.api.get(handshake())

    assert (answer.status_code, answer.text) == (200, "1158201444")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (handshake(token="wrong"), 403, "verification_failed"),
        (handshake(token=VERIFY_TOKEN + "x"), 403, "verification_failed"),
        (handshake(token="é" * 20), 403, "verification_failed"),
        (handshake(challenge="<script>alert(1)</script>"), 422, "validation_failed"),
        (handshake(challenge="a\r\nSet-Cookie: x=1"), 422, "validation_failed"),
        (handshake(challenge="x" * 201), 422, "validation_failed"),
        (handshake(mode="unsubscribe"), 422, "validation_failed"),
        ("/wa/webhook", 422, "validation_failed"),
        ("/wa/webhook?hub.mode=subscribe&hub.challenge=1", 422, "validation_failed"),
    ],
)
async def test_a_wrong_handshake_is_refused(messenger: Messenger, path: str, status: int, code: str) -> None:
    answer = await messenger.api.get(path)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "<script>" not in answer.text


@holds("S15")
@pytest.mark.parametrize(
    "signature", [None, "", "sha256=", "sha256=" + "0" * 64, "sha1=abc", "sha256=\u00e9", "x" * 5_000, "cut", "bare"]
)
async def test_a_wrong_signature_is_refused(messenger: Messenger, signature: str | None, record: Record) -> None:
    hook = messenger.network.webhook(messenger.app, [], [])
    right = hook.headers["X-Hub-Signature-256"]
    signature = {"cut": right[:-1], "bare": right.removeprefix("sha256=")}.get(signature or "", signature)
    headers = {b"Content-Type": b"application/json"}
    if signature is not None:
        headers[b"X-Hub-Signature-256"] = signature.encode()

    answer = await messenger.api.post("/wa/webhook", content=hook.body, headers=headers)

    record("S15", tried={"forged calls": 1}, measured={"believed": int(answer.status_code < 400)})
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_signature")


async def test_the_signature_is_of_the_bytes(messenger: Messenger) -> None:
    hook = messenger.network.webhook(messenger.app, [], [])

    changed = json.dumps(json.loads(hook.body), indent=1).encode()

    assert (await messenger.api.post("/wa/webhook", content=changed, headers=hook.headers)).status_code == 401
    assert (await messenger.api.post("/wa/webhook", content=hook.body, headers=hook.headers)).status_code == 200


async def test_without_secrets_everything_is_refused(messenger: Messenger) -> None:
    """An installation that has no messenger."""
    hook = messenger.network.webhook(messenger.app, [], [])
    owner = await messenger.make.owner()
    unset: dict[str, Any] = dict.fromkeys((*WHATSAPP_SETTINGS, *SLACK_SETTINGS, "telegram_bot_token"))
    settings = dataclasses.replace(messenger.context.settings, **unset)
    async with Api(app.create(dataclasses.replace(messenger.context, settings=settings, states={}))) as api:
        assert (await api.get(handshake())).json()["code"] == "verification_failed"
        refused = await api.post("/wa/webhook", content=hook.body, headers=hook.headers)
        assert refused.json()["code"] == "invalid_signature"
        answer = await api.post("/wa/link-code", json={}, key=owner.key)
    assert (answer.status_code, answer.json()["code"]) == (409, "platform_not_configured")


async def test_a_body_is_bounded_before_it_is_looked_at(messenger: Messenger) -> None:
    hook = sign(messenger.app, b" " * (hub.BODY_BYTES_MAX + 1))

    answer = await messenger.api.post("/wa/webhook", content=hook.body, headers=hook.headers)

    assert (answer.status_code, answer.json()["code"]) == (413, "payload_too_large")


async def test_nothing_is_read_of_a_call_without_a_possible_signature(messenger: Messenger) -> None:
    read: list[bytes] = []

    async def body() -> AsyncIterator[bytes]:
        read.append(b"x")
        yield b"x"

    for headers in ({}, {"X-Hub-Signature-256": "sha256=guess"}):
        answer = await messenger.api.post("/wa/webhook", content=body(), headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "invalid_signature")
    assert read == []


async def test_strangers_cannot_fill_the_memory(messenger: Messenger) -> None:
    """Large calls that are not verified yet share a bound, of which nothing is left behind; small ones still pass."""
    unverified = messenger.context.state(Unverified)
    large, small = sign(messenger.app, b" " * 1_000_000 + b"{}"), sign(messenger.app, b"{}")
    forged = dict(large.headers) | {"X-Hub-Signature-256": "sha256=" + "0" * 64}
    assert (await messenger.api.post("/wa/webhook", content=large.body, headers=forged)).status_code == 401
    assert unverified.bytes == 0

    unverified.bytes = UNVERIFIED_BYTES_MAX - 500_000  # others are being received
    refused = await messenger.api.post("/wa/webhook", content=large.body, headers=large.headers)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert (await messenger.api.post("/wa/webhook", content=small.body, headers=small.headers)).status_code == 200
    assert unverified.bytes == UNVERIFIED_BYTES_MAX - 500_000
    unverified.bytes = 0
    assert (await messenger.api.post("/wa/webhook", content=large.body, headers=large.headers)).status_code == 200


_BROKEN: dict[str, Any] = {
    "metadata": {"phone_number_id": "106540352242922"},
    "messages": [
        1, {}, {"id": "a"}, {"id": "a", "from": "x", "timestamp": "1"},
        {"id": "\0", "from": "49151", "timestamp": "1700000000", "type": "text"},
        {"id": "b", "from": "4915112345", "timestamp": "99999999999999999", "type": "text"},
    ],
    "statuses": [1, {}, {"id": [], "status": {}}],
    "contacts": [3],
}  # fmt: skip
_KIND = "whatsapp_business_account"


@pytest.mark.parametrize(
    "payload",
    [
        {}, [], "x", None, {"object": "page"}, {"object": _KIND, "entry": 7},
        {"object": _KIND, "entry": [None, {"changes": {}}, {"changes": [7, {"field": "x"}]}]},
        {"object": _KIND, "entry": [{"changes": [{"field": "messages", "value": _BROKEN}]}]},
    ],
)  # fmt: skip
async def test_a_signed_body_of_any_form_is_accepted_and_ignored(messenger: Messenger, payload: Any) -> None:
    """The messenger would send what is refused again for seven days."""
    before = await messenger.value("select count(*) from messenger_message")
    hook = sign(messenger.app, json.dumps(payload).encode())

    answer = await messenger.api.post("/wa/webhook", content=hook.body, headers=hook.headers)

    assert answer.status_code == 200
    assert await messenger.value("select count(*) from messenger_message") == before


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": 1', b"\xff\xfe", b"[" * 100_000])
async def test_what_is_not_json_is_said(messenger: Messenger, body: bytes) -> None:
    hook = sign(messenger.app, body)

    answer = await messenger.api.post("/wa/webhook", content=hook.body, headers=hook.headers)

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")


async def test_messages_of_another_number_are_ignored(messenger: Messenger, owner: Login) -> None:
    """An app may have several numbers, each with an installation of its own."""
    phone = await messenger.linked(owner, "mara")
    count = len(phone.texts)
    hook = messenger.network.webhook(messenger.app, [phone.person], [phone.network.text(phone.person, "help")])
    other = sign(messenger.app, hook.body.replace(b"106540352242922", b"206540352242922"))

    await messenger.deliver(other)
    await messenger.work()

    assert len(phone.texts) == count


async def test_a_message_is_handled_once_and_a_batch_in_the_order_of_its_times(
    messenger: Messenger, owner: Login
) -> None:
    phone = await messenger.linked(owner, "nina")
    now = int(messenger.simulator.world.clock().timestamp())
    batch: list[dict[str, Any]] = [
        phone.network.text(phone.person, text) | {"timestamp": str(now - 100 + number)}
        for number, text in enumerate(("In order and once", "schedule", "tomorrow 9"))
    ]

    await phone.send(*batch, together=False, times=3, backwards=True)
    await phone.send(*batch, together=True, times=2)

    assert "Publish it?" in phone.texts[-3]
    assert phone.texts[-2].startswith("When?")
    assert phone.texts[-1].startswith("Scheduled for ")
    posts = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    assert [(post["status"], post["text"]) for post in posts] == [("scheduled", "In order and once")]


async def test_reports_say_what_became_of_replies_in_any_order(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "olga")
    person, network = phone.person, phone.network
    await phone.says("help")
    sent = phone.entries[-1].remote_id
    reports = [network.status(sent, person, status) for status in ("sent", "delivered", "read")]
    reports.append(network.status("wamid.unknown", person, "delivered"))

    for hook in network.webhooks(messenger.app, [person], (), reports, together=False, times=2, backwards=True):
        assert (await messenger.deliver(hook))[0].status_code == 200

    status = (await messenger.api.get("/wa/status", key=owner.key)).json()
    assert status["lastReply"]["state"] == "delivered"
    await phone.says("help")
    refused = network.status(phone.entries[-1].remote_id, person, "failed", 131026)
    await messenger.deliver(network.webhook(messenger.app, [person], (), [refused]))
    last = (await messenger.api.get("/wa/status", key=owner.key)).json()["lastReply"]
    assert (last["state"], last["error"]) == ("failed", "131026: Message failed")


async def test_calls_with_the_same_reports_in_another_order_wait_for_each_other(
    messenger: Messenger, owner: Login
) -> None:
    """The messenger sends again what was not answered in time, together with what is new."""
    phone = await messenger.linked(owner, "otis")
    sent = []
    for _ in range(2):
        await phone.says("help")
        sent.append(phone.entries[-1].remote_id)
    first, second = sorted(sent, key=queries.remote_hash)
    reports = [phone.network.status(remote_id, phone.person, "delivered") for remote_id in (second, first)]
    lock = "select from messenger_reply where remote_hash = $1 for update"
    async with messenger.context.database.transaction() as db:  # as a call that has them the other way round
        await db.execute(lock, queries.remote_hash(first))
        hook = messenger.network.webhook(messenger.app, [phone.person], (), reports)
        delivery = asyncio.create_task(messenger.deliver(hook))
        await until_blocked(messenger.context.database, db)
        await db.execute(lock, queries.remote_hash(second))

    assert [answer.status_code for answer in await delivery] == [200]
