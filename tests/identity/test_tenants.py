"""Whose share of what is scarce a workspace uses: its owner's."""

from datetime import timedelta

from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.engine.lanes import LaneStatements
from signalpost.engine.wake import wake
from signalpost.identity.authenticate import authenticator
from signalpost.identity.queries import tenant_sql
from signalpost.kit import clock, ids
from signalpost.kit.tenant import Tenant
from signalpost.publishing.work import TargetSource

_SET_ROLE = "update member set role = $3 where workspace_id = $1 and user_id = $2"


async def test_all_workspaces_of_an_owner_are_one_tenant(context: AppContext, make: Make) -> None:
    """Members count as the owner's."""
    first = await make.owner()
    second = await make.workspace(first)
    member = await make.member(second, role="admin")
    authenticate = authenticator(context)

    assert (await authenticate(first.key, None, "127.0.0.1")).tenant == Tenant(first.user_id, first.workspace_id)
    for login in (second, member):
        caller = await authenticate(login.key, None, "127.0.0.1")
        assert caller.tenant == Tenant(first.user_id, second.workspace_id)


async def test_a_workspace_that_is_handed_over_counts_as_its_new_owners(context: AppContext, make: Make) -> None:
    """From the next look at a credential and the next claim on; a workspace without an owner counts for itself."""
    giver = await make.owner()
    taker = await make.member(giver, role="admin")
    statements = LaneStatements(TargetSource(context), tenant_sql)
    lane, ago, seen = ids.new_id(), clock.now() - timedelta(seconds=1), []
    async with context.database.connection() as db:
        await wake(db, "target", [lane], workspace_id=giver.workspace_id, platforms=[None], due=[ago])
        for key, demoted, owner in (
            (giver.key, taker, giver),
            (taker.key, giver, taker),
            (giver.test_key, taker, None),
        ):
            await db.execute(_SET_ROLE, giver.workspace_id, demoted.user_id, "admin")
            if owner is not None:
                await db.execute(_SET_ROLE, giver.workspace_id, owner.user_id, "owner")
            caller = await authenticator(context)(key, None, "127.0.0.1")
            (claimed,) = await statements.claim_named(db, ids.new_id(), [lane])
            await db.execute("update lane set owner = null where key = $1", lane)
            seen.append((caller.tenant.id, claimed["tenant_id"]))
        await db.execute("delete from lane where key = $1", lane)

    assert seen == [(owner, owner) for owner in (giver.user_id, taker.user_id, giver.workspace_id)]
