import contextlib
import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.counterparts import tools
from tests.counterparts.process import running


@dataclass(frozen=True)
class PdsAccount:
    handle: str
    did: str
    password: str
    app_password: str


@dataclass(frozen=True)
class ReferencePds:
    """A running reference server. It has no AppView: profiles and timelines do not exist, records and blobs do."""

    url: str
    plc_url: str
    accounts: tuple[PdsAccount, ...]
    published: Path
    """The folder of what it finds at https://social.signalpost.org."""


@contextlib.asynccontextmanager
async def reference_pds(accounts: Sequence[str] = ("alice.test", "bob.test")) -> AsyncIterator[ReferencePds]:
    """Bluesky's own server with one account per handle (4 s to start, up to 450 MB: one for many tests)."""
    logins = [{"handle": handle, "password": f"password-of-{handle}"} for handle in accounts]
    with tempfile.TemporaryDirectory(prefix="pds-", ignore_cleanup_errors=True) as folder:
        command = (tools.node(), tools.node_script("pds"), json.dumps(logins), folder)
        async with running(*command, folder=Path(folder)) as program:
            ready = await program.json_line()
            pds_accounts = tuple(
                PdsAccount(a["handle"], a["did"], a["password"], a["appPassword"]) for a in ready["accounts"]
            )
            yield ReferencePds(ready["url"], ready["plcUrl"], pds_accounts, Path(folder))
