"""The first owner is created with a link that works once, while there are no users."""

import asyncio
import dataclasses
import secrets
from collections.abc import AsyncIterator

import pytest

from signalpost.context import AppContext
from signalpost.identity.actions import first_run
from signalpost.identity.actions.sign_up import NewWorkspace
from signalpost.identity.authenticate import authenticator
from signalpost.identity.errors import InvalidCredentials
from signalpost.kit import ids, problems
from signalpost.kit.db import Database
from signalpost.main import operations

PASSWORD = "correct horse battery"


@pytest.fixture
async def empty(context: AppContext, fresh_dsn: str) -> AsyncIterator[AppContext]:
    """A service without users."""
    opened = await Database.open(fresh_dsn)
    yield dataclasses.replace(context, database=opened)
    await opened.close()


async def issue(context: AppContext) -> str | None:
    async with context.database.transaction() as db:
        return await first_run.issue_token(context.keys, db)


async def redeem(context: AppContext, token: str, password: str = PASSWORD) -> NewWorkspace:
    email = f"{secrets.token_hex(4)}@example.test"
    return await first_run.redeem(context, token, email=email, password=password, workspace_name="Acme")


async def test_ten_at_once_make_one_owner(empty: AppContext) -> None:
    """Two processes print two links, and someone clicks twice: one owner."""
    first, second = await issue(empty), await issue(empty)
    assert first is not None
    assert second is not None
    results = await asyncio.gather(*(redeem(empty, token) for token in (first, second) * 5), return_exceptions=True)

    assert len([result for result in results if isinstance(result, NewWorkspace)]) == 1
    assert len([result for result in results if isinstance(result, InvalidCredentials)]) == 9
    assert await issue(empty) is None
    async with empty.database.connection() as db:
        assert not await first_run.is_valid(db, second)
        assert await db.fetchval("select zone_chosen from workspace") is False


async def test_a_link_expires_after_30_minutes(empty: AppContext) -> None:
    """It was printed on a terminal."""
    token = await issue(empty)
    assert token is not None
    async with empty.database.connection() as db:
        assert await first_run.is_valid(db, token)
        await db.execute("update one_time_token set expires_at = now()")
        assert not await first_run.is_valid(db, token)
    with pytest.raises(InvalidCredentials):
        await redeem(empty, token)


async def test_a_mistyped_form_costs_no_link(empty: AppContext) -> None:
    """A short or common password is refused, and the same link works with a longer one."""
    token = await issue(empty)
    assert token is not None
    with pytest.raises(problems.ValidationFailed) as caught:
        await redeem(empty, token, password="short")
    assert [issue.path for issue in caught.value.errors] == ["/password"]
    with pytest.raises(problems.ValidationFailed):
        await redeem(empty, token, password="password123")
    assert await redeem(empty, token)


async def test_a_guessed_token_is_refused(empty: AppContext) -> None:
    """And costs no hash."""
    await issue(empty)
    for guess in ("", "x", secrets.token_urlsafe(32), "\ud800"):
        with pytest.raises(InvalidCredentials):
            await redeem(empty, guess)


async def test_a_second_demo_is_in_the_same_workspace(empty: AppContext) -> None:
    """With a key of its own; the first key works too."""
    first, second = await operations.demo(empty), await operations.demo(empty)

    keys = {found.pop("apiKey") for found in (first, second)}
    assert first == second
    for key in keys:
        caller = await authenticator(empty)(key, None, "127.0.0.1")
        assert ids.encode("wsp", caller.workspace_id) == first["workspaceId"]
    assert len(keys) == 2


async def test_a_demo_leaves_the_door_open(empty: AppContext) -> None:
    """Its user has no password, so nobody could sign in, invite others or create a workspace."""
    token = await issue(empty)
    assert token is not None
    await operations.demo(empty)

    async with empty.database.connection() as db:
        assert await first_run.is_valid(db, token)
        assert await first_run.has_no_users(db)
    assert await issue(empty) is not None
    assert await redeem(empty, token)
    await operations.demo(empty)
    assert await issue(empty) is None
