"""The simulator on the network: a port for each network, with the paths of the real one, and a port for control."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from copy import deepcopy
from datetime import datetime
from types import TracebackType
from typing import Self

from aiohttp import WSMsgType, web

from simulator.control import Control
from simulator.messages import Request, Response
from simulator.network import Line, Network
from simulator.networks import NETWORKS
from simulator.world import LOGGED_MAX, Fault, Logged, World

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
BODY_BYTES_MAX = 600_000_000
_LOOK_SECONDS = 0.02
"""How often a connection that stays open is looked after."""
FRAME_FAULTS = ("lost", "dropped", "slow", "late", "status", "status_after", "revoked", "answer")


class Simulator:
    """A world and its servers; `async with Simulator() as simulator:` listens on free ports of 127.0.0.1.

    `start` stops the clock there. `port` is that of the control server, and the networks follow it in their order.
    """

    def __init__(
        self,
        networks: Iterable[type[Network]] = NETWORKS,
        *,
        start: datetime | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.world = World(networks, start=start)
        self.control_url = ""
        self._host, self._port = host, port
        self._runners: list[web.ServerRunner] = []

    async def __aenter__(self) -> Self:
        control = Control(self.world)
        self.control_url = await self._listen(_control_handler(control), self._port)
        for number, key in enumerate(self.world.networks, 1):
            port = self._port + number if self._port else 0
            self.world.urls[key] = await self._listen(_network_handler(self.world, key), port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()

    async def _listen(self, handler: Handler, port: int) -> str:
        runner = web.ServerRunner(web.Server(handler, access_log=None), shutdown_timeout=0.1)
        await runner.setup()
        self._runners.append(runner)
        site = web.TCPSite(runner, self._host, port)
        await site.start()
        host, bound = runner.addresses[0][:2]
        return f"http://{host}:{bound}"

    def url(self, network: str) -> str:
        return self.world.urls[network]


async def serve(world: World, key: str, request: Request) -> Response | None:
    """Answer a request with the faults that are scripted for it; None: the connection drops without an answer."""
    network = world.networks[key]
    made = network.match(request)
    call = made.call if made else f"{request.method} {request.path}"
    fault = world.strike(key, call, FRAME_FAULTS)
    response = await _answer(world, network, request, fault)
    status = None if response is None else response.status
    if len(world.log) < LOGGED_MAX:
        world.log.append(Logged(key, call, request.target, request.headers, status, world.clock(), request.body))
    return response


async def _answer(world: World, network: Network, request: Request, fault: Fault | None) -> Response | None:
    kind = fault.kind if fault else ""
    if seconds := world.latency_seconds + (fault.seconds if fault and kind == "slow" else 0):
        await asyncio.sleep(seconds)
    if kind == "dropped":
        return None
    if fault is not None and kind == "status":
        return _failure(network, fault)
    made = network.match(request)
    if kind == "revoked" and (grant := network.authenticate(request)) is not None:
        network.end(grant)
    response = (
        await asyncio.to_thread(network.handle, request, made) if network.fetches else network.handle(request, made)
    )
    if fault is not None and kind == "late":
        response = deepcopy(response)
        await asyncio.sleep(fault.seconds)
    if fault is not None and kind == "status_after":
        return _failure(network, fault)
    if fault is not None and kind == "answer":
        return Response(fault.status, fault.body, headers=fault.headers)
    return None if kind == "lost" else response


def _failure(network: Network, fault: Fault) -> Response:
    response = network.failure(fault.status, str(fault.body or "The service has a problem."))
    response.headers.update(fault.headers)
    return response


def _network_handler(world: World, key: str) -> Handler:
    async def handler(raw: web.BaseRequest) -> web.StreamResponse:
        if world.networks[key].speaks_websocket and raw.headers.get("Upgrade", "").lower() == "websocket":
            return await _converse(world, key, raw)
        request = await _read(raw)
        response = await serve(world, key, request)
        if response is not None and response.status == 101:
            return await _hold(world.networks[key].hold(request), raw)
        return _dropped(raw) if response is None else _encoded(response)

    return handler


async def _hold(line: Line | None, raw: web.BaseRequest) -> web.StreamResponse:
    """Send over a WebSocket what comes up, until either end closes it."""
    assert line is not None  # noqa: S101 - the network has answered with 101
    socket = web.WebSocketResponse()
    await socket.prepare(raw)
    try:
        while (texts := line.due()) is not None:
            for text in texts:
                await socket.send_str(text)
            try:
                message = await socket.receive(timeout=_LOOK_SECONDS)
            except TimeoutError:
                continue
            if message.type is not WSMsgType.TEXT:
                break
            line.said(message.data)
        await socket.close()
    except ConnectionError:
        pass
    finally:
        line.ended()
    return socket


async def _converse(world: World, key: str, raw: web.BaseRequest) -> web.StreamResponse:
    """Answer each text over a WebSocket as a request of its own."""
    socket = web.WebSocketResponse()
    await socket.prepare(raw)
    headers = {name.lower(): value for name, value in raw.headers.items()}
    async for message in socket:
        request = Request("GET", raw.raw_path, headers, str(message.data).encode())
        response = await serve(world, key, request)
        texts = None if response is None else world.networks[key].texts(request, response)
        if response is None:
            _dropped(raw)
            break
        for text in texts or ():
            await socket.send_str(text)
        if texts is None:
            await socket.close()
    return socket


def _control_handler(control: Control) -> Handler:
    async def handler(raw: web.BaseRequest) -> web.StreamResponse:
        request = await _read(raw)
        if request.path == "/messages":  # calls a service, which may call us before it answers
            return _encoded(await asyncio.to_thread(control.handle, request))
        return _encoded(control.handle(request))

    return handler


async def _read(raw: web.BaseRequest) -> Request:
    raw._client_max_size = BODY_BYTES_MAX  # noqa: SLF001 - the low-level server has no other way to set it
    headers = {name.lower(): value for name, value in raw.headers.items()}
    return Request(raw.method, raw.raw_path, headers, await raw.read())


def _encoded(response: Response) -> web.Response:
    body, headers = response.encoded()
    return web.Response(status=response.status, body=body, headers=headers)


def _dropped(raw: web.BaseRequest) -> web.StreamResponse:
    assert raw.transport is not None  # noqa: S101 - the request was just read from it
    raw.transport.abort()
    return web.Response()
