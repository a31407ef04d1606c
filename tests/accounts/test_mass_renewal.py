"""Many accounts whose tokens fall due at once, looked after by two processes: each grant is redeemed once.

SIGNALPOST_TEST_RENEWALS=5000 is the size of a large installation.
"""

import asyncio
import os
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import cast
from uuid import UUID

import pytest
from tests.helpers.factories import Make

from signalpost import networks
from signalpost.accounts import work
from signalpost.accounts.moves import UPKEEP
from signalpost.accounts.secrets import seal
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.networks.contract import NetworkSession

ACCOUNTS = int(os.environ.get("SIGNALPOST_TEST_RENEWALS", "40"))
_COPY = """
insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name, status,
    connected_via, refreshable, token_expires_at, upkeep_at, secrets)
select n.id, a.workspace_id, a.profile_id, 'sandbox', a.kind, n.id::text, 'u', 'U', 'active', 'api', true,
    now() + interval '20 minutes', now() - interval '1 second', n.secrets
from account a, unnest($2::uuid[], $3::bytea[]) as n(id, secrets) where a.id = $1
"""


async def test_each_account_is_redeemed_once(
    context: AppContext, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    first = ids.decode("acc", (await make.account(owner))["id"])
    account_ids = [ids.new_id() for _ in range(ACCOUNTS)]
    sealed = [
        seal(context.keys, owner.workspace_id, account_id, {"accessToken": "old", "refreshToken": "r0"})
        for account_id in account_ids
    ]
    await database.pool.execute(_COPY, first, account_ids, sealed)
    redeemed: Counter[str] = Counter()

    async def refresh(session: NetworkSession) -> None:
        assert session.secrets["refreshToken"] == "r0", "a spent token kills the grant"
        redeemed[session.remote_id] += 1
        await asyncio.sleep(0)
        await session.save_tokens({"accessToken": "new", "refreshToken": "r1"}, clock.now() + timedelta(hours=2))

    monkeypatch.setitem(networks.CONNECTORS, "sandbox", replace(networks.CONNECTORS["sandbox"], refresh=refresh))
    processes = [context, replace(context, states={})]
    limit = asyncio.Semaphore(16)

    async def look_after(process: AppContext, account_id: UUID) -> None:
        async with limit:
            [upkeep] = [job for job in work.jobs(process) if job.kind == UPKEEP]
            await upkeep.handler(cast("Lease", None), {"accountId": ids.encode("acc", account_id)})

    await asyncio.gather(*[look_after(process, key) for key in account_ids for process in processes])

    assert (len(redeemed), set(redeemed.values())) == (ACCOUNTS, {1})
    late = "select count(*) from account where id = any($1) and (upkeep_at < now() or secrets_version <> $2)"
    version = await database.pool.fetchval("select secrets_version from account where id = $1", account_ids[0])
    assert await database.pool.fetchval(late, account_ids, version) == 0
