"""Errors of the operator are reported in messages that name the setting, all at once."""

import asyncio
import os
import re
import shutil
import signal
from pathlib import Path
from urllib.parse import unquote

import asyncpg
import pytest
from tests.counterparts.tools import free_port

from signalpost import settings
from signalpost.embedded_postgres.watch import DatabaseVanished, watch
from signalpost.kit import problems, settings_loader
from signalpost.kit.problems import Issue
from signalpost.kit.settings_loader import BadSettings
from signalpost.main import app, cli_support, serve
from signalpost.main.database import database_of, require_usable


@pytest.mark.parametrize(
    ("problem", "printed"),
    [
        (
            problems.invalid("/timezone", "not_allowed", "Not a time zone. Did you mean Europe/Berlin?"),
            "timezone: Not a time zone. Did you mean Europe/Berlin?",
        ),
        (
            problems.ValidationFailed(
                errors=[Issue("/a", "format", "Wrong."), Issue("/b", "format", "Wrong too.")], remediation="Do that."
            ),
            "a: Wrong.\nb: Wrong too.\nDo that.",
        ),
        (
            problems.AlreadyExists("There is a user with this address."),
            "There is a user with this address.\nChoose another name, or use the existing resource.",
        ),
        (
            asyncpg.DiskFullError("No space left on device"),
            "The disk of the database is full: No space left on device. Free some space, and try again.",
        ),
        (OSError(28, "No space left on device"), "The disk is full. Free some space, and try again."),
        (
            OSError(28, "No space left on device", "/backups/a.tar"),
            "The disk is full (at /backups/a.tar). Free some space, and try again.",
        ),
    ],
)
def test_a_command_says_what_is_wrong_and_what_to_do(
    problem: Exception, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work() -> None:
        raise problem

    with pytest.raises(SystemExit) as ended:
        cli_support.run(work())

    assert (capsys.readouterr().err, ended.value.code) == (printed + "\n", 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BASE_URL", "social.example.com"), ("BASE_URL", "ftp://x"), ("DATABASE_URL", "mysql://root:secret@x"),
        ("SMTP_URL", "mail.example.com"), ("BRAND", "My Brand"), ("MAIL_FROM", "nobody"), ("TRUSTED_PROXIES", "-1"),
        ("DATABASE_CONNECTIONS_MAX", "0"), ("ALLOWED_PRIVATE_HOSTS", "a b"), ("MASTER_KEY", "secret"),
        ("REQUESTS_PER_MINUTE", "0"),
    ],
)  # fmt: skip
def test_an_invalid_value_stops_the_start_and_is_not_quoted(name: str, value: str) -> None:
    with pytest.raises(BadSettings) as raised:
        settings.load({f"SIGNALPOST_{name}": value, "SIGNALPOST_WRITES_PER_MINUTE": "0"})

    assert [error.partition(":")[0] for error in sorted(raised.value.errors)] == sorted(
        [f"SIGNALPOST_{name}", "SIGNALPOST_WRITES_PER_MINUTE"]
    )
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "value", ["https://social.example.com/", "http://127.0.0.1:8000", "https://example.com/social"]
)
def test_usual_base_addresses_are_accepted(value: str) -> None:
    assert settings.load({"SIGNALPOST_BASE_URL": value}).base_url == value.rstrip("/")


def test_an_env_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(BadSettings, match=r"\.env"):
        settings.load({}, data_dir=tmp_path)


def test_an_env_file_of_a_windows_editor_is_read(tmp_path: Path) -> None:
    """A byte order mark in front of the first name would make its name unknown, and the setting would be ignored."""
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfSIGNALPOST_BRAND=Acme\r\n")

    assert settings.load({}, data_dir=tmp_path).brand == "Acme"


def test_env_files_follow_the_usual_rules(tmp_path: Path) -> None:
    """Quotes, comments and `export`, as in every other program that reads such a file."""
    lines = [
        ("A=plain # why", "plain"), ("export B = two words ", "two words"), ('C="a # b"  # why', "a # b"),
        ("D='$x \\n'", "$x \\n"), (r'E="say \"hi\"\n"', 'say "hi"\n'), ("F=se#cr@et", "se#cr@et"), ("G=", ""),
        ("H=  # nothing", ""), ("I=it's", "it's"),
    ]  # fmt: skip
    (tmp_path / ".env").write_text("\n".join(line for line, _ in lines))

    assert [*settings_loader.read_env_file(tmp_path / ".env").values()] == [value for _, value in lines]


def test_an_address_of_another_machine_is_not_reported_as_in_use() -> None:
    with pytest.raises(serve.PortBusy, match="cannot be used"):
        serve.listen_on("192.0.2.1", 8000)


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    """A folder that the database's own account may enter."""
    tmp_path.chmod(0o755)
    return tmp_path


async def test_another_master_key_is_refused_at_the_start(tmp_path: Path, fresh_dsn: str) -> None:
    """With it, every API key would be refused and every account would fail, without a hint why."""
    first = settings.load({"SIGNALPOST_MASTER_KEY": "one:" + "A" * 43 + "="}, data_dir=tmp_path)
    both = settings.load({"SIGNALPOST_MASTER_KEY": "two:" + "B" * 43 + "=,one:" + "A" * 43 + "="}, data_dir=tmp_path)
    second = settings.load({"SIGNALPOST_MASTER_KEY": "two:" + "B" * 43 + "="}, data_dir=tmp_path)

    async with app.open_context(first, fresh_dsn):
        pass
    with pytest.raises(app.WrongMasterKey, match="another master key"):
        async with app.open_context(second, fresh_dsn):
            pass
    async with app.open_context(both, fresh_dsn):  # how a key is replaced
        pass
    async with app.open_context(second, fresh_dsn):
        pass


async def test_a_database_whose_files_are_gone_is_not_created_again(open_path: Path) -> None:
    """An empty database in its place would look like the loss of all data, and would accept new posts."""
    loaded = settings.load({}, data_dir=open_path / "data")
    async with database_of(loaded) as (_, cluster):
        assert cluster is not None
        watching = asyncio.create_task(watch(cluster))
        os.kill(cluster.pid(), signal.SIGKILL)
        shutil.rmtree(cluster.folder / "cluster")
        with pytest.raises(DatabaseVanished, match="are gone"):
            await watching


async def test_the_last_user_of_the_embedded_database_stops_it(open_path: Path) -> None:
    loaded = settings.load({}, data_dir=open_path / "data")
    async with database_of(loaded) as (dsn, _):
        async with database_of(loaded) as (same, _):
            assert same == dsn
        connection = await asyncpg.connect(dsn)  # the end of the other one left it running
        await connection.close()
    with pytest.raises(OSError, match=r"refused|No such file"):
        await asyncpg.connect(dsn)


async def test_a_failure_while_the_database_starts_stops_it(open_path: Path) -> None:
    loaded = settings.load({}, data_dir=open_path / "data")

    def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        async with database_of(loaded, meanwhile=fail):
            pass

    assert (open_path / "data" / "postgres" / "cluster" / "PG_VERSION").exists()
    assert not (open_path / "data" / "postgres" / "cluster" / "postmaster.pid").exists()


async def test_a_start_waits_for_a_server_that_is_starting(fresh_dsn: str) -> None:
    """After a restart of the machine both start at once, and the server may replay its log first."""
    socket_dir = re.search(r"host=([^&]+)", fresh_dsn)
    assert socket_dir
    starting = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
    refused = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal refused
        if refused < 3:
            refused += 1
            await reader.read(1024)
            writer.write(b"E" + (len(starting) + 4).to_bytes(4, "big") + starting)
        else:
            theirs = await asyncio.open_unix_connection(f"{unquote(socket_dir[1])}/.s.PGSQL.5432")
            await asyncio.gather(_copy(reader, theirs[1]), _copy(theirs[0], writer))
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", free_port()) as server:
        port = server.sockets[0].getsockname()[1]
        address = fresh_dsn.partition("?")[0].replace("@/", f"@127.0.0.1:{port}/")
        await require_usable(f"{address}?sslmode=disable")

    assert refused == 3


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
    writer.close()
