"""The clients, each called by the name of an operation, so that one table of operations runs through all of them."""

import asyncio
import base64
import itertools
import json
import os
import ssl
import sys
import tempfile
from abc import ABC, abstractmethod
from asyncio.subprocess import PIPE
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx
from tests.counterparts import tools
from tests.counterparts.tools import CHECKOUT
from tests.helpers.contract import DOCUMENT

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


class Typed(NamedTuple):
    """What a command has printed."""

    code: int
    out: str
    problems: str


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

    routes: Mapping[str, tuple[str, str]] = {
        operation["operationId"]: (method.upper(), path)
        for path, operations in DOCUMENT["paths"].items()
        for method, operation in operations.items()
    }

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        headers = {"Authorization": f"Bearer {place.key}"}
        self._http = httpx.AsyncClient(base_url=f"{place.url}/api/v1", headers=headers, verify=WITHOUT_TLS, timeout=300)
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
        self._http = httpx.Client(verify=WITHOUT_TLS, timeout=300)
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
        self._http = httpx.AsyncClient(verify=WITHOUT_TLS, timeout=300)
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


class Node(Driver):
    """The TypeScript client under Node."""

    dist = Path()
    """Where it is compiled; a fixture says it."""

    def runtime(self) -> Sequence[str | Path]:
        """What runs a script."""
        return [tools.node()]

    async def __aenter__(self) -> Self:
        environment = {**os.environ, "DIST": str(self.dist), "URL_OF": self.place.url, "KEY": self.place.key}
        script = Path(__file__).with_name("call.mjs")
        self._program = await asyncio.create_subprocess_exec(
            *self.runtime(), script, env=environment, stdin=PIPE, stdout=PIPE, limit=8_000_000
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._program.stdin is not None
        self._program.stdin.close()
        await self._program.wait()

    async def calls(self, *call: Any) -> Any:
        """Return what a call of `call.mjs` answers."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(json.dumps(call).encode() + b"\n")
        return json.loads(await self._program.stdout.readline())

    async def run(self, step: Step) -> Any:
        method, path = RawHttp.routes[step.operation]
        places = [segment[1:-1] for segment in path.split("/") if segment.startswith("{")]
        options = {"path": dict(zip(places, step.path, strict=True)), "query": dict(step.query)}
        if step.body is not None:
            options["body"] = step.body
        is_list = step.operation.startswith("list")
        answer = await (self.calls("list", path, options) if is_list else self.calls("request", method, path, options))
        if "problem" not in answer:
            return answer["value"]
        return Refused(answer["problem"]["status"], answer["problem"]["code"], answer["problem"].get("pointer"))

    async def upload(self, path: Path, method: str) -> Any:
        content = base64.b64encode(await asyncio.to_thread(path.read_bytes)).decode()
        return (await self.calls("upload", path.name, content, method))["value"]

    async def published(self, post_id: str) -> Any:
        return (await self.calls("published", post_id))["value"]


class Deno(Node):
    """The same code under Deno, with no more rights than it needs: no programs, no writing, no packages of others."""

    def runtime(self) -> Sequence[str | Path]:
        return [
            tools.deno(),
            "run",
            "--allow-env",
            "--allow-net",
            "--allow-read",
            "--no-config",
            "--no-remote",
            "--no-npm",
        ]


class Bun(Node):
    """The same code under Bun."""

    def runtime(self) -> Sequence[str | Path]:
        return [tools.bun(), "run", "--no-install"]


class Terminal(Driver):
    """The command `sp`, with a folder for its keys."""

    def __init__(self, place: Place, **settings: str) -> None:
        super().__init__(place)
        self.settings = settings

    async def __aenter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="signalpost-sp-")
        self.folder = Path(self._folder.name)
        environment = {
            **os.environ, "SP_CONFIG_DIR": self._folder.name, "SIGNALPOST_API_KEY": self.place.key,
            "SIGNALPOST_API_URL": self.place.url, "SP_PROFILE": self.place.profile,
            "PYTHONPATH": str(CHECKOUT / "clients" / "python" / "src"), **self.settings,
        }  # fmt: skip
        self._program = await asyncio.create_subprocess_exec(
            sys.executable, Path(__file__).with_name("type_commands.py"), env=environment, stdin=PIPE, stdout=PIPE,
            limit=8_000_000,
        )  # fmt: skip
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._program.stdin is not None
        self._program.stdin.close()
        await self._program.wait()
        self._folder.cleanup()

    async def types(self, *arguments: str, text: str = "") -> Typed:
        """Run a command to its end."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(json.dumps([arguments, text]).encode() + b"\n")
        return Typed(*json.loads(await self._program.stdout.readline()))

    async def run(self, step: Step) -> Any:
        typed = await self.types(*COMMANDS[step.operation](step), "--json")
        if typed.code == 0 and step.operation == "listTrash":  # a line each
            return [json.loads(line) for line in typed.out.splitlines()]
        if typed.code == 0:
            return json.loads(typed.out)
        document = json.loads(typed.problems.splitlines()[-1])["error"]
        assert "status" in document, typed
        errors = document.get("errors") or [{"path": None}]
        return Refused(document["status"], document["code"], errors[0]["path"])

    async def upload(self, path: Path, method: str) -> Any:
        typed = await self.types("media", "upload", str(path), "--json")
        assert typed.code == 0, typed
        return json.loads(typed.out)

    async def published(self, post_id: str) -> Any:
        typed = await self.types("post", "wait", post_id, "--json")
        assert typed.code == 0, typed
        return await self.run(Step("status", "getPostStatus", (post_id,)))


def _post(step: Step) -> list[str]:
    names = {"tags": "--tag", "scheduledAt": "--at", "timezone": "--timezone", "platforms": "--to"}
    options = [["--draft"] if step.body.get("draft") else []]
    for member, option in names.items():
        values = step.body.get(member, [])
        options += [[option, value] for value in (values if isinstance(values, list | tuple) else [values])]
    return [step.body["text"], "--profile", step.body["profileId"], *itertools.chain(*options)]


COMMANDS: Mapping[str, Callable[[Step], Sequence[str]]] = {
    "getMe": lambda _: ["me"],
    "listAccounts": lambda step: ["accounts", "list", "--profile", step.query["profileId"]],
    "validatePost": lambda step: ["post", "validate", *_post(step)],
    "createPost": lambda step: ["post", "create", *_post(step)],
    "updatePost": lambda step: ["post", "edit", *step.path, "--text", step.body["text"]],
    "listPosts": lambda step: [
        "post", "list", "--limit", "0", *(["--tag", step.query["tag"]] if "tag" in step.query else []),
        *(["--since", step.query["from"]] if "from" in step.query else []),
    ],
    "getPost": lambda step: ["post", "show", *step.path],
    "getPostStatus": lambda step: ["api", "GET", f"/posts/{step.path[0]}/status"],
    "cancelPost": lambda step: ["queue", "cancel", *step.path],
    "deletePost": lambda step: ["post", "delete", *step.path],
    "listTrash": lambda _: ["api", "GET", "/posts/trash", "--all"],
    "restorePost": lambda step: ["api", "POST", f"/posts/{step.path[0]}/restore"],
    "retryPost": lambda step: ["post", "retry", *step.path],
    "createWebhook": lambda step: ["webhooks", "create", step.body["url"], "--event", *step.body["events"]],
    "listWebhooks": lambda _: ["webhooks", "list"],
    "getPostStats": lambda _: ["api", "GET", "/posts/stats"],
    "deleteSandboxClock": lambda _: ["api", "DELETE", "/sandbox/clock"],
}  # fmt: skip
"""What people type for an operation."""
