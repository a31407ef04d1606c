"""The states of an account: `MOVES` is what happens, and one statement makes every move."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.helpers.api import Api
from tests.helpers.factories import Make

import signalpost
from signalpost.accounts import moves, queries, states, work
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database

SOURCE = Path(signalpost.__file__).parent
_UPDATE = re.compile(r"update account(?: \w+)? set(.*?)(?:\bwhere\b|\"\"\")", re.DOTALL)
_UPSERT = re.compile(r"insert\W+account\W.*?do update set(.*?)\"\"\"", re.DOTALL)
_SET_STATUS = "update account set status = $2 where id = $1"


def test_one_statement_updates_the_status() -> None:
    """Whatever else writes accounts goes through `move`, so the table of moves cannot be bypassed."""
    writers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for pattern in (_UPDATE, _UPSERT)
        for assignments in pattern.findall(path.read_text(encoding="utf-8"))
        if re.search(r"\bstatus\s*=", assignments)
    }
    assert writers == {"accounts/moves.py"}


async def test_the_table_says_which_moves_are_made(make: Make, database: Database) -> None:
    account_id = ids.decode("acc", (await make.account(await make.owner()))["id"])
    assert account_id is not None
    made = set()
    for present in states.MOVES:
        for to in states.MOVES:
            await database.pool.execute(_SET_STATUS, account_id, present)
            async with database.transaction() as db:
                moved = await moves.move(db, account_id, to, "because")
            row = await database.pool.fetchrow("select status, status_reason from account where id = $1", account_id)
            assert row is not None
            assert row["status"] == (to if moved else present)
            if moved:
                assert row["status_reason"] == "because"
                made.add((present, to))

    assert made == {(present, to) for present, allowed in states.MOVES.items() for to in allowed}


async def test_connecting_again_works_from_every_state(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    account = await make.account(owner, username="bakery")
    for present in states.MOVES:
        await database.pool.execute(_SET_STATUS, ids.decode("acc", account["id"]), present)
        again = await make.account(owner, username="bakery")
        assert (again["id"], again["status"], again["statusReason"]) == (account["id"], "active", None)


async def test_a_move_can_be_limited_to_one_state(make: Make, database: Database) -> None:
    """Renewed tokens end `expiring`, but do not resume an account that a person paused."""
    account_id = ids.decode("acc", (await make.account(await make.owner()))["id"])
    assert account_id is not None
    for present, moved in (("paused", False), ("needs_reauth", False), ("expiring", True)):
        await database.pool.execute(_SET_STATUS, account_id, present)
        async with database.transaction() as db:
            assert await moves.move(db, account_id, "active", None, only_from="expiring") is moved


def test_states_form_no_dead_end() -> None:
    """Every state has a way back to active."""
    assert all("active" in targets for state, targets in states.MOVES.items() if state != "active")
    assert all("disconnected" in targets for state, targets in states.MOVES.items() if state != "disconnected")


def test_a_token_that_cannot_be_renewed_expires_step_by_step() -> None:
    now = clock.now()
    day = timedelta(days=1)

    def state_and_due(left: timedelta | None) -> tuple[str, Any]:
        expires_at = None if left is None else now + left
        due = states.upkeep_at(now, expires_at, refreshable=False, chance=0.5)
        return states.state_of_token(now, expires_at, refreshable=False), None if due is None else due - now

    assert state_and_due(None) == ("active", None)
    assert state_and_due(30 * day) == ("active", 23 * day)
    assert state_and_due(7 * day) == ("expiring", 7 * day)
    assert state_and_due(2 * day) == ("expiring", 2 * day)
    assert state_and_due(-day) == ("needs_reauth", None)


async def test_an_expiring_token_is_reported_in_time(context: AppContext, make: Make, database: Database) -> None:
    owner = await make.owner()
    account = await make.account(owner)
    account_id = ids.decode("acc", account["id"])
    assert account_id is not None
    statuses = []
    for left in (timedelta(days=6), timedelta(seconds=-1)):
        await database.pool.execute("update account set token_expires_at = now() + $2 where id = $1", account_id, left)
        async with context.database.connection() as db:
            row = await queries.by_id(db, account_id)
        assert row is not None
        await work.maintain_token(context, row, clock.now())
        async with context.database.connection() as db:
            after = await queries.by_id(db, account_id)
        assert after is not None
        statuses.append(after.status)

    assert statuses == ["expiring", "needs_reauth"]
