"""Signatures of webhooks: the service, the client and the `standardwebhooks` library understand one another."""

import base64
import datetime
import json
import secrets
import time
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.webhooks import delivery_worker, emit, post_published, receiver_server, register

from signalpost.context import AppContext
from signalpost.kit.db import Database
from signalpost_client import ConfigurationError, InvalidDelivery, webhooks

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
BODY = json.dumps({"id": "evt_1", "type": "post.published", "data": {"text": "Grüße 🙂"}}).encode()


async def test_a_delivery_of_the_service_is_verified(
    context: AppContext, api: Api, make: Make, database: Database
) -> None:
    owner = await make.owner()
    async with receiver_server() as receiver, delivery_worker(context):
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        [request] = await receiver.wait(1)

    event = webhooks.verify(request.body, request.headers, webhook["secret"])

    assert event["type"] == "post.published"
    assert event["data"]["profileId"] == owner.profile
    for changed, headers, secret in (
        (request.body + b" ", request.headers, webhook["secret"]),
        (request.body, request.headers, SECRET),
        (request.body, {**request.headers, "webhook-id": "evt_other"}, webhook["secret"]),
    ):
        with pytest.raises(InvalidDelivery):
            webhooks.verify(changed, headers, secret)


def test_the_library_signs_and_the_client_verifies() -> None:
    at = datetime.datetime.now(datetime.UTC)
    signature = Webhook(SECRET).sign("evt_1", at, BODY.decode())
    headers = {
        "Webhook-Id": "evt_1", "Webhook-Timestamp": str(int(at.timestamp())), "Webhook-Signature": signature,
    }  # fmt: skip
    assert webhooks.verify(BODY, headers, SECRET)["id"] == "evt_1"
    rotated = {**headers, "Webhook-Signature": "v1,bm90IHRoaXM= v2,x " + signature}
    assert webhooks.verify(BODY.decode(), rotated, SECRET)["id"] == "evt_1"


def test_the_client_signs_and_the_library_verifies() -> None:
    headers = webhooks.sign(BODY, SECRET)
    assert Webhook(SECRET).verify(BODY, headers) == json.loads(BODY)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(BODY + b" ", headers)


def test_both_agree_about_any_bytes() -> None:
    for length in (0, 1, 63, 64, 65, 1000):
        text = secrets.token_hex(length)
        body = json.dumps({"text": text}).encode()
        secret = "whsec_" + base64.b64encode(secrets.token_bytes(24 + length % 40)).decode()
        assert Webhook(secret).verify(body, webhooks.sign(body, secret)) == {"text": text}


BAD: dict[str, dict[str, Any]] = {
    "no signature": {"webhook-signature": ""},
    "another version": {"webhook-signature": "v2,x"},
    "not base64": {"webhook-signature": "v1,é"},
    "no time": {"webhook-timestamp": "yesterday"},
    "a number that is none": {"webhook-timestamp": "²"},
    "too old": webhooks.sign(BODY, SECRET, timestamp=int(time.time()) - 301),
    "from tomorrow": webhooks.sign(BODY, SECRET, timestamp=int(time.time()) + 86_400),
}


@pytest.mark.parametrize("headers", BAD.values(), ids=BAD)
def test_what_is_no_delivery_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(InvalidDelivery):
        webhooks.verify(BODY, {**webhooks.sign(BODY, SECRET), **headers}, SECRET)


@pytest.mark.parametrize("secret", ["", "whsec_", "hunter2!", "sp_live_x"])
def test_a_secret_that_is_none_is_said(secret: str) -> None:
    with pytest.raises(ConfigurationError, match="starts with whsec_"):
        webhooks.verify(BODY, webhooks.sign(BODY, SECRET), secret)


def test_an_event_of_tomorrow_is_returned() -> None:
    body = json.dumps({"id": "evt_2", "type": "comment.liked", "data": {"new": True}, "more": 1}).encode()
    assert dict(webhooks.verify(body, webhooks.sign(body, SECRET), SECRET)) == json.loads(body)


def test_json_that_is_none_is_refused_although_it_is_signed() -> None:
    with pytest.raises(InvalidDelivery, match="not JSON"):
        webhooks.verify(b"{", webhooks.sign(b"{", SECRET), SECRET)
