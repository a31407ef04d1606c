"""Work of this room: sealing what was written."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.audit.actions.seal import chains, seal
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.engine.turns import Turns
from signalpost.kit.db import Db

JOB: Final = "audit.seal"
EVERY_SECONDS: Final = 15
CHAINS: Final = 500
"""How many chains one transaction looks at."""
ROWS: Final = 5_000
"""How many rows one transaction seals."""


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    turns = Turns(chains, seal_some, page=CHAINS, rows=ROWS)

    async def run(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        return await turns.run(lease)

    return [JobKind(JOB, run, EVERY_SECONDS)]


async def seal_some(db: Db, positions: Mapping[UUID, UUID | None], share: int) -> dict[UUID, UUID]:
    """Seal what was written some seconds ago; return the chains that have more, each with its last row that is done."""
    sealed = await seal(db, positions, share)
    return {workspace_id: done.last for workspace_id, done in sealed.items() if done.rows == share}
