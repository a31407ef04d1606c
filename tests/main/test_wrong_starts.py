"""A hundred ways to start it wrong: each gets a message that says what to do, and never a traceback.

The commands run in this process, as the program would run them; their database is one that does not exist.
"""

import errno
import os
import shlex
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.counterparts.tools import free_port

from signalpost.kit import log
from signalpost.main.cli import app

URL = "SIGNALPOST_DATABASE_URL"
NOWHERE = "postgresql://signalpost@127.0.0.1:1/signalpost"
ENCODE = "percent-encode special characters"
OWNER = "create-owner --email a@b.test --workspace x"
Start = Callable[..., Result]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Run a command line in an empty folder, with these settings only."""
    monkeypatch.chdir(tmp_path)
    for name in [*os.environ]:
        if name.startswith("SIGNALPOST_"):
            monkeypatch.delenv(name)

    def run(line: str, settings: Mapping[str, str] | None = None, text_in: str = "") -> Result:
        environment = {URL: NOWHERE, **(settings or {})}
        return CliRunner().invoke(app, shlex.split(line), env=environment, input=text_in, prog_name="signalpost")

    usual = log._output
    yield run
    log._output = usual


def check(result: Result, words: str) -> None:
    """A short message with these words on standard error, nothing on standard output, exit code 1 or 2."""
    assert result.exit_code in (1, 2), (result.exit_code, result.output)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) <= 8


OPTIONS = [
    ("serv", "No such command 'serv'"), ("server", "No such command"), ("start", "No such command"),
    ("run", "No such command"), ("help", "No such command"), ("Serve", "No such command"),
    ("serve extra", "unexpected"),
    ("keys make", "No such command"), ("users add", "No such command"), ("--versoin", "--version"),
    ("-v", "No such option"), ("serve --prot 9000", "--port"), ("serve --port", "requires an argument"),
    ("serve --port=", "valid integer"), ("serve --port 0", "is not in the range"),
    ("serve --port -1", "is not in the range"),
    ("serve --port 65536", "is not in the range"), ("serve --port 99999999999999999999", "is not in the range"),
    ("serve --port http", "valid integer"), ("serve --port 80.5", "valid integer"),
    ("serve --port 8000:8000", "valid integer"), ("serve --port ' '", "valid integer"),
    ("serve --port 9000 --port", "requires an argument"), ("serve --workers 4", "--worker"),
    ("serve --host", "requires an argument"), ("serve --data-dir", "requires an argument"),
    ("serve --datadir x", "--data-dir"), ("serve -p 9000", "No such option"), ("serve --reload", "No such option"),
    ("worker --metrics-port 70000", "is not in the range"), ("worker --port 1", "No such option"),
    ("create-owner", "Missing option '--email'"), ("create-owner --email a@b.test", "Missing option '--workspace'"),
    ("keys create", "Missing option"), ("users reset-password", "Missing option"), ("staff add", "Missing option"),
    ("plans set --workspace x", "Missing option '--plan'"), ("demo --base_url x", "No such option"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "words"), OPTIONS)
def test_a_mistyped_command_is_explained(start: Start, line: str, words: str) -> None:
    check(start(line), words)


HOSTS = ["", " ", "localhost:9000", "http://localhost", "https://social.example.com", "127.0.0.1/8", "127.0.0.1:8000",
    "a b", "-", "nowhere.invalid", "256.256.256.256", "1.2.3.4.5", "::g", "[::1", "localhost/", "ä" * 70,
    "x" * 300, "..", "%", "192.0.2.1", "2001:db8::1", "8.8.8.8"]  # fmt: skip


OTHERS = ("192.0.2.1", "2001:db8::1", "8.8.8.8")


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_that_is_not_ours_is_explained(start: Start, host: str) -> None:
    check(start(f"serve --host {shlex.quote(host)} --port 65001"), "--host" if host not in OTHERS else "cannot be used")


def test_a_port_in_use_is_named(start: Start, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with socket.create_server(("127.0.0.1", free_port())) as server:
        port = server.getsockname()[1]
        for line in (f"serve --port {port}", f"serve --host localhost --port {port}", f"worker --metrics-port {port}"):
            check(start(line), f":{port} is in use. Stop the other program, or choose another port.")


def test_metrics_for_other_machines_want_a_token(start: Start, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    check(start("worker --metrics-host 0.0.0.0 --metrics-port 65002"), "Set SIGNALPOST_METRICS_TOKEN")


SETTINGS = [
    ({URL: "postgresql://sp:se#cr@et@db/x"}, ENCODE), ({URL: "postgresql://sp:se@cret@db/x"}, ENCODE),
    ({URL: "postgresql://sp:a/b@db/x"}, ENCODE), ({URL: "postgresql://sp:a?b@db/x"}, ENCODE),
    ({URL: "postgresql://sp:a%b@db/x"}, ENCODE), ({URL: "postgresql://sp:[a@db/x"}, ENCODE),
    ({URL: "postgresql://sp:a@db:port/x"}, ENCODE), ({URL: "postgresql://sp:a b@db/x"}, "must be an address such as"),
    ({URL: "postgres"}, "must be an address such as"), ({URL: "mysql://a@b/c"}, "must be an address such as"),
    ({URL: "host=db user=sp"}, "must be an address such as"), ({URL: "sqlite:///x.db"}, "must be an address such as"),
    ({URL: "postgresql://sp@nowhere.invalid/x"}, "database at nowhere.invalid cannot be reached"),
    ({URL: "postgresql://sp@127.0.0.1:1/x"}, "127.0.0.1:1 cannot be reached: Connection refused. Check that"),
    ({URL: "postgresql://sp@/x?host=/nowhere"}, "database at /nowhere cannot be reached"),
    ({URL: "postgresql://sp@127.0.0.1:1/x?sslmode=perhaps"}, "sslmode"),
    ({URL: "postgresql://sp@127.0.0.1:99999/x"}, ""),
    ({"SIGNALPOST_LOG_LEVL": "info"}, "did you mean SIGNALPOST_LOG_LEVEL?"),
    ({"SIGNALPOST_DATABSE_URL": "x"}, "did you mean SIGNALPOST_DATABASE_URL?"),
    ({"SIGNALPOST_PORT": "9000"}, "use `serve --port`"), ({"SIGNALPOST_HOST": "::"}, "use `serve --host`"),
    ({"SIGNALPOST_BLUSKY_BASE_URL": "https://x.test"}, "did you mean SIGNALPOST_BLUESKY_BASE_URL?"),
    ({"SIGNALPOST_FACEBOK_CLIENT_ID": "x"}, "did you mean SIGNALPOST_FACEBOOK_CLIENT_ID?"),
    ({"SIGNALPOST_BASE_URL": "social.example.com"}, "https://social.example.com"),
    ({"SIGNALPOST_BASE_URL": "https://x.test/?a"}, "must be an address"),
    ({"SIGNALPOST_TRUSTED_PROXIES": "yes"}, "whole number"), ({"SIGNALPOST_TRUSTED_PROXIES": "-1"}, "at least 0"),
    ({"SIGNALPOST_LOG_LEVEL": "verbose"}, "must be one of debug"), ({"SIGNALPOST_LOG_FORMAT": "xml"}, "must be one of"),
    ({"SIGNALPOST_MASTER_KEY": "secret"}, "32 bytes"), ({"SIGNALPOST_MASTER_KEY": "a:b:c"}, "SIGNALPOST_MASTER_KEY"),
    ({"SIGNALPOST_SMTP_URL": "mail.example.com"}, "smtp://"), ({"SIGNALPOST_REGISTRATION": "yes"}, "must be one of"),
    ({"SIGNALPOST_ALLOWED_PRIVATE_HOSTS": "http://x"}, "ALLOWED_PRIVATE_HOSTS"),
    ({"SIGNALPOST_BILLING_ENABLED": "maybe"}, "true or false"), ({"SIGNALPOST_MAIL_FROM": "me"}, "sender"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "words"), SETTINGS)
def test_a_wrong_setting_is_explained(start: Start, tmp_path: Path, settings: dict[str, str], words: str) -> None:
    (tmp_path / "data").mkdir()
    result = start("migrate", settings)

    check(result, words)
    assert "se#cr@et" not in result.stderr


ENV_FILES = [
    ("SIGNALPOST_BRAND", "line 1: write NAME=value"), ('# x\n\nSIGNALPOST_BRAND="Acme', "line 3: write NAME=value"),
    ("export SIGNALPOST_LOG_LEVEL=loud", "must be one of"), ("SIGNALPOST_LOG_LEVEL='debug' x", "line 1"),
    ("SIGNALPOST_LOG_LEVL=debug # why", "did you mean"), ("SIGNALPOST BRAND=Acme", "line 1"),
    ("SIGNALPOST_BRAND: Acme", "line 1"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "words"), ENV_FILES)
def test_a_wrong_env_file_is_explained(start: Start, tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / ".env").write_text(content)

    check(start("migrate"), words)


def test_an_env_file_in_the_current_folder_is_mentioned(start: Start, tmp_path: Path) -> None:
    """It is not read, and whoever wrote it would wonder."""
    (tmp_path / ".env").write_text("export SIGNALPOST_BRAND=Acme\n")
    result = start("migrate", {URL: "postgresql://sp@127.0.0.1:1/x"})

    check(result, f"{tmp_path / '.env'} is not read: settings are read from {tmp_path / 'data' / '.env'}")


@pytest.mark.parametrize("line", ["serve --port 65001", "migrate", "demo", "doctor", "worker", f"{OWNER} --password -"])
def test_a_folder_of_another_user_is_left_alone(start: Start, tmp_path: Path, line: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "master.key").touch(mode=0o600)
    os.chown(folder / "master.key", 65534, 65534)

    check(start(line, text_in="long enough 1\n"), "belongs to nobody. Run this command as that user: sudo -u nobody")
    assert [entry.name for entry in folder.iterdir()] == ["master.key"]


def test_a_folder_that_may_not_be_read_names_its_owner(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Click would only say that it is not readable. The system says so here, since root may read everything."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "master.key").touch(mode=0o600)
    os.chown(tmp_path / "data" / "master.key", 65534, 65534)
    monkeypatch.setattr(os, "access", lambda *_, **__: False)

    check(start("doctor --data-dir data"), "belongs to nobody. Run this command as that user: sudo -u nobody")


def test_a_forbidden_file_has_a_next_step(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", forbidden)

    check(
        start("serve --port 65001"), "data: Permission denied. Run this command as its owner, or choose another path."
    )


@pytest.mark.parametrize(
    ("folder", "words"),
    [("file", "is not a folder"), ("file/below", "is not a folder"), ("/dev/null", "is not a folder"),
        ("/proc/none/data", "No such file"), ("x" * 300, "File name too long"), ("loop", "symbolic links")],
)  # fmt: skip
def test_a_place_that_cannot_be_a_data_folder_is_explained(
    start: Start, tmp_path: Path, folder: str, words: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")

    check(start(f"serve --port 65001 --data-dir {folder}", {URL: ""}), words)


@pytest.mark.parametrize(
    ("line", "text_in", "words"),
    [
        (OWNER, "", "no password on standard input"), (f"{OWNER} --password -", "\n", "no password on standard input"),
        (f"{OWNER} --password ''", "", "10 to 200"), (f"{OWNER} --password short", "", "10 to 200"),
        (OWNER, "short\n", "10 to 200"),
    ],
)  # fmt: skip
def test_a_missing_or_short_password_is_explained(start: Start, line: str, text_in: str, words: str) -> None:
    check(start(line, text_in=text_in), words)


def test_files_that_other_users_can_read_are_named(start: Start, tmp_path: Path) -> None:
    """A key that others can read is refused; settings may contain no secret, so a warning has to do."""
    settings, key = tmp_path / "data" / ".env", tmp_path / "data" / "master.key"
    settings.parent.mkdir()
    settings.write_text("SIGNALPOST_BRAND=Acme\n")
    settings.chmod(0o644)
    assert f"Other users can read {settings}. Run `chmod 600`" in start("migrate").stderr
    settings.chmod(0o600)
    assert "Other users" not in start("migrate").stderr

    key.write_text("x")
    key.chmod(0o640)
    doctor = start("doctor")
    assert doctor.exit_code == 1
    assert f"To do: Run `chmod 600 {key}`" in doctor.stdout
    assert f"Other users can read {key}. Run `chmod 600`" in doctor.stdout
