"""A network for tests that kill workers: an HTTP server that records every post it makes, and a connector for it.

Whatever the service believes, the posts recorded here were public. The server does not recognise repeats: a resend is
a second post. Posts are found again by the key in their intent.
"""

import asyncio
import json
import random
from collections import Counter
from typing import Any, Self

from tests.counterparts.tools import free_port

from signalpost import networks
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import (
    Absent,
    ApiError,
    Connector,
    Facts,
    Journal,
    NetworkSession,
    Outcome,
    Outgoing,
    Pending,
    Published,
    Reconciled,
    Refused,
    TextRule,
)
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.threads import part_done, part_intended, part_step


def explain(error: ApiError) -> Outcome:
    return Refused(code="content_rejected", message=str(error))


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Upload once, then make each part public; texts with "slow" are only accepted, and `poll` makes them public."""
    if "upload" not in journal.steps:
        response = await session.server.call("POST", "/uploads", json={})
        await journal.record("upload", response.json())
    if "slow" in outgoing.text and "accepted" not in journal.steps:
        await journal.record("accepted", True)
        return Pending(state={"accepted": True}, poll_after_seconds=0.0)
    return await _create_all(session, outgoing, journal)


async def _create_all(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    for index, part in enumerate(outgoing.parts):
        if part_done(journal, index) is not None:
            continue
        key = f"{outgoing.dedupe_key}:{index}"
        await journal.intend(part_step(index), {"key": key})
        body = {"key": key, "text": part.text}
        response = await session.server.call("POST", "/posts", json=body, timeout_seconds=2.0)
        await journal.done(part_step(index), {"key": key, "id": response.json()["id"]})
    return _published(journal, outgoing)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, state: Any) -> Outcome:
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    for index in range(len(outgoing.parts)):
        if part_done(journal, index) is not None:
            continue
        intended = part_intended(journal, index)
        if intended is None:
            return Absent()
        response = await session.server.call("GET", f"/posts/{intended['key']}", expect=(200, 404))
        if response.status == 404:
            return Absent()
        await journal.done(part_step(index), {**intended, "id": response.json()["id"]})
    return _published(journal, outgoing)


def _published(journal: Journal, outgoing: Outgoing) -> Published:
    remote_ids = [(part_done(journal, index) or {})["id"] for index in range(len(outgoing.parts))]
    return Published(remote_id=remote_ids[0], url=None, thread_ids=tuple(remote_ids[1:]))


def register(base_url: str, *, can_reconcile: bool = True) -> None:
    """Register the network in this process as "ledger"."""
    connector = Connector(
        facts=Facts(
            key="ledger", name="Ledger", source="", verified_on="", base_url=base_url,
            credential_fields=sandbox.FACTS.credential_fields, text=TextRule(max_length=500), thread_parts_max=10,
        ),
        publish=publish,
        reconcile=reconcile if can_reconcile else None,
        poll=poll,
        explain=explain,
        connect=sandbox.connect,
    )  # fmt: skip
    connectors: Any = networks.CONNECTORS
    connectors["ledger"] = connector


class Ledger:
    """The server. `loses`: the share of created posts whose response never arrives."""

    def __init__(self, *, loses: float = 0.0, seed: int = 0) -> None:
        self.posts: list[tuple[str, str]] = []  # (key, text), in the order they became public
        self.loses = loses
        self.url = ""
        self._random = random.Random(seed)
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", free_port())
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    def counts(self) -> Counter[str]:
        """Return how often each key became public."""
        return Counter(key for key, _ in self.posts)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode().split("\r\n")
                method, path, _ = lines[0].split(" ")
                sizes = [int(line.partition(":")[2]) for line in lines if line.lower().startswith("content-length:")]
                body = await reader.readexactly(sizes[0]) if sizes else b""
                status, document = self._respond(method, path, body)
                if path == "/posts" and self._random.random() < self.loses:
                    break
                raw = json.dumps(document).encode()
                writer.write(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (status, len(raw), raw))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the worker was killed
        finally:
            writer.close()

    def _respond(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        if path == "/uploads":
            return 200, {"id": "upload"}
        if method == "POST":
            post = json.loads(body)
            self.posts.append((post["key"], post["text"]))
            return 200, {"id": f"post-{len(self.posts)}"}
        key = path.removeprefix("/posts/")
        numbers = [number for number, (posted, _) in enumerate(self.posts, 1) if posted == key]
        return (200, {"id": f"post-{numbers[0]}"}) if numbers else (404, {})
