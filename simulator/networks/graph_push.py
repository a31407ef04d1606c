"""Webhooks of Meta's apps: the call that verifies an address, and signed calls that say what changed at an account.

Source: developers.facebook.com, "Webhooks" of the Graph API, "Page subscribed apps". An app is called for what it has
subscribed each account to, and only at an address that answered its verification. Not certain at the real network, and
so chosen here: each call has one change.
"""

import hashlib
import hmac
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from simulator.messages import Request
from simulator.networks.graph import GraphNetwork
from simulator.world import App, World

CHALLENGE = "1158201444"
VERIFY_TOKEN = "verify-token-of-the-simulator"  # noqa: S105 - of nobody else


@dataclass(frozen=True)
class Webhook:
    """A call of the webhook as it goes over the wire."""

    body: bytes
    headers: Mapping[str, str]


def sign(app: App, body: bytes) -> Webhook:
    """Return a call with this body, signed with the secret of the app; `details["webhook_secret"]` is another one."""
    secret = str(app.details.get("webhook_secret") or app.client_secret)
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return Webhook(body, {"Content-Type": "application/json", "X-Hub-Signature-256": f"sha256={digest}"})


def post(url: str, hook: Webhook) -> int:
    """Make a call; return the status of its answer."""
    request = urllib.request.Request(url, hook.body, dict(hook.headers), method="POST")  # noqa: S310 - of a developer
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - as above
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


class Pushing(GraphNetwork):
    """A network that pushes. `push_object`: what it calls the kind of account."""

    push_object = ""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.webhooks: dict[str, str] = {}
        """Id of an app -> its address, once that was verified."""
        self.subscribed: dict[tuple[str, str], frozenset[str]] = {}
        """(id of an app, id of an account) -> fields."""
        self.pushed: list[tuple[App, Webhook]] = []
        """What was not delivered yet, oldest first."""

    def verify(self, app: App, url: str, token: str) -> bool:
        """Register the address of an app's webhook, if it answers the challenge."""
        query = {"hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": CHALLENGE}
        try:
            with urllib.request.urlopen(f"{url}?{urlencode(query)}", timeout=10) as answer:  # noqa: S310 - of a developer
                verified = answer.status == 200 and answer.read(100) == CHALLENGE.encode()
        except urllib.error.HTTPError as error:
            error.close()
            verified = False
        if verified:
            self.webhooks[app.client_id] = url
        return verified

    def subscribe_app(self, request: Request, account_id: str, fields: str) -> None:
        """Subscribe the app of a token to fields of an account."""
        self.subscribed[request.grant.app.client_id, account_id] = frozenset(fields.split(","))

    def unsubscribe_app(self, request: Request, account_id: str) -> None:
        self.subscribed.pop((request.grant.app.client_id, account_id), None)

    def push(self, account_id: str, field: str, value: Mapping[str, Any]) -> None:
        """Have each app that subscribed to it called."""
        for app in self.world.apps:
            if app.network == self.key and self.is_subscribed(app, account_id, field):
                body = json.dumps(self.call_body(app, account_id, field, value)).encode()
                self.pushed.append((app, sign(app, body)))

    def is_subscribed(self, app: App, account_id: str, field: str) -> bool:
        return field in self.subscribed.get((app.client_id, account_id), ())

    def call_body(self, _app: App, account_id: str, field: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a call says."""
        entry = {"id": account_id, "time": int(self.world.clock().timestamp())}
        return {"object": self.push_object, "entry": [{**entry, "changes": [{"field": field, "value": value}]}]}

    def deliver_pushed(self) -> list[int]:
        """Make the calls that wait, for apps with a webhook; return the statuses of the answers."""
        waiting, self.pushed = self.pushed, []
        return [post(self.webhooks[app.client_id], hook) for app, hook in waiting if app.client_id in self.webhooks]
