"""localstripe, a server of other authors, understands our calls, and we believe what it signs.

It knows no prices, checkout or portal: those are the simulator's part. It runs in a process of its own, and its
license, the GPL, is that of a tool of the tests.
"""

import asyncio
import dataclasses
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import stripe as sdk
from aiohttp import web
from tests.counterparts.process import running
from tests.counterparts.tools import free_port
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.sign_in_servers import serving

from signalpost.billing import signature
from signalpost.billing.errors import BillingNotConfigured
from signalpost.billing.stripe import Refused
from signalpost.billing.stripe import Stripe as Client
from signalpost.context import AppContext
from signalpost.kit.problems import InvalidSignature

SECRET = "whsec_of_the_tests"
_SERVE = """
import sys
from aiohttp import web
from localstripe.server import app
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]))
"""


@dataclass
class Inbox:
    """An endpoint that keeps notifications as they came."""

    arrived: asyncio.Queue[tuple[str, bytes]] = field(default_factory=asyncio.Queue)

    async def take(self, request: web.Request) -> web.Response:
        await self.arrived.put((request.headers["Stripe-Signature"], await request.read()))
        return web.Response()


@asynccontextmanager
async def local_stripe(folder: Path) -> AsyncIterator[str]:
    port = free_port()
    async with running(sys.executable, "-c", _SERVE, str(port), folder=folder) as program:
        await program.wait_for_port(port, within_seconds=60)
        yield f"http://127.0.0.1:{port}"


async def test_it_understands_our_calls_and_we_believe_what_it_signs(sold: AppContext, tmp_path: Path) -> None:
    inbox = Inbox()
    async with (
        local_stripe(tmp_path) as url,
        serving(("POST", "/hook", inbox.take)) as endpoint,
        httpx.AsyncClient(timeout=TEST_SECONDS) as http,
    ):
        registered = await http.post(
            f"{url}/_config/webhooks/1",
            json={"url": f"{endpoint}/hook", "secret": SECRET, "events": ["customer.subscription.created"]},
        )
        assert registered.status_code == 200, registered.text
        client = _client(sold, url, "sk_test_1")
        used = await _subscribe(client)
        with pytest.raises(Refused) as missing:
            await client.get("customers/cus_none")
        with pytest.raises(BillingNotConfigured):
            await _client(sold, url, "another kind of key").get(f"customers/{used['customer']['id']}")
        header, body = await asyncio.wait_for(inbox.arrived.get(), TEST_SECONDS)

    assert used["customer"]["metadata"] == {"signalpost_workspace": "wsp_1", "a b": "ä&=[]"}
    assert [item["plan"]["id"] for item in used["listed"]["data"][0]["items"]["data"]] == ["pro"]
    assert used["listed"]["data"][0]["id"] == used["subscription"]["id"]
    assert used["changed"]["cancel_at_period_end"] is True
    assert used["ended"]["status"] == "canceled"
    assert missing.value.status == 404  # its errors have no code

    signature.verify(header, body, SECRET, now_seconds=time.time())
    event = sdk.Webhook.construct_event(body, header, SECRET)
    assert event.data.object["id"] == used["subscription"]["id"]
    for refused in ((header, body + b" ", SECRET), (header, body, "whsec_other"), (header[:-1], body, SECRET)):
        with pytest.raises(InvalidSignature):
            signature.verify(*refused, now_seconds=time.time())
        with pytest.raises(sdk.SignatureVerificationError):
            sdk.Webhook.construct_event(refused[1], refused[0], refused[2])


def _client(sold: AppContext, url: str, key: str) -> Client:
    settings = dataclasses.replace(sold.settings, stripe_secret_key=key, stripe_base_url=url)
    return Client(dataclasses.replace(sold, settings=settings))


async def _subscribe(client: Client) -> dict[str, Any]:
    """Use what billing uses, as far as this server knows it: nested fields, lists, flags, reads with a query."""
    await client.post("products", {"id": "signalpost", "name": "Signalpost", "type": "service"})
    plan = {"id": "pro", "product": "signalpost", "amount": 2_900, "currency": "usd", "interval": "month"}
    await client.post("plans", plan)
    metadata = {"signalpost_workspace": "wsp_1", "a b": "ä&=[]"}
    customer = await client.post("customers", {"name": "Ada", "email": "ada@example.test", "metadata": metadata})
    method = await client.post(
        "payment_methods",
        {"type": "card", "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2031, "cvc": "123"}},
    )
    await client.post(f"payment_methods/{method['id']}/attach", {"customer": customer["id"]})
    await client.post(f"customers/{customer['id']}", {"invoice_settings": {"default_payment_method": method["id"]}})
    subscription = await client.post(
        "subscriptions", {"customer": customer["id"], "items": [{"plan": "pro", "quantity": 1}]}
    )
    listed = await client.get("subscriptions", {"customer": customer["id"], "limit": 10, "expand": ["data.customer"]})
    changed = await client.post(f"subscriptions/{subscription['id']}", {"cancel_at_period_end": True})
    ended = await client.delete(f"subscriptions/{subscription['id']}")
    return {
        "customer": customer, "subscription": subscription, "listed": listed, "changed": changed, "ended": ended,
    }  # fmt: skip
