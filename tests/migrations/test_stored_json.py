"""Revisions that rewrite stored JSON, run on rows as the revision before left them."""

import importlib
from typing import Any

import msgspec

from signalpost.kit.db import Database
from signalpost.publishing.actions.removal import RemovalPayload

RULES = {
    "autoRepost": True,
    "captionPrefix": "RT ",
    "languageOverride": None,
    "platforms": ["bluesky"],
    "delayMinutes": 5,
    "asDraft": False,
}
HEALTH = {"valid": True, "canPost": False, "message": "blocked"}
STARTED_BY = {"actor": {"type": "user"}, "userId": "u", "keyId": None, "mode": "live", "via": "api"}


async def test_profiles_and_accounts_are_stored_in_snake_case(database: Database) -> None:
    """Repeating the statements changes nothing, and rows without a check stay without one."""
    revision: Any = importlib.import_module(
        "signalpost.migrations.versions.0009_store_profiles_and_accounts_in_snake_case"
    )
    async with database.transaction() as db:
        await db.execute(
            "create temp table profile_link (rules jsonb) on commit drop;"
            "create temp table account (health jsonb) on commit drop;"
            "create temp table oauth_flow (started_by jsonb) on commit drop;"
        )
        await db.execute("insert into profile_link values ($1)", RULES)
        await db.execute("insert into account values ($1), (null)", HEALTH)
        await db.execute("insert into oauth_flow values ($1)", STARTED_BY)
        for _ in range(2):
            await db.execute(revision.SQL)
        rules = await db.fetchval("select rules from profile_link")
        checks = [
            record["health"] for record in await db.fetch("select health from account order by health nulls last")
        ]
        started_by = await db.fetchval("select started_by from oauth_flow")

    assert rules == {
        "auto_repost": True,
        "caption_prefix": "RT ",
        "language_override": None,
        "platforms": ["bluesky"],
        "delay_minutes": 5,
        "as_draft": False,
    }
    assert checks == [{"valid": True, "can_post": False, "message": "blocked"}, None]
    assert started_by == {"actor": {"type": "user"}, "user_id": "u", "key_id": None, "mode": "live", "via": "api"}


async def test_open_jobs_are_stored_under_the_names_that_handlers_read(database: Database) -> None:
    """A job that was enqueued before the upgrade can still be read after it; other jobs stay as they are."""
    revision: Any = importlib.import_module("signalpost.migrations.versions.0012_store_open_jobs_in_snake_case")
    actor = {"type": "user", "id": "usr_1", "name": "Ada"}
    stored = {
        "targetId": "01a2023c-0000-7000-8000-000000000001", "accountId": "01a2023c-0000-7000-8000-000000000002",
        "platform": "bluesky", "remoteId": "at://1", "threadIds": ["at://2"], "actor": actor,
    }  # fmt: skip
    async with database.transaction() as db:
        await db.execute("create temp table job (kind text, payload jsonb) on commit drop")
        await db.execute("insert into job values ('publishing.remove', $1), ('mail.send', '{\"targetId\": 1}')", stored)
        reset = {"email": "ada@example.test", "letter": "01a2023c00007000800000000000000a"}
        await db.execute("insert into job values ('identity.password_reset', $1)", reset)
        for _ in range(2):
            await db.execute(revision.SQL)
        payloads = {row["kind"]: row["payload"] for row in await db.fetch("select kind, payload from job")}

    removal = msgspec.convert(payloads["publishing.remove"], RemovalPayload)
    assert (removal.platform, removal.remote_id, removal.thread_ids) == ("bluesky", "at://1", ["at://2"])
    assert (str(removal.target_id), removal.actor.name) == (stored["targetId"], "Ada")
    assert payloads["mail.send"] == {"targetId": 1}
    assert payloads["identity.password_reset"] == {"email": reset["email"], "message_id": reset["letter"]}
