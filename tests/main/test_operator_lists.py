"""What the commands of operators list. The guide to operating runs the commands: `e2e/test_operate.py`."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import click
import pytest
from click.testing import CliRunner
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.main import operations, records
from signalpost.main.cli import app
from signalpost.settings import Settings

MEMBERS = {"users": "userId", "workspaces": "workspaceId", "keys": "keyId", "accounts": "accountId",
    "posts": "postId", "webhooks": "webhookId"}  # fmt: skip


@pytest.fixture
async def connection(dsn: str) -> AsyncIterator["asyncpg.Connection[Any]"]:
    opened = await asyncpg.connect(dsn)
    yield opened
    await opened.close()


async def one_of_everything(make: Make, login: Login) -> dict[str, str]:
    body = {"url": "https://hooks.example.com/x", "events": ["post.published"]}
    return {
        "users": ids.encode("usr", login.user_id),
        "workspaces": ids.encode("wsp", login.workspace_id),
        "accounts": (await make.account(login))["id"],
        "posts": (await make.post(login, text="On two\n lines"))["id"],
        "webhooks": (await make.api.post("/webhooks", json=body, key=login.key)).json()["id"],
    }


async def test_each_list_shows_what_a_workspace_has_and_nothing_of_others(
    settings: Settings, make: Make, connection: "asyncpg.Connection[Any]"
) -> None:
    await one_of_everything(make, await make.owner())
    owner = await make.owner()
    expected = await one_of_everything(make, owner)

    for name, member in MEMBERS.items():
        rows = await records.listing(settings, connection, name, expected["workspaces"], 10)
        shown = [row[member] for row in rows]
        assert name != "workspaces" or rows[0]["plan"] == "self_hosted"
        assert shown == [expected[name]] if name != "keys" else len(shown) == 2
        table = records.table(rows)
        assert len(table.splitlines()) == 1 + len(rows)
        assert all(id_ in table for id_ in shown)
        for secret in (owner.key, owner.test_key, "secret", "password", "hmac"):
            assert secret not in f"{rows}{table}"
        assert len(await records.listing(settings, connection, name, None, 2)) == 2
        with pytest.raises(records.NothingThere, match="There is no workspace 'nowhere'"):  # not "no posts"
            await records.listing(settings, connection, name, "nowhere", 10)


async def test_a_post_is_shown_with_its_targets(make: Make, connection: "asyncpg.Connection[Any]") -> None:
    post_id = (await one_of_everything(make, await make.owner()))["posts"]
    post = await records.post(connection, post_id)

    assert (post["postId"], post["text"]) == (post_id, "On two\n lines")
    assert [target["platform"] for target in post["targets"]] == ["sandbox"]
    for unknown in ("pst_x", ids.example("pst")):
        with pytest.raises(records.NothingThere, match=unknown):
            await records.post(connection, unknown)


async def test_a_key_is_revoked_once(make: Make, context: AppContext, connection: "asyncpg.Connection[Any]") -> None:
    owner = await make.owner()
    workspace = ids.encode("wsp", owner.workspace_id)
    [key, *_] = [row["keyId"] for row in await records.listing(context.settings, connection, "keys", workspace, 10)]

    assert await operations.revoke_key(context, key) == [key]
    for unknown in (key, "key_x", ids.example("key")):
        with pytest.raises(problems.NotFound, match=unknown):
            await operations.revoke_key(context, unknown)
    rows = await records.listing(context.settings, connection, "keys", workspace, 10)
    assert [row["keyId"] for row in rows if row["revokedAt"]] == [key]


async def test_a_subscription_to_the_service_status_is_ended_once(
    context: AppContext, connection: "asyncpg.Connection[Any]"
) -> None:
    created = await connection.fetchval(
        "insert into status_subscriber (id, url, secret, active) values ($1, 'https://a.example/', '', true)"
        " returning id", ids.new_id(),
    )  # fmt: skip
    subscription = ids.encode("sub", created)
    rows = await records.subscribers(connection, 10_000)
    assert [(row["address"], row["active"]) for row in rows if row["subscriptionId"] == subscription] == [
        ("https://a.example/", True)
    ]

    ended = await records.end_subscriber(connection, subscription)
    assert ended == {"ended": subscription, "address": "https://a.example/"}
    for unknown in (subscription, "sub_x"):
        with pytest.raises(records.NothingThere, match=unknown):
            await records.end_subscriber(connection, unknown)


def test_a_list_creates_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistyped data folder would otherwise become a second, empty installation."""
    monkeypatch.delenv("SIGNALPOST_DATABASE_URL", raising=False)
    for line in (["users", "list"], ["posts", "show", "pst_x"]):
        result = CliRunner().invoke(app, [*line, "--data-dir", str(tmp_path / "typo")], prog_name="signalpost")
        assert result.exit_code == 1
        assert f"There is no database in {tmp_path / 'typo'}." in result.stderr
    assert [*tmp_path.iterdir()] == []


def test_what_people_read_has_no_words_of_python() -> None:
    record = {"isDemo": True, "isStaff": False, "events": ["post.failed"]}
    assert records.table([record, record | {"isStaff": True}]).split() == (
        ["isDemo", "isStaff", "events", "yes", "no", "post.failed", "yes", "yes", "post.failed"]
    )
    assert records.NONE.keys() == records.LISTS.keys()
    assert records.NONE["mail"] == "There is no unsent mail.\n"


def test_lists_of_commands_fit_into_a_terminal() -> None:
    """Click cuts what does not fit, and half a sentence helps nobody choose."""
    groups = [name for name, command in app.commands.items() if isinstance(command, click.Group)]
    for line in ([], *([group] for group in groups)):
        shown = CliRunner().invoke(app, [*line, "--help"], prog_name="signalpost", terminal_width=80).stdout
        assert "..." not in shown.partition("Commands:")[2], shown


@pytest.mark.parametrize("group", MEMBERS)
def test_every_group_explains_itself(group: str) -> None:
    for line in ([group, "-h"], [group, "list", "-h"], [group, "list", "--help"]):
        result = CliRunner().invoke(app, line, prog_name="signalpost")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith(f"Usage: signalpost {group}")
