"""The command `sp`: an exit code and a sentence whatever happens, and the same command again goes on."""

import asyncio
import json
import os
import re
import signal
import stat
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from standardwebhooks.webhooks import Webhook
from tests.clients.conftest import Instance
from tests.clients.drivers import Place, RawHttp, Step, Terminal
from tests.clients.test_python_client import HTML, appended
from tests.counterparts.tools import CHECKOUT, free_port
from tests.helpers.http_servers import answering, serve
from tests.helpers.media_files import image
from tests.helpers.webhooks import receiver_server

from signalpost_client.cli import _exits, _screen
from signalpost_client.cli._run import app

pytestmark = pytest.mark.xdist_group("clients")
HELP_MODULES_MAX = 150
ENVIRONMENT = {"PYTHONPATH": str(CHECKOUT / "clients" / "python" / "src"), "PYTHONDONTWRITEBYTECODE": ""}
ONLY_PRINTS = {"completion"}
ASKS_NOTHING = {"login", "logout", "servers"}
READS = {
    "me", "open", "post validate", "post list", "post show", "post wait", "media list", "accounts list", "queue list",
    "queue slots", "queue status", "calendar", "analytics overview", "analytics accounts", "analytics post",
    "analytics best-times", "webhooks list", "webhooks listen", "logs", "keys list", "mcp",
}  # fmt: skip
"""What changes nothing; everything else has --dry-run."""


def leaves(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from leaves(found, f"{path} {name}".strip())
    else:
        yield path, command


def test_every_command_speaks_to_programs_and_can_be_tried() -> None:
    options = {path: {name for given in command.params for name in given.opts} for path, command in leaves(app)}
    assert {path for path, names in options.items() if "--json" not in names} == ONLY_PRINTS
    assert {path for path, names in options.items() if "--dry-run" not in names} == ONLY_PRINTS | ASKS_NOTHING | READS
    assert [path for path, command in leaves(app) if not command.help] == []


def test_the_guide_lists_the_exit_codes() -> None:
    guide = (CHECKOUT / "docs" / "guides" / "terminal.md").read_text()
    listed = {int(code): text for code, text in re.findall(r"^\| (\d+) \| (.+) \|$", guide, re.MULTILINE)}
    assert listed == _exits.MEANINGS


def test_help_imports_nothing_large() -> None:
    """So it is quick: `bench.clients` has the time."""
    code = (
        "import sys; before = {*sys.modules}; from signalpost_client.cli._run import run; run(['--help']);"
        "print(*(sys.modules.keys() - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert "Commands:" in done.stdout
    modules = set(done.stdout.splitlines()[-1].split())
    assert {name.partition(".")[0] for name in modules} - sys.stdlib_module_names <= {"click", "signalpost_client"}
    assert "asyncio" not in modules
    assert len(modules) < HELP_MODULES_MAX


async def test_login_keeps_a_key_that_works_and_no_other(place: Place) -> None:
    async with Terminal(place, SIGNALPOST_API_KEY="", SIGNALPOST_API_URL="") as sp:
        assert (await sp.types("me")).problems == "You are not signed in. Run `sp login`, or set SIGNALPOST_API_KEY.\n"
        refused = await sp.types("login", "--url", place.url, "--key-stdin", text="sp_live_wrong\n")
        assert refused.code == _exits.NOT_SIGNED_IN
        assert not (sp.folder / "servers.json").exists()
        signed_in = await sp.types("login", "--url", place.url, "--name", "work", "--key-stdin", text=place.key + "\n")
        assert signed_in.out.startswith("Signed in to work: Acme ")
        assert stat.S_IMODE((sp.folder / "servers.json").stat().st_mode) == 0o600
        assert (await sp.types("me")).code == 0
        assert (await sp.types("me", "--server", "home")).code == _exits.NOT_SIGNED_IN
        assert place.key not in (await sp.types("servers", "--json")).out
        assert (await sp.types("logout")).out == "The key of work is forgotten.\n"
        assert (await sp.types("me")).code == _exits.NOT_SIGNED_IN
    async with RawHttp(place) as plain:
        assert "code" not in await plain.run(Step("", "getMe")), "a key that was pasted may be in use elsewhere"


async def test_what_can_go_wrong_is_a_sentence_and_a_code(instance: Instance, place: Place) -> None:
    async with serve(answering(HTML)) as proxy, Terminal(place) as sp:
        rows = {
            ("post", "create", "x"): (_exits.USAGE, "Where to?"),
            ("post", "create", "x", "--to", "sandbox", "--to", "acc_1"): (_exits.USAGE, "not both"),
            ("post", "create", "x", "--to", "nowhere"): (_exits.INVALID, "Must be"),
            ("post", "show", "pst_01M7Z0000000000000000000AB"): (_exits.NOT_FOUND, "Check the id"),
            ("post", "show", ".."): (_exits.NOT_SIGNED_IN, "is not an id"),
            ("api", "DELETE", "/sandbox/clock"): (_exits.NOT_ALLOWED, "test"),
            ("api", "POST", "/posts", "-d", "{"): (_exits.USAGE, "not JSON"),
            ("keys", "revoke", "key_1"): (_exits.USAGE, "--yes"),
            ("media", "upload", "absent.png"): (_exits.USAGE, "is not a file"),
            ("webhooks", "listen", "--forward", "localhost"): (_exits.USAGE, "a whole address"),
        }
        for arguments, (code, said) in rows.items():
            typed = await sp.types(*arguments)
            assert (typed.code, typed.out) == (code, ""), typed
            assert said in typed.problems
            assert "Traceback" not in typed.problems
        (sp.folder / "servers.json").write_text("[")
        broken = await sp.types("servers")
        assert (broken.code, "run `sp login` again" in broken.problems) == (_exits.NOT_SIGNED_IN, True)
        for url in (proxy.url, f"http://127.0.0.1:{free_port()}"):
            async with Terminal(place, SIGNALPOST_API_URL=url) as lost:
                typed = await lost.types("me")
                assert (typed.code, typed.out) == (_exits.UNREACHABLE, "")
                assert "Check the address" in typed.problems


async def test_a_fault_of_its_own_leaves_no_traceback(place: Place, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    async with Terminal(place, SP_CONFIG_DIR=str(tmp_path)) as sp:
        typed = await sp.types("keys", "create", "x")
    assert typed.code == _exits.BUG
    assert typed.problems.startswith("sp failed: NotADirectoryError. That is a bug. The details could not be written")
    assert "Traceback" not in typed.problems


async def test_a_dry_run_sends_nothing(instance: Instance, place: Place, tmp_path: Path) -> None:
    (tmp_path / "cat.png").write_bytes(image("PNG"))
    async with Terminal(place) as sp, RawHttp(place) as plain:
        tried = await sp.types("post", "create", "Soup", "--to", "sandbox", "--dry-run", "--json")
        assert json.loads(tried.out)["valid"] is True
        for arguments in (("keys", "create", "CI"), ("media", "upload", str(tmp_path / "cat.png"))):
            assert json.loads((await sp.types(*arguments, "--dry-run")).out)["method"] == "POST"
        assert await plain.run(Step("", "listPosts")) == []
        assert len(await plain.run(Step("", "listApiKeys"))) == 2


async def test_the_same_command_again_does_nothing_twice(instance: Instance, place: Place, tmp_path: Path) -> None:
    """The first run gets no answer to what it has done, as after Ctrl-C or on a train."""
    content, lost = image("PNG", size=(100, 80)), [True]
    (tmp_path / "cat.png").write_bytes(content)

    def loses(number: int, request: bytes) -> str | None:
        return "answer" if lost[0] and not request.startswith(b"GET ") else None

    async with (
        instance.unreliable(loses) as network,
        RawHttp(place) as plain,
        Terminal(place, SIGNALPOST_API_URL=network.url) as sp,
    ):
        for command in (
            ("post", "create", "Once", "--to", "sandbox", "--allow-duplicate"),
            ("keys", "create", "CI"),
            ("media", "upload", str(tmp_path / "cat.png")),
        ):
            lost[0] = True
            assert (await sp.types(*command)).code == _exits.UNREACHABLE
            lost[0] = False
            assert (await sp.types(*command)).code == 0
        assert [row["text"] for row in await plain.run(Step("", "listPosts"))] == ["Once"]
        assert len(await plain.run(Step("", "listApiKeys"))) == 3
        assert len(await plain.run(Step("", "listMedia"))) == 1
        assert sum(appended(network)) == len(content)
        assert [path for path in (sp.folder / "state").rglob("*") if path.is_file()] == []
        # Once answered, the same command means another post.
        assert (await sp.types("post", "create", "Once", "--to", "sandbox", "--allow-duplicate")).code == 0
        assert len(await plain.run(Step("", "listPosts"))) == 2


async def test_text_comes_from_a_pipe_and_lists_have_tabs(place: Place) -> None:
    async with Terminal(place) as sp:
        created = await sp.types("post", "create", "--draft", "--json", text="From a pipe\nwith two lines\n")
        assert json.loads(created.out)["text"] == "From a pipe\nwith two lines"
        listed = await sp.types("post", "list")
        assert listed.out.count("\n") == 1
        assert listed.out.split("\t")[1] == "draft"
        failed = await sp.types("post", "create", "[[fail:content_rejected]]", "--to", "sandbox", "--wait")
        assert failed.code == _exits.FAILED
        assert "content" in failed.problems


def test_text_of_others_controls_no_terminal() -> None:
    assert _screen.plain("a\x1b[2Jb\x07c\u202ed\tü🙂\n") == "a\ufffd[2Jb\ufffdc\ufffdd\tü🙂\n"
    assert _screen.cell({"text": "one\r\ntwo"}, ("Text", "text")).isprintable()


async def test_events_are_forwarded_signed_and_ctrl_c_ends_it(instance: Instance, place: Place, tmp_path: Path) -> None:
    environment = {
        **os.environ, **ENVIRONMENT, "SP_CONFIG_DIR": str(tmp_path), "SIGNALPOST_API_KEY": place.key,
        "SIGNALPOST_API_URL": place.url,
    }  # fmt: skip
    async with receiver_server() as receiver, Terminal(place) as sp:
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "signalpost_client.cli", "webhooks", "listen", "--forward", receiver.url, "--json",
            env=environment, stdout=PIPE, stderr=PIPE,
        )  # fmt: skip
        assert program.stdout is not None
        assert program.stderr is not None
        secret = (await program.stderr.readline()).decode().split()[4]
        await program.stderr.readline()
        assert (await sp.types("webhooks", "trigger", "post.published")).code == 0
        [request] = await receiver.wait(1)
        line = json.loads(await program.stdout.readline())
        program.send_signal(signal.SIGINT)
        _, problems = await program.communicate()
    Webhook(secret).verify(request.body, request.headers)
    assert line["result"]["status"] == 200
    assert line["event"]["type"] == "post.published"
    assert program.returncode == _exits.INTERRUPTED
    assert b"Traceback" not in problems
