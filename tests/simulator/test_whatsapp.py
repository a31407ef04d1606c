"""WhatsApp in the simulator: an independent client reads what it sends, and is understood; what is wrong is refused."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pywa
from pywa import errors
from pywa.types import (
    Button,
    CallbackButton,
    CallbackSelection,
    Message,
    MessageStatus,
    Section,
    SectionList,
    SectionRow,
)
from simulator import Simulator
from simulator.networks.whatsapp import StoredFile, Webhook, WhatsApp
from simulator.world import App, Person
from tests.helpers import media_files
from tests.helpers.limits import TEST_SECONDS


def network_of(simulator: Simulator) -> tuple[WhatsApp, App, Person]:
    network = simulator.world.networks["whatsapp"]
    assert isinstance(network, WhatsApp)
    return network, simulator.world.add_app("whatsapp"), simulator.world.add_person("whatsapp", "alice")


class Redirected(httpx.BaseTransport):
    """Leads a client that knows only the real host to the simulator."""

    def __init__(self, url: str) -> None:
        self._url = httpx.URL(url)
        self._transport = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(scheme="http", host=self._url.host, port=self._url.port)
        return self._transport.handle_request(request)

    def close(self) -> None:
        self._transport.close()


@contextmanager
def client_of(simulator: Simulator, network: WhatsApp, app: App) -> Iterator[pywa.WhatsApp]:
    with httpx.Client(transport=Redirected(simulator.url("whatsapp")), timeout=TEST_SECONDS) as session:
        yield pywa.WhatsApp(
            phone_id=network.phone_number_id,
            token=network.token(app),
            app_secret=app.client_secret,
            verify_token="verify-token",
            server=None,
            session=session,
        )


def parsed(client: pywa.WhatsApp, kind: Any, hook: Webhook) -> Any:
    """What pywa makes of a call of the webhook, after it has checked the signature."""
    refused = client.webhook_update_validator(hook.body, hook.headers["X-Hub-Signature-256"])
    assert refused is None, refused
    return kind.from_update(client, json.loads(hook.body))


async def test_pywa_reads_what_is_sent(simulator: Simulator) -> None:
    network, app, alice = network_of(simulator)
    file = network.add_file(media_files.image("PNG"), "image/png")
    with client_of(simulator, network, app) as client:
        _read(client, network, app, alice, file)


def _read(client: pywa.WhatsApp, network: WhatsApp, app: App, alice: Person, file: StoredFile) -> None:
    text = parsed(client, Message, network.webhook(app, [alice], [network.text(alice, "Hello")]))
    assert (text.text, text.from_user.wa_id, text.from_user.name) == ("Hello", network.phone(alice), "Alice")
    assert text.from_user.bsuid == network.user_id(alice)
    image = parsed(client, Message, network.webhook(app, [alice], [network.attachment(alice, "image", file, "Look")]))
    assert (image.image.id, image.image.mime_type, image.caption) == (file.id, "image/png", "Look")
    button = parsed(client, CallbackButton, network.webhook(app, [alice], [network.tap(alice, "now:1", "Now")]))
    assert (button.data, button.title) == ("now:1", "Now")
    row = network.tap(alice, "profile:1", "Acme", kind="list_reply")
    assert parsed(client, CallbackSelection, network.webhook(app, [alice], [row])).data == "profile:1"
    report = network.webhook(app, [alice], (), [network.status("wamid.1", alice, "failed", 131047)])
    status = parsed(client, MessageStatus, report)
    assert (status.status.value, type(status.error)) == ("failed", errors.ReEngagementMessage)
    alice.details["hides_phone"] = True
    hidden = parsed(client, Message, network.webhook(app, [alice], [network.text(alice, "Hello")]))
    assert (hidden.from_user.wa_id, hidden.from_user.bsuid) == (None, network.user_id(alice))
    wrong = client.webhook_update_validator(report.body + b" ", report.headers["X-Hub-Signature-256"])
    assert wrong is not None


async def test_pywa_replies_and_reads_files(simulator: Simulator) -> None:
    network, app, alice = network_of(simulator)
    network.text(alice, "Hello")
    phone = str(network.phone(alice))
    content = media_files.image("PNG")
    file: StoredFile = network.add_file(content, "image/png")

    def use(client: pywa.WhatsApp) -> None:
        sent = client.send_message(to=phone, text="Hi", reply_to_message_id="wamid.1")
        assert sent.id.startswith("wamid.")
        client.send_message(to=network.user_id(alice), text="Hi again")
        client.send_message(to=phone, text="Now?", buttons=[Button(title="Now", callback_data="now:1")])
        rows = [SectionRow(title="Acme", callback_data="profile:1")]
        client.send_message(to=phone, text="Which?", buttons=SectionList("Choose", sections=[Section("All", rows)]))
        found = client.get_media_url(file.id)
        assert (found.mime_type, found.file_size) == ("image/png", len(content))
        assert client.get_media_bytes(url=found.url) == content
        simulator.world.clock.advance(timedelta(hours=25).total_seconds())
        with pytest.raises(errors.ReEngagementMessage):
            client.send_message(to=phone, text="Too late")

    with client_of(simulator, network, app) as client:
        await asyncio.to_thread(use, client)
    assert [entry.text for entry in network.sent_to(alice)] == ["Hi", "Hi again", "Now?", "Which?"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"type": "text", "text": {"body": ""}}, 131009),
        ({"type": "text", "text": {"body": "x" * 4097}}, 131009),
        ({"type": "text", "text": {"body": "x", "previewUrl": True}}, 100),
        ({"type": "text", "text": {"body": "x"}, "recipient": "DE.1"}, 131009),
        ({"type": "text", "text": {"body": "x"}, "to": "4900000"}, 131026),
        ({"type": "hologram", "hologram": {}}, 131051),
        ({"type": "template", "template": {"name": "none", "language": {"code": "en"}}}, 132001),
        ({"type": "template", "template": {"name": "post_result", "language": {"code": "en"}}}, 132000),
        ({"type": "interactive", "interactive": {"type": "button", "body": {"text": "x"}, "action": {"buttons": [
            {"type": "reply", "reply": {"id": str(n), "title": "x"}} for n in range(4)]}}}, 131009),
        ({"type": "interactive", "interactive": {"type": "button", "body": {"text": "x"}, "action": {"buttons": [
            {"type": "reply", "reply": {"id": "1", "title": "x" * 21}}]}}}, 131009),
    ],
)  # fmt: skip
async def test_what_the_network_refuses(simulator: Simulator, body: dict[str, Any], code: int) -> None:
    network, app, alice = network_of(simulator)
    network.text(alice, "Hello")
    full = {"messaging_product": "whatsapp", "to": network.phone(alice)} | body
    url = f"{simulator.url('whatsapp')}/v25.0/{network.phone_number_id}/messages"
    headers = {"Authorization": f"Bearer {network.token(app)}"}
    async with httpx.AsyncClient(headers=headers, timeout=TEST_SECONDS) as client:
        answer = await client.post(url, json=full)
        stranger = await client.post(url, json=full, headers={"Authorization": "Bearer x"})

    error = answer.json()["error"]
    assert (answer.status_code >= 400, error["code"], error["type"]) == (True, code, "OAuthException")
    assert (stranger.status_code, stranger.json()["error"]["code"]) == (401, 190)
    assert network.sent_to(alice) == []


async def test_the_address_of_a_file_ends_after_five_minutes_and_needs_the_token(simulator: Simulator) -> None:
    network, app, _ = network_of(simulator)
    file = network.add_file(b"x", "image/png")
    headers = {"Authorization": f"Bearer {network.token(app)}"}
    async with httpx.AsyncClient(headers=headers, timeout=TEST_SECONDS) as client:
        found = (await client.get(f"{simulator.url('whatsapp')}/v25.0/{file.id}")).json()
        assert (await client.get(found["url"], headers={"Authorization": ""})).status_code == 401
        assert (await client.get(found["url"])).content == b"x"
        simulator.world.clock.advance(301)
        assert (await client.get(found["url"])).status_code == 404


async def test_a_message_is_sent_over_the_control_api(simulator: Simulator) -> None:
    """To a receiver that reads the body and checks the signature, here a network of the simulator itself."""
    _, app, _ = network_of(simulator)
    values = {"username": "alice", "client_id": app.client_id, "url": f"{simulator.url('x')}/hook", "times": 2}
    async with httpx.AsyncClient(base_url=simulator.control_url, timeout=TEST_SECONDS) as client:
        for content in ({"text": "Hello"}, {"tap": "now:1"}, {"file": "eA==", "mime_type": "image/png"}):
            answer = await client.post("/messages", json=values | content)
            assert answer.json() == {"statuses": [404, 404]}
        assert (await client.post("/messages", json=values | {"client_id": "none"})).status_code == 400
    bodies = [json.loads(logged.body) for logged in simulator.world.log if logged.target == "/hook"]
    kinds = [body["entry"][0]["changes"][0]["value"]["messages"][0]["type"] for body in bodies]
    assert kinds == ["text", "text", "interactive", "interactive", "image", "image"]
