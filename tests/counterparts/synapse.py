"""Synapse, the homeserver that most of Matrix runs on, with users and rooms that a test makes."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from tests.counterparts import tools
from tests.counterparts.process import running
from tests.helpers.limits import TEST_SECONDS

DOMAIN = "signalpost.test"
API = "/_matrix/client/v3"
LIMIT = {"per_second": 0.2, "burst_count": 3}
"""How many messages Synapse takes of a user whom nobody has freed from it."""
FILE_BYTES_MAX = 200_000
_SECRET = "a-secret-of-the-tests"
_UNLIMITED = {"per_second": 1_000, "burst_count": 1_000}


@dataclass(frozen=True)
class User:
    id: str
    token: str
    device_id: str


class Synapse:
    """A running homeserver."""

    def __init__(self, url: str, client: httpx.AsyncClient) -> None:
        self.url = url
        self._client = client

    async def ask(self, user: User | None, method: str, path: str, **rest: Any) -> httpx.Response:
        """Call it as a user; nobody's calls are repeated."""
        headers = {"Authorization": f"Bearer {user.token}"} if user else {}
        return await self._client.request(method, path, headers=headers, **rest)

    async def call(self, user: User | None, method: str, path: str, **rest: Any) -> Any:
        """Call it as a user; return what it answers, which must not be an error."""
        response = await self.ask(user, method, path, **rest)
        assert response.is_success, (method, path, response.status_code, response.text)
        return response.json()

    async def add_user(self, name: str, *, is_admin: bool = False) -> User:
        """Register a user by the shared secret of its administrators."""
        path = "/_synapse/admin/v1/register"
        nonce = (await self.call(None, "GET", path))["nonce"]
        words = (nonce, name, "password", "admin" if is_admin else "notadmin")
        mac = hmac.new(_SECRET.encode(), "\0".join(words).encode(), hashlib.sha1).hexdigest()
        body = {"nonce": nonce, "username": name, "password": "password", "admin": is_admin, "mac": mac}
        made = await self.call(None, "POST", path, json=body)
        return User(made["user_id"], made["access_token"], made["device_id"])

    async def free_of_limits(self, admin: User, user: User) -> None:
        path = f"/_synapse/admin/v1/users/{quote(user.id)}/override_ratelimit"
        await self.call(admin, "POST", path, json={"messages_per_second": 0, "burst_count": 0})

    async def add_room(self, owner: User, alias: str, *members: User, **rest: Any) -> str:
        """Make a public room with these members; return its id."""
        body = {"preset": "public_chat", "room_alias_name": alias, "name": "News", **rest}
        room = (await self.call(owner, "POST", f"{API}/createRoom", json=body))["room_id"]
        for member in members:
            await self.call(member, "POST", f"{API}/join/{quote(room)}", json={})
        return str(room)

    async def messages(self, user: User, room: str) -> list[Mapping[str, Any]]:
        """Return all messages of a room, oldest first, as a user of it reads them; redacted ones too."""
        events, start = [], ""
        while True:
            params = {"dir": "f", "limit": "500"} | ({"from": start} if start else {})
            page = await self.call(user, "GET", f"{API}/rooms/{quote(room)}/messages", params=params)
            events += [event for event in page["chunk"] if event["type"] == "m.room.message"]
            start = page.get("end", "")
            if not start:
                return events

    async def file(self, user: User, address: str) -> bytes:
        path = f"/_matrix/client/v1/media/download/{address.removeprefix('mxc://')}"
        response = await self.ask(user, "GET", path)
        assert response.is_success, (path, response.text)
        return response.content


@contextlib.asynccontextmanager
async def synapse() -> AsyncIterator[Synapse]:
    """Run it with an empty database (6 to 9 s to start: one for many tests)."""
    place = tools.folder("synapse", tools.CHECKOUT / "requirements" / "synapse.txt")
    port = tools.free_port()
    with tempfile.TemporaryDirectory(prefix="synapse-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        await asyncio.to_thread(_write_files, folder, port)
        command = (place / "bin" / "python", "-m", "synapse.app.homeserver", "-c", "homeserver.yaml")
        async with running(*command, folder=folder) as program:
            await program.wait_for_port(port)
            url = f"http://127.0.0.1:{port}"
            async with httpx.AsyncClient(base_url=url, timeout=TEST_SECONDS) as client:
                yield Synapse(url, client)


def _write_files(folder: Path, port: int) -> None:
    """JSON is YAML."""
    key = base64.b64encode(os.urandom(32)).decode().rstrip("=")
    (folder / "signing.key").write_text(f"ed25519 a_test {key}\n")
    listener = {"port": port, "type": "http", "tls": False, "bind_addresses": ["127.0.0.1"],
                "resources": [{"names": ["client"], "compress": False}]}  # fmt: skip
    settings = {
        "server_name": DOMAIN, "signing_key_path": "signing.key", "media_store_path": "media",
        "pid_file": "synapse.pid",
        "report_stats": False, "trusted_key_servers": [], "registration_shared_secret": _SECRET,
        "listeners": [listener], "database": {"name": "sqlite3", "args": {"database": "synapse.db"}},
        "max_upload_size": FILE_BYTES_MAX, "rc_message": LIMIT, "rc_room_creation": _UNLIMITED,
        "rc_login": {"address": _UNLIMITED, "account": _UNLIMITED}, "rc_joins": {"local": _UNLIMITED},
        "rc_joins_per_room": _UNLIMITED,
    }  # fmt: skip
    (folder / "homeserver.yaml").write_text(json.dumps(settings))
