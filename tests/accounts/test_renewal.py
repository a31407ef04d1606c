"""Refresh tokens that work once, used by many at the same time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.faults.scene import sizes
from tests.figures.record import Record, holds
from tests.helpers.bluesky_accounts import Connected, bluesky, forget_password
from tests.helpers.factories import Make
from tests.helpers.limits import TEST_SECONDS

from signalpost import networks
from signalpost.accounts import moves, queries, token_store, work
from signalpost.accounts.token_store import NoCredentials, Renewals
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.db import Database
from signalpost.kit.http import HttpFailure, MaybeSent
from signalpost.kit.patience import Patience, patience
from signalpost.networks.connectors.bluesky.calls import call, refresh
from signalpost.networks.contract import ApiError, NetworkSession


async def use(connected: Connected) -> None:
    """Do what a worker with an expired token does: open a session, renew it, call the network."""
    session = await token_store.open_session(connected.context, await connected.row())
    await session.renew(refresh)
    await call(session, "GET", "com.atproto.server.getSession")


@holds("R6")
@sizes("rounds", quick=5, heavy=200)
async def test_many_holders_spend_a_token_once(context: AppContext, make: Make, record: Record, rounds: int) -> None:
    """Each round 64 sessions of four processes find the same old token: one redeems it, all others use its result."""
    async with bluesky(context, make) as connected:
        processes = [replace(connected.context, states={}) for _ in range(4)]
        for round_ in range(1, rounds + 1):
            opened = [await token_store.open_session(processes[n % 4], await connected.row()) for n in range(64)]
            await asyncio.gather(*(session.renew(refresh) for session in opened))

            assert len(connected.network.redeemed) == round_
            assert {session.secrets["refreshJwt"] for session in opened} == {connected.network.valid_refresh}
            await asyncio.gather(*(call(session, "GET", "com.atproto.server.getSession") for session in opened[:8]))
        row = await connected.row()
        measured = {
            "redeemed again": len(connected.network.redeemed) - rounds,
            "accounts lost": int(row.status != "active"),
        }
        record("R6", tried={"users": 64, "rounds": rounds}, measured=measured)
        assert (row.status, row.last_refresh_error, row.secrets_version) == ("active", None, rounds + 1)
        assert row.last_refreshed_at is not None


@asynccontextmanager
async def redeemed_token(connected: Connected) -> AsyncIterator[asyncio.Task[None]]:
    """Give the task of someone whose token is redeemed; the response comes by `respond`, or at the end of the block."""
    connected.network.hold = asyncio.Event()
    task = asyncio.create_task(use(connected))
    while not connected.network.redeemed:
        await asyncio.sleep(0.01)
    yield task
    respond(connected)


def respond(connected: Connected) -> None:
    assert connected.network.hold is not None
    connected.network.hold.set()


async def test_a_renewal_whose_caller_gives_up_is_stored(context: AppContext, make: Make) -> None:
    """A worker loses its lease, a client hangs up, the service stops: the new token exists only in the response."""
    async with bluesky(context, make) as connected:
        async with redeemed_token(connected) as task:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await connected.context.state(Renewals).end()

        row = await connected.row()
        assert (row.secrets_version, row.last_refresh_error) == (2, None)
        await use(connected)
        assert len(connected.network.redeemed) == 2


@pytest.fixture
async def apart(context: AppContext) -> AsyncIterator[AppContext]:
    """The same service with connections of its own, of which nobody else has borrowed one."""
    opened = await Database.open(context.database.dsn, connections_max=4)
    yield replace(context, database=opened, states={})
    await opened.close()


@asynccontextmanager
async def database_that_refuses_writes(database: Database) -> AsyncIterator[None]:
    """Until the end of the block: as after a failover, for example."""
    pool = database.pool

    async def set_read_only(value: str) -> None:
        # All that the pool can lend, borrowed: no connection is left out, and none is in the middle of a transaction,
        # whose end would undo this.
        borrowed = [await pool.acquire(timeout_seconds=TEST_SECONDS) for _ in range(pool.size)]
        for connection in borrowed:
            await connection.execute(f"set default_transaction_read_only = {value}")
        for connection in borrowed:
            pool.release(connection)

    await set_read_only("on")
    try:
        yield
    finally:
        await set_read_only("off")
        database.writes.problem = None


async def test_a_renewal_is_stored_once_the_database_accepts_it(apart: AppContext, make: Make) -> None:
    """It accepts no changes when the response arrives."""
    database = apart.database
    async with bluesky(apart, make) as connected:
        async with redeemed_token(connected) as task, database_that_refuses_writes(database):
            respond(connected)
            while database.writes.problem is None:
                await asyncio.sleep(0.01)
            assert not task.done()
        await task

        row = await connected.row()
        assert (row.secrets_version, row.last_refresh_error) == (2, None)


async def test_a_claim_outlasts_what_may_still_be_stored(context: AppContext, make: Make, database: Database) -> None:
    """If it ended while the database is away, the first to come back might be someone else, with the spent token."""
    claimed = "select extract(epoch from renewing_until - $2) from account where id = $1"
    async with bluesky(context, make) as connected:
        account_id = (await connected.row()).id
        before = await database.pool.fetchval("select now()")
        async with redeemed_token(connected) as task:
            seconds = await database.pool.fetchval(claimed, account_id, before)
        await task

    assert seconds > token_store.RENEWAL_SECONDS_MAX + token_store.SAVE_SECONDS_MAX


async def test_a_claim_ends_with_a_failed_renewal_even_if_the_database_is_away(apart: AppContext, make: Make) -> None:
    """Otherwise everyone would wait for the end of the claim."""
    database = apart.database
    async with bluesky(apart, make) as connected:
        await forget_password(connected, database)
        connected.network.drop_responses = 1
        async with redeemed_token(connected) as task, database_that_refuses_writes(database):
            respond(connected)
            while database.writes.problem is None:
                await asyncio.sleep(0.01)
        with pytest.raises(HttpFailure):
            await task
        until = "select renewing_until from account where id = $1"
        assert await database.pool.fetchval(until, (await connected.row()).id) is None


async def test_a_stop_waits_for_the_renewals_under_way(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        async with redeemed_token(connected) as task:
            task.cancel()
            renewals = connected.context.state(Renewals)
            stopping = asyncio.create_task(renewals.end(clock.monotonic() + 60))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asyncio.shield(stopping), token_store.SHUTDOWN_SECONDS_MIN + 0.2)
        await stopping

        assert (await connected.row()).secrets_version == 2


async def test_a_renewal_is_stored_even_if_the_connector_fails_after_it(
    context: AppContext, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refresh_and_fail(session: NetworkSession) -> None:
        await refresh(session)
        raise MaybeSent("no response")

    async with bluesky(context, make) as connected:
        with monkeypatch.context() as patched:
            bluesky_connector = replace(networks.CONNECTORS["bluesky"], refresh=refresh_and_fail)
            patched.setattr(networks, "CONNECTORS", networks.CONNECTORS | {"bluesky": bluesky_connector})
            session = await token_store.open_session(connected.context, await connected.row())
        with pytest.raises(MaybeSent):
            await session.renew(refresh_and_fail)
        await use(connected)
        assert len(connected.network.redeemed) == 2


async def test_a_lost_response_keeps_the_state_and_only_a_dead_grant_changes_it(
    context: AppContext, make: Make, database: Database
) -> None:
    """The server redeemed the token, but its response was lost: the account may still be alive."""
    async with bluesky(context, make) as connected:
        await forget_password(connected, database)
        connected.network.drop_responses = 1
        with pytest.raises(HttpFailure):
            await use(connected)
        row = await connected.row()
        assert row.status == "active"
        assert row.last_refresh_error is not None
        assert row.last_refresh_error.startswith("no response")

        assert (
            await work.maintain_token(connected.context, row, clock.now()) is None
        )  # no grace at this server: it is dead
        row = await connected.row()
        assert (row.status, row.status_reason) == ("needs_reauth", "Bluesky: Token has been revoked")

        connected.network.redeemed.clear()
        again = await connected.connect()
        assert (again["id"], again["status"]) == (connected.account_id, "active")
        assert (await connected.row()).last_refresh_error is None
        await use(connected)


async def test_an_unreachable_server_marks_nothing(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        connected.network.status = 503
        row = await connected.row()
        again = await work.maintain_token(connected.context, row, clock.now())

        assert again is not None
        assert 60 <= again.after_seconds <= 3600
        row = await connected.row()
        assert (row.status, row.last_refresh_error) == ("active", "refused (status 503)")
        connected.network.status = 200
        assert await work.maintain_token(connected.context, row, clock.now()) is not None
        assert (await connected.row()).last_refresh_error is None


async def test_a_dead_grant_is_not_blamed_on_tokens_stored_since(context: AppContext, make: Make) -> None:
    """A publish that began with the old credentials fails after a person connected the account again."""
    async with bluesky(context, make) as connected:
        before = await connected.row()
        await connected.connect()
        async with context.database.transaction() as db:
            old = await moves.mark_needs_reauth(db, before.id, "401", secrets_version=before.secrets_version)
            now = (await queries.by_id(db, before.id)).secrets_version  # type: ignore[union-attr]
            new = await moves.mark_needs_reauth(db, before.id, "401", secrets_version=now)
            repeat = await moves.mark_needs_reauth(db, before.id, "401")

        assert (old, new, repeat) == (False, True, False)


async def test_a_renewal_that_comes_back_after_the_end_stores_nothing(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        session = await token_store.open_session(connected.context, await connected.row())
        response = await connected.api.delete(f"/platforms/accounts/{connected.account_id}", key=connected.owner.key)
        assert (response.json()["revokedAtPlatform"], connected.network.revoked) == (True, 1)

        with pytest.raises(NoCredentials):
            await session.renew(refresh)
        with pytest.raises(NoCredentials):
            await token_store.open_session(connected.context, await connected.row())
        assert connected.network.redeemed == []


async def test_a_holder_that_died_is_replaced_when_its_claim_ends(
    context: AppContext, make: Make, database: Database
) -> None:
    async with bluesky(context, make) as connected:
        row = await connected.row()
        claim = "update account set renewing_by = gen_random_uuid(), renewing_until = now() + $2 where id = $1"
        await database.pool.execute(claim, row.id, timedelta(seconds=0.5))
        await use(connected)

        assert len(connected.network.redeemed) == 1


async def test_an_empty_token_never_replaces_a_good_one(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        session = await token_store.open_session(connected.context, await connected.row())
        stored = session.secrets["refreshJwt"]
        await session.save_tokens({"accessJwt": "new", "refreshJwt": ""}, None)

        secrets = (await token_store.open_session(connected.context, await connected.row())).secrets
        assert (secrets["accessJwt"], secrets["refreshJwt"], secrets["appPassword"]) == ("new", stored, "right")


async def test_connecting_plans_the_renewal_at_four_fifths_of_the_life(
    context: AppContext, make: Make, database: Database
) -> None:
    async with bluesky(context, make) as connected:
        row = await connected.row()
        job = await database.pool.fetchrow("select * from job where unique_key = $1", f"account.upkeep:{row.id}")

        assert job is not None
        assert row.token_expires_at is not None
        life = row.token_expires_at - row.created_at
        assert 0.74 * life <= job["next_attempt_at"] - row.created_at <= 0.801 * life
        assert await work.maintain_token(connected.context, row, job["next_attempt_at"]) is not None
        assert connected.network.redeemed == []  # not due yet


async def test_a_refused_renewal_reaches_the_caller(context: AppContext, make: Make, database: Database) -> None:
    async with bluesky(context, make) as connected:
        await forget_password(connected, database)
        connected.network.valid_refresh = "another"
        session = await token_store.open_session(connected.context, await connected.row())
        with pytest.raises(ApiError) as refused:
            await session.renew(refresh)
        assert networks.CONNECTORS["bluesky"].explain(refused.value) is not None
        assert (await connected.row()).last_refresh_error == "the grant is dead (status 400)"


async def test_what_a_network_has_answered_is_stored_with_more_patience_than_a_request_has() -> None:
    """Tokens that were used up and not stored would be lost."""
    limits: list[Patience | None] = []

    async def renewal() -> bool:
        limits.append(patience.get())
        return True

    mine = Patience()
    token = patience.set(mine)
    try:
        assert await Renewals().run(renewal())
        assert (limits, patience.get()) == ([None], mine)
    finally:
        patience.reset(token)
