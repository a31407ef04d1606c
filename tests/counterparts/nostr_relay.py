"""nostr-relay, a relay of Nostr, as its configuration of the moment makes it."""

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.counterparts import tools
from tests.counterparts.process import running

_VALIDATORS = ("is_not_too_large", "is_signed", "is_recent", "is_not_hellthread")


@contextlib.asynccontextmanager
async def nostr_relay(*validators: str, **settings: Any) -> AsyncIterator[str]:
    """Run it in a process of its own (3 to 4 s to start); return its address.

    Args:
        validators: what it checks besides what it checks as it is shipped, by names of its own functions.
        settings: further members of its configuration.
    """
    place = tools.folder("nostr", tools.CHECKOUT / "requirements" / "nostr.txt")
    port = tools.free_port()
    with tempfile.TemporaryDirectory(prefix="nostr-relay-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        storage = {"sqlalchemy.url": "sqlite+aiosqlite:///nostr.sqlite3", "num_concurrent_adds": 2,
                   "validators": [f"nostr_relay.validators.{one}" for one in (*_VALIDATORS, *validators)]}  # fmt: skip
        configuration = {
            "relay_name": "referee", "storage": storage, "gunicorn": {"bind": f"127.0.0.1:{port}", "workers": 1},
            "verification": {"nip05_verification": "disabled"}, "max_event_size": 60_000, **settings,
        }  # fmt: skip
        await asyncio.to_thread((folder / "relay.yaml").write_text, json.dumps(configuration))
        command = (place / "bin" / "nostr-relay", "-c", "relay.yaml", "serve")
        async with running(*command, folder=folder, environment={"HOME": name}) as program:
            await program.wait_for_port(port)
            yield f"ws://127.0.0.1:{port}/"
