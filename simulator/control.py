"""The control API: seed people and apps, script faults, move the clock, read what became public, start afresh."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from simulator.messages import BadBody, Request, Response
from simulator.networks.graph_push import Pushing
from simulator.networks.slack import Slack
from simulator.networks.telegram import Telegram
from simulator.networks.whatsapp import WhatsApp
from simulator.world import Destination, World


class Control:
    """JSON over HTTP; the same things are methods of `World` for tests in this process."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._calls: Mapping[str, Callable[[Request], Any]] = {
            "GET /": self._describe,
            "POST /reset": self._reset,
            "POST /apps": self._add_app,
            "POST /people": self._add_person,
            "POST /tokens": self._add_token,
            "POST /approve": self._approve,
            "POST /messages": self._send_message,
            "POST /comments": self._comment,
            "POST /webhooks": self._verify_webhook,
            "POST /faults": self._add_fault,
            "DELETE /faults": self._clear_faults,
            "GET /ledger": self._ledger,
            "GET /requests": self._requests,
            "GET /clock": self._clock,
            "POST /clock": self._move_clock,
        }

    def handle(self, request: Request) -> Response:
        call = self._calls.get(f"{request.method} {request.path}")
        if call is None:
            return Response(404, {"error": "unknown call", "calls": sorted(self._calls)})
        try:
            return Response(200, call(request))
        except (BadBody, KeyError, TypeError, ValueError, StopIteration) as error:
            return Response(400, {"error": f"{type(error).__name__}: {error}"})

    def _describe(self, _request: Request) -> Any:
        networks = {
            key: {"url": self.world.urls[key], "calls": sorted(network.calls)}
            for key, network in self.world.networks.items()
        }
        return {"networks": networks, "calls": sorted(self._calls), "now": self.world.clock().isoformat()}

    def _reset(self, _request: Request) -> Any:
        self.world.reset()
        return {}

    def _add_app(self, request: Request) -> Any:
        values = dict(request.json)
        app = self.world.add_app(values.pop("network"), *values.pop("redirect_uris", ()), **values)
        return {"client_id": app.client_id, "client_secret": app.client_secret}

    def _add_person(self, request: Request) -> Any:
        values = dict(request.json)
        destinations = [Destination(**destination) for destination in values.pop("destinations", ())]
        person = self.world.add_person(
            values.pop("network"), values.pop("username"), destinations=destinations, **values
        )
        return {"id": person.id, "username": person.username}

    def _add_token(self, request: Request) -> Any:
        """Return tokens as if a person had agreed."""
        network = self.world.networks[request.json["network"]]
        person = self.world.person(network.key, request.json["username"])
        app = self.world.app(network.key, request.json["client_id"])
        if app is None or network.oauth is None:
            raise ValueError("no such app")
        scopes = request.json.get("scopes")
        grant = network.oauth.grant(app, person, None if scopes is None else frozenset(scopes))
        return {"access_token": grant.access_token, "refresh_token": grant.refresh_token}

    def _approve(self, request: Request) -> Any:
        """Answer the authorization page at `url` as `username`: return where the browser is sent."""
        values = request.json
        parts = urlsplit(values["url"])
        key = next(key for key, url in self.world.urls.items() if urlsplit(url).netloc == parts.netloc)
        oauth = self.world.networks[key].oauth
        if oauth is None:
            raise ValueError(f"{key} has no authorization page")
        query = dict(parse_qsl(parts.query))
        decision = values.get("decision", "approve")
        return {"location": oauth.decide(query, values["username"], decision, values.get("scope", ""))}

    def _send_message(self, request: Request) -> Any:
        """Have a person write: to the webhook of a service (`WhatsApp.deliver`), or to a bot (`hear` of the others)."""
        telegram, slack = self.world.networks.get("telegram"), self.world.networks.get("slack")
        if request.json.get("network") == "slack" and isinstance(slack, Slack):
            return slack.hear(request.json)
        if request.json.get("network") == "telegram" and isinstance(telegram, Telegram):
            return {"update_id": telegram.hear(request.json)["update_id"]}
        network = self.world.networks["whatsapp"]
        if not isinstance(network, WhatsApp):
            raise TypeError("not WhatsApp")
        return {"statuses": network.deliver(request.json)}

    def _comment(self, request: Request) -> Any:
        """Have a person comment below `parent_id`. A network that pushes calls the webhooks of its apps."""
        values = request.json
        network = self.world.networks[values["network"]]
        person = self.world.person(network.key, values["username"])
        entry = network.receive_comment(values["parent_id"], person, values["text"])
        return {"id": entry.remote_id, "statuses": network.deliver_pushed() if isinstance(network, Pushing) else []}

    def _verify_webhook(self, request: Request) -> Any:
        """Register the address of an app's webhook, which has to answer the challenge."""
        values = request.json
        network, app = self.world.networks[values["network"]], self.world.app(values["network"], values["client_id"])
        if app is None or not isinstance(network, Pushing):
            raise ValueError("no such app, or a network that pushes nothing")
        return {"verified": network.verify(app, values["url"], values["verify_token"])}

    def _add_fault(self, request: Request) -> Any:
        values = dict(request.json)
        self.world.add_fault(values.pop("network"), values.pop("kind"), values.pop("call", "*"), **values)
        return {"faults": len(self.world.faults)}

    def _clear_faults(self, _request: Request) -> Any:
        self.world.faults.clear()
        return {"faults": 0}

    def _ledger(self, request: Request) -> Any:
        asked = request.query
        entries = [
            entry.as_json()
            for entry in self.world.ledger.entries
            if asked.get("network") in {None, entry.network} and asked.get("account_id") in {None, entry.account_id}
        ]
        return {"entries": entries}

    def _requests(self, request: Request) -> Any:
        network = request.query.get("network")
        return {"requests": [logged.as_json() for logged in self.world.log if network in {None, logged.network}]}

    def _clock(self, _request: Request) -> Any:
        return {"now": self.world.clock().isoformat()}

    def _move_clock(self, request: Request) -> Any:
        if "now" in request.json:
            self.world.clock.set(datetime.fromisoformat(request.json["now"]))
        self.world.clock.advance(float(request.json.get("advance", 0)))
        return self._clock(request)
