"""A client of the application inside the test process, that checks what every answer must hold."""

import importlib.util
import itertools
import sys
import time
from datetime import timedelta
from typing import Any, Self

import httpx
from tests.helpers.canaries import CANARIES

from signalpost.kit.problems import Problem
from signalpost.web.app import Application

_BASE = "http://signalpost.test"
_ADDRESSES = itertools.count(1)
"""Of all tests of this process, whose applications share the limits in its database."""

if importlib.util.find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment] # else httpx looks for it in all folders at each request


class Api:
    """Calls the application over ASGI. A response that is not a well-formed problem or JSON fails the test at once."""

    def __init__(self, app: Application) -> None:
        self.app = app
        self._transport = httpx.ASGITransport(app=app, raise_app_exceptions=True, client=("127.0.0.1", 50_000))
        self._headers = httpx.AsyncClient(transport=self._transport).headers

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.aclose()

    async def call(self, method: str, path: str, *, key: str | None = None, **options: Any) -> httpx.Response:
        """Send a request; `key` goes into Authorization."""
        bare = options.pop("bare", False)  # a path below neither prefix
        if not bare and not path.startswith(("/api/", "/v1/")):
            path = "/api/v1" + path
        # Every call comes from an address of its own, so that limits by address act only where a test names one.
        number = next(_ADDRESSES)
        headers = {"X-Forwarded-For": f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"}
        if path.partition("?")[0].endswith("/events/stream"):
            headers["Accept"] = "application/json"  # not a stream, which has no end
        headers |= dict(options.pop("headers", None) or {})
        if key is not None:
            CANARIES.add(key)
            headers["Authorization"] = f"Bearer {key}"
        # As the client would send it, without what that does for cookies, redirects and authentication each time; and
        # the address is read once, not three times.
        merged = self._headers.copy()
        merged.update(headers)
        request = httpx.Request(method, f"{_BASE}/{path.lstrip('/')}", headers=merged, **options)
        begun = time.perf_counter()
        answer = await self._transport.handle_async_request(request)
        await answer.aread()
        answer.request, answer.elapsed = request, timedelta(seconds=time.perf_counter() - begun)
        check(answer)
        return answer

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await self.call("GET", path, **options)

    async def post(self, path: str, **options: Any) -> httpx.Response:
        return await self.call("POST", path, **options)

    async def patch(self, path: str, **options: Any) -> httpx.Response:
        return await self.call("PATCH", path, **options)

    async def put(self, path: str, **options: Any) -> httpx.Response:
        return await self.call("PUT", path, **options)

    async def delete(self, path: str, **options: Any) -> httpx.Response:
        return await self.call("DELETE", path, **options)


def check(answer: httpx.Response) -> None:
    """What every answer holds: a request id, and an error as a problem with a known code."""
    assert answer.headers["x-request-id"]
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        CANARIES.says(answer.text)
        if answer.request.method == "HEAD":
            return
        problem = answer.json()
        assert problem["code"] in Problem.registry, problem
        assert problem["status"] == answer.status_code
        if "idempotent-replayed" not in answer.headers:  # a repeat names the request that was answered first
            assert problem["requestId"] == answer.headers["x-request-id"]
        assert problem["type"].endswith("/problems/" + problem["code"])
        assert problem["detail"]
        assert answer.status_code != 500, problem
