import contextlib
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from tests.counterparts import tools
from tests.counterparts.process import running


@dataclass(frozen=True)
class MastodonMock:
    """A running mock of a Mastodon instance. It does not enforce OAuth rules: its codes can be used twice."""

    url: str
    access_token: str


@contextlib.asynccontextmanager
async def mastodon_mock() -> AsyncIterator[MastodonMock]:
    """The `mastodon_mock` package in its own process and environment, with an empty database in memory."""
    place = tools.folder("mastodon", tools.CHECKOUT / "requirements" / "mastodon.txt")
    port = tools.free_port()
    command = (place / "bin" / "mastodon_mock", "serve", "--in-memory", "--host", "127.0.0.1", "--port", str(port))
    with tempfile.TemporaryDirectory(prefix="mastodon-", ignore_cleanup_errors=True) as folder:
        async with running(*command, "--log-level", "warning", folder=Path(folder)) as program:
            await program.wait_for_port(port)
            yield MastodonMock(f"http://127.0.0.1:{port}", "mock_token")
