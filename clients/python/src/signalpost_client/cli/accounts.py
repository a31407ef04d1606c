"""Accounts of networks."""

import sys
import time
from typing import Any

import click

from signalpost_client.cli import _screen
from signalpost_client.cli._shell import WAIT_SECONDS, Shell, reads, writes
from signalpost_client.errors import ConfigurationError

COLUMNS: list[_screen.Column] = [
    ("Id", "id"), ("Network", "platform"), ("Name", "username"), ("Status", "status"), ("Why", "statusReason"),
    ("Profile", "profileId"),
]  # fmt: skip
POLL_SECONDS = 2.0


@click.group()
def accounts() -> None:
    """Connect accounts of networks."""


@accounts.command("list")
@click.option("--profile", metavar="PROF", help="Only those of a profile.")
@reads
def list_accounts(shell: Shell, profile: str | None) -> None:
    """List the connected accounts."""
    client = shell.client
    rows = client.list_all_accounts() if profile is None else client.list_accounts(profile_id=profile)
    shell.rows(rows, COLUMNS, empty="No accounts. `sp accounts connect NETWORK` connects one.")


@accounts.command()
@click.argument("platform", metavar="NETWORK")
@click.option("--profile", metavar="PROF", help="The profile to connect it to.")
@click.option(
    "--field", "fields", multiple=True, metavar="NAME=VALUE", help="A value of the network's form; repeat it."
)
@click.option("--instance", metavar="ADDRESS", help="The server, for networks that have many.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
@click.option("--timeout", default=WAIT_SECONDS, show_default=True, help="Seconds to wait for the browser.")
@writes
def connect(
    shell: Shell,
    platform: str,
    profile: str | None,
    fields: tuple[str, ...],
    instance: str | None,
    timeout: float,
    *,
    no_browser: bool,
) -> None:
    """Connect an account: in the browser, or with the values that the network asks for."""
    client, profile_id = shell.client, shell.profile(profile)
    values = dict(_pair(text) for text in fields)
    if not values:
        begin = client.get_auth_url(platform, profile_id=profile_id, instance_url=instance)
        if begin["mode"] == "oauth" and begin["url"]:
            if shell.dry_run:
                shell.done(begin, begin["url"])
                return
            account = _authorized(shell, platform, profile_id, begin["url"], timeout, browser=not no_browser)
            shell.done(account, f"{account['username']} is connected ({account['id']}).")
            return
        values = _typed(begin["fields"] or [])
    account = client.connect_account(platform, {"profileId": profile_id, "fields": values})
    shell.done(account, f"{account['username']} is connected ({account['id']}).")


@accounts.command()
@click.argument("account_id", metavar="ACCOUNT")
@click.option("--yes", is_flag=True, help="Do not ask.")
@writes
def disconnect(shell: Shell, account_id: str, *, yes: bool) -> None:
    """Disconnect an account (acc_…); what was to be published there waits."""
    shell.sure(f"Disconnect {account_id}?", yes=yes)
    shell.done(shell.client.disconnect_account(account_id), f"{account_id} is disconnected.")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{text!r} is not NAME=VALUE.")
    return name, value


def _typed(fields: Any) -> dict[str, str]:
    names = ", ".join(field["name"] for field in fields if field["required"])
    if not sys.stdin.isatty():
        raise click.UsageError(f"This network asks for values: --field NAME=VALUE for {names}.")
    prompted = {
        field["name"]: click.prompt(
            field["label"], hide_input=field["secret"], default=None if field["required"] else ""
        )
        for field in fields
    }
    return {name: value for name, value in prompted.items() if value}


def _authorized(shell: Shell, platform: str, profile_id: str, url: str, timeout: float, *, browser: bool) -> Any:
    """Wait until the browser has brought a new or renewed account."""

    def connected() -> dict[str, Any]:
        rows = shell.client.list_accounts(profile_id=profile_id)
        return {row["id"]: row for row in rows if row["platform"] == platform}

    before = {identity: row["updatedAt"] for identity, row in connected().items()}
    _screen.remark(f"Open {url}" if not browser else f"Your browser opens {url}")
    if browser:
        click.launch(url)
    ends_at = time.monotonic() + timeout
    while time.monotonic() < ends_at:
        for identity, row in connected().items():
            if before.get(identity) != row["updatedAt"] and row["status"] == "active":
                return row
        time.sleep(POLL_SECONDS)
    raise ConfigurationError(f"No account of {platform} was connected within {timeout:g} seconds. Begin again.")
