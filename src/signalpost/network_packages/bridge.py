"""What a package gets instead of the objects of the service: the same members, which work in the loop of the service.

Errors of the service that pass through a package, such as a lost lease, are remembered: they come out unchanged.
"""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from signalpost.kit.http import Part as FormPart
from signalpost.network_packages.loops import in_loop
from signalpost.networks.contract import Http, Journal, NetworkSession, Outgoing, OutgoingMedia, Response, Server

T = TypeVar("T")


class Bridge:
    """Between the loop of the service and that of a package, for one call."""

    def __init__(self, service: asyncio.AbstractEventLoop, package: asyncio.AbstractEventLoop) -> None:
        self.service = service
        self.package = package
        self.raised: list[BaseException] = []
        """Errors of the service in this call."""

    async def ask(self, function: Callable[[], Awaitable[T]]) -> T:
        """Await something of the service, from the package."""
        try:
            return await in_loop(self.service, function)
        except Exception as error:
            self.raised.append(error)
            raise

    def crossed(self, value: Any) -> Any:
        """Return an argument of a connector as the package gets it."""
        match value:
            case NetworkSession():
                return self.session(value)
            case Server():
                return self.server(value)
            case Outgoing():
                parts = tuple(
                    [replace(part, media=tuple([self.media(media) for media in part.media])) for part in value.parts]
                )
                return replace(value, parts=parts)
            case _ if hasattr(value, "intend"):
                return BridgedJournal(self, value)
        return value

    def server(self, server: Server) -> Server:
        return replace(server, http=BridgedHttp(self, server.http))

    def session(self, session: NetworkSession) -> NetworkSession:
        """Return a session whose tokens follow those of the original."""

        async def save_tokens(secrets: Mapping[str, str], expires_at: datetime | None) -> None:
            await self.ask(lambda: session.save_tokens(secrets, expires_at))
            bridged.secrets = session.secrets

        async def refresh(_: NetworkSession) -> None:
            exclusively = session.refresh_exclusively
            assert exclusively is not None  # noqa: S101 - otherwise this is not handed out
            await self.ask(lambda: exclusively(session))
            bridged.secrets = session.secrets

        bridged = replace(
            session, server=self.server(session.server), pages=BridgedHttp(self, session.pages),
            save_tokens=save_tokens, refresh_exclusively=None if session.refresh_exclusively is None else refresh,
            is_shared=None,
        )  # fmt: skip
        return bridged

    def media(self, media: OutgoingMedia) -> OutgoingMedia:
        thumbnail = None if media.thumbnail is None else self.media(media.thumbnail)
        return replace(media, read=lambda: self.pulled(media.read(), self.service), thumbnail=thumbnail)

    async def pulled(self, items: AsyncIterable[T], loop: asyncio.AbstractEventLoop) -> AsyncIterator[T]:
        """Yield the items of a stream that belongs to another loop."""
        source = aiter(items)
        while True:
            try:
                yield await in_loop(loop, lambda: anext(source))
            except StopAsyncIteration:
                return

    def body(self, data: Any) -> Any:
        """Return the body of a request as the client of the service can read it: streams are read in the package."""
        if isinstance(data, AsyncIterable):
            return self.pulled(data, self.package)
        if isinstance(data, Sequence) and not isinstance(data, bytes | str):
            return [replace(part, content=self.body(part.content)) if _is_stream(part) else part for part in data]
        return data


def _is_stream(part: Any) -> bool:
    return isinstance(part, FormPart) and isinstance(part.content, AsyncIterable)


class BridgedHttp:
    """See `networks.contract.Http`."""

    def __init__(self, bridge: Bridge, http: Http) -> None:
        self._bridge = bridge
        self._http = http

    async def request(self, method: str, url: str, *, data: Any = None, **options: Any) -> Response:
        """Send a request in the loop of the service."""
        body = self._bridge.body(data)
        return await self._bridge.ask(lambda: self._http.request(method, url, data=body, **options))


class BridgedJournal:
    """See `networks.contract.Journal`."""

    def __init__(self, bridge: Bridge, journal: Journal) -> None:
        self._bridge = bridge
        self._journal = journal

    @property
    def steps(self) -> Mapping[str, Any]:
        return self._journal.steps

    async def record(self, step: str, value: Any) -> None:
        await self._bridge.ask(lambda: self._journal.record(step, value))

    async def intend(self, step: str, value: Any) -> None:
        await self._bridge.ask(lambda: self._journal.intend(step, value))

    async def done(self, step: str, value: Any) -> None:
        await self._bridge.ask(lambda: self._journal.done(step, value))
