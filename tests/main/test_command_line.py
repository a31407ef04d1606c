"""The command line for people and scripts: messages or one JSON object, never a traceback."""

import asyncio
import base64
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]
OWNER = ("create-owner", "--email", "owner@example.test", "--password", "-", "--workspace", "Bakery")
PASSWORD = "correct horse battery\n"
NOBODY = "http://127.0.0.1:9"
"""An address at which no service is, also while a developer runs one at the usual port."""


def environment(dsn: str, folder: Path) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("SIGNALPOST_")}
    return ours | {"SIGNALPOST_DATABASE_URL": dsn, "SIGNALPOST_DATA_DIR": str(folder)}


@pytest.fixture
def command(fresh_dsn: str, tmp_path: Path) -> Command:
    """Runs `signalpost …` on a database of its own."""

    def run(*arguments: str, text_in: str = "", **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "signalpost", *arguments], input=text_in, capture_output=True, text=True,
            check=False, cwd=tmp_path, env=environment(fresh_dsn, tmp_path) | more,
        )  # fmt: skip

    return run


def one_object(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def test_each_command_of_an_operator(command: Command) -> None:
    """Each command once, in an order that makes sense, on one database."""
    owner = one_object(command(*OWNER, "--json", text_in=PASSWORD))
    key = one_object(command("keys", "create", "--workspace", "Bakery", "--name", "CI", "--mode", "test", "--json"))
    demo = one_object(command("demo", "--json", "--base-url", "http://127.0.0.1:9"))
    completed = [
        command("users", "reset-password", "--email", "OWNER@example.test", "--password", "-", text_in=PASSWORD),
        command("staff", "add", "--email", "owner@example.test"),
        command("users", "reset-totp", "--email", "owner@example.test"),
        command("plans", "set", "--workspace", owner["workspaceId"], "--plan", "pro"),
        command("migrate"),
    ]

    assert owner["apiKey"].startswith("sp_live_")
    assert (key["workspaceId"], key["apiKey"][:8]) == (owner["workspaceId"], "sp_test_")
    assert demo["curl"].startswith("curl http://127.0.0.1:9/api/v1/posts ")
    assert demo["apiKey"] in demo["curl"]
    for done in completed:
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert re.fullmatch(r"[A-Zow].*\.\n", done.stdout), done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create-owner", "--email", "nobody", "--password", "long enough 1", "--workspace", "x"), "e-mail"),
        (("create-owner", "--email", "a@b.test", "--password", "short", "--workspace", "x"), "10 to 200"),
        (
            ("create-owner", "--email", "a@b.test", "--password", "long enough 1", "--workspace", ""),
            "--workspace: Must have",
        ),
        (("keys", "create", "--workspace", "nowhere", "--name", "x"), "No workspace is called 'nowhere'"),
        (("keys", "revoke", "key_x"), "There is no valid key 'key_x'"),
        (("keys", "create", "--workspace", "nowhere", "--name", "x", "--mode", "fast"), "live or test"),
        (("users", "reset-password", "--email", "x@y.test", "--password", "long enough 1"), "no user x@y.test"),
        (("staff", "add", "--email", "x@y.test"), "no user x@y.test"),
        (("mail", "show", "f" * 32), "There is no unsent message"),
        (("plans", "set", "--workspace", "nowhere", "--plan", "gold"), "free, starter, pro, max, self_hosted"),
        (("plans", "set", "--workspace", "nowhere", "--plan", "pro"), "No workspace is called 'nowhere'"),
    ],
)
def test_an_error_of_the_operator_is_a_message_without_traceback(
    command: Command, arguments: tuple[str, ...], words: str
) -> None:
    done = command(*arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "credential" not in done.stderr  # advice for clients of the API


def test_an_ambiguous_name_is_refused(command: Command) -> None:
    """A second owner of the same address is refused; a second workspace of the same name makes the name ambiguous."""
    assert command(*OWNER, text_in=PASSWORD).returncode == 0
    again = command(*OWNER, text_in=PASSWORD)
    other = command(
        *("other@example.test" if part == "owner@example.test" else part for part in OWNER), text_in=PASSWORD
    )
    key = command("keys", "create", "--workspace", "Bakery", "--name", "CI")

    assert (again.returncode, other.returncode, key.returncode) == (1, 0, 1)
    assert "A user with this e-mail address already exists" in again.stderr
    assert "Several workspaces are called 'Bakery'" in key.stderr


def test_all_invalid_settings_are_listed_at_once(command: Command) -> None:
    done = command(
        "migrate", SIGNALPOST_BILLING_ENABLED="perhaps", SIGNALPOST_TRUSTED_PROXIES="many", SIGNALPOST_LOG_LEVEL="loud"
    )

    assert (done.returncode, done.stdout) == (2, "")
    for name in ("BILLING_ENABLED", "TRUSTED_PROXIES", "LOG_LEVEL"):
        assert f"SIGNALPOST_{name}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "address", ["postgresql://nobody:secret@127.0.0.1:1/x", "postgresql://nobody:secret@nowhere.invalid/x"]
)
def test_an_unreachable_database_is_reported_without_its_password(command: Command, address: str) -> None:
    done = command("migrate", SIGNALPOST_DATABASE_URL=address)

    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


async def test_a_database_of_a_newer_version_is_not_changed(command: Command, fresh_dsn: str) -> None:
    connection = await asyncpg.connect(fresh_dsn)
    await connection.execute("insert into schema_migration values ('9999', '9999_of_later', now(), now())")
    done = await asyncio.to_thread(command, "migrate")

    assert done.returncode == 1
    assert "revision 9999" in done.stderr
    assert "Traceback" not in done.stderr
    assert await connection.fetchval("select max(revision) from schema_migration") == "9999"
    await connection.close()


async def test_doctor_reports_problems_and_exits_with_1(command: Command, fresh_dsn: str) -> None:
    """Overdue work, and a wrong master key. Whoever reads the list knows of each check whether it is well."""
    await asyncio.to_thread(command, "demo")
    first = await asyncio.to_thread(command, "doctor", "--json", SIGNALPOST_BASE_URL=NOBODY)
    connection = await asyncpg.connect(fresh_dsn)
    await connection.execute(
        "insert into lane (kind, key, next_due_at) values ('job', gen_random_uuid(), now() - interval '1 hour')"
    )
    await connection.execute("drop extension pg_trgm cascade")
    await connection.close()
    other = base64.b64encode(b"k" * 32).decode()
    ill = await asyncio.to_thread(command, "doctor")
    locked = await asyncio.to_thread(command, "doctor", SIGNALPOST_MASTER_KEY=other)

    checks = {check["check"]: check for check in json.loads(first.stdout)}
    assert all(check.keys() == {"check", "ok", "detail", "fix"} for check in checks.values())
    assert {name for name, check in checks.items() if not check["ok"]} == {"engine", "service"}, checks
    assert checks["engine"]["detail"].startswith("No engine is running")
    assert checks["storage"]["detail"].endswith("stored, read and removed")
    assert checks["encoding"]["detail"] == "UTF8"
    assert checks["search"]["detail"] == "Texts are indexed."
    assert re.search(r"^ok +search +Texts are not indexed.*\n.*create extension pg_trgm", ill.stdout, re.MULTILINE)
    assert (ill.returncode, locked.returncode) == (1, 1)
    assert re.search(r"^PROBLEM  engine +\S", ill.stdout, re.MULTILINE), ill.stdout
    assert "created with another master key" in locked.stdout


def test_doctor_does_not_take_another_instance_for_this_one(command: Command) -> None:
    """Whatever answers at the usual port may be an instance with another data folder, and says nothing about this."""
    checks = {check["check"]: check for check in json.loads(command("doctor", "--json").stdout)}

    assert not checks["service"]["ok"]
    assert checks["service"]["detail"].startswith("No service is running on ")


def test_doctor_tells_what_is_wrong_also_without_a_database(command: Command, tmp_path: Path) -> None:
    """A script reads the same list, and the exit code says it in one bit."""
    unreachable = "postgresql://signalpost:hidden-word@127.0.0.1:9/signalpost"
    (tmp_path / ".env").write_text("")
    (tmp_path / ".env").chmod(0o600)

    settings = {"SIGNALPOST_SMTP_URL": "smtp://127.0.0.1:9", "SIGNALPOST_BASE_URL": NOBODY}
    done = command("doctor", "--json", SIGNALPOST_DATABASE_URL=unreachable, **settings)

    checks = {check["check"]: check for check in json.loads(done.stdout)}
    assert done.returncode == 1
    wrong = {name for name, check in checks.items() if not check["ok"]}
    assert wrong == {"database", "master key", "service", "storage", "mail"}, checks
    assert all(checks[name]["fix"] for name in wrong)
    assert "hidden-word" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("doctor",), ("demo",), ("migrate",), ("worker",), OWNER, ("keys", "create", "--workspace", "w", "--name", "n"),
        ("staff", "add", "--email", "a@example.test"),
    ],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_only_serve_creates_a_data_folder(command: Command, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """A typo would otherwise be a second, empty instance, and the new owner would be in that one."""
    own_database = {} if arguments == ("demo",) else {"SIGNALPOST_DATABASE_URL": ""}
    done = command(*arguments, "--data-dir", str(tmp_path / "typo"), text_in=PASSWORD, **own_database)

    assert done.returncode == 1
    assert "typo does not exist" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "typo").exists()


async def test_a_worker_alone_shuts_down_gracefully(fresh_dsn: str, tmp_path: Path) -> None:
    """It says that it runs, registers itself, and removes its registration at the end."""
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "signalpost", "worker", env=environment(fresh_dsn, tmp_path), cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    connection = await asyncpg.connect(fresh_dsn)
    while not await connection.fetchval("select count(*) from worker where looped_at is not null"):
        assert worker.returncode is None
        await asyncio.sleep(0.02)
    worker.send_signal(signal.SIGTERM)
    printed, _ = await worker.communicate()
    assert (worker.returncode, printed) == (0, b"The engine is running. Ctrl-C stops it.\n")
    assert await connection.fetchval("select count(*) from worker") == 0
    await connection.close()
