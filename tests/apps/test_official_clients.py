"""Clients that are not ours sign in: an assistant's by the SDK of its protocol, and a general one, over real HTTP."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import httpx
import httpx2
import pytest
from requests_oauthlib import OAuth2Session
from tests.counterparts.tools import free_port
from tests.helpers.api import Api
from tests.helpers.apps import REDIRECT, form_of, person_of
from tests.helpers.served import served

from signalpost.context import AppContext
from signalpost.identity.actions import sign_in
from signalpost.main import app

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client.auth import AuthorizationCodeResult
    from mcp.shared.auth import OAuthClientInformationFull, OAuthToken


class Memory:
    """Where the client of an assistant keeps what it got."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> "OAuthToken | None":
        return self.tokens

    async def set_tokens(self, tokens: "OAuthToken") -> None:
        self.tokens = tokens

    async def get_client_info(self) -> "OAuthClientInformationFull | None":
        return self.client

    async def set_client_info(self, client_info: "OAuthClientInformationFull") -> None:
        self.client = client_info


class Place:
    """The service at a port of its own, and a person who is signed in there."""

    def __init__(self, url: str, key: str, cookie: str) -> None:
        self.url, self.key, self._cookie = url, key, cookie

    async def allow(self, address: str, **fields: str) -> str:
        """Open the address of an authorization in the browser, and allow it; return where the browser goes."""
        async with httpx.AsyncClient(cookies={"session": self._cookie}, base_url=self.url) as browser:
            page = await browser.get(address)
            assert page.status_code == 200, page.text
            data = form_of(page.text) | {"profile": "", "decision": "allow"} | fields
            answer = await browser.post("/oauth/authorize", data=data, headers={"Origin": self.url})
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])


@pytest.fixture(scope="module")
async def place(context: AppContext, api: Api) -> AsyncIterator[Place]:
    person = await person_of(context, api)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    opened = dataclasses.replace(context, settings=dataclasses.replace(context.settings, base_url=url), states={})
    async with served(app.create(opened), port):
        yield Place(url, person.key, sign_in.session_cookie(context, person.key))


@asynccontextmanager
async def assistant(place: Place, memory: Memory, *, publish: str = "") -> AsyncIterator["Client"]:
    """The official client, which finds out by itself how to sign in, and asks a person."""
    # Here, since to import it takes two seconds, and each process of a run collects all tests.
    from mcp import Client
    from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import OAuthClientMetadata

    at: list[str] = []

    async def open_browser(address: str) -> None:
        at.append(await place.allow(address, publish=publish))

    async def come_back() -> "AuthorizationCodeResult":
        query = {name: values[0] for name, values in parse_qs(urlsplit(at.pop()).query).items()}
        return AuthorizationCodeResult(code=query["code"], state=query["state"], iss=query["iss"])

    provider = OAuthClientProvider(
        server_url=f"{place.url}/mcp",
        client_metadata=OAuthClientMetadata.model_validate({
            "client_name": "Desk assistant", "redirect_uris": ["http://127.0.0.1:7777/callback"],
            "token_endpoint_auth_method": "none",
        }),
        storage=memory, redirect_handler=open_browser, callback_handler=come_back,
    )  # fmt: skip
    async with httpx2.AsyncClient(auth=provider, timeout=300) as http:
        transport: Any = streamable_http_client(f"{place.url}/mcp", http_client=http)
        async with Client(transport) as client:
            yield client


async def test_an_assistant_registers_signs_in_uses_a_tool_and_refreshes(place: Place, api: Api) -> None:
    memory = Memory()
    profile = (await api.get("/profiles", key=place.key)).json()["data"][0]["id"]
    async with assistant(place, memory) as client:
        drafted = await client.call_tool("create_draft", {"profileId": profile, "text": "By an assistant"})
        assert not drafted.is_error, drafted.content
        assert (drafted.structured_content or {})["createdBy"]["name"] == "Desk assistant"
    assert memory.tokens is not None
    assert "posts:publish" not in (memory.tokens.scope or "")  # it asked; the person did not tick the box
    first = memory.tokens.access_token

    memory.tokens = memory.tokens.model_copy(update={"access_token": "sp_oat_expired"})
    async with assistant(place, memory) as client:  # a 401, so it asks the person again
        assert not (await client.call_tool("list_accounts", {})).is_error
    assert memory.tokens.access_token != first
    assert (await api.get("/auth/me", key=first)).status_code == 200  # another grant: both are listed
    names = [one["app"]["name"] for one in (await api.get("/app-grants", key=place.key)).json()["data"]]
    assert names == ["Desk assistant", "Desk assistant"]


async def test_a_general_client_signs_in_with_a_secret_and_refreshes(
    place: Place, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    made = (await api.post("/apps", json={"name": "CMS", "redirectUris": [REDIRECT]}, key=place.key)).json()
    async with httpx.AsyncClient() as http:
        metadata = (await http.get(f"{place.url}/.well-known/oauth-authorization-server")).json()
    assert metadata["issuer"] == place.url
    session = OAuth2Session(
        made["id"], redirect_uri=REDIRECT, scope=["accounts:read", "posts:read"], pkce="S256",
    )  # fmt: skip
    address, _ = session.authorization_url(metadata["authorization_endpoint"])
    back = await place.allow(address)
    first = await asyncio.to_thread(
        lambda: session.fetch_token(
            metadata["token_endpoint"], authorization_response=back, client_secret=made["secret"],
            include_client_id=True,
        )
    )  # fmt: skip
    answer = await asyncio.to_thread(lambda: session.get(f"{place.url}/api/v1/auth/me"))
    assert answer.json()["auth"]["scopes"] == ["accounts:read", "posts:read"], answer.text
    second = await asyncio.to_thread(
        lambda: session.refresh_token(metadata["token_endpoint"], auth=(made["id"], made["secret"]))
    )
    assert second["access_token"] != first["access_token"]
    assert (await asyncio.to_thread(lambda: session.get(f"{place.url}/api/v1/accounts"))).status_code in (200, 404)
