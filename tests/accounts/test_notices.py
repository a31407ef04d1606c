"""The owner hears of an account that stops working: once for each change, and not about the sandbox."""

from typing import Any, cast

import pytest
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest

from signalpost.accounts import notices
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.tenant import across_workspaces
from signalpost.mail.actions import PLACES

_MESSAGES = "select payload from job where workspace_id = $1 and kind = 'mail.send' order by created_at, id"


async def messages(context: AppContext, database: Database, owner: Login) -> list[Any]:
    """Run the job until it has been through all workspaces, also those of other tests; return this one's messages."""
    job = notices.Notices()
    with across_workspaces():
        while await job.send(cast("Lease", InTest(context.database)), {}) is not None:
            continue
    return [row["payload"] for row in await database.pool.fetch(_MESSAGES, owner.workspace_id)]


async def live_account(make: Make, database: Database, owner: Login) -> Any:
    """An account that could be one of a network; nothing asks it."""
    account_id = ids.decode("acc", (await make.account(owner))["id"])
    await database.pool.execute("update account set platform = 'mastodon' where id = $1", account_id)
    return account_id


async def test_each_change_is_mailed_once(context: AppContext, make: Make, database: Database) -> None:
    owner = await make.owner()
    account_id = await live_account(make, database, owner)
    counts = []
    for status in ("needs_reauth", "needs_reauth", "active", "expiring", "needs_reauth", "restricted"):
        await database.pool.execute(
            "update account set status = $2, status_reason = 'It says <no>.' where id = $1", account_id, status
        )
        counts.append(len(await messages(context, database, owner)))
    [first, *_] = await messages(context, database, owner)

    assert counts == [1, 1, 1, 2, 3, 4]
    assert (first["to"], first["template"]) == (owner.email, "account_attention")
    assert first["values"]["accounts"][0]["reason"] == "It says <no>."


async def test_a_full_mailbox_gets_the_message_when_it_has_room(
    context: AppContext, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    account_id = await live_account(make, database, owner)
    await database.pool.execute("update account set status = 'needs_reauth' where id = $1", account_id)
    with monkeypatch.context() as full:
        full.setitem(PLACES, "own", 0)
        assert await messages(context, database, owner) == []

    assert len(await messages(context, database, owner)) == 1


async def test_many_accounts_are_one_message(context: AppContext, make: Make, database: Database) -> None:
    owner = await make.owner()
    first = await live_account(make, database, owner)
    copies = """
    insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name, status,
        connected_via)
    select gen_random_uuid(), workspace_id, profile_id, platform, kind, 'r' || n, 'u' || n, 'U', 'needs_reauth', 'api'
    from account, generate_series(1, 25) n where id = $1
    """
    await database.pool.execute(copies, first)
    [message] = await messages(context, database, owner)

    assert (len(message["values"]["accounts"]), message["values"]["more"]) == (20, 5)


async def test_the_sandbox_is_not_worth_a_mail(context: AppContext, make: Make, database: Database) -> None:
    owner = await make.owner()
    account = await make.account(owner)
    await database.pool.execute(
        "update account set status = 'needs_reauth' where id = $1", ids.decode("acc", account["id"])
    )
    assert await messages(context, database, owner) == []


async def test_a_full_mailbox_does_not_hold_up_the_owners_of_other_workspaces(
    context: AppContext, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, other = await make.owner(), await make.owner()
    for owner in (full, other):
        account_id = await live_account(make, database, owner)
        await database.pool.execute("update account set status = 'needs_reauth' where id = $1", account_id)
    await database.pool.execute(
        "insert into mail_message (id, workspace_id, recipient, mailbox, template, kind)"
        " select gen_random_uuid(), $1, $2, $2, '', 'own' from generate_series(1, $3)",
        full.workspace_id, full.email, PLACES["own"],
    )  # fmt: skip
    monkeypatch.setattr(notices, "WORKSPACES_MAX", 1)
    job = notices.Notices()
    with across_workspaces():
        while await job.send(cast("Lease", InTest(context.database)), {}) is not None:
            continue

    mailed = [len(await database.pool.fetch(_MESSAGES, owner.workspace_id)) for owner in (full, other)]
    assert mailed == [0, 1]
