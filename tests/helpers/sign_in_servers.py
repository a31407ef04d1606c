"""Small local servers of networks, to connect accounts at and renew tokens; they can be told to misbehave."""

import asyncio
import base64
import contextlib
import hashlib
import itertools
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from aiohttp import web
from tests.counterparts import tools
from tests.helpers.api import Api

from signalpost.context import AppContext
from signalpost.main import app

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@contextlib.asynccontextmanager
async def serving(*routes: tuple[str, str, Handler]) -> AsyncIterator[str]:
    """Serve the routes on a local port that no other server of this process had; yield the base URL.

    The product remembers what it registered at an address.
    """
    application = web.Application()
    for method, path, response in routes:
        application.router.add_route(method, path, response)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    port = tools.free_port()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


def context_with(context: AppContext, **networks: str) -> AppContext:
    """Return the context of an operator who set SIGNALPOST_<NAME> for some networks."""
    return replace(context, settings=replace(context.settings, networks=networks))


@contextlib.asynccontextmanager
async def api_of(context: AppContext) -> AsyncIterator[Api]:
    async with Api(app.create(context)) as opened:
        yield opened


def token(kind: str, serial: int, *, seconds: int) -> str:
    """Return an unsigned JSON Web Token that expires after `seconds`."""
    import time

    claims = {"exp": int(time.time()) + seconds, "jti": f"{kind}-{serial}", "scope": "com.atproto.appPass"}
    parts = (json.dumps({"alg": "none"}).encode(), json.dumps(claims).encode(), b"x")
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def did_of(name: str) -> str:
    """Return the DID of the account with this handle: well-formed, and always the same."""
    digest = hashlib.sha256(name.partition(".")[0].encode()).digest()[:15]
    return "did:plc:" + base64.b32encode(digest).decode().lower()


@dataclass
class DidDirectory:
    """A directory of Bluesky accounts, as plc.directory is one: it says at which server an account is stored."""

    documents: dict[str, Any] = field(default_factory=dict)
    status: int = 200
    lie: tuple[str, int, bytes] | None = None
    """Calls whose method and path contain the first get this status and these bytes; `lies` counts them."""
    lies: int = 0

    def add(self, handle: str, server: str) -> str:
        """Register an account; returns its DID."""
        did = did_of(handle)
        service = {"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": server}
        self.documents[did] = {"id": did, "alsoKnownAs": [f"at://{handle}"], "service": [service]}
        return did

    async def resolve(self, request: web.Request) -> web.StreamResponse:
        if self.lie is not None and self.lie[0] in f"{request.method} {request.path}":
            self.lies += 1
            return web.Response(status=self.lie[1], body=self.lie[2], content_type="application/json")
        document = self.documents.get(request.match_info["did"])
        if self.status != 200 or document is None:
            return web.json_response({"message": "no"}, status=self.status if self.status != 200 else 404)
        return web.json_response(document)

    def serve(self) -> contextlib.AbstractAsyncContextManager[str]:
        return serving(("GET", "/{did}", self.resolve))


@dataclass
class FakeBluesky:
    """A server whose refresh tokens work exactly once, without a grace period."""

    serial: Any = field(default_factory=lambda: itertools.count(1))
    valid_refresh: str = ""
    valid_access: str = ""
    redeemed: list[str] = field(default_factory=list)
    drop_responses: int = 0
    status: int = 200
    access_seconds: int = 7200
    revoked: int = 0
    keeps_password: bool = False
    blocked: bool = False
    handle: str = "alice.test"
    did: str = ""  # what it claims, if not the DID of the handle
    secret_replaced: bool = False  # what the server signed before is no longer valid
    hold: asyncio.Event | None = None  # tokens are redeemed at once, and the response comes when this is set

    def _issue(self) -> dict[str, str]:
        serial = next(self.serial)
        self.valid_access = token("access", serial, seconds=self.access_seconds)
        self.valid_refresh = token("refresh", serial, seconds=7_776_000)
        return {"accessJwt": self.valid_access, "refreshJwt": self.valid_refresh}

    async def create(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if body["password"] != "right" or self.redeemed:
            error = {"error": "AuthenticationRequired", "message": "Invalid identifier or password"}
            return web.json_response(error, status=401)
        name = self.handle if body["identifier"].startswith("did:") else body["identifier"]
        account = {"did": self.did or did_of(name), "handle": name, "active": True}
        return web.json_response(account | self._issue())

    async def refresh(self, request: web.Request) -> web.StreamResponse:
        token_sent = request.headers["Authorization"].removeprefix("Bearer ")
        await asyncio.sleep(0.01)
        if self.status != 200:
            return web.json_response({"error": "InternalServerError"}, status=self.status)
        if self.secret_replaced:
            return web.json_response({"error": "InvalidToken", "message": "Token could not be verified"}, status=400)
        if token_sent != self.valid_refresh:
            return web.json_response({"error": "ExpiredToken", "message": "Token has been revoked"}, status=400)
        self.redeemed.append(token_sent)
        tokens = {"did": did_of(self.handle), "handle": self.handle} | self._issue()
        if self.hold is not None:
            await self.hold.wait()
        if self.drop_responses:
            self.drop_responses -= 1
            assert request.transport is not None
            request.transport.close()
        return web.json_response(tokens)

    async def session(self, request: web.Request) -> web.StreamResponse:
        if self.blocked:
            return web.json_response({"error": "AccountTakedown", "message": "Account has been taken down"}, status=401)
        if self.secret_replaced and request.headers["Authorization"].removeprefix("Bearer ") != self.valid_access:
            return web.json_response({"error": "InvalidToken", "message": "Token could not be verified"}, status=400)
        if request.headers["Authorization"].removeprefix("Bearer ") != self.valid_access:
            return web.json_response({"error": "ExpiredToken", "message": "Token has expired"}, status=400)
        return web.json_response({"did": did_of(self.handle), "handle": self.handle, "active": True})

    async def revoke(self, request: web.Request) -> web.StreamResponse:
        self.revoked += 1
        return web.json_response({})

    async def record(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"error": "RecordNotFound"}, status=400)

    def serve(self) -> contextlib.AbstractAsyncContextManager[str]:
        return serving(
            ("POST", "/xrpc/com.atproto.server.createSession", self.create),
            ("POST", "/xrpc/com.atproto.server.refreshSession", self.refresh),
            ("GET", "/xrpc/com.atproto.server.getSession", self.session),
            ("POST", "/xrpc/com.atproto.server.deleteSession", self.revoke),
            ("GET", "/xrpc/com.atproto.repo.getRecord", self.record),
        )


@dataclass
class FakeMastodon:
    """An instance that checks PKCE, the redirect URI and that a code is used only once; it counts the exchanges."""

    apps: dict[str, str] = field(default_factory=dict)
    codes: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # code -> (client, redirect, challenge)
    tokens: set[str] = field(default_factory=set)
    exchanges: int = 0
    forgets_apps: bool = False
    avatar: str = "https://files.example/a.png"
    profile: dict[str, Any] = field(default_factory=dict)  # replaces members of what the server says of the account
    metadata: dict[str, Any] = field(default_factory=dict)
    before_profile: Callable[[web.Request], Awaitable[None]] | None = None

    async def register(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        client = secrets.token_hex(8)
        self.apps[client] = str(form["redirect_uris"])
        return web.json_response({"client_id": client, "client_secret": f"secret-{client}"})

    async def describe(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"issuer": f"http://{request.host}/"} | self.metadata)

    async def authorize(self, request: web.Request) -> web.StreamResponse:
        """Show the page on which the person agrees."""
        code = self.consent(str(request.url))
        query = parse_qs(request.url.query_string)
        back = query["redirect_uri"][0] + "?" + urlencode({"code": code, "state": query["state"][0]})
        page = f'<!doctype html><html lang="en"><title>Agree?</title><a href="{escape(back)}">Authorize</a></html>'
        return web.Response(text=page, content_type="text/html")

    def consent(self, url: str) -> str:
        """Do what the instance does when the person agrees: return a code."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert self.apps[query["client_id"]] == query["redirect_uri"]
        code = secrets.token_urlsafe(16)
        self.codes[code] = (query["client_id"], query["redirect_uri"], query.get("code_challenge", ""))
        return code

    async def exchange(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        self.exchanges += 1
        if self.forgets_apps:
            return web.json_response({"error": "invalid_client"}, status=401)
        stored = self.codes.pop(str(form["code"]), None)
        digest = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if stored != (form["client_id"], form["redirect_uri"], challenge):
            return web.json_response({"error": "invalid_grant"}, status=400)
        tokens = "token-" + secrets.token_hex(16)
        self.tokens.add(tokens)
        return web.json_response({"access_token": tokens, "scope": "read write", "token_type": "Bearer"})

    async def me(self, request: web.Request) -> web.StreamResponse:
        if self.before_profile is not None:
            await self.before_profile(request)
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens:
            return web.json_response({"error": "The access token is invalid"}, status=401)
        profile = {"id": "42", "username": "alice", "display_name": "<b>Alice</b>", "followers_count": 7}
        return web.json_response(profile | {"avatar": self.avatar} | self.profile)

    async def search(self, request: web.Request) -> web.StreamResponse:
        names = {"abel": "Noor Abel", "zoe@far.example": "Zoë Abbott"}
        text = request.query["q"].casefold()
        return web.json_response(
            [
                {"acct": account, "display_name": name}
                for account, name in names.items()
                if any(word.startswith(text) for word in name.casefold().split())
            ]
        )

    async def revoke(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        self.tokens.discard(str(form["token"]))
        return web.json_response({})

    def serve(self) -> contextlib.AbstractAsyncContextManager[str]:
        return serving(
            ("POST", "/api/v1/apps", self.register),
            ("GET", "/.well-known/oauth-authorization-server", self.describe),
            ("GET", "/oauth/authorize", self.authorize),
            ("POST", "/oauth/token", self.exchange),
            ("POST", "/oauth/revoke", self.revoke),
            ("GET", "/api/v1/accounts/verify_credentials", self.me),
            ("GET", "/api/v1/accounts/search", self.search),
        )
