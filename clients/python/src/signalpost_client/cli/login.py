"""Servers, and who you are there."""

import os
import sys
from typing import Any

import click

from signalpost_client.cli import _screen
from signalpost_client.cli._files import Server, Servers
from signalpost_client.cli._shell import Shell, reads
from signalpost_client.errors import ConfigurationError

ME: list[_screen.Column] = [
    ("User", lambda row: row["user"]["name"] or row["user"]["email"]),
    ("Workspace", lambda row: row["workspace"]["name"]),
    ("Role", "role"),
    ("Mode", lambda row: row["auth"].get("mode")),
    ("Scopes", lambda row: row["auth"].get("scopes")),
]


@click.command()
@click.option("--url", metavar="ADDRESS", help="Of the server (default: http://127.0.0.1:8000).")
@click.option("--name", help="How you call the server (default: its host).")
@click.option("--profile", metavar="PROF", help="The profile to post from (default: that of the workspace).")
@click.option("--key-stdin", is_flag=True, help="Read a key from standard input instead.")
@click.option("--no-browser", is_flag=True, help="Do not open the console.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def login(
    url: str | None, name: str | None, profile: str | None, *, key_stdin: bool, no_browser: bool, as_json: bool
) -> None:
    """Sign in to a server: the console opens, and you grant a key to this terminal there.

    The page shows the same code as the terminal, and asks what the key may do. The file of keys is readable by you
    only. The server you signed in to last is the default one; each has its own key.
    """
    from urllib.parse import urlsplit

    from signalpost_client._call import DEFAULT_URL
    from signalpost_client.cli._caller import Caller

    address = (url or os.environ.get("SIGNALPOST_API_URL") or DEFAULT_URL).rstrip("/")
    key, granted = (
        (sys.stdin.readline().strip(), False) if key_stdin else _granted_or_pasted(address, browser=not no_browser)
    )
    with Caller(key, base_url=address) as client:
        me = client.get_me()
        if profile is not None:
            client.get_profile(profile)
    name = name or urlsplit(address).netloc
    servers = Servers.load()
    Servers({**servers.by_name, name: Server(address, key, profile, granted)}, name).save()
    if (before := servers.by_name.get(name)) is not None and before.key != key:
        _end_replaced(before)
    Shell(name, as_json).done(
        {"server": name, "url": address, **me}, f"Signed in to {name}: {me['workspace']['name']}."
    )


def _granted_or_pasted(address: str, *, browser: bool) -> tuple[str, bool]:
    """Return a key, and whether it was granted to this terminal."""
    from signalpost_client.cli._device import NotOffered, granted_key

    try:
        return granted_key(address, click.launch if browser else None), True
    except NotOffered:
        if not sys.stdin.isatty():
            raise
    _screen.remark(f"Create a key at {address}/console/developers, and paste it here.")
    key: str = click.prompt("API key", hide_input=True, err=True)
    return key.strip(), False


def _end_replaced(server: Server) -> None:
    """Revoke the key that this terminal was granted before; where that fails, say so, since the new one works."""
    from signalpost_client.errors import SignalpostError

    try:
        _revoke(server)
    except SignalpostError as error:
        _screen.remark(f"The key that this terminal had before may still work: {error} Look at `sp keys list`.")


def _revoke(server: Server) -> bool:
    """Revoke a key that was granted to this terminal; return whether it is. A pasted one may be in use elsewhere."""
    from signalpost_client import errors
    from signalpost_client.cli._caller import Caller

    if not server.granted:
        return False
    with Caller(server.key, base_url=server.url) as client:
        try:
            key_id = client.get_me()["auth"]["keyId"]
            if key_id is None:
                return False
            client.revoke_api_key(key_id)
        except (errors.Unauthenticated, errors.KeyRevoked, errors.TokenExpired):
            return True  # it works no longer
    return True


@click.command()
@click.argument("name", required=False)
@click.option("--keep-key", is_flag=True, help="Only forget it here, also if the server cannot be reached.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def logout(name: str | None, *, keep_key: bool, as_json: bool) -> None:
    """Revoke the key that this terminal was granted, and forget it.

    A key that you pasted is only forgotten, since it may be in use elsewhere: `sp keys revoke` ends it.
    """
    servers = Servers.load()
    chosen = name or servers.default
    if chosen is None or chosen not in servers.by_name:
        raise ConfigurationError("There is no such server. `sp servers` lists them.")
    revoked = not keep_key and _revoke(servers.by_name[chosen])
    rest = {other: server for other, server in servers.by_name.items() if other != chosen}
    default = next(iter(rest), None) if servers.default == chosen else servers.default
    Servers(rest, default).save()
    sentence = f"The key of {chosen} is {'revoked and ' if revoked else ''}forgotten."
    Shell(None, as_json).done({"server": chosen, "deleted": True, "revoked": revoked}, sentence)


@click.command()
@click.option("--use", metavar="NAME", help="Make this one the default.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def servers(use: str | None, *, as_json: bool) -> None:
    """List the servers whose keys are kept."""
    stored = Servers.load()
    if use is not None:
        stored.find(use)
        stored = Servers(stored.by_name, use)
        stored.save()
    rows = [
        {"name": name, "url": server.url, "profile": server.profile, "default": name == stored.default}
        for name, server in stored.by_name.items()
    ]
    columns = [("Name", "name"), ("Address", "url"), ("Profile", "profile"), ("Default", "default")]
    Shell(None, as_json).rows(rows, columns, empty="None. Run `sp login`.")


@click.command()
@reads
def me(shell: Shell) -> None:
    """Show who you are, and what your key may do."""
    shell.result(shell.client.get_me(), ME)


@click.command("open")
@click.argument("what", required=False)
@click.option("--print", "only_print", is_flag=True, help="Print the address instead.")
@reads
def open_console(shell: Shell, what: str | None, *, only_print: bool) -> None:
    """Open the console in the browser: its home, a page such as `posts`, or a post (pst_…)."""
    base = shell.client.address
    place = f"posts/{what}" if what and what.startswith("pst_") else (what or "")
    address = f"{base}/console/{place}".rstrip("/")
    if not only_print:
        click.launch(address)
    shell.done({"url": address}, address)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what completes commands in your shell: add `eval "$(sp completion bash)"` to ~/.bashrc.

    For fish: sp completion fish > ~/.config/fish/completions/sp.fish
    """
    from click.shell_completion import get_completion_class

    from signalpost_client.cli._run import app

    kind: Any = get_completion_class(shell)
    sys.stdout.write(kind(app, {}, "sp", "_SP_COMPLETE").source() + "\n")
