"""Posts that waited for an approval before their lanes were woken are ended too."""

import importlib
from typing import Any

from tests.helpers.factories import Make

from signalpost.kit.db import Database


async def test_lanes_of_held_targets_are_woken(make: Make, database: Database) -> None:
    revision: Any = importlib.import_module("signalpost.migrations.versions.0016_wake_lanes_of_held_targets")
    owner = await make.owner()
    await make.account(owner)
    await make.post(owner, scheduledAt="2027-03-01T12:00:00Z")
    async with database.transaction() as db:
        of_owner = "from target where workspace_id = $1"
        await db.execute("update target set held_reason = 'approval' where workspace_id = $1", owner.workspace_id)
        await db.execute("delete from lane where workspace_id = $1", owner.workspace_id)
        await db.execute(revision.SQL)
        woken = await db.fetch("select key, next_due_at from lane where workspace_id = $1", owner.workspace_id)
        assert woken == await db.fetch(
            f"select account_id as key, due_at as next_due_at {of_owner}", owner.workspace_id
        )
