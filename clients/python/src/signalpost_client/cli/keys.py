"""API keys."""

import click

from signalpost_client import models
from signalpost_client.cli import _screen
from signalpost_client.cli._shell import Shell, reads, writes

COLUMNS: list[_screen.Column] = [
    ("Id", "id"), ("Name", "name"), ("Status", "status"), ("Mode", "mode"), ("Prefix", "prefix"),
    ("Used", _screen.when("lastUsedAt")), ("Scopes", "scopes"),
]  # fmt: skip


@click.group()
def keys() -> None:
    """API keys: list, create, revoke."""


@keys.command("list")
@reads
def list_keys(shell: Shell) -> None:
    """List the keys that you may see."""
    shell.rows(shell.client.list_api_keys(), COLUMNS)


@keys.command()
@click.argument("name")
@click.option(
    "--scope", "scopes", multiple=True, help="What the key may do; may be repeated (default: all you may do)."
)
@click.option("--test", is_flag=True, help="A key for the sandbox only.")
@click.option("--expires", metavar="TIME", help="When it stops working.")
@writes
def create(shell: Shell, name: str, scopes: tuple[str, ...], expires: str | None, *, test: bool) -> None:
    """Create a key, and print it: it is shown only once."""
    body: models.ApiKeyCreate = {"name": name, "mode": "test" if test else "live"}
    if scopes:
        body["scopes"] = list(scopes)  # type: ignore[arg-type] # the service checks them
    if expires:
        body["expiresAt"] = expires
    created = shell.client.create_api_key(body)
    shell.done(created, created["key"])


@keys.command()
@click.argument("key_id", metavar="KEY")
@click.option("--yes", is_flag=True, help="Do not ask.")
@writes
def revoke(shell: Shell, key_id: str, *, yes: bool) -> None:
    """End a key (key_…) at once, and those it created."""
    shell.sure(f"Revoke {key_id}?", yes=yes)
    shell.done(shell.client.revoke_api_key(key_id), f"{key_id} is revoked.")
