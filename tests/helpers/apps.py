"""An app and a person in a browser, as they go through OAuth with the service."""

import base64
import hashlib
import itertools
import re
import secrets
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from tests.helpers.api import Api
from tests.helpers.authorization import Browser
from tests.helpers.canaries import CANARIES
from tests.helpers.identity import register

from signalpost.context import AppContext
from signalpost.identity.actions import sign_in

ORIGIN = "http://signalpost.test"
REDIRECT = "https://shop.example.com/callback"
_addresses = itertools.count(1)
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


def form_of(page: str) -> dict[str, str]:
    """The hidden fields of the form by which a person answers."""
    form = page.rpartition('<form method="post">')[2]
    return {unescape(name): unescape(value) for name, value in _HIDDEN.findall(form)}


class Person:
    """A user who is signed in in a browser."""

    def __init__(self, context: AppContext, api: Api, account: dict[str, Any]) -> None:
        self.account = account
        self.key = str(account["accessToken"])
        self.browser = Browser(api, ORIGIN)
        self.browser.client.cookies.set("session", sign_in.session_cookie(context, self.key))

    @property
    def workspace(self) -> str:
        return str(self.account["workspace"]["id"])

    async def open(self, url: str) -> httpx.Response:
        """Open the address to which an app sends the browser."""
        return await self.browser.get(url)

    async def answer(self, url: str, decision: str = "allow", **fields: str) -> httpx.Response:
        """Open the page, and press one of its buttons."""
        page = await self.open(url)
        assert page.status_code == 200, page.text
        data = form_of(page.text) | {"profile": "", "publish": "yes", "decision": decision} | fields
        return await self.browser.post("/oauth/authorize", data=data)


class App:
    """A client of OAuth that is written from its RFCs. Each call comes from an address of its own."""

    def __init__(self, api: Api, client_id: str, secret: str | None = None, redirect_uri: str = REDIRECT) -> None:
        self.client_id, self.secret, self.redirect_uri = client_id, secret, redirect_uri
        self.verifier = secrets.token_urlsafe(48)
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app=api.app), base_url=ORIGIN)

    @classmethod
    async def registered(cls, api: Api, **metadata: Any) -> "App":
        """An app that registered itself, by default as a public one."""
        app = cls(api, "")
        body = {
            "client_name": "Shop sync", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none",
        } | metadata  # fmt: skip
        answer = await app.post("/oauth/register", json=body)
        assert answer.status_code == 201, answer.text
        found = answer.json()
        app.client_id, app.secret, app.redirect_uri = (
            found["client_id"],
            found.get("client_secret"),
            body["redirect_uris"][0],
        )
        if app.secret:
            CANARIES.add(app.secret)
        return app

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def url(self, **parameters: str | None) -> str:
        """The address to which it sends the browser; a parameter that is None is left out."""
        asked = {
            "client_id": self.client_id, "redirect_uri": self.redirect_uri, "response_type": "code", "state": "s t&te",
            "code_challenge": self.challenge, "code_challenge_method": "S256",
            "scope": "posts:read posts:write posts:publish accounts:read",
        } | parameters  # fmt: skip
        query = httpx.QueryParams({name: value for name, value in asked.items() if value is not None})
        return f"/oauth/authorize?{query}"

    async def post(self, path: str, **options: Any) -> httpx.Response:
        number = next(_addresses)
        headers = {"X-Forwarded-For": f"10.{150 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"}
        return await self._client.post(path, headers=headers | options.pop("headers", {}), **options)

    async def token(self, **form: str | None) -> httpx.Response:
        sent = {"client_id": self.client_id, "client_secret": self.secret} | form
        answer = await self.post(
            "/oauth/token", data={name: value for name, value in sent.items() if value is not None}
        )
        if answer.status_code == 200:
            CANARIES.add(answer.json()["access_token"])
            CANARIES.add(answer.json()["refresh_token"])
        return answer

    async def redeem(self, code: str, **form: str | None) -> httpx.Response:
        return await self.token(
            **{"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect_uri,
               "code_verifier": self.verifier} | form
        )  # fmt: skip

    async def refresh(self, refresh_token: str, **form: str | None) -> httpx.Response:
        return await self.token(**{"grant_type": "refresh_token", "refresh_token": refresh_token} | form)

    async def allowed(self, person: Person, **fields: str) -> dict[str, Any]:
        """What it gets when a person allows it."""
        answer = await person.answer(self.url(), **fields)
        redeemed = await self.redeem(answered(answer)["code"])
        assert redeemed.status_code == 200, redeemed.text
        found: dict[str, Any] = redeemed.json()
        return found


def answered(answer: httpx.Response) -> dict[str, str]:
    """What the browser brings to the app."""
    assert answer.status_code == 303, answer.text
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}


async def person_of(context: AppContext, api: Api) -> Person:
    """A new user with a workspace, signed in."""
    return Person(context, api, await register(api))


async def granted(context: AppContext, api: Api, access_token: str) -> str:
    """The id of what whoever has this session allows an app."""
    person = Person(context, api, {"accessToken": access_token})
    await (await App.registered(api)).allowed(person)
    answer = await api.get("/app-grants", key=person.key)
    return str(answer.json()["data"][0]["id"])
