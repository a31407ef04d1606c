"""An OpenID provider inside the test process that can be told to misbehave, and a browser that signs in there."""

import base64
import contextlib
import hashlib
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
from aiohttp import web
from joserfc import jwk, jws
from tests.helpers.sign_in_servers import serving

from signalpost.context import AppContext
from signalpost.main import app

BACK = "http://127.0.0.1:9/done"
SECRET = "a secret/of the tests"
KEY = jwk.RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
Claims = dict[str, Any]


@dataclass
class FakeProvider:
    """Signs in whoever `claims` says; the other members change what it answers."""

    key: jwk.RSAKey = field(default_factory=lambda: KEY)
    published: list[Any] = field(default_factory=list)
    url: str = ""
    document: Claims = field(default_factory=dict)
    claims: Claims = field(default_factory=dict)
    change: Callable[[Claims], None] = lambda _claims: None
    sign: Callable[["FakeProvider", Claims], str] = lambda provider, claims: provider.signed(claims)
    in_userinfo: Claims | None = None
    nonces: dict[str, tuple[str, str]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    def signed(self, claims: Claims, key: Any = None, **header: Any) -> str:
        fields = {"alg": "RS256", "kid": "first"} | header
        return jws.serialize_compact(fields, json.dumps(claims), key or self.key, algorithms=[fields["alg"]])

    async def discover(self, _request: web.Request) -> web.Response:
        self.calls.append("discover")
        paths = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        document = {"issuer": self.url, "userinfo_endpoint": f"{self.url}/userinfo"}
        document |= {name: f"{self.url}/{path}" for name, path in paths.items()}
        return web.json_response(document | self.document)

    async def keys(self, _request: web.Request) -> web.Response:
        self.calls.append("keys")
        found = self.published or [self.key]
        return web.json_response({"keys": [key.as_dict(private=False) for key in found]})

    async def token(self, request: web.Request) -> web.Response:
        self.calls.append("token")
        form = await request.post()
        assert request.headers["Authorization"] == _basic("signalpost", "a+secret%2Fof+the+tests")
        nonce, challenge = self.nonces.pop(str(form["code"]), ("", ""))
        digest = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != challenge:
            return web.json_response({"error": "invalid_grant"}, status=400)
        now = int(time.time())
        claims = {"iss": self.url, "aud": "signalpost", "iat": now, "exp": now + 300, "nonce": nonce} | self.claims
        self.change(claims)
        return web.json_response({"id_token": self.sign(self, claims), "access_token": "at", "token_type": "Bearer"})

    async def userinfo(self, _request: web.Request) -> web.Response:
        self.calls.append("userinfo")
        return web.json_response(self.in_userinfo or {})

    def consent(self, url: str, **more: str) -> str:
        """Return where the browser is sent back when the person agrees."""
        query = {name: value for name, [value] in parse_qs(urlsplit(url).query).items()}
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_hex(8)
        self.nonces[code] = (query["nonce"], query["code_challenge"])
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']} | more)}"

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator["FakeProvider"]:
        routes = (
            ("GET", "/.well-known/openid-configuration", self.discover),
            ("GET", "/keys", self.keys),
            ("POST", "/token", self.token),
            ("GET", "/userinfo", self.userinfo),
        )
        async with serving(*routes) as self.url:
            yield self


def _basic(name: str, secret: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()


def context_of(context: AppContext, provider: FakeProvider, **settings: Any) -> AppContext:
    """Return the context of an operator who chose this provider."""
    chosen: dict[str, Any] = {
        "oidc_issuer": provider.url, "oidc_client_id": "signalpost", "oidc_client_secret": SECRET,
        "oidc_label": "Acme ID", "allowed_private_hosts": (),
    }  # fmt: skip
    return replace(context, settings=replace(context.settings, **(chosen | settings)), states={})


class Browser:
    """A browser with cookies, and the client that sent it: it has the verifier."""

    def __init__(self, context: AppContext, provider: FakeProvider) -> None:
        self.context, self.provider = context, provider
        self.verifier = secrets.token_urlsafe(48)
        address = ".".join(str(part) for part in (10, *secrets.token_bytes(3)))
        self.pages = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app.create(context)), base_url="http://signalpost.test",
            headers={"X-Forwarded-For": address, "Accept": "text/html"},
        )  # fmt: skip

    async def start(self, **query: str) -> httpx.Response:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        chosen = {"redirectUrl": BACK, "codeChallenge": challenge, "state": "mine"} | query
        return await self.pages.get("/sign-in/oidc", params=chosen)

    async def come_back(self, **more: str) -> httpx.Response:
        """Start, agree at the provider, and return."""
        started = await self.start()
        assert started.status_code == 303, started.text
        return await self.pages.get(self.provider.consent(started.headers["location"], **more))

    async def answer(self, **form: str) -> httpx.Response:
        return await self.pages.post("/sign-in/oidc/confirm", data=form)

    async def question(self) -> str:
        return (await self.pages.get("/sign-in/oidc/confirm")).text

    async def redeem(self, response: httpx.Response, verifier: str | None = None) -> httpx.Response:
        """Redeem the code with which the browser was sent to the client."""
        assert response.status_code == 303, response.text
        location = response.headers["location"]
        assert location.startswith(BACK + "?"), location
        query = parse_qs(urlsplit(location).query)
        assert query["state"] == ["mine"]
        data = {"code": query["code"][0], "codeVerifier": verifier or self.verifier}
        return await self.pages.post("/api/v1/auth/oidc/token", json=data)
