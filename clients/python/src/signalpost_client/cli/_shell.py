"""What every command has: the server, the client, and the ways to show a result."""

import functools
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from signalpost_client.cli import _screen
from signalpost_client.cli._files import Server, Servers
from signalpost_client.cli._screen import Column, Row
from signalpost_client.errors import ConfigurationError

if TYPE_CHECKING:
    from signalpost_client.cli._caller import Caller

Command = TypeVar("Command", bound=Callable[..., Any])
WAIT_SECONDS = 300.0


@dataclass
class Shell:
    """A run of `sp`."""

    server_name: str | None
    as_json: bool
    dry_run: bool = False

    @functools.cached_property
    def server(self) -> Server:
        """The server that this run is about.

        Raises:
            ConfigurationError: none is known.
        """
        if (server := Servers.load().find(self.server_name)) is None:
            raise ConfigurationError("You are not signed in. Run `sp login`, or set SIGNALPOST_API_KEY.")
        return server

    @functools.cached_property
    def client(self) -> "Caller":
        from signalpost_client.cli._caller import Caller  # with httpx

        caller = Caller(self.server.key, base_url=self.server.url or None)
        caller.dry_run = self.dry_run
        click.get_current_context().call_on_close(caller.close)
        return caller

    def profile(self, named: str | None) -> str:
        """Return the profile to act for: the named one, that of the server, or the default one of the workspace."""
        if chosen := named or self.server.profile:
            return chosen
        profiles = list(self.client.list_profiles())
        if not profiles:
            raise ConfigurationError("The workspace has no profile. Create one in the console.")
        return next((profile["id"] for profile in profiles if profile["isDefault"]), profiles[0]["id"])

    def rows(self, rows: Iterable[Row], columns: Sequence[Column], *, empty: str = "Nothing.") -> None:
        """Show a list."""
        if self.as_json:
            _screen.as_json(list(rows))
        else:
            _screen.table(rows, columns, empty=empty)

    def result(self, document: Any, columns: Sequence[Column]) -> None:
        """Show one thing."""
        if self.as_json:
            _screen.as_json(document)
        else:
            _screen.members(document, columns)

    def done(self, document: Any, sentence: str) -> None:
        """Show what a change has brought."""
        if self.as_json:
            _screen.as_json(document)
        else:
            sys.stdout.write(_screen.plain(sentence) + "\n")

    def sure(self, question: str, *, yes: bool) -> None:
        """Ask people before something that cannot be undone; programs say --yes."""
        if yes or self.dry_run:
            return
        if not sys.stdin.isatty():
            raise click.UsageError(f"{question} Say --yes if you are sure.")
        click.confirm(question, abort=True)


def reads(command: Command) -> Command:
    """Give a command a `Shell` and the options of all commands."""
    return _with_shell(command, ())


def writes(command: Command) -> Command:
    """Give a command that changes something --dry-run too."""
    dry_run = click.option("--dry-run", is_flag=True, help="Show what would be sent, and send nothing.")
    return _with_shell(command, (dry_run,))


def _with_shell(command: Command, options: Sequence[Any]) -> Command:
    @functools.wraps(command)
    def run(server: str | None, *, as_json: bool, dry_run: bool = False, **values: Any) -> Any:
        from signalpost_client.cli._caller import DryRun

        try:
            return command(Shell(server, as_json, dry_run), **values)
        except DryRun as instead:
            _screen.as_json(instead.document)
            return 0

    decorated: Any = run
    for option in (
        *options,
        click.option("--server", metavar="NAME", help="A server of `sp servers` other than the default one."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs."),
    ):
        decorated = option(decorated)
    result: Command = decorated
    return result
