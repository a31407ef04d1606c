"""What the part of a network is built on: routes, tokens, scopes, limits, and errors in the network's own words."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Literal, TypeVar

from simulator.ledger import Entry, grown
from simulator.messages import BadBody, Fail, Request, Response
from simulator.oauth import Grant, OAuthError, OAuthRules, OAuthServer
from simulator.specification import Specification
from simulator.world import Person, Quota, World

Handler = Callable[[Any, Request], Response]
AnyHandler = TypeVar("AnyHandler", bound=Handler)


@dataclass(frozen=True)
class Limit:
    """How many calls are accepted in a window, for each account or for the whole app."""

    count: int
    seconds: float
    per: Literal["account", "app"] = "account"


@dataclass(frozen=True)
class Route:
    call: str  # METHOD /path/{placeholder}
    pattern: "re.Pattern[str]"
    handler: Handler
    scopes: tuple[str, ...]
    limits: tuple[Limit, ...]
    auth: bool


def route(
    call: str, *, scopes: Iterable[str] = (), limits: Iterable[Limit] = (), auth: bool = True
) -> Callable[[AnyHandler], AnyHandler]:
    """Mark a method as the handler of `METHOD /path/{placeholder}`; one placeholder is one segment of the path.

    Faults name the call by this string. With `auth`, a token is required and `request.grant` is what it opens.
    """
    method, _, path = call.partition(" ")
    pattern = re.compile(re.escape(method) + " " + re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path)))

    def mark(handler: AnyHandler) -> AnyHandler:
        made = Route(call, pattern, handler, tuple(scopes), tuple(limits), auth)
        handler.__dict__.setdefault("routes", []).append(made)
        return handler

    return mark


class Line(ABC):
    """An open WebSocket over which a network sends what it was not asked for."""

    @abstractmethod
    def due(self) -> Sequence[str] | None:
        """Return what is sent now; None closes it."""

    @abstractmethod
    def said(self, text: str) -> None:
        """Hear what the other end says."""

    @abstractmethod
    def ended(self) -> None:
        """The connection has ended, from either end."""


class Network(ABC):
    """One network. A new one is made at each reset, so its members are its state."""

    key: ClassVar[str]
    oauth_rules: ClassVar[OAuthRules | None] = None
    ids_from: ClassVar[int] = 1_000_000_000_000_000
    fetches: ClassVar[bool] = False
    """Whether it downloads files while it answers; such calls run in a thread, so that their server can be this one."""
    speaks_websocket: ClassVar[bool] = False
    """Whether it answers over WebSockets too: each text is a request."""
    strict: ClassVar[bool] = True
    """Whether unknown parameters are refused; some networks ignore them."""
    specification: ClassVar[Specification | None] = None
    """What the network publishes of its calls, by which each request is checked before anything else is."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.oauth = None if self.oauth_rules is None else OAuthServer(self, self.oauth_rules)
        self.calls: Mapping[str, Route] = {made.call: made for made in self._routes()}

    @classmethod
    def described(cls) -> list[str]:
        """Return the calls that have a handler of this network: all but those of authorization."""
        return [made.call for made in cls._handled()]

    @classmethod
    def _handled(cls) -> Iterable[Route]:
        for name in dir(cls):
            yield from getattr(getattr(cls, name), "__dict__", {}).get("routes", ())

    def _routes(self) -> Iterable[Route]:
        yield from self._handled()
        rules = self.oauth_rules
        if rules is None:
            return
        made = [(f"GET {rules.authorize}", Network._page), (f"POST {rules.authorize}", Network._page)]
        made.append((f"POST {rules.token}", Network._token))
        if rules.revoke is not None:
            made.append((f"POST {rules.revoke}", Network._revoke))
        for call, handler in made:
            yield Route(call, re.compile(re.escape(call)), handler, (), (), auth=False)

    # --- what a network says in its own words ----------------------------------------------------------------------

    @abstractmethod
    def failure(self, status: int, message: str) -> Response:
        """Return an error response in the network's shape: 400, 403, 404, 429, 500, 503."""

    def texts(self, request: Request, response: Response) -> Sequence[str] | None:  # noqa: ARG002 - of those that do
        """Return what an answer is over a WebSocket; None closes it."""
        return None

    def hold(self, request: Request) -> Line | None:  # noqa: ARG002 - of those that do
        """Return the connection that a request opens (it was answered with 101) and that stays open; None: no such."""
        return None

    def unauthorized(self) -> Response:
        """Return the response to a token that opens nothing."""
        return self.failure(401, "Unauthorized")

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        return self.failure(403, f"the token lacks the scopes {', '.join(missing)}")

    def rate_limited(self) -> Response:
        return self.failure(429, "Too Many Requests")

    def rate_headers(self, quota: Quota) -> dict[str, str]:  # noqa: ARG002 - of networks that send some
        return {}

    def token_answer(self, grant: Grant) -> dict[str, Any]:
        """Return the body of a successful call of the token endpoint."""
        seconds = self.oauth_rules.access_seconds if self.oauth_rules else None
        answer: dict[str, Any] = {"token_type": "bearer", "access_token": grant.access_token}
        answer["scope"] = " ".join(sorted(grant.scopes))
        if seconds is not None:
            answer["expires_in"] = int(seconds)
        return answer if grant.refresh_token is None else answer | {"refresh_token": grant.refresh_token}

    def token_error(self, error: OAuthError) -> Response:
        return Response(error.status, {"error": error.error, "error_description": error.description})

    def revoke_answer(self) -> Response:
        return Response(200, {})

    def denied(self) -> dict[str, str]:
        """Return what a person's "no" adds to the redirect address."""
        return {"error": "access_denied"}

    def callback_extras(self, scopes: frozenset[str]) -> dict[str, str]:  # noqa: ARG002 - of networks that add some
        """Return what the network adds beside the code."""
        return {}

    # --- serving ---------------------------------------------------------------------------------------------------

    def match(self, request: Request) -> Route | None:
        """Return the route of a request, and set its placeholders."""
        line = f"{request.method} {request.path}"
        for made in self.calls.values():
            if (found := made.pattern.fullmatch(line)) is not None:
                request.args = found.groupdict()
                return made
        return None

    def handle(self, request: Request, made: Route | None) -> Response:
        """Answer a request; every refusal is in the network's own shape."""
        if made is None:
            return self.failure(404, f"there is no {request.method} {request.path}")
        try:
            quota = self._admit(request, made)
            self._require_specified(request, made)
            response = made.handler(self, request)
        except Fail as failed:
            return failed.response
        except BadBody as bad:
            return self.failure(400, str(bad))
        response.headers.update({} if quota is None else self.rate_headers(quota))
        return response

    def _require_specified(self, request: Request, made: Route) -> None:
        wrong = None if self.specification is None else self.specification.error(made.call, request)
        if wrong is not None:
            raise self.refuse(400, f"not as specified: {wrong}")

    def _admit(self, request: Request, made: Route) -> Quota | None:
        if not made.auth:
            return None
        grant = self.authenticate(request)
        if grant is None:
            raise Fail(self.unauthorized())
        request.grant = grant
        missing = [scope for scope in made.scopes if scope not in grant.scopes]
        if missing:
            raise Fail(self.missing_scopes(missing))
        first: Quota | None = None
        for limit in made.limits:
            owner = grant.app.client_id if limit.per == "app" else grant.person.id
            quota = self.world.count((self.key, made.call, limit, owner), limit.count, limit.seconds)
            if not quota.allowed:
                refused = self.rate_limited()
                refused.headers.update(self.rate_headers(quota))
                raise Fail(refused)
            first = first or quota
        return first

    def bearer(self, request: Request) -> str:
        """Return the access token of a request; networks that take it elsewhere replace this."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return token if scheme.lower() == "bearer" else ""

    def authenticate(self, request: Request) -> Grant | None:
        return None if self.oauth is None else self.oauth.find(self.bearer(request))

    def end(self, grant: Grant) -> None:
        """Let the tokens of a grant die."""
        if self.oauth is not None:
            self.oauth.end(grant)

    def _page(self, request: Request) -> Response:
        assert self.oauth is not None  # noqa: S101 - the route exists only then
        return self.oauth.page(request)

    def _token(self, request: Request) -> Response:
        assert self.oauth is not None  # noqa: S101 - the route exists only then
        try:
            return Response(200, self.token_answer(self.oauth.token(request)))
        except OAuthError as error:
            return self.token_error(error)

    def _revoke(self, request: Request) -> Response:
        assert self.oauth is not None  # noqa: S101 - the route exists only then
        try:
            self.oauth.revoke(request)
        except OAuthError as error:
            return self.token_error(error)
        return self.revoke_answer()

    # --- what handlers use -----------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The address at which this network listens."""
        return self.world.urls[self.key]

    def new_id(self) -> str:
        """Return an id as networks make them: a long number, later ones larger."""
        return str(self.ids_from + self.world.next_number())

    def refuse(self, status: int, message: str) -> Fail:
        """Return what to raise to end a call with an error."""
        return Fail(self.failure(status, message))

    def only(self, given: Mapping[str, Any], *allowed: str) -> None:
        """Refuse members that the call does not have: a misspelled one must not go unnoticed."""
        unknown = sorted(set(given) - set(allowed))
        if unknown and self.strict:
            raise self.refuse(400, f"unknown parameters: {', '.join(unknown)}")

    def publish(self, request: Request, kind: str, text: str, **values: Any) -> Entry:
        """Make something public, and return it; `account_id` is the person unless it is given."""
        values = {"account_id": request.person.id, "remote_id": self.new_id()} | values
        entry = Entry(network=self.key, kind=kind, text=text, at=self.world.clock(), **values)
        return self.world.ledger.add(entry)

    def receive_comment(self, parent_id: str, person: Person, text: str, **details: Any) -> Entry:
        """Have a person comment on what is public, or answer a comment."""
        entry = Entry(
            network=self.key, account_id=person.id, kind="comment", remote_id=self.comment_id(parent_id), text=text,
            at=self.world.clock(), parent_id=self.comment_parent(parent_id), details=details,
        )  # fmt: skip
        return self.world.ledger.add(entry)

    def comment_id(self, parent_id: str) -> str:  # noqa: ARG002 - of networks whose ids say what is commented on
        """Return the id of a new comment."""
        return self.new_id()

    def comment_parent(self, parent_id: str) -> str:
        """Return below what a comment stands; networks that know one level of answers name the comment on top."""
        return parent_id

    def below(self, remote_id: str) -> list[Entry]:
        """Return the comments below something and those below them, oldest first; `eventual` hides the last ones."""
        lag = self.world.strike(self.key, "*", ("eventual",))
        until = self.world.clock() - timedelta(seconds=lag.seconds if lag else 0)
        found, waiting = list[Entry](), [remote_id]
        while waiting:
            replies = self.world.ledger.replies(self.key, waiting.pop())
            found += [entry for entry in replies if entry.at <= until]
            waiting += [entry.remote_id for entry in replies]
        return sorted(found, key=lambda entry: (entry.at, entry.remote_id))

    def named(self, account_id: str) -> str:
        """Return the name of whoever has an account or a place of one."""
        for person in self.world.people:
            for holder in (person, *person.destinations):
                if person.network == self.key and holder.id == account_id:
                    return holder.name
        return account_id

    def listed(self, account_id: str) -> list[Entry]:
        """Return what lists show of an account, newest first. The fault `eventual` hides its last `seconds`."""
        lag = self.world.strike(self.key, "*", ("eventual",))
        until = self.world.clock() - timedelta(seconds=lag.seconds if lag else 0)
        return [entry for entry in reversed(self.world.ledger.of(self.key, account_id)) if entry.at <= until]

    def struck(self, kind: str, call: str = "*") -> bool:
        """Return whether a fault of the network's own strikes now."""
        return self.world.strike(self.key, call, (kind,)) is not None

    def count_of(self, entry: Entry, name: str, per_hour: float) -> int:
        """Return a metric of a post, which grows by the clock."""
        return grown(entry, name, self.world.clock(), per_hour=per_hour)
