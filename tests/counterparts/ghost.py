import asyncio
import contextlib
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx
from tests.counterparts import tools
from tests.counterparts.process import Program, running

OWNER: Final = "owner@bakery.example"
_PASSWORD: Final = "rye-and-wheat-4711"
_API: Final = "/ghost/api/admin"
START_SECONDS: Final = 60.0
_FOLDERS: Final = ("adapters", "data", "files", "images", "logs", "media", "public", "settings", "themes")


class RealGhost:
    """A running Ghost: `admin_key` is that of a custom integration, `visitor` reads as its Content API lets it.

    `owner` is signed in as its administration in a browser is, so it does not share the way in of what is tested.
    """

    admin_key: str
    content_key: str
    integration: str

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, tools.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.owner = httpx.AsyncClient(base_url=f"{self.url}{_API}", headers={"Origin": self.url}, timeout=60)
        self._running = contextlib.AsyncExitStack()
        self._program: Program | None = None

    async def open(self) -> None:
        """Start it for the first time, and do what its owner does in a browser."""
        _prepare(self.folder, self.url, self.port)
        await self.start()
        about = {"name": "Owner", "email": OWNER, "password": _PASSWORD, "blogTitle": "Corner Bakery"}
        await self.ask("POST", "/authentication/setup/", json={"setup": [about]})
        await self.ask("POST", "/session/", json={"username": OWNER, "password": _PASSWORD})
        self.admin_key, self.content_key = await self.add_integration("Signalpost")

    async def close(self) -> None:
        await self.owner.aclose()
        await self._running.aclose()

    async def start(self) -> None:
        """Start it and wait until it answers; after `kill` it goes on where it was."""
        place = _installed()
        self._program = await self._running.enter_async_context(
            running(
                tools.node(), place / "ghost" / "index.js", folder=self.folder,
                environment={"NODE_ENV": "production", "NODE_COMPILE_CACHE": str(place / "compiled")},
            )
        )  # fmt: skip
        await self._program.wait_for_port(self.port, within_seconds=START_SECONDS)
        async with asyncio.timeout(START_SECONDS):
            while not await self._answers():
                if self._program.ended:
                    raise self._program.failed("Ghost ended")
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        """Kill it as a failing machine does."""
        assert self._program is not None
        self._program.kill()
        await self._running.aclose()

    async def _answers(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return (await self.owner.get("/site/")).status_code == 200
        return False

    async def ask(self, method: str, path: str, **rest: Any) -> Any:
        """Call the Admin API as the owner in a browser; returns the body, if it is JSON."""
        response = await self.owner.request(method, path, **rest)
        assert response.is_success, (method, path, response.status_code, response.text)
        return response.json() if "json" in response.headers.get("content-type", "") else None

    async def add_integration(self, name: str) -> tuple[str, str]:
        """Return the Admin API key and the Content API key of a new custom integration."""
        body = {"integrations": [{"name": name}]}
        (made,) = (await self.ask("POST", "/integrations/", params={"include": "api_keys"}, json=body))["integrations"]
        self.integration = made["id"]
        keys = {key["type"]: key["secret"] for key in made["api_keys"]}
        return keys["admin"], keys["content"]

    async def posts(self) -> list[dict[str, Any]]:
        """Everything at the site but what Ghost brings along, drafts too, as the owner sees it."""
        found: list[dict[str, Any]] = []
        page: int | None = 1
        while page:
            params = {"limit": "100", "page": str(page), "formats": "html,plaintext", "order": "id asc"}
            answer = await self.ask("GET", "/posts/", params=params)
            found += answer["posts"]
            page = answer["meta"]["pagination"]["next"]
        return [post for post in found if not post["slug"].startswith(("coming-soon",))]

    async def post(self, post_id: str) -> dict[str, Any]:
        params = {"formats": "html,plaintext,lexical"}
        return dict((await self.ask("GET", f"/posts/{post_id}/", params=params))["posts"][0])

    async def shown(self, post_id: str) -> dict[str, Any] | None:
        """What Ghost's Content API, which knows nothing of drafts, shows to the world; None if there is nothing."""
        async with httpx.AsyncClient(base_url=f"{self.url}/ghost/api/content", timeout=60) as client:
            params = {"key": self.content_key, "include": "tags,authors"}
            response = await client.get(f"/posts/{post_id}/", params=params)
        if response.status_code == 404:
            return None
        return dict(response.raise_for_status().json()["posts"][0])


def _installed() -> Path:
    return tools.folder("ghost-server", tools.HERE / "ghost_server" / "source.sha256")


def _prepare(folder: Path, url: str, port: int) -> None:
    """Lay out a folder as Ghost's own installer does, with the empty database that was made when it was installed."""
    place, content = _installed(), folder / "content"
    for name in _FOLDERS:
        (content / name).mkdir(parents=True)
    (content / "themes" / "source").symlink_to(place / "ghost" / "content" / "themes" / "source")
    (folder / "current").symlink_to(place / "ghost")  # where Ghost looks for its version
    shutil.copyfile(place / "first" / "ghost.db", folder / "ghost.db")
    config = {
        "url": url,
        "server": {"host": "127.0.0.1", "port": port},
        "database": {
            "client": "better-sqlite3", "useNullAsDefault": True, "connection": {"filename": str(folder / "ghost.db")},
        },
        "paths": {"contentPath": str(content)},
        "logging": {"level": "error", "transports": ["stderr"]},
        "mail": {"transport": "stub", "from": "ghost@bakery.example"},
        # Nothing leaves this machine.
        "privacy": {"useTinfoil": True, "useUpdateCheck": False},
        "explore": {"update_url": "", "testimonials_url": ""},
        "security": {"staffDeviceVerification": False},
        "sendWelcomeEmail": False,
        "backgroundJobs": {"emailAnalytics": False, "clickTrackingLastSeenAtUpdater": False},
        "disableMigrationBackups": True,
    }  # fmt: skip
    (folder / "config.production.json").write_text(json.dumps(config))


@contextlib.asynccontextmanager
async def real_ghost() -> AsyncIterator[RealGhost]:
    """Ghost itself with a database of SQLite (5 s to start, up to 350 MB: one for many tests)."""
    with tempfile.TemporaryDirectory(prefix="ghost-", ignore_cleanup_errors=True) as folder:
        ghost = RealGhost(Path(folder))
        try:
            await ghost.open()
            yield ghost
        finally:
            await ghost.close()
