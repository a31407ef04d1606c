"""What the networks of Meta share: tokens as parameters, the app's proof, versions, errors, fields and pages of lists.

Source: developers.facebook.com, Graph API overview and error codes. Not certain at the real network, and so chosen
here: a token that opens nothing is answered with 401, and every answer says how much of the app's calls is used.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from simulator.messages import Fail, File, Request, Response
from simulator.network import Network, Route
from simulator.oauth import Grant
from simulator.world import App, Person, Quota, World

VERSIONS = frozenset({"v22.0", "v23.0", "v24.0", "v25.0", "v26.0"})
CREDENTIALS = frozenset({"access_token", "appsecret_proof"})
LONG_LIVED_SECONDS = 5_184_000
_CODES: Mapping[int, int] = {400: 100, 401: 190, 403: 10, 404: 100, 408: 2, 429: 4}


def node_id(value: str) -> str:
    """Return the number in an id such as `page_post`."""
    return value.rpartition("_")[2]


class GraphNetwork(Network):
    """The Graph API as a network sees it: nodes, edges and fields. The fault `repeats` lists one page for ever."""

    versions: ClassVar[frozenset[str]] = VERSIONS
    checks_proof: ClassVar[bool] = True

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._traces = 0
        self._calls = 0

    # --- errors -------------------------------------------------------------------------------------------------------

    def error(self, status: int, code: int, message: str, subcode: int = 0, *, transient: bool = False) -> Response:
        self._traces += 1
        body: dict[str, Any] = {"message": message, "type": "OAuthException", "code": code}
        if subcode:
            body["error_subcode"] = subcode
        if transient or code in {1, 2, 4, 17, 32, 613}:
            body["is_transient"] = True
        body["fbtrace_id"] = f"A{hashlib.sha256(f'{self.key}{self._traces}'.encode()).hexdigest()[:22]}"
        return Response(status, {"error": body})

    def fail(self, code: int, message: str, subcode: int = 0, status: int = 400) -> Fail:
        """Return what to raise to end a call with an error of the API."""
        return Fail(self.error(status, code, f"(#{code}) {message}", subcode))

    def failure(self, status: int, message: str) -> Response:
        if status >= 500:
            return self.error(status, 2, "Service temporarily unavailable", transient=True)
        return self.error(
            400 if status == 404 else status, _CODES.get(status, 100), message, 33 if status == 404 else 0
        )

    def unauthorized(self) -> Response:
        message = "Error validating access token: Session has expired or was removed."
        return self.error(401, 190, message, 463)

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        return self.error(403, 200, f"(#200) Requires {' and '.join(missing)} permission to manage the object")

    def rate_limited(self) -> Response:
        return self.error(400, 32, "(#32) Page request limit reached")

    def rate_headers(self, quota: Quota) -> dict[str, str]:
        used = 100 - quota.remaining * 100 // quota.limit
        usage = {"type": "pages", "call_count": used, "total_cputime": 1, "total_time": 1}
        minutes = 0 if quota.allowed else 5
        usage["estimated_time_to_regain_access"] = minutes
        return {"X-Business-Use-Case-Usage": json.dumps({"1": [usage]})}

    # --- who calls ----------------------------------------------------------------------------------------------------

    def params(self, request: Request) -> dict[str, Any]:
        """Return the parameters of a call, wherever they stand, without those that say who calls."""
        fields = request.fields if request.content_type != "application/octet-stream" else {}
        values = {**request.query, **fields}
        return {name: value for name, value in values.items() if name not in CREDENTIALS}

    def bearer(self, request: Request) -> str:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() in {"bearer", "oauth"}:
            return token
        has_form = request.body and request.content_type != "application/octet-stream"
        given = request.form if has_form else {}
        return str(given.get("access_token") or request.query.get("access_token") or "")

    def authenticate(self, request: Request) -> Grant | None:
        token = self.bearer(request)
        client_id, separator, secret = token.partition("|")
        if separator:
            app = self.world.app(self.key, client_id)
            nobody = Person(self.key, "0", "app", "app")
            return Grant(app, nobody, frozenset(), self.world.clock()) if app and app.client_secret == secret else None
        grant = self.grant_of(token)
        if grant is not None:
            self._check_proof(request, token, grant.app)
        return grant

    def grant_of(self, token: str) -> Grant | None:
        """Return what a token opens now."""
        assert self.oauth is not None  # noqa: S101 - every network of Meta has it
        return self.oauth.find(token)

    def _check_proof(self, request: Request, token: str, app: App) -> None:
        has_form = request.body and request.content_type != "application/octet-stream"
        proof = (request.form if has_form else {}).get("appsecret_proof") or request.query.get("appsecret_proof")
        if proof is None:
            if app.details.get("requires_proof"):
                raise self.fail(100, "API calls from the server require an appsecret_proof argument")
            return
        expected = hmac.new(app.client_secret.encode(), token.encode(), hashlib.sha256).hexdigest()
        if not hmac.compare_digest(str(proof), expected):
            raise self.fail(100, "Invalid appsecret_proof provided in the API argument")

    def match(self, request: Request) -> Route | None:
        request.path = request.path.rstrip("/")  # Meta's own SDK ends the paths of nodes with a slash
        exact = self.calls.get(f"{request.method} {request.path}")  # /oauth/access_token is no node of a version
        return exact or super().match(request)

    def handle(self, request: Request, made: Route | None) -> Response:
        if (
            made is not None
            and (version := request.args.get("version", next(iter(self.versions)))) not in self.versions
        ):
            return self.error(400, 2635, f"(#2635) You are calling the API with version {version}, which has ended.")
        response = super().handle(request, made)
        self._calls += 1
        used = min(self._calls // 10, 100)
        response.headers["X-App-Usage"] = json.dumps({"call_count": used, "total_time": 1, "total_cputime": 1})
        return response

    # --- fields and lists ---------------------------------------------------------------------------------------------

    def shown(self, values: Mapping[str, Any], asked: str, *default: str) -> dict[str, Any]:
        """Return the fields of an object that a call asks for; a name that it does not have is an error."""
        names = [name.partition("{")[0].partition(".")[0] for name in split_fields(asked)] or list(default)
        unknown = sorted(set(names) - set(values) - {"id"})
        if unknown:
            raise self.fail(100, f"Tried accessing nonexisting field ({unknown[0]})")
        return {name: values[name] for name in {"id": None, **dict.fromkeys(names)} if values.get(name) is not None}

    def listed_page(self, request: Request, items: Sequence[Mapping[str, Any]]) -> Response:
        """Return a page of a list."""
        query = request.query
        limit, first = int(query.get("limit", "25")), int(query.get("after", "0") or 0)
        if not 1 <= limit <= 100:
            raise self.fail(100, "limit has to be between 1 and 100")
        if self.struck("repeats") and items:
            return Response(200, {
                "data": list(items[:limit]), "paging": {"cursors": {"after": str(first + 1)}, "next": self.url},
            })  # fmt: skip
        page = list(items[first : first + limit])
        body: dict[str, Any] = {"data": page}
        if page:
            body["paging"] = {"cursors": {"before": str(first), "after": str(first + len(page))}}
        if first + limit < len(items):
            body["paging"]["next"] = f"{self.url}{request.path}?after={first + limit}"
        return Response(200, body)

    def missing(self, object_id: str) -> Fail:
        """Return what to raise for an object that does not exist."""
        message = f"Unsupported get request. Object with ID '{object_id}' does not exist or cannot be loaded."
        return Fail(self.error(400, 100, message, 33))

    def insight(self, name: str, value: int) -> dict[str, Any]:
        return {
            "name": name,
            "period": "lifetime",
            "values": [{"value": value}],
            "title": name,
            "id": f"0/insights/{name}",
        }


def split_fields(asked: str) -> list[str]:
    """Split `a,b{c,d}` at the commas outside of braces and brackets."""
    names, depth, current = [], 0, ""
    for char in asked:
        depth += (char in "{(") - (char in "})")
        if char == "," and not depth:
            names.append(current)
            current = ""
        else:
            current += char
    return [name for name in (*names, current) if name]


def json_param(value: Any) -> Any:
    """Return a parameter that is JSON; None if it is none."""
    if isinstance(value, File) or value is None:
        return None
    try:
        return json.loads(value)
    except ValueError:
        return None


def moment(instant: datetime) -> str:
    """Return a time as the API writes it."""
    return instant.strftime("%Y-%m-%dT%H:%M:%S+0000")


def image_type(content: bytes) -> str | None:
    """Return what kind of file this is, by its first bytes."""
    signatures = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png", b"GIF8": "image/gif", b"BM": "image/bmp",
                  b"II*\0": "image/tiff", b"MM\0*": "image/tiff"}  # fmt: skip
    if content[4:8] == b"ftyp":
        return "video/mp4"
    return next((mime_type for start, mime_type in signatures.items() if content.startswith(start)), None)
