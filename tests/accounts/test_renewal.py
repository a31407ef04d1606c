"""Tokens that work once, spent by many at a time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.fake_networks import FakeBluesky, api_of, context_with

from signalpost import networks
from signalpost.accounts import actions, queries, states, token_store, work
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.token_store import NoCredentials
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.kit.http import HttpFailure
from signalpost.networks.connectors.bluesky.calls import call, refresh
from signalpost.networks.contract import ApiError


@dataclass
class Connected:
    """A Bluesky account on a fake server."""

    network: FakeBluesky
    context: AppContext
    api: Api
    owner: Login
    account_id: str

    async def row(self) -> AccountRow:
        async with self.context.database.connection() as db:
            found = await queries.by_id(db, ids.decode("acc", self.account_id))  # type: ignore[arg-type]
        assert found is not None
        return found

    async def connect(self) -> Any:
        fields = {"identifier": "alice.test", "appPassword": "right"}
        body = {"profileId": self.owner.profile, "fields": fields}
        answer = await self.api.post("/platforms/bluesky/connect", json=body, key=self.owner.key)
        assert answer.status_code == 201, answer.text
        return answer.json()


@asynccontextmanager
async def bluesky(context: AppContext, make: Make) -> AsyncIterator[Connected]:
    network = FakeBluesky()
    async with network.serve() as url:
        operated = context_with(context, BLUESKY_BASE_URL=url)
        async with api_of(operated) as api:
            connected = Connected(network, operated, api, await make.owner(), "")
            connected.account_id = (await connected.connect())["id"]
            yield connected


async def forget_password(connected: Connected, database: Database) -> None:
    """Store the account without its app password, so that a dead grant stays dead."""
    row = await connected.row()
    session = await token_store.open_session(connected.context, row)
    kept = {name: value for name, value in session.secrets.items() if name != "appPassword"}
    blob = token_store.seal(connected.context.keys, row.workspace_id, row.id, kept)
    await database.pool.execute("update account set secrets = $2 where id = $1", row.id, blob)


async def use(connected: Connected) -> None:
    """What a worker does whose token is old: open a session, renew, look at the account."""
    session = await token_store.open_session(connected.context, await connected.row())
    await session.renew(refresh)
    await call(session, "GET", "com.atproto.server.getSession")


async def test_many_holders_spend_a_token_once(context: AppContext, make: Make) -> None:
    """Each round 64 token_store find the same old token; one redeems it, all the others take what that one got."""
    async with bluesky(context, make) as connected:
        for round_ in range(1, 6):
            opened = [await token_store.open_session(connected.context, await connected.row()) for _ in range(64)]
            await asyncio.gather(*(session.renew(refresh) for session in opened))

            assert len(connected.network.redeemed) == round_
            assert {session.secrets["refreshJwt"] for session in opened} == {connected.network.valid_refresh}
            await asyncio.gather(*(call(session, "GET", "com.atproto.server.getSession") for session in opened[:8]))
        row = await connected.row()
        assert (row.status, row.last_refresh_error, row.secrets_version) == ("active", None, 6)
        assert row.last_refreshed_at is not None


async def test_a_lost_answer_keeps_the_state_and_only_a_dead_grant_ends_it(
    context: AppContext, make: Make, database: Database
) -> None:
    """The server redeemed the token, its answer never came: nobody may call that a dead account yet."""
    async with bluesky(context, make) as connected:
        await forget_password(connected, database)
        connected.network.lose_answers = 1
        with pytest.raises(HttpFailure):
            await use(connected)
        row = await connected.row()
        assert row.status == "active"
        assert row.last_refresh_error is not None
        assert row.last_refresh_error.startswith("no answer")

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
    """A publish that began with the old credentials fails after a person connected the account anew."""
    async with bluesky(context, make) as connected:
        before = await connected.row()
        await connected.connect()
        async with context.database.transaction() as db:
            old = await actions.mark_needs_reauth(db, before.id, "401", secrets_version=before.secrets_version)
            now = (await queries.by_id(db, before.id)).secrets_version  # type: ignore[union-attr]
            new = await actions.mark_needs_reauth(db, before.id, "401", secrets_version=now)
            repeat = await actions.mark_needs_reauth(db, before.id, "401")

        assert (old, new, repeat) == (False, True, False)


async def test_a_renewal_that_comes_back_after_the_end_stores_nothing(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        session = await token_store.open_session(connected.context, await connected.row())
        answer = await connected.api.delete(f"/platforms/accounts/{connected.account_id}", key=connected.owner.key)
        assert (answer.json()["revokedAtPlatform"], connected.network.revoked) == (True, 1)

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
        kept = session.secrets["refreshJwt"]
        await session.save_tokens({"accessJwt": "new", "refreshJwt": ""}, None)

        secrets = (await token_store.open_session(connected.context, await connected.row())).secrets
        assert (secrets["accessJwt"], secrets["refreshJwt"], secrets["appPassword"]) == ("new", kept, "right")


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


async def test_health_tells_of_a_refused_account_and_of_its_return(
    context: AppContext, make: Make, database: Database
) -> None:
    async with bluesky(context, make) as connected:
        path = f"/platforms/accounts/{connected.account_id}/health?refresh=true"
        await forget_password(connected, database)
        connected.network.valid_access, good = "other", connected.network.valid_access
        connected.network.valid_refresh, renewal = "other", connected.network.valid_refresh
        bad = (await connected.api.get(path, key=connected.owner.key)).json()
        assert (bad["status"], bad["accountStatus"], bad["token"]["valid"]) == ("error", "needs_reauth", False)
        assert bad["recommendations"]

        connected.network.valid_access, connected.network.valid_refresh = good, renewal
        back = (await connected.api.get(path, key=connected.owner.key)).json()
        assert (back["accountStatus"], back["token"]["valid"], back["permissions"]["canPost"]) == ("active", True, True)


async def test_health_of_a_silent_server_is_a_warning(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        pass
    path = f"/platforms/accounts/{connected.account_id}/health?refresh=true"
    async with api_of(connected.context) as api:
        answer = (await api.get(path, key=connected.owner.key)).json()

    assert (answer["status"], answer["accountStatus"]) == ("warning", "active")
    assert [issue["code"] for issue in answer["issues"]] == ["check_failed"]


async def test_wrong_credentials_are_the_callers_fault(context: AppContext, make: Make) -> None:
    async with bluesky(context, make) as connected:
        body = {"profileId": connected.owner.profile, "fields": {"identifier": "alice.test", "appPassword": "wrong"}}
        answer = await connected.api.post("/platforms/bluesky/connect", json=body, key=connected.owner.key)
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "/fields")
        assert "wrong" not in answer.text
    async with api_of(connected.context) as api:
        gone = await api.post("/platforms/bluesky/connect", json=body, key=connected.owner.key)
    assert (gone.status_code, gone.json()["code"]) == (502, "platform_error")


@pytest.mark.parametrize("service", ["http://169.254.169.254", "https://10.0.0.1", "nonsense!", "https://no.such.test"])
async def test_a_server_that_cannot_be_used_is_the_callers_fault(api: Api, make: Make, service: str) -> None:
    owner = await make.owner()
    fields = {"identifier": "a.test", "appPassword": "x", "service": service}
    body = {"profileId": owner.profile, "fields": fields}
    answer = await api.post("/platforms/bluesky/connect", json=body, key=owner.key)

    assert answer.status_code == 422, answer.text


async def test_a_refused_renewal_reaches_the_caller(context: AppContext, make: Make, database: Database) -> None:
    async with bluesky(context, make) as connected:
        await forget_password(connected, database)
        connected.network.valid_refresh = "another"
        session = await token_store.open_session(connected.context, await connected.row())
        with pytest.raises(ApiError) as refused:
            await session.renew(refresh)
        assert networks.CONNECTORS["bluesky"].explain(refused.value) is not None
        assert (await connected.row()).last_refresh_error == "the grant is dead (status 400)"


def test_states_form_no_dead_end() -> None:
    """Every state has a way back to active."""
    assert all("active" in targets for state, targets in states.MOVES.items() if state != "active")
    assert all("disconnected" in targets for state, targets in states.MOVES.items() if state != "disconnected")


def test_a_token_that_cannot_be_renewed_expires_step_by_step() -> None:
    now = clock.now()
    day = timedelta(days=1)

    def at(left: timedelta | None) -> tuple[str, Any]:
        ends = None if left is None else now + left
        due = states.upkeep_at(now, ends, refreshable=False, chance=0.5)
        return states.state_of_token(now, ends, refreshable=False), None if due is None else due - now

    assert at(None) == ("active", None)
    assert at(30 * day) == ("active", 23 * day)
    assert at(7 * day) == ("expiring", 7 * day)
    assert at(2 * day) == ("expiring", 2 * day)
    assert at(-day) == ("needs_reauth", None)


async def test_an_ending_token_is_told_in_time(context: AppContext, make: Make, database: Database) -> None:
    owner = await make.owner()
    account = await make.account(owner)
    account_id = ids.decode("acc", account["id"])
    assert account_id is not None
    seen = []
    for left in (timedelta(days=6), timedelta(seconds=-1)):
        await database.pool.execute("update account set token_expires_at = now() + $2 where id = $1", account_id, left)
        async with context.database.connection() as db:
            row = await queries.by_id(db, account_id)
        assert row is not None
        await work.maintain_token(context, row, clock.now())
        async with context.database.connection() as db:
            after = await queries.by_id(db, account_id)
        assert after is not None
        seen.append(after.status)

    assert seen == ["expiring", "needs_reauth"]
