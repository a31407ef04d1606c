"""The certified OpenID provider of github.com/panva/node-oidc-provider."""

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.counterparts import tools
from tests.counterparts.process import Program, running

CLIENT_ID, CLIENT_SECRET = "signalpost", "a-secret-of-the-tests"


class OidcProvider:
    """Signs in whoever types a name; it vouches for the mailbox of that name unless `say` changes that."""

    def __init__(self, issuer: str, program: Program) -> None:
        self.issuer = issuer
        self._program = program

    async def say(self, name: str, **claims: Any) -> None:
        """Have it state these claims of the person who signs in with `name`."""
        await self._program.send({"id": name, "claims": claims})
        await self._program.json_line()


@contextlib.asynccontextmanager
async def oidc_provider(redirect_url: str) -> AsyncIterator[OidcProvider]:
    """Run it for a client that may be sent back to `redirect_url`."""
    command = (tools.node(), tools.node_script("oidc"), str(tools.free_port()), redirect_url)
    with tempfile.TemporaryDirectory(prefix="signalpost-oidc-") as folder:
        async with running(*command, folder=Path(folder)) as program:
            started = await program.json_line()
            yield OidcProvider(started["issuer"], program)
