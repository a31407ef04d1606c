"""When the messenger's API fails: replies are sent at most once, files later, and nobody else sees the token."""

import secrets
from typing import Any

import pytest
from tests.helpers import media_files
from tests.helpers.factories import Login
from tests.helpers.messenger import Messenger

from signalpost.kit import clock
from signalpost.messenger.actions import send

SEND = "POST /{version}/{number}/messages"
_DUE_AGAIN = "update job set next_attempt_at = now() where kind like 'messenger.%' and next_attempt_at is not null"
_WAKE = "update lane set next_due_at = now(), not_before = null where kind = 'job' and owner is null"


async def later(messenger: Messenger) -> None:
    """Work, as if the delay of a retry had passed."""
    await messenger.execute(_DUE_AGAIN)
    await messenger.execute(_WAKE)
    await messenger.work()


async def last_reply(messenger: Messenger, owner: Login) -> tuple[str, str | None]:
    reply = (await messenger.api.get("/wa/status", key=owner.key)).json()["lastReply"]
    return reply["state"], reply["error"]


def refused(code: int) -> dict[str, Any]:
    return {"status": 400, "body": {"error": {"message": f"(#{code}) No", "type": "OAuthException", "code": code}}}


@pytest.mark.parametrize(
    ("fault", "arrived", "state"),
    [
        ({"kind": "lost"}, 1, "unknown"),
        ({"kind": "dropped"}, 0, "unknown"),
        ({"kind": "status", "status": 503}, 0, "unknown"),
        ({"kind": "answer", "status": 200, "body": "<html>"}, 1, "unknown"),
        ({"kind": "answer", "status": 200, "body": {}}, 1, "unknown"),
        ({"kind": "status", "status": 401}, 0, "failed"),
        ({"kind": "status", "status": 403}, 0, "failed"),
    ],
)
async def test_a_reply_is_sent_at_most_once(
    messenger: Messenger, owner: Login, fault: dict[str, Any], arrived: int, state: str
) -> None:
    phone = await messenger.linked(owner, "fault" + secrets.token_hex(4))
    count = len(phone.texts)
    messenger.simulator.world.add_fault("whatsapp", call=SEND, **fault)

    await phone.says("help")
    await later(messenger)

    assert len(phone.texts) - count == arrived
    assert (await last_reply(messenger, owner))[0] == state
    assert "*publish*" in await phone.says("help"), "the next one is sent"


@pytest.mark.parametrize("code", [4, 80007, 130429, 131056, 131016])
async def test_what_was_not_sent_for_a_limit_is_sent_later(messenger: Messenger, owner: Login, code: int) -> None:
    """The fault is an answer in place of the real one, so what arrived is counted by the state."""
    phone = await messenger.linked(owner, "limit" + secrets.token_hex(4))
    messenger.simulator.world.add_fault("whatsapp", "answer", SEND, **refused(code))

    await phone.send(phone.network.text(phone.person, "help"))
    assert (await last_reply(messenger, owner))[0] == "waiting"
    await later(messenger)

    assert (await last_reply(messenger, owner))[0] == "sent"


async def test_a_stranger_who_is_linked_meanwhile_reads_the_older_reply_first(
    messenger: Messenger, owner: Login
) -> None:
    """Replies of before the link and of after it are sent by two jobs."""
    phone = await messenger.phone("stranger" + secrets.token_hex(4))
    messenger.simulator.world.add_fault("whatsapp", "status", SEND, status=429)
    await phone.send(phone.network.text(phone.person, "Is anybody there?"))

    code = await messenger.api.post("/wa/link-code", json={"messenger": "whatsapp"}, key=owner.key)
    await messenger.deliver(
        *phone.network.webhooks(messenger.app, [phone.person], [phone.network.text(phone.person, code.json()["code"])])
    )
    while not (await messenger.api.get("/wa/status", key=owner.key)).json()["linked"]:
        await messenger.engine.tick(500)
    await messenger.engine.tick(500)
    assert phone.texts == []
    await later(messenger)

    first, second = phone.texts
    assert "This chat is not linked" in first
    assert "is linked now" in second


async def test_a_file_that_cannot_be_fetched_now_is_fetched_later(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "later" + secrets.token_hex(4))
    file = phone.network.add_file(media_files.image("PNG"), "image/png")
    for call in ("GET /{version}/{id}", "GET /whatsapp_business/attachments/{token}"):
        messenger.simulator.world.add_fault("whatsapp", "status", call, status=503)
    await phone.send(phone.network.attachment(phone.person, "image", file, caption := secrets.token_hex(8)))
    for _ in range(2):
        await later(messenger)

    (post,) = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    assert (post["text"], len(post["media"])) == (caption, 1)


async def test_the_token_goes_to_the_messenger_only(messenger: Messenger, owner: Login) -> None:
    """Whatever address the API names for a file."""
    phone = await messenger.linked(owner, "token" + secrets.token_hex(4))
    file = phone.network.add_file(media_files.image("PNG"), "image/png")
    elsewhere = messenger.simulator.url("whatsapp").replace("127.0.0.1", "localhost")
    for url in (f"{elsewhere}/thief", "http://lookaside.fbsbx.com/file", "https://fbsbx.com.example/x", "file:///etc"):
        answer = {"status": 200, "body": {"url": url}}
        messenger.simulator.world.add_fault("whatsapp", "answer", "GET /{version}/{id}", **answer)
        await phone.send(phone.network.attachment(phone.person, "image", file))
        messenger.simulator.world.faults.clear()

    assert not [logged for logged in messenger.simulator.world.log if "thief" in logged.target]


async def test_a_restored_instance_sends_no_reply_of_the_backup(messenger: Messenger, owner: Login) -> None:
    """The instance that was saved has sent it since. `signalpost resume` calls this."""
    phone = await messenger.linked(owner, "backup" + secrets.token_hex(4))
    messenger.simulator.world.add_fault("whatsapp", "answer", SEND, **refused(130429))
    await phone.send(phone.network.text(phone.person, "help"))
    count = len(phone.texts)

    async with messenger.context.database.transaction() as db:
        await send.doubt_what_waits(db, clock.now())
    await later(messenger)

    assert len(phone.texts) == count
    assert await last_reply(messenger, owner) == ("unknown", "restored from a backup, or a failover")
