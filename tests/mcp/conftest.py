"""The service on a port of its own, and the client that the authors of the protocol publish."""

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, NamedTuple

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.counterparts.tools import free_port
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.served import served

from signalpost.context import AppContext
from signalpost.main import app

import_module("anyio._backends._asyncio")  # at its first use, inside of the client, pytest could not compile it


class Place(NamedTuple):
    """A workspace with a sandbox account, and the address of the service."""

    url: str
    owner: Login
    account: dict[str, Any]

    def contents(self, text: str, **more: Any) -> dict[str, Any]:
        return {"profileId": self.owner.profile, "text": text, "platforms": ["sandbox"], **more}

    @asynccontextmanager
    async def client(self, mode: Any = "auto", key: str | None = None) -> AsyncIterator[Client]:
        """The official client, as it is; `mode` is the revision of the protocol that it speaks."""
        headers = {"Authorization": f"Bearer {key or self.owner.key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=300) as http:
            transport: Any = streamable_http_client(f"{self.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client


@pytest.fixture(scope="module")
async def url(context: AppContext) -> AsyncIterator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    opened = dataclasses.replace(context, settings=dataclasses.replace(context.settings, base_url=url), states={})
    async with served(app.create(opened), port):
        yield url


@pytest.fixture(scope="module")
async def place(url: str, context: AppContext, api: Api) -> Place:
    make = Make(context, api)
    owner = await make.owner()
    return Place(url, owner, await make.account(owner))
