"""Stripe's API: customers, products, prices, checkout, portal, subscriptions with schedules, invoices.

Source: docs.stripe.com/api, version 2026-10-28.endive. What a call here does not read, it refuses, as Stripe does. The
clock of the world is a test clock for all objects. Faults of the frame strike every call (`lost`, `status_after`, ...).
"""

import copy
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from simulator.messages import FORM, Fail, Request, Response
from simulator.network import Network, Route
from simulator.stripe.catalogue import Catalogue
from simulator.stripe.events import Endpoint, Outbox
from simulator.stripe.forms import nested
from simulator.stripe.lifecycle import Lifecycle
from simulator.stripe.pages import Pages
from simulator.stripe.plans import Plans
from simulator.world import World

VERSION = "2026-10-28.endive"
SECRET_KEY = "sk_test_simulator"  # noqa: S105 - of the simulator
WEBHOOK_SECRET = "whsec_simulator"  # noqa: S105 - of the simulator

Object = dict[str, Any]
_SERIALS = itertools.count(1)
"""Ids are not used again after a reset: what a client stored of them would mean something else."""


class _Account:
    """What the secret key opens."""

    scopes = frozenset[str]()
    person = None


class Stripe(Catalogue, Plans, Pages, Network):
    key = "stripe"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.objects: dict[str, Object] = {}
        self.outbox = Outbox(world.clock, VERSION)
        self.life = Lifecycle(self)
        self.secret_key = SECRET_KEY
        self._serial = next(_SERIALS)
        self._replies: dict[str, tuple[str, Response]] = {}

    # --- the words of Stripe -----------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        return self.error(status, message)

    def error(self, status: int, message: str, *, code: str | None = None, param: str | None = None) -> Response:
        kind = {402: "card_error", 401: "invalid_request_error", 429: "rate_limit_error"}.get(status)
        kind = kind or ("api_error" if status >= 500 else "invalid_request_error")
        error = {"type": kind, "message": message, "code": code, "param": param}
        return Response(status, {"error": {name: value for name, value in error.items() if value is not None}})

    def refuse_with(self, status: int, message: str, **values: Any) -> Fail:
        return Fail(self.error(status, message, **values))

    def missing(self, what: str, object_id: str, param: str = "id") -> Fail:
        return self.refuse_with(404, f"No such {what}: '{object_id}'", code="resource_missing", param=param)

    def unauthorized(self) -> Response:
        return self.failure(401, "Invalid API Key provided: ****")

    # --- the frame ---------------------------------------------------------------------------------------------------

    def authenticate(self, request: Request) -> Any:
        return _Account() if self.bearer(request) == self.secret_key else None

    def handle(self, request: Request, made: Route | None) -> Response:
        """Answer; a POST that repeats an Idempotency-Key gets the answer of the first one."""
        self.life.catch_up()
        key = request.headers.get("idempotency-key") if request.method == "POST" else None
        if key is None:
            return super().handle(request, made)
        sent = f"{request.target} {request.body.decode()}"
        if key in self._replies:
            first, response = self._replies[key]
            if first != sent:
                return self.failure(400, "Keys for idempotent requests can only be used with the same parameters.")
            response.headers["Idempotent-Replayed"] = "true"
            return response
        response = super().handle(request, made)
        if response.status < 500:
            self._replies[key] = (sent, copy.deepcopy(response))
        return response

    def parameters(self, request: Request, *allowed: str) -> Object:
        """Return the parameters of a call, and refuse those that it does not have."""
        pairs = list(request.pairs)
        if request.body:
            if request.content_type != FORM:
                raise self.refuse(400, f"the content type is {request.content_type}, not a form")
            pairs += parse_qsl(request.body.decode(), keep_blank_values=True)
        given = nested(pairs)
        for name in given:
            if name not in (*allowed, "expand"):
                raise self.refuse_with(400, f"Received unknown parameter: {name}", code="parameter_unknown", param=name)
        return given

    def page(self, found: list[Object], given: Object, url: str) -> Response:
        """Return a list, the newest first, with what `expand` names."""
        limit = int(given.get("limit", 10))
        if not 1 <= limit <= 100:
            raise self.refuse_with(400, "Invalid integer: limit", param="limit")
        newest = list(reversed(found))
        paths = [path.removeprefix("data.") for path in given.get("expand", [])]
        data = [self.expanded(one, paths) for one in newest[:limit]]
        return Response(200, {"object": "list", "url": url, "has_more": len(newest) > limit, "data": data})

    def shown(self, found: Object, given: Object | None = None) -> Response:
        return Response(200, self.expanded(found, (given or {}).get("expand", [])))

    def expanded(self, found: Object, paths: list[str]) -> Object:
        """Return a copy in which the ids at these paths are replaced by their objects."""
        shown = copy.deepcopy({name: value for name, value in found.items() if name != "hidden"})
        for path in paths:
            if path.count(".") > 3:
                raise self.refuse_with(400, "You cannot expand more than 4 levels of a property.", param="expand")
            self._expand(shown, path.split("."))
        return shown

    def _expand(self, node: Object, path: list[str]) -> None:
        name, rest = path[0], path[1:]
        if name not in node:
            raise self.refuse_with(400, f"This property cannot be expanded ({name}).", param="expand")
        if isinstance(node[name], str):
            node[name] = self.expanded(self.objects[node[name]], [])
        if rest and isinstance(node[name], dict):
            self._expand(node[name], rest)

    # --- objects -----------------------------------------------------------------------------------------------------

    def make_id(self, prefix: str) -> str:
        return f"{prefix}_{self._serial:04d}{self.world.next_number():010d}"

    def keep(self, made: Object) -> Object:
        self.objects[made["id"]] = made
        return made

    def of_kind(self, kind: str) -> list[Object]:
        """Return all objects of a kind, the oldest first."""
        return [found for found in self.objects.values() if found["object"] == kind]

    def find(self, kind: str, object_id: str, param: str = "id") -> Object:
        found = self.objects.get(object_id)
        if found is None or found["object"] != kind:
            raise self.missing(kind.rpartition(".")[2].replace("_", " "), object_id, param)
        return found

    def happened(self, kind: str, about: Object) -> None:
        shown = {name: value for name, value in about.items() if name != "hidden"}
        self.outbox.add(kind, shown, self.make_id("evt"))

    @contextmanager
    def at(self, seconds: int) -> Iterator[None]:
        """Let the clock show an earlier instant: that at which something was due."""
        clock, now = self.world.clock, self.world.clock()
        clock.set(datetime.fromtimestamp(seconds, UTC))
        try:
            yield
        finally:
            clock.set(now)

    def notify(self, url: str, secret: str = WEBHOOK_SECRET) -> None:
        """Register the endpoint that receives all events."""
        self.outbox.endpoint = Endpoint(url, secret)
