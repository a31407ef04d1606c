"""A process is killed at each step of a message: nothing is made twice or lost, and no reply is sent twice."""

import asyncio
import dataclasses
import signal
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from simulator import Simulator
from simulator.networks.slack import Slack
from simulator.networks.telegram import Telegram
from simulator.networks.whatsapp import Webhook, WhatsApp
from tests.faults import dying
from tests.faults.scene import Scene, sizes
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login
from tests.helpers.messenger import (
    Chat,
    Lease,
    Messenger,
    Phone,
    SlackChat,
    confirmed,
    settings_for,
    slack_tokens,
    telegram_token,
)

from signalpost.context import AppContext
from signalpost.main import app as program
from signalpost.messenger.actions import handle, poll, send
from signalpost.messenger.contract import Polled
from signalpost.messenger.messengers import SLACK, TELEGRAM

STEPS_MAX = 600
_SENDERS = "select distinct sender_hash from messenger_message where handled_at is null and workspace_id is null"
_OPEN = """
select distinct sender_hash, workspace_id from messenger_message
where handled_at is null and workspace_id is not null
"""
_FILES_AND_POSTS = """
select (select count(*) from media where status = 'ready' and workspace_id = $1)
    = (select count(*) from post where workspace_id = $1)
"""
_REPLIES = """
select distinct recipient_hash, workspace_id from messenger_reply where state in ('waiting', 'sending')
order by workspace_id nulls first
"""
"""Those of before a link first: the others wait for them."""


async def jobs(context: AppContext) -> None:
    """Run the jobs of all messages and replies once."""
    lease: Any = Lease(context)
    async with context.database.connection() as db:
        senders = await db.fetch(_SENDERS)
    for (sender,) in senders:
        await handle.sort(context, lease, {"sender": sender.hex()})
    async with context.database.connection() as db:
        waiting = await db.fetch(_OPEN)
    for sender, workspace_id in waiting:
        await handle.handle(context, lease, {"sender": sender.hex(), "workspace": str(workspace_id)})
    async with context.database.connection() as db:
        replies = await db.fetch(_REPLIES)
    for recipient, workspace_id in replies:
        payload = {"recipient": recipient.hex(), "workspace": workspace_id and str(workspace_id)}
        await send.send_waiting(context, lease, payload)


async def work(hook: Webhook, context: AppContext, api: Api) -> None:
    """Receive what WhatsApp delivers, and do what follows."""
    answer = await api.post("/wa/webhook", content=hook.body, headers=hook.headers)
    assert answer.status_code == 200, answer.text
    await jobs(context)


async def ask(messenger: Polled, context: AppContext, _api: Api) -> None:
    """Ask a messenger for what is new, and do what follows."""
    lease: Any = Lease(context)
    await poll.poll(context, lease, messenger)
    await jobs(context)


def written(phone: Phone, text: str, size: tuple[int, int] | None = None) -> dying.Work:
    """Have a person write a text, as the caption of a picture of this size if one is given; return what handles it."""
    if isinstance(phone, Chat):
        bot, network = phone.messenger.bot, phone.telegram
        if size is None:
            network.write(bot, phone.person, {"text": text})
        else:
            picture = media_files.image("JPEG", size=size)
            network.attachment(bot, phone.person, "photo", picture, "image/jpeg", caption=text)
        return partial(ask, TELEGRAM)
    if isinstance(phone, SlackChat):
        phone.slack.disconnect()  # so that it does not go to whoever read the one before
        picture = [] if size is None else [media_files.image("JPEG", size=size)]
        files = [phone.slack.add_file(phone.person, content, "image/jpeg") for content in picture]
        phone.slack.write(phone.messenger.slack_bot, phone.person, text, files)
        phone.slack.world.clock.advance(61)
        return partial(ask, SLACK)
    message = phone.network.text(phone.person, text)
    if size is not None:
        file = phone.network.add_file(media_files.image("PNG", size=size), "image/png")
        message = phone.network.attachment(phone.person, "image", file, text)
    return partial(work, phone.network.webhook(phone.messenger.app, [phone.person], [message]))


async def again(phone: Phone, work_of_it: dying.Work) -> dying.Work:
    """Return what another process does: at Slack it hears of the message only if it was not confirmed."""
    if not isinstance(phone, SlackChat):
        return work_of_it
    await confirmed(phone.slack)  # the simulator has seen what the process confirmed, and that it is gone
    clock = phone.slack.world.clock
    left = max((one.due_at - clock() for one in phone.slack.waiting), default=timedelta())
    clock.advance(max(left.total_seconds() + 1, 0))  # not more: after its last attempt Slack gives a message up

    async def hear_and_handle(context: AppContext, _api: Api) -> None:
        await phone.arrives()  # a turn may be over before the message is there; the next one reads it
        await jobs(context)

    return hear_and_handle


async def linked(messenger: Messenger, owner: Login, at: str) -> Phone:
    phone = await messenger.chat("anna", at=at)
    code = (await messenger.api.post("/wa/link-code", json={"messenger": at}, key=owner.key)).json()["code"]
    await written(phone, code)(messenger.context, messenger.api)
    return phone


async def check(messenger: Messenger, owner: Login, caption: str, sent: int) -> None:
    """Ensure that the message made one draft with one file, and at most one reply."""
    posts = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    (post,) = [post for post in posts if post["text"] == caption]
    media = (await messenger.api.get(f"/media/{post['media'][0]['mediaId']}", key=owner.key)).json()
    assert media["status"] == "ready"
    assert await messenger.value(_FILES_AND_POSTS, owner.workspace_id), "no file is stored twice"
    assert await messenger.value("select count(*) from messenger_message where handled_at is null") == 0
    states = "select array_agg(state order by id) from messenger_reply where link_id is not null"
    state = (await messenger.value(states))[-1]
    assert (state, sent) in {("sent", 1), ("unknown", 1), ("unknown", 0)}


@sizes("every", quick=31, heavy=1)
@pytest.mark.parametrize("at", ["whatsapp", "telegram", "slack"])
async def test_a_message_is_handled_once_wherever_its_process_dies(scene: Scene, at: str, every: int) -> None:
    """`every`: the process is killed at every n-th step, until it passes them all."""
    async with Simulator([WhatsApp, Telegram, Slack]) as simulator:
        app = simulator.world.add_app("whatsapp")
        values = settings_for(simulator, app) | {"telegram_bot_token": telegram_token(simulator)}
        values |= slack_tokens(simulator)
        urls = {f"{name.upper()}_BASE_URL": simulator.url(name) for name in ("telegram", "slack")}
        networks = {**scene.context.settings.networks, **urls}
        context = dataclasses.replace(
            scene.context, settings=dataclasses.replace(scene.context.settings, networks=networks, **values), states={}
        )
        environment = scene.environment(
            SIGNALPOST_TRUSTED_PROXIES="1",
            **{f"SIGNALPOST_{name.upper()}": value for name, value in (values | urls).items()},
        )  # fmt: skip
        async with Api(program.create(context)) as api:
            messenger = Messenger(context, api, simulator, app)
            owner = (await scene.tenant()).login
            await messenger.make.account(owner, username="bakery")
            phone = await linked(messenger, owner, at)
            for killed, step in enumerate(range(2, STEPS_MAX, every)):
                before, caption = len(phone.entries), f"turn {step}"
                handle_it = written(phone, caption, (40 + step, 30))
                process = dying.start(handle_it, environment, step)
                await asyncio.to_thread(process.join)
                assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
                await (await again(phone, handle_it))(context, api)
                await check(messenger, owner, caption, len(phone.entries) - before)
                if process.exitcode == 0:
                    assert killed >= 2, "there are more steps than that"
                    return
            pytest.fail("no process passed all steps")


@sizes("count", quick=12, heavy=200)
async def test_two_processes_handle_a_message_once(scene: Scene, count: int) -> None:
    """Both get the same calls of the webhook, and both do whatever is due."""
    async with Simulator([WhatsApp]) as simulator:
        app = simulator.world.add_app("whatsapp")
        values = settings_for(simulator, app)
        context = dataclasses.replace(
            scene.context, settings=dataclasses.replace(scene.context.settings, **values), states={}
        )
        async with Api(program.create(context)) as api, Api(program.create(context)) as other:
            messenger = Messenger(context, api, simulator, app)
            owner = (await scene.tenant()).login
            await messenger.make.account(owner, username="bakery")
            phone = await linked(messenger, owner, "whatsapp")
            texts = [f"Message {number}" for number in range(count)]
            hooks = [
                phone.network.webhook(app, [phone.person], [phone.network.text(phone.person, text)]) for text in texts
            ]

            async def deliver(client: Api) -> None:
                for hook in hooks:
                    answer = await client.post("/wa/webhook", content=hook.body, headers=hook.headers)
                    assert answer.status_code == 200

            await asyncio.gather(deliver(api), deliver(other))
            second = messenger.new_engine()
            await asyncio.gather(messenger.work(), messenger.work(second))
            for engine in (messenger.engine, second):
                await engine.stop(5.0)

            posts = "select array_agg(text order by text) from post where workspace_id = $1"
            assert await messenger.value(posts, owner.workspace_id) == sorted(texts)
            assert len(phone.entries) == count + 1
