"""Reading a Bluesky server's records, and standing between it and the service."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import httpx
from tests.counterparts import PdsAccount, ReferencePds
from tests.counterparts.tools import free_port
from tests.helpers.limits import TEST_SECONDS

POST = "app.bsky.feed.post"


async def posts(pds: ReferencePds, account: PdsAccount) -> list[dict[str, Any]]:
    """All posts of the account as the server has them, oldest first: {uri, cid, value}."""
    query = {"repo": account.did, "collection": POST, "limit": "100", "reverse": "true"}
    found: list[dict[str, Any]] = (await _get(pds, "com.atproto.repo.listRecords", query))["records"]
    return found


async def post(pds: ReferencePds, uri: str) -> dict[str, Any]:
    """One record by its address."""
    did, collection, rkey = uri.removeprefix("at://").split("/")
    query = {"repo": did, "collection": collection, "rkey": rkey}
    found: dict[str, Any] = await _get(pds, "com.atproto.repo.getRecord", query)
    return found


async def blob(pds: ReferencePds, account: PdsAccount, cid: str) -> bytes:
    """The bytes of an uploaded file."""
    async with httpx.AsyncClient(timeout=TEST_SECONDS) as client:
        answer = await client.get(f"{pds.url}/xrpc/com.atproto.sync.getBlob", params={"did": account.did, "cid": cid})
        answer.raise_for_status()
        return answer.content


async def texts(pds: ReferencePds, account: PdsAccount, word: str) -> list[str]:
    """The texts of the posts that contain `word`, oldest first."""
    return [record["value"]["text"] for record in await posts(pds, account) if word in record["value"]["text"]]


async def _get(pds: ReferencePds, name: str, query: dict[str, str]) -> Any:
    async with httpx.AsyncClient(timeout=TEST_SECONDS) as client:
        answer = await client.get(f"{pds.url}/xrpc/{name}", params=query)
        answer.raise_for_status()
        return answer.json()


class Between:
    """A TCP proxy before the server. While `holding`, the answer to a createRecord does not get through."""

    def __init__(self, url: str) -> None:
        self.url = ""
        self.holding = False
        self.has_answer = asyncio.Event()
        """The server has answered a createRecord: the record is there, and only we know."""
        self.let_go = asyncio.Event()
        parts = urlsplit(url)
        self._server = (parts.hostname, parts.port)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass bytes in both directions until one side ends."""
        upstream, upwards = await asyncio.open_connection(*self._server)
        creating = asyncio.Event()

        async def there() -> None:
            while data := await reader.read(65_536):
                creating.set() if b"repo.createRecord" in data else None
                upwards.write(data)
                await upwards.drain()

        async def back() -> None:
            while data := await upstream.read(65_536):
                if self.holding and creating.is_set():
                    self.has_answer.set()
                    await self.let_go.wait()
                writer.write(data)
                await writer.drain()

        ways = {asyncio.create_task(there()), asyncio.create_task(back())}
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for end in (writer, upwards):
            end.close()
            with contextlib.suppress(OSError):
                await end.wait_closed()


@contextlib.asynccontextmanager
async def between(pds: ReferencePds) -> AsyncIterator[Between]:
    """A proxy before `pds`."""
    proxy = Between(pds.url)
    server = await asyncio.start_server(proxy.connected, "127.0.0.1", free_port())
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield proxy
