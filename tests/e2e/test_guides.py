"""Every command of every guide runs as it stands, today and in a year, or has a row that says why not."""

import asyncio
import json
import os
import re
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from PIL import Image
from tests.counterparts.tools import CHECKOUT
from tests.e2e.test_readme import filled
from tests.faults.own_postgres import fake_clock, migrated_files, own_postgres
from tests.helpers.apps import form_of
from tests.helpers.service_process import Api, Service, installed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e-guides")]
GUIDES = CHECKOUT / "docs" / "guides"
YEAR_SECONDS = 366 * 24 * 3600
EMAIL, PASSWORD = "ada@example.com", "correct horse battery"


class Command(NamedTuple):
    """What a reader copies: a part of a shell block, between blank lines."""

    guide: str
    text: str


def blocks() -> list[tuple[str, str]]:
    """All shell blocks: guide and text. Blocks in lists are indented."""
    found = []
    for file in sorted(GUIDES.rglob("*.md")):
        guide = str(file.relative_to(GUIDES)).removesuffix(".md")
        for indent, text in re.findall(r"^( *)```sh\n(.*?)^ *```$", file.read_text(), re.MULTILINE | re.DOTALL):
            found.append((guide, re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)))
    return found


def commands() -> Iterator[Command]:
    for guide, text in blocks():
        for part in text.strip().split("\n\n"):
            yield Command(guide, part)


MACHINE = "installs on the machine, or sets the address of a service that has yet to start"
OPERATE = "tests/e2e/test_operate.py types it"
README = "tests/e2e/test_readme.py types it, against servers of these networks"
VERIFY = "tests/webhooks/test_guide.py runs it on a delivery"
SP = "needs `sp`, which is installed apart; tests/clients/test_terminal.py types it"
STRIPE = "needs an account at Stripe; tests/billing have a simulated one"
SETTING = "settings of a service, not a command"
SIMULATED = "needs a bot, a webhook or a password at the network; tests/networks have a simulated one"
DISCORD = """curl $API/platforms/discord/connect -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"profileId": "'$PROFILE'", "fields": {"""
SLACK = DISCORD.replace("discord", "slack")
CLUSTER = "needs a cluster; what its pods run: test_kubernetes.py"
CHART = "run by test_kubernetes.py"
INSTALL = "tests/e2e/test_install.py types it, in a Debian of its own and in an empty folder"
NOT_RUN = {
    ("analytics", "duckdb -c"): "needs DuckDB",
    ("billing", "SIGNALPOST_BILLING_ENABLED"): SETTING,
    ("billing", "SIGNALPOST_STRIPE_SECRET_KEY"): SETTING,
    ("billing", "signalpost billing sync"): STRIPE,
    ("billing", "curl $API/billing/checkout"): STRIPE,
    ("install", "apt install"): INSTALL,
    ("install", "apt remove"): INSTALL,
    ("install", "apt purge"): INSTALL,
    ("install", "journalctl"): INSTALL,
    ("install", "runuser"): INSTALL,
    ("install", "systemctl"): INSTALL,
    ("install", "uvx --from ./signalpost-*.whl signalpost serve"): INSTALL,
    ("install", "uvx --from ./signalpost-*.whl signalpost demo"): INSTALL,
    ("install", "pipx"): INSTALL,
    ("kubernetes", "docker build"): MACHINE,
    ("kubernetes", "kubectl create namespace"): CLUSTER,
    ("kubernetes", "helm install"): CLUSTER,
    ("kubernetes", "helm template"): CHART,
    ("kubernetes", "helm upgrade"): CLUSTER,
    ("leaked-keys", "git log -p"): "the history of a repository of the reader",
    ("leaked-keys", "curl -o secret-scanning.json"): "asks GitHub",
    ("messenger", 'curl -X POST "https://graph.facebook.com'): "asks Meta",
    ("networks", 'curl "$API/platforms/facebook/pages'): "needs an account at Facebook",
    ("networks", "curl $API/platforms/facebook/switch-page"): "needs an account at Facebook",
    ("networks", 'curl "$API/platforms/bluesky/auth-url'): "looks for a handle in the internet",
    ("networks", "curl $API/platforms/bluesky/connect"): README,
    ("networks", "curl $API/platforms/mastodon/connect"): README,
    ("networks", 'curl "$API/platforms/mastodon/auth-url'): README,
    ("networks", f'{DISCORD}"webhookUrl"'): SIMULATED,
    ("networks", f'{DISCORD}"botToken"'): SIMULATED,
    ("networks/linkedin", "SIGNALPOST_LINKEDIN_SCOPES"): SETTING,
    ("networks/matrix", "curl https://matrix.example.org"): SIMULATED,
    ("networks/matrix", "curl $API/platforms/matrix/connect"): SIMULATED,
    ("networks/nostr", "curl $API/platforms/nostr/connect"): SIMULATED,
    ("networks/slack", f'{SLACK}"webhookUrl"'): SIMULATED,
    ("networks/slack", f'{SLACK}"botToken"'): SIMULATED,
    ("networks/devto", "curl $API/platforms/devto/connect"): SIMULATED,
    ("networks/lemmy", "curl $API/platforms/lemmy/connect"): SIMULATED,
    ("networks/ghost", "curl $API/platforms/ghost/connect"): SIMULATED,
    ("networks/wordpress", "curl $API/platforms/wordpress/connect"): SIMULATED,
    ("networks/telegram", "curl $API/platforms/telegram/connect"): SIMULATED,
    ("operate", "pipx install ."): MACHINE,
    ("operate", "ssh-keygen -Y verify"): "tests/main/test_release.py types it",
    ("operate", "python3 -m venv /opt/signalpost"): MACHINE,
    ("operate", "podman build"): MACHINE,
    ("operate", "podman exec"): MACHINE,
    ("operate", "systemctl stop"): MACHINE,
    ("operate", "docker compose exec"): MACHINE,
    ("operate", "export SIGNALPOST_BASE_URL"): MACHINE,
    ("operate", "signalpost users create-owner"): OPERATE,
    ("operate", "signalpost backup"): OPERATE,
    ("operate", "signalpost verify"): OPERATE,
    ("operate", "signalpost resume"): OPERATE,
    ("operate", "pg_dump"): OPERATE,
    ("python", "pip install ./clients"): MACHINE,
    ("sign-in", "SIGNALPOST_BASE_URL"): SETTING,
    ("status", "curl $API/status/subscriptions/confirm"): "the token comes by webhook: tests/status",
    ("terminal", "pipx install './clients"): MACHINE,
    ("terminal", "git log -1"): SP,
    ("terminal", 'eval "$(sp completion'): SP,
    ("typescript", "npm --prefix clients"): MACHINE,
    ("verify-webhooks", "printf 'sha256="): VERIFY,
    ("verify-webhooks", "key=$(printf"): VERIFY,
    ("webhooks", "signalpost webhooks listen"): "runs until it is stopped: tests/main/test_listen.py",
}
"""By guide and beginning of the command, why it cannot run here."""

CURL = """
curl() {
  local given expects=
  for given in "$@"; do
    if [ -n "$expects" ]; then expects=; continue; fi
    case "$given" in
      -H|-d|-X|-F|-o|--data-binary) expects=value ;;
      -G|-N|-s|-S|-sS) ;;
      -*) echo "curl 7.68 may not know $given: if its manual has it, add it here" >&2; return 2 ;;
    esac
  done
  case " $* " in
    *" -N "*)
      while IFS= read -r given && [ "$given" != "event: ready" ]; do :; done \
        < <(command curl -sS --fail-with-body --max-time 30 "$@")
      kill $!
      echo "$given" ;;
    *) command curl -sS --fail-with-body --max-time 30 "$@" ;;
  esac
}
"""
"""A curl that refuses options beyond those that guides use and curl 7.68 has, and fails with a response that is no
success. A stream is heard until it is ready."""


class Reader:
    """Somebody who types the commands of a guide in a folder of their own."""

    def __init__(self, service: Service, api: Api, values: dict[str, str], folder: Path) -> None:
        self.service, self.api, self.values, self.folder = service, api, values, folder

    async def types(self, command: str) -> str:
        path = f"{CHECKOUT / '.venv' / 'bin'}:{os.environ['PATH']}"
        data = {"SIGNALPOST_DATA_DIR": str(self.service.folder / "data"), "PATH": path}
        done = await asyncio.to_thread(
            subprocess.run, ["bash", "-eu", "-o", "pipefail", "-c", f"{CURL}\n{command}"], capture_output=True,
            text=True, timeout=90, check=False, cwd=self.folder, env=self.service.environment(data | self.values),
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    async def named(self, guide: str) -> dict[str, str]:
        """The variables that the prose of a guide gives a value, such as DAY, computed by the clock of the reader."""
        lines = re.findall(r"[ `]([A-Z]+)=(\$\([^`]*?\))", (GUIDES / f"{guide}.md").read_text())
        shown = [await self.types(f"printf %s {value}") for _, value in lines]
        return {name: value for (name, _), value in zip(lines, shown, strict=True)}


@pytest.fixture(scope="module", params=["today", pytest.param("in a year", marks=pytest.mark.heavy)])
async def reader(request: pytest.FixtureRequest) -> AsyncIterator[Reader]:
    """Database, service and shell have the same clock."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="signalpost-guides-")))
        await asyncio.to_thread(folder.chmod, 0o755)
        settings: dict[str, str] = {}
        if request.param == "in a year":
            # This clock does not step: it is read from no file, which a loaded machine may be slow to open.
            settings = fake_clock(folder / "unused")
            del settings["FAKETIME_NO_CACHE"], settings["FAKETIME_TIMESTAMP_FILE"]
            settings["FAKETIME"] = f"+{YEAR_SECONDS}"
            files = await stack.enter_async_context(migrated_files())
            server = await stack.enter_async_context(own_postgres(files, settings))
            settings["SIGNALPOST_DATABASE_URL"] = server.dsn
        service = await stack.enter_async_context(installed(**settings))
        await service.start()
        arguments = ("create-owner", "--email", EMAIL, "--password", "-", "--workspace", "acme", "--json")
        made = await service.command(*arguments, text_in=f"{PASSWORD}\n")
        assert made.returncode == 0, made.stderr
        owner = json.loads(made.stdout)
        api = Api(service, owner)
        values = await _values(service, api) | {"WORKSPACE": owner["workspaceId"]}
        yield Reader(service, api, values, folder)


async def _values(service: Service, api: Api) -> dict[str, str]:
    """What the guides' variables mean here, and what has to be there before: accounts, drafts, a post that waits."""
    assert (await service.command("staff", "add", "--email", EMAIL)).returncode == 0
    signed_in = await api.post("/auth/login", json={"email": EMAIL, "password": PASSWORD})
    bearer = {"headers": {"Authorization": f"Bearer {signed_in['accessToken']}"}}
    staff = await api.post("/api-keys", json={"name": "staff", "scopes": ["instance:admin"]}, **bearer)
    test = await api.post("/api-keys", json={"name": "test", "mode": "test"})
    await api.connect("sandbox", username="baker")
    child = await api.post("/profiles", json={"name": "Graz"})
    body = {"profileId": child["id"], "fields": {"username": "graz"}}
    await api.post("/platforms/sandbox/connect", json=body)
    first, second = [await api.publish(["sandbox"], f"draft {number}", draft=True) for number in (1, 2)]
    hook = await api.post("/webhooks", json={"url": "http://127.0.0.1:9/hook"})
    components = (await api.get("/status/components"))["data"]
    incident = await api.post(
        "/status/admin/incidents",
        json={"title": "Late", "body": "We look.", "impact": "minor", "componentIds": [components[0]["id"]]},
        headers={"Authorization": f"Bearer {staff['key']}"},
    )
    return {
        "API": f"{service.base_url}/api/v1", "KEY": api.key, "STAFF": staff["key"], "TEST_KEY": test["key"],
        "TOKEN": signed_in["accessToken"], "PROFILE": api.profile, "URL": service.base_url,
        "CHILD": child["id"], "FIRST": first["id"], "SECOND": second["id"], "WEBHOOK": hook["id"],
        "COMPONENT": components[0]["id"], "INCIDENT": incident["id"],
    }  # fmt: skip


async def _as_it_is(reader: Reader, command: Command) -> str:
    """The command with the few values that a reader puts into it by hand."""
    api, text = reader.api, command.text
    if command.guide == "api" and "If-Match" in text:
        return filled(text, {'"3"': f'"{(await api.get(f"/profiles/{api.profile}"))["version"]}"'})
    if command.guide == "webhooks" and "https://" in text:
        return filled(text, {"https://example.com/hooks/signalpost": "http://127.0.0.1:9/hooks"})
    if command.guide == "status" and "/status/admin" in text:
        reader.values["KEY"] = reader.values["STAFF"]
    if command.guide == "clients" and "POST_ID" in text:
        draft = await api.publish(["sandbox"], f"wait for {len(text)}", draft=True)
        waits = await api.post(f"/posts/{draft['id']}/request-approval", json={})
        reader.values["POST_ID"] = draft["id"]
        return filled(text, {'"version": 2': f'"version": {waits["version"]}'} if '"version": 2' in text else {})
    if command.guide == "apps" and "$CODE" in text:
        reader.values["CODE"] = await _allowed(reader)
    if "MESSAGE" in text:
        await api.post("/team/invite", json={"email": "mailed@example.com", "role": "viewer"})

        async def unsent() -> list[str]:
            return re.findall(r"\b[0-9a-f]{32}\b", await reader.types("signalpost mail list"))

        return filled(text, {"MESSAGE": (await reader.service.until(unsent, "message that is not sent"))[0]})
    if command.guide == "billing":
        reader.values["SIGNALPOST_BILLING_ENABLED"] = "true"
    return text


COPIED = {"id": "APP", "secret": "SECRET", "access_token": "ACCESS", "refresh_token": "REFRESH"}
"""Of the responses in the guide for apps, what its reader copies."""


def _copy(reader: Reader, shown: str) -> None:
    if re.fullmatch(r"[\w-]{43}", shown):
        reader.values["CHALLENGE"] = shown
    if shown.startswith("{"):
        response = json.loads(shown)
        reader.values |= {name: response[member] for member, name in COPIED.items() if response.get(member)}


async def _allowed(reader: Reader) -> str:
    """The code of an app, after a person opened the address that the guide shows, and allowed it."""
    values = reader.values
    shown = re.search(r"^\$URL/oauth/authorize.*?$\n^.*?$", (GUIDES / "apps.md").read_text(), re.MULTILINE)
    assert shown
    address = re.sub(r"\$([A-Z]+)", lambda name: values[name[1]], re.sub(r"\n\s*", "", shown[0]))
    async with httpx.AsyncClient(base_url=values["URL"]) as browser:
        headers = {"Origin": values["URL"]}
        signed_in = await browser.post("/login", data={"email": EMAIL, "password": PASSWORD}, headers=headers)
        assert signed_in.status_code == 303, signed_in.text
        page = await browser.get(address)
        data = form_of(page.text) | {"profile": "", "decision": "allow"}
        answer = await browser.post("/oauth/authorize", data=data, headers=headers)
        return parse_qs(urlsplit(answer.headers["location"]).query)["code"][0]


def reason(command: Command) -> str | None:
    """Why it cannot run here."""
    found = [
        why for (guide, start), why in NOT_RUN.items() if guide == command.guide and command.text.startswith(start)
    ]
    return found[0] if found else None


@pytest.mark.parametrize("guide", sorted({command.guide for command in commands() if not reason(command)}))
async def test_the_commands_of_a_guide_succeed(reader: Reader, guide: str) -> None:
    """In their order, in one folder with a picture of a cat and a text with a key that leaked."""
    kept = dict(reader.values)
    await asyncio.to_thread(Image.new("RGB", (64, 48), "teal").save, reader.folder / "cat.jpg")
    (reader.folder / "leaked.txt").write_text("no key")
    reader.values |= await reader.named(guide)
    try:
        for command in commands():
            if command.guide == guide and not reason(command):
                shown = await reader.types(await _as_it_is(reader, command))
                _no_errors(command, shown)
                if guide == "apps":
                    _copy(reader, shown)
    finally:
        reader.values = kept


def _no_errors(command: Command, shown: str) -> None:
    """A response of a bulk operation lists what it refused."""
    if " -N " in command.text:
        assert shown == "event: ready\n"
    document: Any = json.loads(shown) if shown.startswith("{") else {}
    assert not document.get("errors"), shown
    assert not document.get("skipped"), shown


def test_every_row_is_about_one_command() -> None:
    texts = list(commands())
    for guide, start in NOT_RUN:
        found = [command for command in texts if command.guide == guide and command.text.startswith(start)]
        assert len(found) == 1, (guide, start)


def test_no_command_has_a_date_or_sets_what_the_reader_named() -> None:
    for guide, text in blocks():
        assert not re.search(r"\b20\d\d-\d\d", text), f"{guide}: {text}"
        assert not re.search(r"^(export )?(API|KEY|PROFILE|TOKEN)=", text, re.MULTILINE), f"{guide}: {text}"
