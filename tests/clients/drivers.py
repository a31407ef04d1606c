"""The clients, each called by the name of an operation, so that one table of operations runs through all of them."""

import asyncio
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx

import signalpost_client
from signalpost_client import AsyncSignalpost, Problem, Signalpost

WITHOUT_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Without certificates of authorities, which take 20 ms to load for each client."""


@dataclass(frozen=True)
class Place:
    """Where a client works."""

    url: str
    key: str
    profile: str
    account: str


@dataclass(frozen=True)
class Step:
    """One operation: with `{name}` for the id of what an earlier step of that name returned."""

    name: str
    operation: str
    path: tuple[str, ...] = ()
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None


@dataclass(frozen=True)
class Refused:
    """What a client says of a problem."""

    status: int
    code: str
    pointer: str | None


class Driver(ABC):
    """A client at a place: `async with`."""

    def __init__(self, place: Place) -> None:
        self.place = place

    async def __aenter__(self) -> Self:
        return self

    @abstractmethod
    async def __aexit__(self, *error: object) -> None:
        """Close what it opened."""

    @abstractmethod
    async def run(self, step: Step) -> Any:
        """Return what the operation answers as JSON, all items of a list, or `Refused`."""

    @abstractmethod
    async def upload(self, path: Path, method: str) -> Any:
        """Return the media."""

    @abstractmethod
    async def published(self, post_id: str) -> Any:
        """Return the status of a post when it is published."""


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def arguments(step: Step) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a method of the Python client."""
    options = {snake(name) + ("_" if name == "from" else ""): value for name, value in step.query.items()}
    return (*step.path, *(() if step.body is None else (step.body,))), options


class RawHttp(Driver):
    """Plain requests, as the reference says: what the others are compared with."""

    routes: Mapping[str, tuple[str, str]] = {}

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        headers = {"Authorization": f"Bearer {place.key}"}
        self._http = httpx.AsyncClient(base_url=f"{place.url}/api/v1", headers=headers, verify=WITHOUT_TLS)
        self._call = self._http.request

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def run(self, step: Step) -> Any:
        method, template = self.routes[step.operation]
        path = template
        for value in step.path:
            before, _, rest = path.partition("{")
            path = before + value + rest.partition("}")[2]
        items: list[Any] = []
        query = dict(step.query)
        while True:
            answer = await self._call(method, path, params=query, json=step.body)
            document = answer.json() if answer.content else None
            if not answer.is_success:
                errors = document.get("errors") or [{"path": None}]
                return Refused(answer.status_code, document["code"], errors[0]["path"])
            if not (step.operation.startswith("list") and "nextCursor" in document):
                return document
            items += document["data"]
            if not document["hasMore"]:
                return items
            query["cursor"] = document["nextCursor"]

    async def upload(self, path: Path, method: str) -> Any:
        content = await asyncio.to_thread(path.read_bytes)
        answer = await self._call("POST", "/media/upload", files={"file": (path.name, content, "image/png")})
        return answer.json()

    async def published(self, post_id: str) -> Any:
        async with asyncio.timeout(60):
            while True:
                status = (await self._call("GET", f"/posts/{post_id}/status")).json()
                if status["status"] == "published":
                    return status
                await asyncio.sleep(0.05)


def refused(problem: Problem) -> Refused:
    return Refused(problem.status, problem.code, problem.pointer)


class PythonClient(Driver):
    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._http = httpx.Client(verify=WITHOUT_TLS, timeout=60)
        self.client = Signalpost(place.key, base_url=place.url, http=self._http)

    async def __aexit__(self, *error: object) -> None:
        self._http.close()

    async def run(self, step: Step) -> Any:
        return await asyncio.to_thread(self._run, step)

    def _run(self, step: Step) -> Any:
        values, options = arguments(step)
        try:
            answer = getattr(self.client, snake(step.operation))(*values, **options)
            return list(answer) if isinstance(answer, signalpost_client.Pages) else answer
        except Problem as problem:
            return refused(problem)

    async def upload(self, path: Path, method: str) -> Any:
        return await asyncio.to_thread(self.client.upload, path, method=method)  # type: ignore[arg-type]

    async def published(self, post_id: str) -> Any:
        return await asyncio.to_thread(self.client.wait_until_published, post_id, timeout_seconds=60)


class AsyncPythonClient(Driver):
    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._http = httpx.AsyncClient(verify=WITHOUT_TLS, timeout=60)
        self.client = AsyncSignalpost(place.key, base_url=place.url, http=self._http)

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def run(self, step: Step) -> Any:
        values, options = arguments(step)
        try:
            answer = getattr(self.client, snake(step.operation))(*values, **options)
            if isinstance(answer, signalpost_client.AsyncPages):
                return [item async for item in answer]
            return await answer
        except Problem as problem:
            return refused(problem)

    async def upload(self, path: Path, method: str) -> Any:
        return await self.client.upload(path, method=method)  # type: ignore[arg-type]

    async def published(self, post_id: str) -> Any:
        return await self.client.wait_until_published(post_id, timeout_seconds=60)
