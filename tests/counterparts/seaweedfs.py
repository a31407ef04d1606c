"""SeaweedFS as an S3 server: unlike look-alikes it verifies signatures, expiry, signed headers and checksums."""

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from tests.counterparts import tools
from tests.counterparts.process import running

_PORTS = [f"{part}.port{kind}" for part in ("master", "filer", "volume", "admin") for kind in ("", ".grpc")] + [
    "s3.port.grpc"
]
_ACTIONS = ["Admin", "Read", "Write", "List", "Tagging"]


@dataclass(frozen=True)
class S3Server:
    """A running server with one key, and an empty bucket."""

    url: str
    bucket: str = "media"
    access_key: str = "test-access-key"
    secret_key: str = "test-secret-key"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which programs find it."""
        return {
            "AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key, "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT": self.url, "AWS_ALLOW_HTTP": "true",
        }  # fmt: skip


@contextlib.asynccontextmanager
async def s3_server() -> AsyncIterator[S3Server]:
    """The program `weed` in a process of its own, with its objects in a temporary folder."""
    place = tools.folder("seaweedfs", tools.CHECKOUT / "requirements" / "seaweedfs.txt")
    port = tools.free_port()
    server = S3Server(f"http://127.0.0.1:{port}")
    with tempfile.TemporaryDirectory(prefix="seaweedfs-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        key = {"accessKey": server.access_key, "secretKey": server.secret_key}
        identity = {"name": "test", "credentials": [key], "actions": _ACTIONS}
        await asyncio.to_thread((folder / "s3.json").write_text, json.dumps({"identities": [identity]}))
        (folder / "objects").mkdir()
        options = {
            "dir": folder / "objects", "ip": "127.0.0.1", "ip.bind": "127.0.0.1", "s3.port": port,
            "s3.port.lance": 0, "s3.port.iceberg": 0, "s3.config": folder / "s3.json", "webdav": "false",
            "admin.ui": "false", "bucket": server.bucket, "s3.iam": "false", "master.telemetry": "false",
            **{option: tools.free_port() for option in _PORTS},
        }  # fmt: skip
        arguments = [f"-{option}={value}" for option, value in options.items()]
        async with running(place / "bin" / "weed", "mini", *arguments, folder=folder) as program:
            await program.wait_for_port(port)
            yield server
