"""The master key can be replaced: nobody is signed out, no key or account is lost, and the old one opens nothing."""

import base64
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

import asyncpg
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import crypto
from signalpost.main import app, master_key, wiring
from signalpost.main.app import WrongMasterKey
from signalpost.settings import Settings

OLD, NEW = (base64.b64encode(os.urandom(32)).decode() for _ in range(2))
Opened = Callable[[str], AbstractAsyncContextManager[tuple[AppContext, Api]]]
FLEETING = {
    "idempotency.body",
    "oauth_flow.code_verifier",
    "oauth_flow.authorize_url",
    "oauth_flow.choices",
    "oauth_flow.notes",
}
"""Sealed for a day at most: the older key stays for that long."""


@pytest.fixture
def opened(settings: Settings, fresh_dsn: str) -> Opened:
    """What starts the installation with these master keys."""

    @asynccontextmanager
    async def open_with(keys: str) -> AsyncIterator[tuple[AppContext, Api]]:
        own = replace(settings, master_key=keys)
        async with app.open_context(own, fresh_dsn) as context, Api(app.create(context)) as api:
            yield context, api

    return open_with


async def _works(api: Api, owner: Login) -> bool:
    return (await api.call("GET", "/posts", key=owner.key)).status_code == 200


async def _sealed_with(context: AppContext) -> set[str]:
    """The ids of the keys that the values are sealed with."""
    async with context.database.connection() as db:
        found = set()
        for column in wiring.SEALED:
            rows = await db.fetch(f"select {column.column} from {column.table} where {column.column} is not null")
            found |= {blob[2 : 2 + blob[1]].decode() for [blob] in rows}
        return found


async def _fill(context: AppContext, api: Api) -> Login:
    """Something in several columns, and more of one than a batch takes."""
    owner = await Make(context, api).owner()
    hook = {"url": "https://hooks.example.com/x", "events": ["post.published"]}
    created = await api.call("POST", "/webhooks", json=hook, key=owner.key)
    assert created.status_code == 201, created.text
    async with context.database.transaction() as db:
        sealed = context.keys.seal(b"{}", context="mail")
        await db.execute(
            "insert into mail_message (id, recipient, mailbox, template, state, message)"
            " select gen_random_uuid(), 'a@example.com', 'a@example.com', 'welcome', 'kept', $1"
            " from generate_series(1, 1100)",
            sealed,
        )
    return owner


async def test_a_master_key_is_replaced_without_anybody_noticing(opened: Opened) -> None:
    async with opened(OLD) as (context, api):
        owner = await _fill(context, api)
    async with opened(f"{OLD},{NEW}") as (context, api):  # first every process learns to read the new one
        assert await _works(api, owner)
    async with opened(f"{NEW},{OLD}") as (context, api):
        assert await _works(api, owner)
        seen: list[int] = []
        done = await master_key.rewrap(context, seen.append)
        assert (done["rewrapped"], done["unreadable"]) == (1101, 0)
        assert sum(seen) == await master_key.values(context)
        assert (await master_key.rewrap(context, seen.append))["rewrapped"] == 0
        assert await _sealed_with(context) == {context.keys.current_key_id}
    async with opened(NEW) as (context, api):
        assert await _works(api, owner)
        session = await api.call("GET", "/webhooks", key=owner.key)
        assert session.status_code == 200
    with pytest.raises(WrongMasterKey):
        async with opened(OLD):
            pass


async def test_an_instance_that_is_older_than_the_root_keeps_its_api_keys(opened: Opened, fresh_dsn: str) -> None:
    """Their hashes were made with the master key, so that becomes the root."""
    connection = await asyncpg.connect(fresh_dsn)
    await connection.execute(
        "insert into instance (name, sealed) values ('signalpost', $1)",
        crypto.KeyRing.from_master(OLD).seal(b"signalpost", context="instance"),
    )
    await connection.close()
    async with opened(OLD) as (context, api):
        owner = await Make(context, api).owner()
        assert context.keys.derive("api-key") == crypto.KeyRing.from_master(OLD).derive("api-key")
    async with opened(f"{NEW},{OLD}") as (context, api):
        assert await _works(api, owner)
    async with opened(NEW) as (context, api):
        assert await _works(api, owner)


async def test_what_no_key_opens_is_counted_and_left(opened: Opened) -> None:
    async with opened(OLD) as (context, api):
        await _fill(context, api)
        async with context.database.transaction() as db:
            foreign = crypto.KeyRing.from_master(os.urandom(32)).seal(b"{}", context="mail")
            await db.execute("update mail_message set message = $1", foreign)
    async with opened(f"{NEW},{OLD}") as (context, api):
        done = await master_key.rewrap(context, lambda _: None)
        assert (done["rewrapped"], done["unreadable"]) == (1, 1100)


async def test_every_column_of_bytes_is_rewrapped_or_not_sealed(opened: Opened) -> None:
    """A new one has to be named in `wiring.SEALED`, or here."""
    plain = ("hash", "_hashes", "_hmac", "previous", "fingerprint", "sha256", "digest")
    own = {"instance.sealed", "instance.sealed_root", "delivery.body", "request_bucket.name", "audit_seal.checks"}
    async with opened(OLD) as (context, _), context.database.connection() as db:
        rows = await db.fetch(
            "select table_name, column_name from information_schema.columns"
            " where table_schema = 'public' and data_type = 'bytea'"
        )
    sealed = {f"{column.table}.{column.column}" for column in wiring.SEALED}
    others = {f"{row['table_name']}.{row['column_name']}" for row in rows if not row["column_name"].endswith(plain)}
    assert others - own - FLEETING == sealed
